"""Pages for monitoring: health checks and metrics."""

import os
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from health_check.views import HealthCheckView
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from operations.domain.figures import Figures

# RFC 9116 recommends less than a year.
SECURITY_TXT_LASTS = timedelta(days=180)
WEB = (
    "health_check.checks.Database",
    "health_check.checks.Cache",
    "operations.health.Migrations",
)
ALL = (
    *WEB,
    "health_check.checks.Storage",
    "operations.health.Workers",
    "operations.health.Queues",
    "operations.health.Marketplace",
    "operations.health.Publishing",
    "operations.health.Sweeps",
    "operations.health.Backups",
)


class HealthView(HealthCheckView):
    """A health check that answers in JSON by default."""

    def render_to_response(self, context: Any, **kwargs: Any) -> JsonResponse:
        return self.render_to_response_json(kwargs["status"])

    def render_to_response_json(self, status: int) -> JsonResponse:
        parts = {
            type(result.check).__name__.lower(): str(result.error or result.check.pretty_status())
            for result in self.results
        }
        return JsonResponse(parts, status=status)


@require_GET
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """Answer without checking any service."""
    return JsonResponse({"status": "ok", "version": settings.VERSION})


@require_GET
def security_txt(request: HttpRequest) -> HttpResponse:
    """Return where to report vulnerabilities (RFC 9116), or 404 if there is no SECURITY_CONTACT."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    expires = timezone.now() + SECURITY_TXT_LASTS
    lines = [
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {settings.SITE_URL}{request.path}",
    ]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_GET
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return Prometheus metrics to clients with METRICS_TOKEN or in METRICS_NETWORKS."""
    if not _may_read_metrics(request):
        raise Http404
    figures = CollectorRegistry()
    figures.register(Figures(now=timezone.now()))
    body = generate_latest(_process_registry()) + generate_latest(figures)
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)


def _may_read_metrics(request: HttpRequest) -> bool:
    header = request.headers.get("Authorization", "")
    if settings.METRICS_TOKEN and constant_time_compare(header, f"Bearer {settings.METRICS_TOKEN}"):
        return True
    try:
        address = ip_address(request.META["REMOTE_ADDR"])
    except ValueError:  # a Unix socket has no address
        return False
    return any(address in network for network in settings.METRICS_NETWORKS)


def _process_registry() -> CollectorRegistry:
    """Return the metrics of all gunicorn processes, whose folder gunicorn_conf.py sets."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry
