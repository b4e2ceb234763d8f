"""Pages that list a project's studies, and decide payments whose outcome is unknown."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Batch
from crowd.domain.settle_sessions import SettlementError, resolve_settlement
from crowd.domain.study_figures import (
    failing_sessions,
    failing_settlements,
    figures_of_studies,
    studies_of,
    unknown_settlements,
)
from crowd.models import Settlement, Study
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import STAFF, project_page
from web.paging import page_of

MOST_ERRORS = 50


@require_GET
@project_page(STAFF)
def studies(request: HttpRequest, project: Project) -> HttpResponse:
    budget = project.budget
    page = page_of(studies_of(budget=budget), cursor=request.GET.get("page", ""), by=("-pk",))
    batches = batches_of(page.rows)
    context = {
        "page": page,
        "rows": [
            {"figures": figures, "batches": batches[figures.study.pk]}
            for figures in figures_of_studies(page.rows)
        ],
        "unknown": unknown_settlements(budget=budget),
        "sessions": failing_sessions(budget=budget)[:MOST_ERRORS],
        "settlements": failing_settlements(budget=budget)[:MOST_ERRORS],
        "query": query_without_page(request),
    }
    return render_page(request, project, "consolidation/studies.html", context)


def batches_of(studies: Sequence[Study]) -> Mapping[int, list[Batch]]:
    """Return the batches whose HITs belong to each study, by its id."""
    batches: dict[int, list[Batch]] = defaultdict(list)
    rows = Batch.objects.filter(tasks__hit__study__in=studies).order_by("pk").distinct()
    for batch in rows.annotate(study=F("tasks__hit__study")):
        batches[batch.study].append(batch)
    return batches


@require_POST
@project_page(STAFF)
def resolve(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Confirm the decision on a payment of unknown outcome, then apply it."""
    rows = Settlement.objects.filter(session__study__budget=project.budget)
    settlement = get_object_or_404(
        rows.select_related("session__study__hit_type", "session__worker"), pk=pk
    )
    was_paid = request.POST.get("was_paid") == "yes"
    if "confirmed" not in request.POST:
        context = {"settlement": settlement, "was_paid": was_paid}
        return render_page(request, project, "consolidation/settlement_confirm.html", context)
    try:
        resolve_settlement(
            settlement=settlement,
            was_paid=was_paid,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except SettlementError as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        done = "The bonus is booked as paid." if was_paid else "The bonus will be paid again."
        messages.success(request, done)
    return redirect("consolidation:studies", slug=project.slug)
