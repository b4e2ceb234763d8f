from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse


class RequesterApiMiddleware:
    """Route API calls to `/` to the Requester API. MTurk's own endpoint has no other path.

    Some clients sign the path `/`, whatever the endpoint's path is. The site's own page at `/`
    receives all other requests.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.MARKETPLACE_ENABLED:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == "/" and request.method == "POST" and "X-Amz-Target" in request.headers:
            request.urlconf = "marketplace.api.urls"
        return self.get_response(request)
