"""Error analysis: people categorise a random sample of parts without a match.

References miss things, so a part without a match is not always wrong. The share of correct parts in a
sample of automatic false positives gives an estimate of the true precision. In a sample of what the gold
misses, it gives one of the true recall, and the categories tell what kind of parts are missed. A sample
of all parts gives the share of each category, such as implied answers.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.gold.current_gold import current_gold
from consolidation.models import Gold
from datasets.domain.quality.quality import NothingToCompareError, shared_items
from datasets.enums import Population
from datasets.models import ErrorSample, SampledPart
from metrics.counts import ratio
from metrics.intervals import Interval, wilson_interval
from metrics.true_figures import Estimate, true_precision, true_recall
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.comparison import AlignedRow, AnswerCategory, RowSide
from schemes.contract.values import Json

CHUNK = 1000
# The number of items, from the start of the seeded shuffle, that a sample is drawn from.
MAX_ITEMS = 5000
MAX_SIZE = 2000
CSV_COLUMNS = ("position", "item", "part", "category", "note", "judged_by", "judged_at")
# A part of gold: the prediction, the reference and the key of its row.
Part = tuple[int, int, str]


class SampleError(TouchstoneError):
    """The sample can't be drawn, or a part can't get this category."""


@transaction.atomic
def draw_sample(
    *,
    project: Project,
    source: str,
    against: str,
    population: str,
    size: int,
    seed: int,
    by: str,
    now: datetime,
) -> ErrorSample:
    """Draw parts of the source's gold at random, on the items that both sources have.

    Raise NothingToCompareError without such items, and SampleError for an invalid size or if there are
    no parts.
    """
    if not 1 <= size <= MAX_SIZE:
        raise SampleError(f"A sample has from 1 to {MAX_SIZE:,} parts.")
    figure = _counted_figure(project)
    parts: list[Part] = []
    measures: list[Json] = []
    for reference, predicted in _pairs(project, source, against):
        compared = scheme_of(project).comparison.compare(
            reference.content, predicted.content, context_of(predicted.item, project)
        )
        measures.append(compared.measures[figure.key])
        parts += [
            (predicted.pk, reference.pk, side.key)
            for row in compared.rows
            if (side := _drawn_side(row, population))
        ]
    if not measures:
        raise NothingToCompareError(
            f"No item of {project.slug} has gold of both {source!r} and {against!r}."
        )
    if not parts:
        lacks = "gold misses" if population == Population.MISSED else "reference lacks"
        raise SampleError(f"There is nothing to draw from: the {lacks} nothing.")
    total = figure.total(measures)
    sample = ErrorSample.objects.create(
        project=project,
        source=source,
        against=against,
        population=population,
        seed=seed,
        items=len(measures),
        parts=len(parts),
        matched=total["tp"],
        unmatched=total["fn" if population == Population.MISSED else "fp"],
        drawn_by=by,
        drawn_at=now,
    )
    drawn = random.Random(seed).sample(parts, min(size, len(parts)))  # noqa: S311 - not a secret
    SampledPart.objects.bulk_create(
        SampledPart(
            sample=sample, position=at, predicted_id=predicted, reference_id=reference, key=key
        )
        for at, (predicted, reference, key) in enumerate(drawn, start=1)
    )
    log_state_change(instance=sample, old="", new="drawn", actor=by, now=now)
    return sample


def _drawn_side(row: AlignedRow, population: str) -> RowSide | None:
    """Return the side of a row that belongs to the population, or None."""
    if population == Population.MISSED:
        return row.reference if row.state == "missed" else None
    return row.predicted if population == Population.ALL or row.state == "extra" else None


def _counted_figure(project: Project) -> Any:
    """Return the scheme's first figure that counts true and false positives."""
    for figure in scheme_of(project).comparison.figures:
        if {"tp", "fp", "fn"} <= set(figure.columns):
            return figure
    raise SampleError("This scheme has no figure that counts false positives and negatives.")


def _pairs(project: Project, source: str, against: str) -> Iterator[tuple[Gold, Gold]]:
    """Yield the current gold of both sources as (reference, predicted)."""
    items = shared_items(project=project, source=source, against=against)
    ordered = items.order_by("position", "pk").values_list("pk", flat=True)[:MAX_ITEMS]
    for chunk in batched(list(ordered), CHUNK):
        references = {gold.item_id: gold for gold in _gold(project, against, chunk)}
        for predicted in _gold(project, source, chunk).order_by("item__position", "item_id"):
            if predicted.item_id in references:
                yield references[predicted.item_id], predicted


def _gold(project: Project, source: str, items: Sequence[int]) -> QuerySet[Gold]:
    gold = current_gold(project, source).filter(item__in=items)
    return gold.select_related("item__sentence__image")


@transaction.atomic
def judge_part(*, part: SampledPart, category: str, by: Any, now: datetime, note: str = "") -> None:
    """Give the part a category, which replaces an earlier one. Raise SampleError."""
    known = {known.key for known in categories_of(part.sample)}
    if category not in known:
        raise SampleError("This category does not exist.")
    part = SampledPart.objects.select_for_update(of=("self",)).get(pk=part.pk)
    old, part.category, part.note = part.category, category, note.strip()
    part.judged_by, part.judged_at = by, now
    part.save(update_fields=["category", "note", "judged_by", "judged_at"])
    log_state_change(instance=part, old=old, new=category, actor=str(by), now=now)


def categories_of(sample: ErrorSample) -> Sequence[AnswerCategory]:
    return scheme_of(sample.project).comparison.categories


def sides_of_part(part: SampledPart) -> tuple[RowSide | None, list[tuple[str, RowSide]]]:
    """Return the part to judge, and the labels and sides of the other gold of its item."""
    predicted, reference = part.predicted, part.reference
    compared = scheme_of(predicted.item.project).comparison.compare(
        reference.content, predicted.content, context_of(predicted.item)
    )
    rows = [(row.label, row.predicted, row.reference) for row in compared.rows]
    if part.sample.is_of_missed:
        rows = [(label, reference, predicted) for label, predicted, reference in rows]
    else:
        # A redundant part stands beside a side of the reference that another part has.
        rows = [
            (row.label, row.predicted, None if row.state == "redundant" else row.reference)
            for row in compared.rows
        ]
    own = next((side for _, side, _ in rows if side and side.key == part.key), None)
    return own, [(label, other) for label, _, other in rows if other]


def next_part(*, sample: ErrorSample, after: int = 0) -> SampledPart | None:
    """Return the first part without a category, if possible after a position."""
    waiting = sample.sampled_parts.filter(category="")
    return waiting.filter(position__gt=after).first() or waiting.first()


@dataclass(frozen=True, slots=True)
class CategoryShare:
    """The number of parts of a category, and their share of the judged ones."""

    category: AnswerCategory
    number: int
    share: float | None
    interval: Interval


@dataclass(frozen=True, slots=True)
class SampleReport:
    """The categories of a sample so far.

    `automatic` is the precision on the sample's items, and `estimate` the true precision that follows
    from the sample, or None before the first judgment. Both are recalls if the sample is of missed parts.
    """

    sample: ErrorSample
    drawn: int
    judged: int
    shares: Sequence[CategoryShare]
    automatic: float | None
    estimate: Estimate | None

    @property
    def figure(self) -> str:
        """Return the name of the estimated figure."""
        return "recall" if self.sample.is_of_missed else "precision"

    def as_json(self) -> dict[str, Any]:
        sample, estimate = self.sample, self.estimate
        return {
            "sample": sample.pk,
            "source": sample.source,
            "against": sample.against,
            "population": sample.population,
            "seed": sample.seed,
            "items": sample.items,
            "parts": sample.parts,
            "drawn": self.drawn,
            "judged": self.judged,
            "categories": {
                share.category.key: {
                    "number": share.number,
                    "share": share.share,
                    "interval": [share.interval.low, share.interval.high],
                }
                for share in self.shares
            },
            f"automatic_{self.figure}": self.automatic,
            f"true_{self.figure}": estimate and estimate.value,
            f"true_{self.figure}_interval": estimate
            and [estimate.interval.low, estimate.interval.high],
        }


def sample_report(*, sample: ErrorSample) -> SampleReport:
    """Return the categories so far, with Wilson intervals, and the estimate of the precision."""
    numbers = Counter(sample.sampled_parts.values_list("category", flat=True))
    drawn, judged = numbers.total(), numbers.total() - numbers[""]
    shares = [
        CategoryShare(
            category,
            numbers[category.key],
            ratio(numbers[category.key], judged),
            wilson_interval(numbers[category.key], judged),
        )
        for category in categories_of(sample)
    ]
    return SampleReport(
        sample=sample,
        drawn=drawn,
        judged=judged,
        shares=shares,
        automatic=ratio(sample.matched, sample.matched + sample.unmatched),
        estimate=_estimate(sample, numbers) if judged else None,
    )


def _estimate(sample: ErrorSample, numbers: Mapping[str, int]) -> Estimate:
    correct = repeated = wrong = 0
    for category in categories_of(sample):
        number = numbers[category.key]
        correct += number * category.is_correct
        repeated += number * category.is_repeat
        wrong += number * (not category.is_correct and not category.is_repeat)
    if sample.is_of_missed:
        return true_recall(
            matched=sample.matched,
            missed=sample.unmatched,
            correct=correct,
            others=repeated + wrong,
            seed=sample.seed,
        )
    # A sample of everything judges the matched parts too, so nothing is taken as right unseen.
    takes_matches = sample.population == Population.EXTRA
    return true_precision(
        matched=sample.matched if takes_matches else 0,
        extra=sample.unmatched if takes_matches else sample.parts,
        correct=correct,
        repeated=repeated,
        wrong=wrong,
        seed=sample.seed,
    )


def sampled_rows(*, sample: ErrorSample) -> Iterator[tuple[Any, ...]]:
    """Yield a row per part, in the order of CSV_COLUMNS."""
    parts = sample.sampled_parts.select_related(
        "sample",
        "predicted__item__sentence__image",
        "predicted__item__project",
        "reference",
        "judged_by",
    )
    for part in parts:
        side, _ = sides_of_part(part)
        text = " · ".join([*side.labels, side.value]) if side else part.key
        judged = part.judged_at.isoformat() if part.judged_at else ""
        yield (
            part.position,
            part.predicted.item.key,
            text,
            part.category,
            part.note,
            str(part.judged_by or ""),
            judged,
        )
