import logging
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt

from database.limits import TIMEOUTS, exceeded_limit

log = logging.getLogger("touchstone.database")
# Seconds after which a client may try again while the database is away.
RETRY_AFTER = 10


def log_database_error(error: Exception) -> str | None:
    """Log that the database failed a request. Return the limit that it exceeded, if any."""
    limit = exceeded_limit(error)
    if limit:
        TIMEOUTS.labels(limit).inc()
        log.error("A request exceeded the %s limit of the database.", limit)
    else:
        log.error("A request failed, because the database is unavailable: %s", type(error).__name__)
    return limit


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
    """Respond to an uncaught exception: with 503 if the database fails or is too slow, or else 500."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        headers = {"Retry-After": str(RETRY_AFTER)}
        context = {"is_slow": log_database_error(error) is not None}
        return HttpResponse(render_to_string("503.html", context), status=503, headers=headers)
    return HttpResponse(render_to_string("500.html"), status=500)
