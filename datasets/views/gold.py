"""Pages that search gold and show all gold of a sentence."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from annotation.domain.corpus.item_context import context_of, marked_words
from annotation.domain.publishing.queries import sections_of
from annotation.highlight import colour_of, highlight
from annotation.models import Item, Sentence
from consolidation.models import Gold, GoldEntry
from datasets.domain.exports.search_gold import find_gold
from datasets.domain.exports.sentence_gold import ItemGold, Version, gold_of_sentence
from datasets.forms.gold import GoldFilterForm
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from schemes.contract.pages import ShownUnit
from schemes.contract.scheme import Scheme
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing

SIZE = 10  # sentences; each may have several items
SENTENCES = Noun("sentence", "sentences")


@require_GET
@project_page(CAN_SEE_WORKERS)
def gold(request: HttpRequest, project: Project) -> HttpResponseBase:
    domains = sorted(
        {domain for domain, _ in figures_of(sections_of, project=project).value if domain}
    )
    scheme = scheme_of(project)
    form = GoldFilterForm(request.GET, search=scheme.search, domains=domains)
    criteria = form.wanted()
    entries = find_gold(project=project, wanted=criteria)
    filtered = any(value.strip() for value in astuple(criteria))
    listing = Listing(
        request=request,
        name="gold",
        rows=Sentence.objects.filter(project=project).select_related("image"),
        columns=_columns(project),
        count=SENTENCES.count,
        load=lambda sentences: _with_matches(sentences, entries),
        size=SIZE,
        is_filtered=filtered,
        # The index of the entries has these ids in order. A join with the sentences is slower.
        ids=list(entries.order_by("sentence").values_list("sentence", flat=True).distinct()),
        empty=Empty("No gold yet", "Gold is created by the first accepted consolidation."),
    )
    sentences = _shown_sentences(project, listing.page_rows)
    all_gold = Gold.objects.filter(item__project=project)
    context = {
        "form": form,
        "filtered": filtered,
        "sentences": sentences,
        "unit": scheme.vocabulary.unit,
        "is_not_indexed": not sentences and not filtered and all_gold.exists(),
    }
    page, fragment = "datasets/gold.html", "datasets/fragments/gold.html"
    return render_list(request, project, page, listing, context, fragment=fragment)


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence with its matching annotations."""

    sentence: Sentence
    entries: list[GoldEntry]


def _with_matches(sentences: list[Sentence], matches: QuerySet[GoldEntry]) -> list[SentenceRow]:
    entries: dict[int, list[GoldEntry]] = {sentence.pk: [] for sentence in sentences}
    chosen = matches.filter(sentence__in=entries).select_related("gold", "item")
    for entry in chosen.order_by("item_id", "source"):
        entries[entry.sentence_id].append(entry)
    return [SentenceRow(sentence, entries[sentence.pk]) for sentence in sentences]


def _columns(project: Project) -> list[Column]:
    """Return the columns of the CSV file. The page shows the annotations themselves."""
    scheme = scheme_of(project)

    def targets(row: SentenceRow) -> str:
        items = [entry.item for entry in _in_order(scheme, row.entries)]
        for item in items:
            item.project, item.sentence = project, row.sentence
        return "; ".join(dict.fromkeys(_target(scheme, item) for item in items))

    return [
        Column("Sentence", lambda row: row.sentence.external_id),
        Column("Text", lambda row: row.sentence.shown_text),
        Column("Domain", lambda row: row.sentence.domain),
        Column("Partition", lambda row: row.sentence.partition),
        Column("Items", targets),
        Column("Annotations", lambda row: len(row.entries)),
    ]


def _in_order(scheme: Scheme, entries: Sequence[GoldEntry]) -> list[GoldEntry]:
    """Return the entries in the order of their targets in the sentence."""
    return sorted(entries, key=lambda entry: scheme.corpus.order(entry.item.target))


def _shown_sentences(project: Project, rows: Sequence[SentenceRow]) -> list[dict[str, Any]]:
    scheme = scheme_of(project)
    return [
        {
            "sentence": row.sentence,
            "matches": [
                _match(project, entry, row.sentence) for entry in _in_order(scheme, row.entries)
            ],
        }
        for row in rows
    ]


def _match(project: Project, entry: GoldEntry, sentence: Sentence) -> dict[str, Any]:
    entry.item.project, entry.item.sentence = project, sentence
    scheme = scheme_of(project)
    units = scheme.views.units(entry.gold.content, context_of(entry.item))
    return {
        "item": entry.item,
        "gold": entry.gold,
        "target": _target(scheme, entry.item),
        "units": None if units is None else _numbered(units),
        "shown": units or (),
    }


def _target(scheme: Scheme, item: Item) -> str:
    """Return the words of the item's target, or the item's key."""
    return marked_words(item, scheme) or item.key


def _numbered(units: Sequence[ShownUnit]) -> list[dict[str, Any]]:
    return [
        {"number": number, "key": str(number), "colour": colour_of(number), "unit": unit}
        for number, unit in enumerate(units, start=1)
    ]


@require_GET
@project_page(CAN_SEE_WORKERS)
def gold_sentence(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    sentence = get_object_or_404(Sentence, project=project, pk=pk)
    sentence.project = project
    scheme = scheme_of(project)
    items = [_shown(scheme, item) for item in gold_of_sentence(sentence=sentence)]
    context = {"sentence": sentence, "items": items, "unit": scheme.vocabulary.unit}
    return render_page(request, project, "datasets/gold_sentence.html", context)


def _shown(scheme: Scheme, item_gold: ItemGold) -> dict[str, Any]:
    item = item_gold.item
    annotations = []
    for annotation in item_gold.annotations:
        units = scheme.views.units(annotation.submission.content, context_of(item))
        rows = [(row, annotation.outcomes.get(at)) for at, row in enumerate(_numbered(units or ()))]
        annotations.append({"annotation": annotation, "rows": rows, "units": units or ()})
    return {
        "item": item,
        "target": _target(scheme, item),
        "standing": [_version(scheme, version, item) for version in item_gold.standing],
        "earlier": [_version(scheme, version, item) for version in item_gold.earlier],
        "annotations": annotations,
        "consolidation": item_gold.consolidation,
    }


def _version(scheme: Scheme, version: Version, item: Item) -> dict[str, Any]:
    units = scheme.views.units(version.gold.content, context_of(item))
    shown = {"gold": version.gold, "anchor": str(version.gold.pk)}
    if units is None:
        return {**shown, "tokens": [], "rows": None, "units": ()}
    origins = [*version.origins, *[None] * len(units)]
    spans = [[(start, end) for start, end in unit.spans] for unit in units]
    return {
        **shown,
        "tokens": highlight(
            item.sentence.shown_tokens(), spans, target=scheme.views.marked(item.target)
        ),
        "units": units,
        "rows": list(zip(_numbered(units), origins, strict=False)),
    }
