import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt

# Seconds after which a client may try again while the database is away.
RETRY_AFTER = 10


def api_error(code: str, detail: str, *, status: int) -> JsonResponse:
    """Return an error in the form of the API, for requests that reach none of its endpoints."""
    error = {"code": code, "detail": detail, "attr": None}
    return JsonResponse({"type": "client_error", "errors": [error]}, status=status)


@csrf_exempt
def not_found(request: HttpRequest, **kwargs: object) -> JsonResponse:
    """Respond with 404 to paths under /api/ without an endpoint."""
    hint = "" if request.path.endswith("/") else " Most paths end with a slash."
    return api_error("not_found", f"This API path doesn't exist.{hint}", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Respond to an uncaught exception: with 503 if the database is out of reach, or else 500."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        headers = {"Retry-After": str(RETRY_AFTER)}
        return HttpResponse(render_to_string("503.html"), status=503, headers=headers)
    return HttpResponse(render_to_string("500.html"), status=500)
