"""Pages that search gold and show all gold of a sentence."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from annotation.domain.queries import sections_of
from annotation.highlight import Token, colour_of, has_questions, highlight, target_of
from annotation.models import Item, Sentence
from consolidation.models import Gold, GoldEntry
from datasets.domain.search_gold import find_gold
from datasets.domain.sentence_gold import ItemGold, Version, gold_of_sentence
from datasets.forms.gold import GoldFilterForm
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from web.paging import Page, page_of

SIZE = 10  # sentences; each may have several items


@require_GET
@project_page(CAN_SEE_WORKERS)
def gold(request: HttpRequest, project: Project) -> HttpResponse:
    domains = sorted(
        {domain for domain, _ in figures_of(sections_of, project=project).value if domain}
    )
    form = GoldFilterForm(request.GET, domains=domains)
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
        "sentences": _sentences(page, entries),
        "is_not_indexed": not page.rows and not filtered and all_gold.exists(),
        "query": query_without_page(request),
    }
    return render_page(
        request, project, "datasets/gold.html", context, fragment="datasets/fragments/gold.html"
    )


def _sentences(page: Page[Any], matches: Any) -> list[dict[str, Any]]:
    """Return the page's sentences, each with its matching annotations."""
    ids = [row.sentence_id for row in page.rows]
    entries: dict[int, list[GoldEntry]] = {pk: [] for pk in ids}
    chosen = matches.filter(sentence__in=ids).select_related("gold", "item")
    for entry in chosen.order_by("item_id", "source"):
        entries[entry.sentence_id].append(entry)
    sentences = Sentence.objects.in_bulk(ids)
    return [
        {
            "sentence": sentences[pk],
            "found": [_match(entry, sentences[pk]) for entry in sorted(entries[pk], key=_place)],
        }
        for pk in ids
    ]


def _place(entry: GoldEntry) -> int:
    return target_of(entry.item.target) or 0


def _match(entry: GoldEntry, sentence: Sentence) -> dict[str, Any]:
    entry.item.sentence = sentence
    return {
        "item": entry.item,
        "gold": entry.gold,
        "target": _target(entry.item),
        "questions": _questions(entry.gold.content, sentence.tokens),
    }


def _target(item: Item) -> str:
    at, tokens = target_of(item.target), item.sentence.tokens
    return tokens[at] if at is not None and at < len(tokens) else item.key


def _questions(content: Any, tokens: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return the content's questions for display, or None for content of another shape."""
    if not has_questions(content, len(tokens)):
        return None
    return [
        {
            "number": number,
            "key": str(number),
            "colour": colour_of(number),
            "text": question["question"],
            "answers": [" ".join(tokens[start:end]) for start, end in question["answers"]],
        }
        for number, question in enumerate(content["questions"], start=1)
    ]


@require_GET
@project_page(CAN_SEE_WORKERS)
def gold_sentence(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    sentence = get_object_or_404(Sentence, project=project, pk=pk)
    items = [_shown(item, project) for item in gold_of_sentence(sentence=sentence)]
    context = {"sentence": sentence, "items": items}
    return render_page(request, project, "datasets/gold_sentence.html", context)


def _shown(item_gold: ItemGold, project: Project) -> dict[str, Any]:
    item_gold.item.project = project
    tokens = item_gold.item.sentence.tokens
    annotations = []
    for annotation in item_gold.annotations:
        questions = _questions(annotation.submission.content, tokens)
        fates = annotation.fates or [None] * len(questions or ())
        annotations.append(
            {"annotation": annotation, "rows": list(zip(questions or (), fates, strict=False))}
        )
    return {
        "item": item_gold.item,
        "target": _target(item_gold.item),
        "standing": [_version(version, item_gold.item) for version in item_gold.standing],
        "earlier": [_version(version, item_gold.item) for version in item_gold.earlier],
        "annotations": annotations,
        "consolidation": item_gold.consolidation,
    }


def _version(version: Version, item: Item) -> dict[str, Any]:
    tokens, content = item.sentence.tokens, version.gold.content
    questions = _questions(content, tokens)
    origins = [*version.origins, *[None] * len(questions or ())]
    return {
        "gold": version.gold,
        "anchor": str(version.gold.pk),
        "tokens": _tokens(content, item) if questions is not None else [],
        "rows": list(zip(questions, origins, strict=False)) if questions is not None else None,
    }


def _tokens(content: dict[str, Any], item: Item) -> list[Token]:
    questions = content["questions"]
    answers = [[(start, end) for start, end in question["answers"]] for question in questions]
    return highlight(item.sentence.tokens, answers, target=target_of(item.target))
