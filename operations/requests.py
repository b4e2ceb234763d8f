"""Middleware that times, counts and logs requests."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import Histogram

log = logging.getLogger("touchstone.requests")

SECONDS = Histogram(
    "touchstone_http_request_seconds",
    "Time to answer a request, by route",
    ["route", "method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# Machines request these every few seconds, so they are not logged.
UNLOGGED = {
    "operations:live",
    "operations:traffic",
    "operations:web",
    "operations:ready",
    "operations:metrics",
    "static",
}


class RequestsMiddleware:
    """Middleware that times and logs requests by route, because paths may contain worker ids."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - start
        route = route_of(request)
        method = request.method if request.method in METHODS else "other"
        SECONDS.labels(route, method, response.status_code).observe(seconds)
        if route not in UNLOGGED:
            fields = {"route": route, "method": method, "status": response.status_code}
            fields["ms"] = round(seconds * 1000, 1)
            log.info("%(method)s %(route)s %(status)s in %(ms)s ms", fields, extra=fields)
        return response


def route_of(request: HttpRequest) -> str:
    match = request.resolver_match
    if match:
        return match.view_name or match.route
    return "static" if request.path.startswith(settings.STATIC_URL) else "unmatched"
