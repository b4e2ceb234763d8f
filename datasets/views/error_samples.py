"""Pages on which people categorise a sample of parts without a match."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.quality.error_samples import (
    CSV_COLUMNS,
    SampleError,
    SampleReport,
    categories_of,
    draw_sample,
    judge_part,
    next_part,
    sample_report,
    sampled_rows,
    sides_of_part,
)
from datasets.domain.quality.quality import NothingToCompareError
from datasets.forms.quality import PartForm, SampleForm
from datasets.models import ErrorSample, SampledPart
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import REVIEWERS, STAFF, pages_open_to, project_page
from schemes.contract.values import Noun
from web.downloads import csv_download
from web.lists import Column, Empty, Listing, link
from web.templatetags.web import percent

SAMPLES, PARTS = Noun("sample", "samples"), Noun("part", "parts")


@require_GET
@project_page(STAFF | REVIEWERS)
def samples(request: HttpRequest, project: Project) -> HttpResponseBase:
    initial = {"source": protocol_of(project).gold_source, "against": GoldSource.EXPERT}
    return _list(request, project, SampleForm(initial=initial))


def _list(
    request: HttpRequest, project: Project, form: SampleForm, status: int = 200
) -> HttpResponseBase:
    listing = Listing(
        request=request,
        name="error samples",
        rows=project.error_samples.all(),
        columns=_sample_columns(project),
        count=SAMPLES.count,
        load=lambda samples: [sample_report(sample=_of(project, sample)) for sample in samples],
        path=reverse("datasets:error_samples", args=[project.slug]),
        empty=Empty("No samples yet", "Experts and admins can draw samples."),
    )
    page = "datasets/error_samples.html"
    return render_list(request, project, page, listing, {"form": form}, status=status)


def _sample_columns(project: Project) -> list[Column]:
    def sample_link(report: SampleReport) -> str:
        url = reverse("datasets:error_sample", args=[project.slug, report.sample.pk])
        return link(url, f"Sample {report.sample.pk}")

    def true_figure(report: SampleReport) -> float | None:
        return report.estimate.value if report.estimate else None

    return [
        Column("Sample", lambda report: report.sample.pk, sample_link),
        Column("Gold", lambda report: report.sample.source),
        Column("Reference", lambda report: report.sample.against),
        Column("Sampled from", lambda report: report.sample.get_population_display()),
        Column(
            "Judged",
            lambda report: report.judged,
            lambda report: f"{report.judged} of {report.drawn}",
            is_number=True,
        ),
        Column(
            "Automatic precision or recall",
            lambda report: report.automatic,
            lambda report: percent(report.automatic),
            is_number=True,
        ),
        Column(
            "True precision or recall",
            true_figure,
            lambda report: percent(true_figure(report)),
            is_number=True,
        ),
    ]


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
def sample(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    sample = _sample(project, pk)
    parts = sample.sampled_parts.select_related("predicted__item__sentence", "judged_by")
    labels = {category.key: category.label for category in categories_of(sample)}
    can_judge = "datasets:sampled_part" in pages_open_to(request.user, project)

    def part_link(part: SampledPart) -> object:
        if not can_judge:
            return part.position
        url = reverse("datasets:sampled_part", args=[project.slug, pk, part.position])
        return link(url, part.position)

    listing = Listing(
        request=request,
        name="parts",
        rows=parts,
        columns=[
            Column("Part", lambda part: part.position, part_link, order="position"),
            Column("Item", lambda part: part.predicted.item.key),
            Column(
                "Category",
                lambda part: labels.get(part.category, part.category),
                lambda part: labels.get(part.category, part.category) or "–",
                order="category",
            ),
            Column("Note", lambda part: part.note),
        ],
        count=PARTS.count,
        order=("position",),
        download=reverse("datasets:error_sample_csv", args=[project.slug, pk]),
        empty=Empty("No parts", "The sample is empty."),
    )
    context = {
        "report": sample_report(sample=sample),
        "sample": sample,
        "next": next_part(sample=sample),
    }
    return render_list(request, project, "datasets/error_sample.html", listing, context)


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
    side, others = sides_of_part(part)
    sample = part.sample
    names = (sample.source, sample.against)
    drawn_from, other = reversed(names) if sample.is_of_missed else names
    context: dict[str, Any] = {
        "part": part,
        "item": part.predicted.item,
        "side": side,
        "others": others,
        "drawn_from": drawn_from,
        "other": other,
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
