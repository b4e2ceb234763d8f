"""The people who worked on a project, by their pseudonyms."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from annotation.domain.queries import (
    WorkerFigures,
    earned_in,
    submissions_of,
    worker_figures,
    workers_of,
)
from annotation.models import Project
from annotation.permissions import project_page
from crowd.models import Payment
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of
from schemes.registry import get_scheme


def hourly_cents(earned_cents: int, figures: WorkerFigures) -> float | None:
    """What an hour of the worker's active time has earned, in cents; None before any time is known."""
    if not figures.active_seconds:
        return None
    return earned_cents * 3600 / figures.active_seconds


@require_GET
@project_page
def workers(request: HttpRequest, project: Project) -> HttpResponse:
    page = page_of(workers_of(project=project), cursor=request.GET.get("page", ""), by=("-pk",))
    figures = worker_figures(project=project, workers=page.rows)
    earned = earned_in(project=project, workers=page.rows)
    rows = [
        {
            "worker": one,
            "figures": figures[one.pk],
            "earned": earned[one.pk],
            "hourly": hourly_cents(earned[one.pk], figures[one.pk]),
        }
        for one in page.rows
    ]
    context = {"page": page, "rows": rows, "query": query_without_page(request)}
    return render_page(request, project, "dashboard/workers.html", context)


@require_GET
@project_page
def worker(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    found = get_object_or_404(workers_of(project=project), pseudonym=pseudonym)
    figures = worker_figures(project=project, workers=[found])[found.pk]
    earned = earned_in(project=project, workers=[found])[found.pk]
    own = submissions_of(project=project).filter(worker=found)
    page = page_of(own, cursor=request.GET.get("page", ""), by=("-pk",))
    scheme = get_scheme(project.scheme)
    context = {
        "worker": found,
        "figures": figures,
        "earned": earned,
        "hourly": hourly_cents(earned, figures),
        "page": page,
        "rows": [
            {
                "submission": one,
                "headline": scheme.headline(one.item.sentence.tokens, one.item.target),
            }
            for one in page.rows
        ],
        "payments": Payment.objects.filter(
            assignment__worker=found, assignment__hit__budget=project.budget_id
        ).order_by("-pk")[:50],
        "query": query_without_page(request),
    }
    return render_page(request, project, "dashboard/worker.html", context)
