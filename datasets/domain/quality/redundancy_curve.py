"""What adaptive redundancy would have cost and covered, on the items that people have judged."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.domain.publishing.redundancy import AUDITED_PERCENT
from datasets.domain.quality.judged_parts import JudgedItem
from metrics.counts import Counts, micro_sum
from metrics.judgment_model import (
    ItemCertainty,
    ItemJudgments,
    KnownSkills,
    PartJudgments,
    expected_certainties,
)
from metrics.redundancy import Step, next_step

TARGETS = (70, 75, 80, 85, 88, 90, 92, 94, 96, 98)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a target in percent needs per item: annotators and consolidations.

    `accepted` is the share of items that nobody would have consolidated. `coverage` and `precision`
    compare the result with the gold that people made.
    """

    target: int
    annotators: float
    consolidations: float
    accepted: float
    coverage: float
    precision: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Outcome:
    annotators: int
    consolidations: int
    counts: Counts


def redundancy_curve(items: Sequence[JudgedItem], skills: KnownSkills) -> list[CurvePoint]:
    """Replay targets on the items that several annotators and a judge worked on.

    Annotators come in the order in which the item has them. A consolidator is taken to keep what the
    item's own one kept. The audited share gets everything. Without such items, there are no points.
    """
    judged = [
        item.judgments
        for item in items
        if len(item.judgments.annotators) > 1 and any(part.kept for part in item.judgments.parts)
    ]
    if not judged:
        return []
    most = max(len(item.annotators) for item in judged)
    certainties = [
        expected_certainties([_first(item, number) for item in judged], skills)
        for number in range(1, most + 1)
    ]
    return [
        _point(target, most, list(_outcomes(judged, certainties, target / 100)))
        for target in TARGETS
    ]


def _first(item: ItemJudgments, number: int) -> ItemJudgments:
    """Return what the first annotators found, before anybody judged it."""
    names = frozenset(item.annotators[:number])
    found = [part.found_by & names for part in item.parts]
    return ItemJudgments(item.annotators[:number], tuple(PartJudgments(by) for by in found if by))


def _outcomes(
    items: Sequence[ItemJudgments],
    certainties: Sequence[Sequence[ItemCertainty]],
    target: float,
) -> Iterator[_Outcome]:
    for item, by_number in zip(items, zip(*certainties, strict=True), strict=True):
        yield _outcome(item, by_number, target)


def _outcome(item: ItemJudgments, certainties: Sequence[ItemCertainty], target: float) -> _Outcome:
    """Return what an item would have become. `certainties` are those after 1, 2 ... annotators."""
    gold = sum(part.in_gold for part in item.parts)
    most = len(item.annotators)
    for number, certainty in enumerate(certainties, start=1):
        names = item.annotators[:number]
        found = [part for part in item.parts if part.found_by.intersection(names)]
        positions = [
            {at for at, name in enumerate(names) if name in part.found_by} for part in found
        ]
        choice = next_step(certainty, positions, annotators=number, most=most, target=target)
        if choice.step is Step.ACCEPT:
            own = [
                part.in_gold
                for part, of in zip(found, positions, strict=True)
                if choice.accepted in of
            ]
            counts = Counts(tp=sum(own), fp=len(own) - sum(own), fn=gold - sum(own))
            return _Outcome(number, 0, counts)
        if choice.step is Step.CONSOLIDATE:
            kept = gold if number == most else sum(part.in_gold for part in found)
            return _Outcome(number, 1, Counts(tp=kept, fp=0, fn=gold - kept))
    raise AssertionError("The last step asks nobody.")


def _point(target: int, most: int, outcomes: Sequence[_Outcome]) -> CurvePoint:
    counts, total = micro_sum(outcome.counts for outcome in outcomes), len(outcomes)
    consolidated = sum(outcome.consolidations for outcome in outcomes) / total
    audited = AUDITED_PERCENT / 100
    annotators = sum(outcome.annotators for outcome in outcomes) / total

    def with_audited(adaptive: float, everything: float) -> float:
        return audited * everything + (1 - audited) * adaptive

    return CurvePoint(
        target=target,
        annotators=with_audited(annotators, most),
        consolidations=with_audited(consolidated, 1),
        accepted=(1 - audited) * (1 - consolidated),
        coverage=with_audited(counts.recall or 0, 1),
        precision=with_audited(counts.precision or 0, 1),
    )
