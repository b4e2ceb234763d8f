"""Pages for monitoring: health checks and metrics."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from health_check import checks
from health_check.base import HealthCheck, HealthCheckResult
from health_check.exceptions import ServiceUnavailable
from health_check.views import HealthCheckView
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from operations import health
from operations.domain.figures import Figures
from operations.process_metrics import process_metrics

# RFC 9116 recommends less than a year.
SECURITY_TXT_LASTS = timedelta(days=180)
# Pages work while these succeed. They need neither Redis nor a worker.
WEB = (health.Database, health.Migrations, health.StaticFiles)
ALL = (
    *WEB,
    checks.Cache,
    health.Uploads,
    health.Exports,
    health.Images,
    health.Locks,
    health.Disks,
    health.Workers,
    health.Queues,
    health.Marketplace,
    health.Publishing,
    health.Sweeps,
    health.Backups,
)
# Threads that wait for a server in vain must not keep the check of the database from running.
_database_threads = ThreadPoolExecutor(2, "health-database")
_other_threads = ThreadPoolExecutor(8, "health")


class HealthView(HealthCheckView):
    """A health check that answers in JSON by default, and soon if the database doesn't answer."""

    async def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        database = await health.Database().get_result(_database_threads)
        others = [check for check in self.get_checks() if not isinstance(check, health.Database)]
        if database.error:
            self.results = [database, *(_not_checked(check) for check in others)]
        else:
            pending = (check.get_result(_other_threads) for check in others)
            self.results = [database, *await asyncio.gather(*pending)]
        status = 500 if any(result.error for result in self.results) else 200
        match request.GET.get("format"):
            case "text":
                return self.render_to_response_text(status)
            case "openmetrics":
                return self.render_to_response_openmetrics()
        return self.render_to_response_json(status)

    def render_to_response_json(self, status: int) -> JsonResponse:
        parts = {
            type(result.check).__name__.lower(): str(result.error or result.check.pretty_status())
            for result in self.results
        }
        return JsonResponse(parts, status=status)


def _not_checked(check: HealthCheck) -> HealthCheckResult:
    error = ServiceUnavailable("not checked, because the database doesn't answer")
    return HealthCheckResult(check=check, error=error, time_taken=0.0)


@require_GET
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """Answer without checking any service."""
    return JsonResponse({"status": "ok", "version": settings.VERSION})


@require_GET
@never_cache
def traffic(request: HttpRequest) -> JsonResponse:
    """Answer 503 while this process is about to stop, so that a proxy sends no more requests.

    `deploy/web` creates the file.
    """
    is_stopping = Path(os.environ.get("DRAIN_FILE") or "/nonexistent").exists()
    if is_stopping:
        return JsonResponse({"status": "stopping"}, status=HTTPStatus.SERVICE_UNAVAILABLE)
    return JsonResponse({"status": "ok"})


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
    body = process_metrics() + generate_latest(figures)
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
