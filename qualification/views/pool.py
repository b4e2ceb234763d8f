"""Pages of the trained pool: alerts, workers' agreement over time, and feedback."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.views.decorators.http import require_GET, require_POST

from crowd.models import Worker
from metrics.drift import BLOCK
from projects.charts import chart_response
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from projects.worker_names import named_link
from qualification.charts import pool_chart, worker_chart
from qualification.domain.pool.admit import passed_outsiders
from qualification.domain.pool.monitor_pool import (
    GRACE_ITEMS,
    PoolRow,
    acknowledge_alert,
    pool_figures,
    pool_rows,
)
from qualification.domain.scores.figures import heading_of
from qualification.domain.scores.gold_comparisons import WINDOW, main_figure
from qualification.domain.training.feedback import NothingToSendError
from qualification.domain.training.pool_feedback import (
    pool_draft_or_new,
    pool_feedback_sent,
    save_pool_feedback,
    send_pool_feedback,
)
from qualification.models import Alert
from qualification.templatetags.training import shown_value
from qualification.views.feedback import comparison_context, feedback_context, notes_of
from qualification.views.snippets import change_snippets
from schemes.contract.values import Noun
from web.badges import badge
from web.lists import Column, Empty, Listing, number_column
from web.states import Tone

WORKERS = Noun("worker", "workers")


@require_GET
@project_page(CAN_SEE_WORKERS)
def pool(request: HttpRequest, project: Project) -> HttpResponseBase:
    cached = figures_of(pool_figures, project=project)
    rows = {row.coverage.worker.pk: row for row in pool_rows(project=project, figures=cached.value)}
    ranks = {pk: rank for rank, pk in enumerate(rows)}
    listing = Listing(
        request=request,
        name="active workers",
        rows=Worker.objects.filter(pk__in=rows),
        columns=_columns(project, rows),
        count=WORKERS.count,
        order=ranks.__getitem__,
        load=lambda workers: [rows[worker.pk] for worker in workers],
        counted_at=cached.counted_at,
        note="The alerts are current.",
        empty=Empty(
            "No production work yet",
            "Coverage and agreement with the gold appear here when trained workers have annotated items.",
        ),
    )
    context = {
        "outsiders": passed_outsiders(project=project),
        "grace": GRACE_ITEMS,
        "scheme": scheme_of(project),
        "look_every": BLOCK,
    }
    return render_list(request, project, "qualification/pool.html", listing, context)


def _columns(project: Project, rows: Mapping[int, PoolRow]) -> list[Column]:
    figure, scheme = main_figure(project), scheme_of(project)
    heading = heading_of(figure)

    def pseudonym(row: PoolRow) -> str:
        return row.coverage.worker.pseudonym

    return [
        Column(
            "Worker",
            pseudonym,
            lambda row: named_link(
                reverse("qualification:pool_worker", args=[project.slug, pseudonym(row)]),
                pseudonym(row),
                project=project,
                worker_id=row.coverage.worker.pk,
            ),
            order="pseudonym",
        ),
        number_column(
            "Items", lambda row: row.coverage.items, order=lambda pk: rows[pk].coverage.items
        ),
        Column(
            f"{scheme.vocabulary.unit.plural.capitalize()} per item",
            lambda row: round(row.coverage.per_item, 2),
            order=lambda pk: rows[pk].coverage.per_item,
            is_number=True,
        ),
        number_column(
            "Compared",
            lambda row: row.compared,
            order=lambda pk: rows[pk].compared,
            about="Annotations of items that have gold.",
        ),
        Column(
            f"{heading}, all",
            lambda row: shown_value(row.overall, figure),
            order=lambda pk: rows[pk].overall,
            about=f"{heading} of all compared annotations with the gold.",
            is_number=True,
        ),
        Column(
            f"{heading}, last {WINDOW}",
            lambda row: shown_value(row.lately, figure),
            order=lambda pk: rows[pk].lately,
            about=f"{heading} of the worker's newest {WINDOW} compared annotations with the gold.",
            is_number=True,
        ),
        Column(
            "Alerts",
            lambda row: ", ".join(alert.get_kind_display() for alert in row.alerts),
            lambda row: (
                format_html_join(
                    " ",
                    "{}",
                    (
                        (badge("failed", Tone.DANGER, alert.get_kind_display()),)
                        for alert in row.alerts
                    ),
                )
                or "–"
            ),
            order=lambda pk: len(rows[pk].alerts),
        ),
    ]


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
        anchor = change_snippets(request, project)
        if anchor is not None:
            page = reverse("qualification:pool_worker", args=[project.slug, pseudonym])
            return redirect(page + anchor)
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
    context = feedback_context(request, draft) | {"is_preview": True, "back": f"../{pseudonym}/"}
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
