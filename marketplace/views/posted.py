from django.http import HttpRequest, QueryDict


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the data that binds a form. Unlike `POST or None`, an empty POST binds it too."""
    return request.POST if request.method == "POST" else None
