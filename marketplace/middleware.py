from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port


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


class ContentHostMiddleware:
    """Serve nothing but the pages of HTMLQuestions on their host.

    Requesters' scripts run there, so that no cookie and no page of the site may be within reach.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _is_content_host(request.get_host()):
            request.urlconf = "marketplace.content_urls"
        return self.get_response(request)


def _is_content_host(netloc: str) -> bool:
    """Compare with MARKETPLACE_CONTENT_URL. The port counts only if that URL has one."""
    if not settings.MARKETPLACE_CONTENT_URL:
        return False
    content = urlsplit(settings.MARKETPLACE_CONTENT_URL)
    host, port = split_domain_port(netloc)
    return host == content.hostname and (not content.port or port == str(content.port))
