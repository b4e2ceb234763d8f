"""Pages that compare gold with a reference and decide automatic matches."""

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Item
from consolidation.domain.aligned_rows import aligned_rows
from consolidation.domain.current_gold import current_gold
from consolidation.domain.queries import count_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold
from datasets.domain.decide_match import (
    DecisionError,
    compare_gold,
    decide_match,
    decisions_between,
    undo_decision,
)
from datasets.domain.quality import (
    QUALITY_COLUMNS,
    NothingToCompareError,
    QualityReport,
    quality_json,
    quality_report,
    quality_rows,
    shared_items,
)
from datasets.forms.quality import DecisionForm, QualityForm
from datasets.models import Decision
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import REVIEWERS, STAFF, project_page
from schemes.registry import get_scheme
from web.downloads import csv_download
from web.paging import page_of


@require_GET
@project_page(STAFF | REVIEWERS)
def quality(request: HttpRequest, project: Project) -> HttpResponse:
    form, source, against = _requested_sources(request, project)
    context: dict[str, Any] = {
        "form": form,
        "source": source,
        "against": against,
        **_against_propbank(project, source),
    }
    try:
        cached = figures_of(quality_figures, source, against, project=project)
    except NothingToCompareError as error:
        context["problem"] = str(error)
        return render_page(request, project, "datasets/quality.html", context)
    items = shared_items(project=project, source=source, against=against)
    page = page_of(items.select_related("sentence"), cursor=request.GET.get("page", ""), by=("pk",))
    rows = _compared(project, page.rows, source, against)
    context |= {"kept": cached, "report": cached.value, "page": page, "rows": rows}
    context["query"] = query_without_page(request)
    return render_page(request, project, "datasets/quality.html", context)


def _against_propbank(project: Project, source: str) -> dict[str, Any]:
    """Return the stored figures of the last PropBank comparison, if any."""
    comparison = project.propbank.filter(source=source).first()
    if comparison is None:
        return {}
    kinds = [(name, comparison.figures[name]) for name in ("all", "core", "adjunct")]
    return {"propbank": comparison, "propbank_kinds": kinds}


def quality_figures(source: str, against: str, *, project: Project) -> QualityReport:
    return quality_report(project=project, source=source, against=against)


def _requested_sources(request: HttpRequest, project: Project) -> tuple[QualityForm, str, str]:
    """Return the form and the sources to compare, with defaults for invalid values."""
    counted = figures_of(count_gold, project=project).value
    form = QualityForm(request.GET, sources=counted.items_by_source)
    form.is_valid()
    source = form.cleaned_data.get("source") or GoldSource.CONSOLIDATED
    against = form.cleaned_data.get("against") or GoldSource.EXPERT
    return form, str(source), str(against)


def _compared(
    project: Project, items: list[Item], source: str, against: str
) -> list[dict[str, Any]]:
    """Return the page's items with their automatic counts."""
    scheme = get_scheme(project.scheme)
    ids = [item.pk for item in items]
    ours, theirs = (
        dict(current_gold(project, name).filter(item__in=ids).values_list("item_id", "content"))
        for name in (source, against)
    )
    return [
        {
            "item": item,
            "headline": scheme.headline(item.sentence.tokens, item.target),
            "counts": scheme.compare(
                reference=theirs[item.pk],
                predicted=ours[item.pk],
                tokens=item.sentence.tokens,
                target=item.target,
            ).counts,
        }
        for item in items
    ]


@require_GET
@project_page(STAFF | REVIEWERS)
def quality_file(request: HttpRequest, project: Project, suffix: str) -> HttpResponseBase:
    _, source, against = _requested_sources(request, project)
    try:
        report = quality_report(project=project, source=source, against=against)
    except NothingToCompareError as error:
        raise Http404(str(error)) from error
    name = f"{project.slug}-{source}-against-{against}.{suffix}"
    if suffix == "csv":
        return csv_download(name, QUALITY_COLUMNS, quality_rows(report), line_end="\n")
    body = json.dumps(quality_json(report), indent=2) + "\n"
    response = HttpResponse(body, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _pair(project: Project, pk: int, source: str, against: str) -> tuple[Gold, Gold]:
    """Return an item's current gold from both sources as (reference, predicted)."""
    related = "item__sentence", "item__project"
    predicted, reference = (
        get_object_or_404(current_gold(project, name).select_related(*related), item=pk)
        for name in (source, against)
    )
    return reference, predicted


@require_GET
@project_page(STAFF | REVIEWERS)
def quality_item(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    _, source, against = _requested_sources(request, project)
    return _item_page(request, project, *_pair(project, pk, source, against))


def _item_page(
    request: HttpRequest,
    project: Project,
    reference: Gold,
    predicted: Gold,
    problem: str = "",
) -> HttpResponse:
    item = reference.item
    comparison = compare_gold(reference=reference, predicted=predicted)
    rows = aligned_rows(comparison.rows, item.sentence.tokens)
    context = {
        "item": item,
        "source": predicted.source,
        "against": reference.source,
        "counts": comparison.counts,
        "rows": rows,
        "loose": [row.predicted for row in rows if row.state in ("extra", "redundant")],
        "decisions": [
            {"decision": decision, "reference": _words(decision.reference_span, item),
             "predicted": _words(decision.predicted_span, item)}
            for decision in decisions_between(reference=reference, predicted=predicted)
        ],
        "problem": problem,
    }  # fmt: skip
    status = 422 if problem else 200
    return render_page(request, project, "datasets/quality_item.html", context, status=status)


def _words(span: Any, item: Item) -> str:
    start, end = span
    return " ".join(item.sentence.tokens[start:end])


@require_POST
@project_page(REVIEWERS)
def decide(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    form = DecisionForm(request.POST)
    if not form.is_valid():
        raise Http404("no such sources")
    source, against = form.cleaned_data["source"], form.cleaned_data["against"]
    reference, predicted = _pair(project, pk, source, against)
    by, now = request.user, timezone.now()
    assert by.is_authenticated
    try:
        if undone := form.cleaned_data["undo"]:
            decision = get_object_or_404(
                Decision, pk=undone, reference=reference, predicted=predicted
            )
            undo_decision(decision=decision, by=by, now=now)
        else:
            decide_match(
                reference=reference, predicted=predicted, by=by, now=now, **form.decision()
            )
    except DecisionError as error:
        return _item_page(request, project, reference, predicted, str(error))
    messages.success(request, "Your decision was saved. The corrected figures include it.")
    url = reverse("datasets:quality_item", args=[project.slug, pk])
    return redirect(f"{url}?source={source}&against={against}")
