"""For machines that watch: is it alive, is it ready, how does it do?"""

import os
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from operation.domain.figures import Figures
from operation.domain.health import check_parts


@require_GET
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """This process answers; nothing else is looked at."""
    return JsonResponse({"status": "ok", "version": settings.VERSION})


@require_GET
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """All parts, or those that `?parts=database,migrations` names; 503 says which one fails."""
    wanted = frozenset(name for name in request.GET.get("parts", "").split(",") if name)
    parts = check_parts(now=timezone.now(), wanted=wanted)
    well = bool(parts) and all(one.well for one in parts.values())
    told = {
        name: {"status": "ok" if one.well else "failing"} | ({"told": one.told} if one.told else {})
        for name, one in parts.items()
    }
    return JsonResponse(
        {"status": "ok" if well else "failing", "parts": told}, status=200 if well else 503
    )


@require_GET
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text format, for those who hold METRICS_TOKEN or ask from METRICS_NETWORKS."""
    if not _may_read_metrics(request):
        raise Http404
    figures = CollectorRegistry()
    figures.register(Figures(now=timezone.now()))
    body = generate_latest(_of_the_processes()) + generate_latest(figures)
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)


def _may_read_metrics(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "")
    if settings.METRICS_TOKEN and constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        return True
    try:
        address = ip_address(request.META["REMOTE_ADDR"])
    except ValueError:  # a socket has none
        return False
    return any(address in network for network in settings.METRICS_NETWORKS)


def _of_the_processes() -> CollectorRegistry:
    """What all of gunicorn's processes counted, added up (deploy/gunicorn_conf.py sets the folder)."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)
    return together
