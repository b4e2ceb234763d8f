"""An alignment of several annotators' questions about one predicate."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from schemes.contract.values import Json
from schemes.qasrl.content import match_key
from schemes.qasrl.slots import Slots, changes_factuality

_ANSWERS = ("answers", "context_answers")


@dataclass(frozen=True, slots=True)
class _Row:
    submission: int
    position: int
    question: Json
    key: tuple[Any, ...]

    @property
    def place(self) -> tuple[int, int]:
        return self.submission, self.position

    @property
    def first_token(self) -> int:
        return int(min((start for start, _ in self.question["answers"]), default=0))


def align(sources: Sequence[Json]) -> Json:
    """Return `{"groups": [{"rows": [row, ...]}, ...]}` with a group per presumed role.

    Questions of different annotators are grouped if their answers overlap. A question without
    overlaps joins one with the same STRICT-MATCH key. A row has `submission`, `position`, the
    question's fields and `agrees`, which is set if another annotator has the same key and spans.
    `has_modal` is set if the question has a modal that changes the factuality, because such a
    question says more than one without. Groups are ordered by first answer, rows by annotator.
    """
    rows = [
        _Row(submission, position, question, match_key(question))
        for submission, source in enumerate(sources)
        for position, question in enumerate(source["questions"])
    ]
    groups = [sorted(group, key=lambda row: row.place) for group in _grouped(rows)]
    groups.sort(key=lambda group: (min(row.first_token for row in group), group[0].place))
    return {"groups": [{"rows": [_as_json(row, group) for row in group]} for group in groups]}


def _grouped(rows: Sequence[_Row]) -> list[list[_Row]]:
    group_of = {row.place: [row] for row in rows}
    pairs = [(a, b) for a, b in combinations(rows, 2) if a.submission != b.submission]
    for a, b in pairs:
        if _overlap(a, b):
            _join(group_of, a, b)
    for a, b in pairs:
        alone = len(group_of[a.place]) == 1 or len(group_of[b.place]) == 1
        if alone and a.key == b.key and _is_new_to(group_of[a.place], group_of[b.place]):
            _join(group_of, a, b)
    return list({id(group): group for group in group_of.values()}.values())


def _join(group_of: dict[tuple[int, int], list[_Row]], a: _Row, b: _Row) -> None:
    group, other = group_of[a.place], group_of[b.place]
    if group is not other:
        group.extend(other)
        group_of.update((row.place, group) for row in other)


def _is_new_to(first: Sequence[_Row], second: Sequence[_Row]) -> bool:
    """Return True if no annotator has questions in both groups."""
    return not {row.submission for row in first} & {row.submission for row in second}


def _overlap(a: _Row, b: _Row) -> bool:
    return any(
        start < other_end and other_start < end
        for start, end in a.question["answers"]
        for other_start, other_end in b.question["answers"]
    )


def _as_json(row: _Row, group: Sequence[_Row]) -> Json:
    agrees = any(
        other.submission != row.submission
        and other.key == row.key
        and all(other.question.get(name) == row.question.get(name) for name in _ANSWERS)
        for other in group
    )
    place = {"submission": row.submission, "position": row.position}
    slots = row.question["slots"]
    has_modal = slots is not None and changes_factuality(Slots(**slots))
    return {**place, **row.question, "agrees": agrees, "has_modal": has_modal}
