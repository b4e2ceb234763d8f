"""The pool at work: who needs a look, a worker's agreement over time, feedback on production."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.create_project import current_guidelines
from annotation.domain.kept_figures import figures_of
from annotation.enums import Role
from annotation.markdown import render_markdown
from annotation.models import Project
from annotation.permissions import pages_open_to, project_page
from crowd.models import Worker
from metrics.drift import BLOCK
from qualification.domain.outcomes import WINDOW, outcomes_of, series_of, ua_of
from qualification.domain.pool_feedback import (
    NothingToTell,
    figures_of_entries,
    instructive_items,
    pool_draft_of,
    pool_feedback_sent,
    save_pool_feedback,
    send_pool_feedback,
)
from qualification.domain.side_by_side import items_side_by_side
from qualification.domain.watch_pool import (
    GRACE_ITEMS,
    QUESTIONS_PER_ITEM,
    acknowledge_alert,
    pool_figures,
    pool_rows,
)
from qualification.models import Alert, PoolFeedback
from qualification.views.notes import notes_of

# Rows of the table beside the curve: the newest.
ROWS = 100


@require_GET
@project_page
def pool(request: HttpRequest, project: Project) -> HttpResponse:
    kept = figures_of(pool_figures, project=project)
    context = {
        "project": project,
        "may": pages_open_to(request.user, project),
        "kept": kept,
        "rows": pool_rows(project=project, figures=kept.value),
        "grace": GRACE_ITEMS,
        "least": QUESTIONS_PER_ITEM,
        "window": WINDOW,
        "look_every": BLOCK,
    }
    return render(request, "qualification/pool.html", context)


@require_GET
@project_page
def pool_worker(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    worker = _worker(project, pseudonym)
    outcomes = outcomes_of(project=project, worker=worker)
    rows = outcomes.values_list("submission__submitted_at", "counts")
    points = series_of([(at, ua_of(counts)) for at, counts in rows])
    draft = pool_draft_of(project, worker)
    alignment = draft.alignment if draft else instructive_items(project=project, worker=worker)
    guidelines = current_guidelines(project_id=project.pk, role=Role.GENERATOR)
    alerts = Alert.objects.filter(project=project, worker=worker)
    context = {
        "project": project,
        "worker": worker,
        "alerts": alerts.select_related("acknowledged_by").order_by("-pk"),
        "points": points,
        "newest": [(len(points) - at, one) for at, one in enumerate(reversed(points[-ROWS:]))],
        "window": WINDOW,
        "items": items_side_by_side(
            alignment=alignment,
            role=Role.GENERATOR,
            notes=draft.notes if draft else {},
            guidelines=guidelines,
        ),
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
        "draft": draft,
        "sent": pool_feedback_sent(project, worker),
    }
    return render(request, "qualification/pool_worker.html", context)


def _worker(project: Project, pseudonym: str) -> Worker:
    """Somebody who has worked in the project."""
    people = Worker.objects.filter(submissions__item__project=project).distinct()
    return get_object_or_404(people, pseudonym=pseudonym)


@require_POST
@project_page
def pool_write(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    worker = _worker(project, pseudonym)
    action = request.POST.get("action", "save")
    keep = send_pool_feedback if action == "send" else save_pool_feedback
    back = redirect("qualification:pool_worker", slug=project.slug, pseudonym=pseudonym)
    try:
        keep(
            project=project,
            worker=worker,
            trainer=request.user,
            notes=notes_of(request.POST),
            now=timezone.now(),
        )
    except NothingToTell as error:
        messages.error(request, str(error))
        return back
    if action == "preview":
        return redirect("qualification:pool_preview", slug=project.slug, pseudonym=pseudonym)
    told = f"Feedback is on its way to {pseudonym}." if action == "send" else "Saved."
    messages.success(request, told)
    return back


@require_GET
@project_page
def pool_preview(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    """What the worker will see."""
    worker = _worker(project, pseudonym)
    draft = pool_draft_of(project, worker)
    feedback = draft or PoolFeedback(
        project=project,
        worker=worker,
        alignment=instructive_items(project=project, worker=worker),
    )
    context = pool_feedback_context(feedback) | {
        "is_preview": True,
        "back": f"../{pseudonym}/",
    }
    return render(request, "qualification/feedback.html", context)


def pool_feedback_context(feedback: PoolFeedback) -> dict[str, Any]:
    """What the worker's page shows."""
    guidelines = current_guidelines(project_id=feedback.project_id, role=Role.GENERATOR)
    figures = figures_of_entries(feedback.alignment)
    return {
        "title": feedback.project.title,
        "feedback": feedback,
        "figures": figures,
        "found_in_all": figures["UA"]["tp"] + figures["UA"]["fn"],
        "role": Role.GENERATOR,
        "other_side": "What came of it",
        "from_production": True,
        "items": items_side_by_side(
            alignment=feedback.alignment,
            role=Role.GENERATOR,
            notes=feedback.notes,
            guidelines=guidelines,
        ),
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
    }


@require_POST
@project_page
def pool_acknowledge(
    request: HttpRequest, project: Project, pseudonym: str, pk: int
) -> HttpResponseBase:
    alert = get_object_or_404(Alert, project=project, worker__pseudonym=pseudonym, pk=pk)
    acknowledge_alert(
        alert=alert,
        by=request.user,
        note=str(request.POST.get("note", ""))[:1000],
        now=timezone.now(),
    )
    return redirect("qualification:pool_worker", slug=project.slug, pseudonym=pseudonym)
