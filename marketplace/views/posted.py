from django.http import HttpRequest, QueryDict


def posted(request: HttpRequest) -> QueryDict | None:
    """The data that binds a form; a POST with no fields binds it too, unlike `POST or None`."""
    return request.POST if request.method == "POST" else None
