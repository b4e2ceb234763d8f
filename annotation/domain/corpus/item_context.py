"""Items and sentences as their scheme sees them."""

from collections.abc import Iterable, Sequence

from annotation.domain.corpus.images import image_of
from annotation.domain.corpus.import_corpus import batched
from annotation.enums import Partition
from annotation.models import Item
from projects.domain.resources import resources_of
from projects.domain.schemes import scheme_of
from projects.enums import SuggestionChoice
from projects.models import Project
from schemes.contract.items import ItemContext, Neighbours, Suggestions
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.original_text import Offsets, shown_ranges, words_text

CHUNK = 1000


def context_of(item: Item, project: Project | None = None) -> ItemContext:
    """Return the item's context. The item must have its sentence loaded.

    Pass the project for several items, so that its resources are loaded once.
    """
    project = project or item.project
    return ItemContext(
        tokens=item.sentence.tokens,
        target=item.target,
        image=image_of(item.sentence),
        metadata=item.sentence.metadata,
        resources=resources_of(project),
        free_form=project.allow_free_form,
        suggestions=suggestions_of(project, item.sentence.partition),
        asks_implied=project.asks_implied,
        allows_context_answers=project.allows_context_answers,
        text=item.sentence.text,
        offsets=item.sentence.offsets,
    )


def suggestions_of(project: Project, partition: str, choice: str = "") -> Suggestions:
    """Return what pages suggest for sentences of a partition, which may be "".

    `choice` replaces the project's setting, unless it is empty. Without a partition, the sentence may
    still become evaluation data, so nothing learned is shown.
    """
    choice = choice or project.suggestions
    if choice != SuggestionChoice.BY_PARTITION:
        return Suggestions(choice)
    return Suggestions.LEARNED if partition == Partition.TRAIN else Suggestions.GRAMMAR


def page_tokens(tokens: Sequence[str], text: str, offsets: Offsets) -> Json:
    """Return the sentence for static/js/written-text.js.

    `shown` has the part of the text that shows each token, where it differs from the offsets.
    """
    if not offsets:
        return {"tokens": tokens}
    shown = shown_ranges(tokens, text, offsets)
    same = shown == [tuple(offset) for offset in offsets]
    return {"tokens": tokens, "text": text, "offsets": offsets} | ({} if same else {"shown": shown})


def page_neighbours(context: ItemContext) -> Json:
    """Return the context of a sentence as `context`, for static/js/work/context.js, if there is any.

    `sentences` has the neighbours with their tokens, if answers may lie in them.
    """
    neighbours = context.neighbours
    if neighbours == Neighbours():
        return {}
    page: Json = {
        "before": [neighbour.shown_text for neighbour in neighbours.before],
        "after": [neighbour.shown_text for neighbour in neighbours.after],
        "cutBefore": neighbours.is_cut_before,
        "cutAfter": neighbours.is_cut_after,
        "summary": neighbours.summary,
    }
    if context.allows_context_answers:
        page["sentences"] = [
            {
                "id": neighbour.external_id,
                **page_tokens(neighbour.tokens, neighbour.text, neighbour.offsets),
            }
            for neighbour in (*neighbours.before, *neighbours.after)
        ]
    return {"context": page}


def targets_of(project: Project, items: Iterable[int]) -> dict[int, Json]:
    """Return the targets of the project's items by their ids."""
    targets: dict[int, Json] = {}
    for chunk in batched(items, CHUNK):
        targets |= dict(project.items.filter(pk__in=chunk).values_list("pk", "target"))
    return targets


def marked_words(item: Item, scheme: Scheme) -> str:
    """Return the marked words of the item's target, or "". Words that are not adjacent are separated."""
    sentence = item.sentence
    marked = [at for at in scheme.views.marked(item.target) if at < len(sentence.tokens)]
    return words_text(sentence.tokens, sentence.text, sentence.offsets, marked, " … ")


def headline_of(item: Item, project: Project) -> str:
    """Return a short label that identifies the item in a list."""
    return scheme_of(project).corpus.headline(context_of(item, project))
