"""The page with the skill of workers, the difficulty of items and the certainty of gold."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.item_context import headline_of
from datasets.domain.quality.calibration_chart import KINDS, calibration_chart
from datasets.domain.quality.certainty import FitRunningError, queue_fit, running_fit
from datasets.models import CertaintyFit, ItemCertainty
from projects.charts import chart_response
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import STAFF, project_page
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, link
from web.templatetags.web import percent

ITEMS = Noun("item", "items")


@require_GET
@project_page(STAFF)
def certainty(request: HttpRequest, project: Project) -> HttpResponseBase:
    fit = CertaintyFit.objects.filter(project=project).first()
    context: dict[str, Any] = {"fit": fit, "running": running_fit(project)}
    if fit is None:
        return render_page(request, project, "datasets/certainty.html", context)
    skills = fit.skills.select_related("worker").order_by("-is_compared", "-right", "pk")
    context |= {
        "annotators": [skill for skill in skills if not skill.is_judge],
        "judges": [skill for skill in skills if skill.is_judge],
        "charts": [(kind, texts.title) for kind, texts in KINDS.items()],
    }
    listing = Listing(
        request=request,
        name="certainty",
        rows=fit.certainties.select_related("item__sentence__image"),
        columns=_columns(project),
        count=ITEMS.count,
        order=("coverage", "pk"),
        empty=Empty("No items", "No item had gold."),
        counted_at=fit.fitted_at,
    )
    return render_list(request, project, "datasets/certainty.html", listing, context)


def _columns(project: Project) -> list[Column]:
    def item_link(row: ItemCertainty) -> str:
        url = reverse("consolidation:item", args=[project.slug, row.item_id])
        return link(url, headline_of(row.item, project))

    return [
        Column("Item", lambda row: headline_of(row.item, project), item_link),
        Column("Key", lambda row: row.item.key),
        Column(
            "Expected coverage",
            lambda row: row.coverage,
            lambda row: percent(row.coverage),
            order="coverage",
            about="The expected share of the item's right parts that the gold has.",
            is_number=True,
        ),
        Column(
            "Expected missed parts",
            lambda row: row.missed,
            lambda row: _number(row.missed),
            order="missed",
            about="The expected number of right parts that nobody found.",
            is_number=True,
        ),
        Column(
            "Lowest probability",
            lambda row: row.lowest,
            lambda row: percent(row.lowest),
            order="lowest",
            about="The lowest probability of the gold's parts that an expert would keep them.",
            is_number=True,
        ),
        Column(
            "Difficulty",
            lambda row: row.difficulty,
            lambda row: f"{_number(row.difficulty)} ± {row.difficulty_error:.2f}",
            order="difficulty",
            about="On the scale of log-odds. The mean is 0, and hard items are above it.",
            is_number=True,
        ),
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


@require_POST
@project_page(STAFF)
def fit_certainty(request: HttpRequest, project: Project) -> HttpResponseBase:
    try:
        queue_fit(project=project, actor=request.user.get_username(), now=timezone.now())
    except FitRunningError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The estimate has started. You can leave this page.")
    return redirect("datasets:certainty", project.slug)


@require_GET
@project_page(STAFF)
def certainty_chart(request: HttpRequest, project: Project, kind: str) -> HttpResponseBase:
    fit = get_object_or_404(CertaintyFit, project=project)
    if kind not in KINDS:
        raise Http404(f"There is no chart {kind!r}.")
    return chart_response(request, project, calibration_chart(fit, kind))
