"""Pages that compare gold with a reference and decide automatic matches."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.item_context import context_of, headline_of
from annotation.models import Item
from consolidation.domain.cases.queries import count_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold
from consolidation.protocols import protocol_of
from datasets.domain.quality.decide_match import (
    DecisionError,
    compare_gold,
    decide_match,
    decisions_between,
    undo_decision,
)
from datasets.domain.quality.equivalence import TooFewDecisionsError, train_equivalence
from datasets.domain.quality.quality import (
    NothingToCompareError,
    QualityReport,
    quality_columns,
    quality_figures,
    quality_json,
    quality_report,
    quality_rows,
    shared_items,
)
from datasets.domain.quality.quality_over_time import quality_chart
from datasets.forms.quality import DecisionForm, QualityForm
from datasets.models import Decision
from projects.charts import chart_response
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import REVIEWERS, STAFF, project_page
from schemes.contract.comparison import AlignedRow, RowSide, StateText
from schemes.contract.errors import MissingPartError
from schemes.contract.external import ExternalCase
from schemes.contract.scheme import Scheme
from schemes.contract.values import Noun
from web.downloads import csv_download
from web.lists import Column, Empty, Listing, link, number_column

ITEMS = Noun("item", "items")
# The states of rows whose predicted side a person may pair with a missed one.
UNMATCHED = ("extra", "redundant")


@require_GET
@project_page(STAFF | REVIEWERS)
def quality(request: HttpRequest, project: Project) -> HttpResponseBase:
    form, source, against = _requested_sources(request, project)
    context: dict[str, Any] = {
        "form": form,
        "source": source,
        "against": against,
        "external": _external(project, source),
    }
    try:
        cached = figures_of(quality_figures, source, against, project=project)
    except NothingToCompareError as error:
        context["problem"] = str(error)
        return render_page(request, project, "datasets/quality.html", context)
    context["equivalence"] = _equivalence(project, source, against)
    items = shared_items(project=project, source=source, against=against)
    items = items.select_related("sentence__image")
    listing = Listing(
        request=request,
        name="compared items",
        rows=items,
        columns=_compared_columns(project, source, against),
        count=ITEMS.count,
        order=("pk",),
        load=lambda shown: _compared(project, shown, source, against),
        empty=Empty("Nothing to compare", "No item has gold of both sources."),
    )
    scheme = scheme_of(project)
    context |= {
        "cached": cached,
        "report": cached.value,
        **_tables(scheme, cached.value),
    }
    return render_list(request, project, "datasets/quality.html", listing, context)


def _compared_columns(project: Project, source: str, against: str) -> list[Column]:
    query = urlencode({"source": source, "against": against})
    states = scheme_of(project).comparison.states

    def item_link(row: ComparedItem) -> str:
        url = reverse("datasets:quality_item", args=[project.slug, row.item.pk])
        return link(f"{url}?{query}", headline_of(row.item, project))

    def count(key: str, state: StateText) -> Column:
        return number_column(state.label.capitalize(), lambda row: row.counts[key])

    return [
        Column("Item", lambda row: headline_of(row.item, project), item_link),
        Column("Key", lambda row: row.item.key),
        *(count(key, state) for key, state in states.items()),
    ]


def _equivalence(project: Project, source: str, against: str) -> dict[str, Any] | None:
    """Return the latest learned equivalence and its table, or None if the scheme has no labels."""
    scheme = scheme_of(project)
    if scheme.equivalence is None:
        return None
    figure = next(f for f in scheme.comparison.figures if f.key == scheme.equivalence.figure)
    model = project.equivalence_models.filter(source=source, against=against).last()
    return {
        "model": model,
        "figure": figure,
        "rows": [
            (row["label"], [row["total"][column] for column in figure.headings])
            for row in (model.figures if model else ())
        ],
    }


@require_POST
@project_page(REVIEWERS)
def learn_equivalence(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Learn the equivalence of labels from the decisions between two sources."""
    defaults = {"source": protocol_of(project).gold_source, "against": GoldSource.EXPERT}
    form = QualityForm(request.POST, initial=defaults, sources={})
    if not form.is_valid():
        raise Http404("no such sources")
    source, against = form.cleaned_data["source"], form.cleaned_data["against"]
    try:
        model = train_equivalence(
            project=project,
            source=source,
            against=against,
            by=request.user.get_username(),
            now=timezone.now(),
        )
    except MissingPartError as error:
        raise Http404(str(error)) from error
    except TooFewDecisionsError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Version {model.version} was learned from {model.pairs} pairs.")
    query = urlencode({"source": source, "against": against})
    return redirect(f"{reverse('datasets:quality', args=[project.slug])}?{query}")


def _external(project: Project, source: str) -> list[dict[str, Any]]:
    """Return the stored comparisons with other resources."""
    declared = scheme_of(project).external
    return [
        {
            "comparison": comparison,
            "external": declared[comparison.kind],
            "table": declared[comparison.kind].table(comparison.figures),
            "cases": _cases(project, declared[comparison.kind].cases(comparison.figures)),
        }
        for comparison in project.external_comparisons.filter(source=source).order_by("kind")
        if comparison.kind in declared
    ]


def _cases(project: Project, cases: Sequence[ExternalCase]) -> list[dict[str, Any]]:
    """Return the cases whose sentences the project still has, each with an item of its sentence."""
    items = project.items.filter(sentence__external_id__in=[case.external_id for case in cases])
    by_sentence = {
        item.sentence.external_id: item for item in items.select_related("sentence__image")
    }
    return [
        {"item": by_sentence[case.external_id], "row": case.row}
        for case in cases
        if case.external_id in by_sentence
    ]


def _tables(scheme: Scheme, report: QualityReport) -> dict[str, Any]:
    """Return the headings and rows of the tables of figures and of yields."""
    figures, totals = scheme.comparison.figures, scheme.content.totals
    return {
        # The explanation of a figure belongs to its main column.
        "headings": [
            (heading, figure if column == figure.main else None)
            for figure in figures
            for column, heading in figure.headings.items()
        ],
        "scores": [
            (
                reference,
                how,
                [
                    (scores.totals[figure.key][column], figure.unit)
                    for figure in figures
                    for column in figure.headings
                ],
            )
            for reference, how, scores in report.rows()
        ],
        "totals": [total.noun.plural.capitalize() for total in totals],
        "yields": [
            (
                name,
                gold.items,
                [(gold.totals[total.key], gold.per_item(total.key)) for total in totals],
            )
            for name, gold in report.yields.items()
        ],
    }


def _requested_sources(request: HttpRequest, project: Project) -> tuple[QualityForm, str, str]:
    """Return the form and the sources to compare, with defaults for invalid values."""
    counted = figures_of(count_gold, project=project).value
    defaults = {"source": protocol_of(project).gold_source, "against": GoldSource.EXPERT}
    form = QualityForm(request.GET, initial=defaults, sources=counted.items_by_source)
    form.is_valid()
    source, against = (
        form.cleaned_data.get(name) or defaults[name] for name in ("source", "against")
    )
    return form, str(source), str(against)


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """An item with the number of its rows in each state of the comparison."""

    item: Item
    counts: Mapping[str, int]


def _compared(project: Project, items: list[Item], source: str, against: str) -> list[ComparedItem]:
    """Return the items with the numbers of their rows by state, matched automatically."""
    scheme = scheme_of(project)
    ids = [item.pk for item in items]
    predicted, reference = (
        dict(current_gold(project, name).filter(item__in=ids).values_list("item_id", "content"))
        for name in (source, against)
    )
    compared = []
    for item in items:
        rows = scheme.comparison.compare(
            reference[item.pk], predicted[item.pk], context_of(item)
        ).rows
        counts = Counter(row.state for row in rows)
        compared.append(ComparedItem(item, counts))
    return compared


@require_GET
@project_page(STAFF | REVIEWERS)
def quality_over_time(request: HttpRequest, project: Project) -> HttpResponseBase:
    return chart_response(request, project, quality_chart(project=project))


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
        scheme = scheme_of(project)
        columns, rows = quality_columns(scheme), quality_rows(scheme, report)
        return csv_download(name, columns, rows, line_end="\n")
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
    item, scheme = reference.item, scheme_of(project)
    compared = compare_gold(reference=reference, predicted=predicted)
    unmatched = [row.predicted for row in compared.rows if row.predicted and row.state in UNMATCHED]
    figures = scheme.comparison.figures
    context = {
        "item": item,
        "source": predicted.source,
        "against": reference.source,
        "figures": [
            (figure.label, figure.value([compared.measures[figure.key]]), figure.unit)
            for figure in figures
        ],
        "counts": _counted_states(scheme, compared.rows),
        "rows": [
            {"row": row, **_possible_decisions(scheme, row, unmatched)} for row in compared.rows
        ],
        "decisions": _decisions(scheme, compared.rows, reference, predicted),
        "unit": scheme.vocabulary.unit,
        "problem": problem,
    }
    status = 422 if problem else 200
    return render_page(request, project, "datasets/quality_item.html", context, status=status)


def _counted_states(scheme: Scheme, rows: Sequence[AlignedRow]) -> list[str]:
    """Return the number of rows of each state, such as "3 found"."""
    counts = Counter(row.state for row in rows)
    states = scheme.comparison.states
    return [f"{counts[key]} {state.label}" for key, state in states.items() if counts[key]]


def _possible_decisions(
    scheme: Scheme, row: AlignedRow, unmatched: Sequence[RowSide]
) -> dict[str, Any]:
    """Return the buttons of a row, and those that join it with an unmatched side."""
    kinds = [kind for kind in scheme.comparison.decisions if kind.key in row.decisions]
    group = row.reference.group if row.reference else ""
    pairable = [side for side in unmatched if side.group == group]
    buttons, joins = [], []
    for kind in kinds:
        keys = [side.key if side else "" for side in (row.reference, row.predicted)]
        button = (kind.action, json.dumps([kind.key, *keys]))
        if row.predicted:
            buttons.append(button)
        elif kind.pairs and pairable:
            joins.append(button)
    choices = [(side.key, _text(side)) for side in pairable] if joins else []
    return {"buttons": buttons, "joins": joins, "choices": choices}


def _decisions(
    scheme: Scheme, rows: Sequence[AlignedRow], reference: Gold, predicted: Gold
) -> list[dict[str, Any]]:
    """Return the decisions with the texts of their sides."""
    kinds = {kind.key: kind.label for kind in scheme.comparison.decisions}
    references = {row.reference.key: _text(row.reference) for row in rows if row.reference}
    predictions = {row.predicted.key: _text(row.predicted) for row in rows if row.predicted}
    return [
        {
            "decision": decision,
            "label": kinds.get(decision.kind, decision.kind),
            "reference": references.get(decision.reference_key, decision.reference_key),
            "predicted": predictions.get(decision.predicted_key, decision.predicted_key),
        }
        for decision in decisions_between(reference=reference, predicted=predicted)
    ]


def _text(side: RowSide) -> str:
    return side.value or ", ".join(side.labels)


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
                reference=reference, predicted=predicted, by=by, now=now, **form.arguments()
            )
    except DecisionError as error:
        return _item_page(request, project, reference, predicted, str(error))
    messages.success(request, "Your decision was saved. The corrected figures include it.")
    url = reverse("datasets:quality_item", args=[project.slug, pk])
    return redirect(f"{url}?source={source}&against={against}")
