"""Middleware that refuses large request bodies before anything reads them."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse

# The pages that receive files. deploy/Caddyfile lists their addresses.
UPLOAD_PAGES = (
    "annotation:corpus",
    "benchmarks:add_baseline",
    "benchmarks:enter",
    "consolidation:expert_set_up",
    "consolidation:gold_import",
    "consolidation:import_resource",
    "datasets:evaluate_systems",
    "qualification:set_up",
    "releases:import_release",
)


class LargeBodiesMiddleware:
    """Middleware that allows large bodies only to users who sign in and upload a file.

    It must be between those of sessions and CSRF: the latter reads the whole body. Views without CSRF
    protection are for programs, and check the length themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
        if length <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE or getattr(view, "csrf_exempt", False):
            return None
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if request.resolver_match and request.resolver_match.view_name in UPLOAD_PAGES:
            if SESSION_KEY not in request.session:
                return HttpResponse("Sign in first.", status=403, content_type="text/plain")
            limit = settings.API_UPLOAD_MAX_BYTES
        if length <= limit:
            return None
        text = f"The request is too large. The limit is {limit >> 20} MiB."
        return HttpResponse(text, status=413, content_type="text/plain")
