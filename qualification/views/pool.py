"""Pages of the trained pool: alerts, workers' agreement over time, and feedback."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from crowd.models import Worker
from metrics.drift import BLOCK
from projects.charts import chart_response
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.charts import pool_chart, worker_chart
from qualification.domain.feedback import NothingToSendError
from qualification.domain.gold_comparisons import WINDOW, main_figure
from qualification.domain.monitor_pool import (
    GRACE_ITEMS,
    acknowledge_alert,
    pool_figures,
    pool_rows,
)
from qualification.domain.pool_feedback import (
    pool_draft_or_new,
    pool_feedback_sent,
    save_pool_feedback,
    send_pool_feedback,
)
from qualification.models import Alert
from qualification.views.feedback import comparison_context, feedback_context, notes_of
from schemes.registry import get_scheme


@require_GET
@project_page(CAN_SEE_WORKERS)
def pool(request: HttpRequest, project: Project) -> HttpResponse:
    cached = figures_of(pool_figures, project=project)
    context = {
        "cached": cached,
        "rows": pool_rows(project=project, figures=cached.value),
        "grace": GRACE_ITEMS,
        "scheme": get_scheme(project.scheme),
        "figure": main_figure(project),
        "window": WINDOW,
        "look_every": BLOCK,
    }
    return render_page(request, project, "qualification/pool.html", context)


@require_GET
@project_page(CAN_SEE_WORKERS)
def pool_worker(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    worker = _worker(project, pseudonym)
    draft = pool_draft_or_new(project, worker)
    alerts = Alert.objects.filter(project=project, worker=worker)
    context = {
        "worker": worker,
        "alerts": alerts.select_related("acknowledged_by").order_by("-pk"),
        "draft": draft,
        "sent": pool_feedback_sent(project, worker),
        **comparison_context(draft),
    }
    return render_page(request, project, "qualification/pool_worker.html", context)


@require_GET
@project_page(CAN_SEE_WORKERS)
def speed_and_quality(request: HttpRequest, project: Project) -> HttpResponseBase:
    return chart_response(request, project, pool_chart(project=project))


@require_GET
@project_page(CAN_SEE_WORKERS)
def worker_agreement(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    worker = _worker(project, pseudonym)
    shown = worker_chart(project=project, worker=worker, now=timezone.now())
    return chart_response(request, project, shown)


def _worker(project: Project, pseudonym: str) -> Worker:
    """Return a worker with submissions in the project."""
    people = Worker.objects.filter(submissions__item__project=project).distinct()
    return get_object_or_404(people, pseudonym=pseudonym)


@require_POST
@project_page(CAN_SEE_WORKERS)
def pool_write(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    worker = _worker(project, pseudonym)
    action = request.POST.get("action", "save")
    save = send_pool_feedback if action == "send" else save_pool_feedback
    notes, now = notes_of(request.POST), timezone.now()
    try:
        save(project=project, worker=worker, trainer=request.user, notes=notes, now=now)
    except NothingToSendError as error:
        messages.error(request, str(error))
    else:
        if action == "preview":
            return redirect("qualification:pool_preview", slug=project.slug, pseudonym=pseudonym)
        notice = f"Feedback to {pseudonym} will be sent shortly." if action == "send" else "Saved."
        messages.success(request, notice)
    return redirect("qualification:pool_worker", slug=project.slug, pseudonym=pseudonym)


@require_GET
@project_page(CAN_SEE_WORKERS)
def pool_preview(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    """Show the page as the worker will see it."""
    draft = pool_draft_or_new(project, _worker(project, pseudonym))
    context = feedback_context(draft) | {"is_preview": True, "back": f"../{pseudonym}/"}
    return render(request, "qualification/feedback.html", context)


@require_POST
@project_page(CAN_SEE_WORKERS)
def pool_acknowledge(
    request: HttpRequest, project: Project, pseudonym: str, pk: int
) -> HttpResponseBase:
    alert = get_object_or_404(Alert, project=project, worker__pseudonym=pseudonym, pk=pk)
    note = str(request.POST.get("note", ""))[:1000]
    acknowledge_alert(alert=alert, by=request.user, note=note, now=timezone.now())
    return redirect("qualification:pool_worker", slug=project.slug, pseudonym=pseudonym)
