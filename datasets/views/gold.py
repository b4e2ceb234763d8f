"""Pages that search gold and show all gold of a sentence."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from annotation.domain.item_context import context_of, marked_words
from annotation.domain.queries import sections_of
from annotation.highlight import Token, colour_of, highlight
from annotation.models import Item, Sentence
from consolidation.models import Gold, GoldEntry
from datasets.domain.search_gold import find_gold
from datasets.domain.sentence_gold import ItemGold, Version, gold_of_sentence
from datasets.forms.gold import GoldFilterForm
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from schemes.base import Scheme, ShownUnit
from schemes.registry import get_scheme
from web.paging import Page, page_of

SIZE = 10  # sentences; each may have several items


@require_GET
@project_page(CAN_SEE_WORKERS)
def gold(request: HttpRequest, project: Project) -> HttpResponse:
    domains = sorted(
        {domain for domain, _ in figures_of(sections_of, project=project).value if domain}
    )
    scheme = get_scheme(project.scheme)
    form = GoldFilterForm(request.GET, search=scheme.search, domains=domains)
    criteria = form.wanted()
    entries = find_gold(project=project, wanted=criteria)
    page = page_of(
        entries.values_list("sentence_id", named=True).distinct(),
        cursor=request.GET.get("page", ""),
        by=("sentence_id",),
        size=SIZE,
    )
    filtered = any(value.strip() for value in astuple(criteria))
    all_gold = Gold.objects.filter(item__project=project)
    context = {
        "form": form,
        "filtered": filtered,
        "page": page,
        "sentences": _sentences(project, page, entries),
        "unit": scheme.vocabulary.unit,
        "is_not_indexed": not page.rows and not filtered and all_gold.exists(),
        "query": query_without_page(request),
    }
    return render_page(
        request, project, "datasets/gold.html", context, fragment="datasets/fragments/gold.html"
    )


def _sentences(project: Project, page: Page[Any], matches: Any) -> list[dict[str, Any]]:
    """Return the page's sentences, each with its matching annotations."""
    ids = [row.sentence_id for row in page.rows]
    entries: dict[int, list[GoldEntry]] = {pk: [] for pk in ids}
    chosen = matches.filter(sentence__in=ids).select_related("gold", "item")
    for entry in chosen.order_by("item_id", "source"):
        entries[entry.sentence_id].append(entry)
    sentences = Sentence.objects.select_related("image").in_bulk(ids)
    scheme = get_scheme(project.scheme)

    def order(entry: GoldEntry) -> int:
        return scheme.corpus.order(entry.item.target)

    return [
        {
            "sentence": sentences[pk],
            "matches": [
                _match(project, entry, sentences[pk]) for entry in sorted(entries[pk], key=order)
            ],
        }
        for pk in ids
    ]


def _match(project: Project, entry: GoldEntry, sentence: Sentence) -> dict[str, Any]:
    entry.item.project, entry.item.sentence = project, sentence
    scheme = get_scheme(project.scheme)
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
    scheme = get_scheme(project.scheme)
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
    return {
        **shown,
        "tokens": _tokens(scheme, units, item),
        "units": units,
        "rows": list(zip(_numbered(units), origins, strict=False)),
    }


def _tokens(scheme: Scheme, units: Sequence[ShownUnit], item: Item) -> list[Token]:
    spans = [[(start, end) for start, end in unit.spans] for unit in units]
    return highlight(item.sentence.tokens, spans, target=scheme.views.marked(item.target))
