"""Pages on which people categorise a sample of what a reference lacks."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.error_samples import (
    CSV_COLUMNS,
    SampleError,
    categories_of,
    draw_sample,
    judge_part,
    next_part,
    row_of_part,
    sample_report,
    sampled_rows,
)
from datasets.domain.quality import NothingToCompareError
from datasets.forms.quality import PartForm, SampleForm
from datasets.models import ErrorSample, SampledPart
from projects.models import Project
from projects.pages import render_page
from projects.permissions import REVIEWERS, STAFF, project_page
from web.downloads import csv_download
from web.paging import page_of


@require_GET
@project_page(STAFF | REVIEWERS)
def samples(request: HttpRequest, project: Project) -> HttpResponse:
    initial = {"source": protocol_of(project).gold_source, "against": GoldSource.EXPERT}
    return _list(request, project, SampleForm(initial=initial))


def _list(
    request: HttpRequest, project: Project, form: SampleForm, status: int = 200
) -> HttpResponse:
    drawn = project.error_samples.order_by("-pk")
    context = {
        "form": form,
        "reports": [sample_report(sample=_of(project, sample)) for sample in drawn[:50]],
    }
    return render_page(request, project, "datasets/error_samples.html", context, status=status)


def _of(project: Project, sample: ErrorSample) -> ErrorSample:
    sample.project = project
    return sample


@require_POST
@project_page(REVIEWERS)
def draw(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = SampleForm(request.POST)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    try:
        drawn = draw_sample(
            project=project, by=str(request.user), now=timezone.now(), **form.cleaned_data
        )
    except (SampleError, NothingToCompareError) as error:
        form.add_error(None, str(error))
        return _list(request, project, form, status=422)
    messages.success(request, "The sample was drawn.")
    return redirect("datasets:error_sample", project.slug, drawn.pk)


@require_GET
@project_page(STAFF | REVIEWERS)
def sample(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    sample = _sample(project, pk)
    parts = sample.sampled_parts.select_related("predicted__item__sentence", "judged_by")
    labels = {category.key: category.label for category in categories_of(sample)}
    page = page_of(parts, cursor=request.GET.get("page", ""), by=("position",))
    context = {
        "report": sample_report(sample=sample),
        "sample": sample,
        "next": next_part(sample=sample),
        "page": page,
        "rows": [(part, labels.get(part.category, part.category)) for part in page.rows],
        "query": "",
    }
    return render_page(request, project, "datasets/error_sample.html", context)


@require_GET
@project_page(STAFF | REVIEWERS)
def sample_csv(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    sample = _sample(project, pk)
    name = f"{project.slug}-sample-{sample.pk}.csv"
    return csv_download(name, CSV_COLUMNS, sampled_rows(sample=sample), line_end="\n")


@require_GET
@project_page(REVIEWERS)
def part(request: HttpRequest, project: Project, pk: int, position: int) -> HttpResponse:
    return _part_page(request, project, _part(project, pk, position))


def _part_page(
    request: HttpRequest, project: Project, part: SampledPart, problem: str = ""
) -> HttpResponse:
    row, reference = row_of_part(part)
    context: dict[str, Any] = {
        "part": part,
        "item": part.predicted.item,
        "row": row,
        "reference": reference,
        "categories": categories_of(part.sample),
        "drawn": part.sample.sampled_parts.count(),
        "problem": problem,
    }
    status = 422 if problem else 200
    return render_page(request, project, "datasets/sampled_part.html", context, status=status)


@require_POST
@project_page(REVIEWERS)
def judge(request: HttpRequest, project: Project, pk: int, position: int) -> HttpResponseBase:
    part = _part(project, pk, position)
    form = PartForm(request.POST)
    if not form.is_valid():
        return _part_page(request, project, part, "Choose a category.")
    try:
        judge_part(part=part, by=request.user, now=timezone.now(), **form.cleaned_data)
    except SampleError as error:
        return _part_page(request, project, part, str(error))
    following = next_part(sample=part.sample, after=position)
    if following is None:
        messages.success(request, "The sample is complete.")
        return redirect("datasets:error_sample", project.slug, pk)
    return redirect("datasets:sampled_part", project.slug, pk, following.position)


def _sample(project: Project, pk: int) -> ErrorSample:
    return _of(project, get_object_or_404(project.error_samples, pk=pk))


def _part(project: Project, pk: int, position: int) -> SampledPart:
    parts = _sample(project, pk).sampled_parts.select_related(
        "sample__project",
        "reference",
        "predicted__item__project",
        "predicted__item__sentence__image",
    )
    return get_object_or_404(parts, position=position)
