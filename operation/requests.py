"""Each request counted, timed and logged under its route: an address may name a worker."""

import logging
import time
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

log = logging.getLogger("touchstone.requests")

SECONDS = Histogram(
    "touchstone_http_request_seconds",
    "Time to answer a request, by route",
    ["route", "method"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
REQUESTS = Counter(
    "touchstone_http_requests", "Requests answered, by route", ["route", "method", "status"]
)
DRAFTS = Counter("touchstone_drafts_saved", "Drafts that workers' pages saved")
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
DRAFT_ROUTE = "annotation:draft"
# Asked for every few seconds by machines: counted, not logged.
QUIET = {"operation:live", "operation:ready", "operation:metrics", "static"}
SUCCESS = range(200, 300)


class RequestsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self.get_response(request)
        took = time.perf_counter() - begun
        route = route_of(request)
        method = request.method if request.method in METHODS else "other"
        seconds, requests = _counters(route, method, response.status_code)
        seconds.observe(took)
        requests.inc()
        if route == DRAFT_ROUTE and response.status_code in SUCCESS:
            DRAFTS.inc()
        if route not in QUIET:
            facts = {
                "route": route,
                "method": method,
                "status": response.status_code,
                "ms": round(took * 1000, 1),
            }
            extra = {"facts": facts, "is_plain": True}
            log.info("%(method)s %(route)s %(status)s in %(ms)s ms", facts, extra=extra)
        return response


@cache  # routes, methods and statuses are few; finding their counters takes longer than counting
def _counters(route: str, method: str, status: int) -> tuple[Histogram, Counter]:
    return SECONDS.labels(route, method), REQUESTS.labels(route, method, status)


def route_of(request: HttpRequest) -> str:
    match = request.resolver_match
    if match:
        return match.view_name or match.route
    return "static" if request.path.startswith(settings.STATIC_URL) else "unmatched"
