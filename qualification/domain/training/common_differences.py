"""The differences from the reference that most workers of a round have in common."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from annotation.models import Item
from qualification.domain.training.comparison_view import RIGHT
from qualification.models import Evaluation, Round
from schemes.contract.values import Json

MAX_SHOWN = 20
# An item, and what makes differences at it the same
Key = tuple[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CommonDifference:
    """A difference that `workers` of the item's `annotators` have.

    `row` is an aligned row of one of them. Extra annotations are the same if they look the same.
    """

    item: Item
    row: Json
    workers: int
    annotators: int


@dataclass(frozen=True, slots=True)
class CommonDifferences:
    """The differences of a round, most frequent first, out of `total`.

    `kinds` has the number of differences and of workers for each kind, by its label.
    """

    evaluated: int
    kinds: Sequence[tuple[str, str, int, int]]
    rows: Sequence[CommonDifference]
    total: int


def common_differences(*, round: Round) -> CommonDifferences:
    """Count the automatic differences in the newest evaluations of the round's workers.

    Items that a worker has not annotated do not count for that worker.
    """
    newest = Evaluation.objects.filter(enrolment__round=round).order_by().values("enrolment")
    ids = newest.annotate(newest=Max("pk")).values("newest")
    alignments = Evaluation.objects.filter(pk__in=ids).values_list("alignment", flat=True)
    annotated = [
        [entry for entry in alignment if entry["submission"] is not None]
        for alignment in alignments
    ]
    annotators = Counter(entry["item"] for entries in annotated for entry in entries)
    by_worker = [_differences(entries) for entries in annotated]
    counts = Counter(key for own in by_worker for key in own)
    examples = {key: row for own in by_worker for key, row in own.items()}
    most = counts.most_common(MAX_SHOWN)
    items = Item.objects.select_related("sentence", "project").in_bulk({pk for (pk, _), _ in most})
    return CommonDifferences(
        evaluated=len(annotated),
        kinds=_kinds(by_worker),
        rows=[
            CommonDifference(items[pk], examples[pk, identity], count, annotators[pk])
            for (pk, identity), count in most
        ],
        total=len(counts),
    )


def _differences(entries: Sequence[Json]) -> dict[Key, Json]:
    """Return a worker's rows with a difference, by item and by what makes them the same."""
    return {
        (entry["item"], _identity(row)): row
        for entry in entries
        for row in entry["rows"]
        if row["state"] not in RIGHT
    }


def _kinds(by_worker: Sequence[dict[Key, Json]]) -> list[tuple[str, str, int, int]]:
    """Return each state and its label, with the number of differences and of workers."""
    labels = {row["state"]: row["label"] for own in by_worker for row in own.values()}
    states = [[row["state"] for row in own.values()] for own in by_worker]
    workers = Counter(state for own in states for state in set(own))
    counts = Counter(state for own in states for state in own)
    return [(state, labels[state], count, workers[state]) for state, count in counts.most_common()]


def _identity(row: Json) -> tuple[str, ...]:
    """Return what makes two workers' differences at an item the same."""
    if row["reference"]:
        return row["state"], row["reference"]["key"]
    side = row["predicted"]
    return row["state"], "", *side["labels"], side["value"], str(side["boxes"])
