"""The neighbours of sentences in their documents, which pages show as context."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from annotation.domain.corpus.import_corpus import batched
from annotation.models import Item, Sentence
from database import statements
from projects.enums import ShownContext
from projects.models import Project
from schemes.contract.items import Neighbour, Neighbours

# The most sentences of a whole document on either side, and the most characters on a page.
MAX_SENTENCES = 100
MAX_CHARACTERS = 20_000
# SQLite joins at most 500 queries, and a sentence needs two.
CHUNK = 100

# The ORM has no limit in a UNION on SQLite. This reads only the neighbours, of all sentences at once.
_SIDE = """
SELECT * FROM (
    SELECT {number}, {is_before}, external_id, tokens, text, offsets
    FROM annotation_sentence
    WHERE project_id = %s AND "group" = %s AND "group" <> '' AND (position, id) {comparison} (%s, %s)
    ORDER BY position {order}, id {order}
    LIMIT %s
) AS side_{number}_{is_before}
"""
_SIDES = (
    {"is_before": 1, "comparison": "<", "order": "DESC"},
    {"is_before": 0, "comparison": ">", "order": "ASC"},
)


def neighbours_of(*, project: Project, sentences: Iterable[Sentence]) -> dict[int, Neighbours]:
    """Return what pages show around each sentence, by its key. Those without any are left out."""
    if project.shown_context == ShownContext.NONE:
        return {}
    distinct = {sentence.pk: sentence for sentence in sentences if sentence.group}
    # A longer document is cut, and so the first sentence that is not shown is needed as well.
    is_whole = project.shown_context == ShownContext.DOCUMENT
    limit = MAX_SENTENCES + 1 if is_whole else int(project.shown_context)
    room = MAX_CHARACTERS // 2 // max(len(distinct), 1)
    shown: dict[int, Neighbours] = {}
    for chunk in batched(distinct.values(), CHUNK):
        for sentence, sides in zip(chunk, _read(chunk, limit), strict=True):
            before, is_cut_before = _fitting(sides[True], room)
            after, is_cut_after = _fitting(sides[False], room)
            if before or after or is_cut_before or is_cut_after:
                shown[sentence.pk] = Neighbours(
                    before[::-1], after, is_cut_before=is_cut_before, is_cut_after=is_cut_after
                )
    return shown


def neighbours_of_item(item: Item) -> Neighbours:
    """Return what pages show around the item's sentence."""
    found = neighbours_of(project=item.project, sentences=[item.sentence])
    return found.get(item.sentence_id, Neighbours())


def _read(sentences: Sequence[Sentence], limit: int) -> list[dict[bool, list[Neighbour]]]:
    """Return the neighbours before and after each sentence, the nearest first."""
    queries: list[str] = []
    parameters: list[Any] = []
    for number, sentence in enumerate(sentences):
        for side in _SIDES:
            queries.append(_SIDE.format(number=number, **side))
            parameters += [sentence.project_id, sentence.group, sentence.position, sentence.pk]
            parameters.append(limit)
    found: list[dict[bool, list[Neighbour]]] = [{True: [], False: []} for _ in sentences]
    rows = statements.fetch_rows(" UNION ALL ".join(queries), *parameters)
    for number, is_before, external_id, tokens, text, offsets in rows:
        neighbour = Neighbour(external_id, json.loads(tokens), text, json.loads(offsets))
        found[number][bool(is_before)].append(neighbour)
    return found


def _fitting(nearest: Sequence[Neighbour], room: int) -> tuple[list[Neighbour], bool]:
    """Return the nearest neighbours that fit, and whether others are left out."""
    fitting: list[Neighbour] = []
    for neighbour in nearest[:MAX_SENTENCES]:
        room -= len(neighbour.shown_text)
        if room < 0:
            break
        fitting.append(neighbour)
    return fitting, len(fitting) < len(nearest)
