"""Monitoring: an expert's blind review of a seeded sample of the consolidated work.

Roit et al. 2020 (section 3) sample and review 1 % of the work. People can also request the review of
any current gold, which doesn't count in the error rate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from audit.domain.change_state import Transitions, change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.current_gold import FIRST_CASES, has_newer, newest_of
from consolidation.enums import GoldSource, ReviewOrigin, ReviewState
from consolidation.models import Gold, Judgment, Review
from jobs.domain.sweep import for_each_row
from metrics.intervals import Interval, wilson_interval
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.comparison import Compared
from schemes.contract.values import Json

TRANSITIONS: Transitions = {
    ReviewState.DRAWN: [ReviewState.CONFIRMED, ReviewState.CORRECTED, ReviewState.RETURNED]
}


class ReviewError(TouchstoneError):
    """The judgment can't be recorded. The message explains why."""


def draw_due_reviews(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Draw up to `limit` reviews of consolidated and validated gold. Return the number drawn.

    The draw depends on the item's position in the project's seeded shuffle. It is therefore
    reproducible, and neither workers nor experts can influence it. A higher rate adds to the
    sample.
    """
    due = _unsampled().filter(lot__lt=F("item__project__monitoring_per_thousand")).order_by("pk")
    return for_each_row(
        sweep="draw reviews",
        rows=due,
        process=lambda gold, now: _draw(gold, "automatic", now),
        clock=clock,
        limit=limit,
    )


def draw_more(*, project: Project, count: int, actor: str, now: datetime) -> int:
    """Add `count` items to the project's sample now. Return the number added.

    They are those that a higher rate would add, so the sample stays random.
    """
    due = _unsampled().filter(item__project=project, item__withdrawn_at=None)
    rows = due.order_by("lot", "item__position", "pk")[:count]
    return sum(_draw(gold, actor, now) for gold in rows)


def _unsampled() -> QuerySet[Any]:
    """Return gold of first cases that was never sampled, with its `lot`. Corrections are excluded.

    The lot is a number below 1000 that the project's seed gave to the item. Replaced gold is only
    sampled if it was reviewed, so that requested corrections don't improve the error rate.
    """
    consolidated = Q(source=GoldSource.CONSOLIDATED)
    is_mapped = Q(mapped_from__submission__isnull=False) | (
        Q(mapped_from__isnull=False) & ~Q(mapped_from__rule="")
    )
    consolidated &= Q(submission__isnull=False) | ~Q(rule="") | is_mapped
    validated = Q(source=GoldSource.VALIDATED) & Exists(
        Judgment.objects.filter(gold=OuterRef("pk"))
    )
    reviews = Review.objects.filter(gold=OuterRef("pk"))
    sampled = reviews.filter(origin=ReviewOrigin.SAMPLED)
    # Gold that was reviewed before a new version of the scheme's definition mapped it
    sampled_before = Review.objects.filter(
        gold=OuterRef("mapped_from"), origin=ReviewOrigin.SAMPLED
    )
    return (
        Gold.objects.filter(consolidated | validated, case__attempt=0)
        .exclude(Exists(sampled))
        .exclude(Exists(sampled_before))
        .exclude(has_newer() & ~Exists(reviews))
        # The last digits, because the first ones depend on the order of publication.
        .annotate(lot=F("item__position") % 1000)
    )


@transaction.atomic
def _draw(gold: Gold, actor: str, now: datetime) -> int:
    """Add gold to the sample. If its review was requested before, that review counts."""
    Gold.objects.select_for_update(of=("self",)).get(pk=gold.pk)
    if gold.reviews.filter(origin=ReviewOrigin.SAMPLED).exists():
        return 0
    if requested := gold.reviews.order_by("pk").first():
        requested.origin = ReviewOrigin.SAMPLED
        requested.save(update_fields=["origin"])
        return 1
    review = Review.objects.create(gold=gold, drawn_at=now)
    log_state_change(instance=review, old="", new=review.state, actor=actor, now=now)
    return 1


@transaction.atomic
def request_review(*, gold: Gold, actor: str, now: datetime) -> Review:
    """Return the pending review of this gold. Create it if there is none.

    Raise ReviewError if the gold isn't current or its item is withdrawn.
    """
    Item.objects.select_for_update(of=("self",)).get(pk=gold.item_id)
    if gold.item.withdrawn_at or not is_current(gold):
        raise ReviewError("Only an item's current gold can be reviewed. Reload the page.")
    if pending := gold.reviews.filter(state=ReviewState.DRAWN).first():
        return pending
    review = Review.objects.create(
        gold=gold, origin=ReviewOrigin.REQUESTED, requested_by=actor, drawn_at=now
    )
    log_state_change(instance=review, old="", new="requested", actor=actor, now=now)
    return review


def is_current(gold: Gold) -> bool:
    """Return True if the gold is the newest version from its source."""
    return newest_of(Gold.objects.filter(FIRST_CASES, pk=gold.pk)).exists()


def reviews_of(*, project: Project, state: str = "") -> QuerySet[Review]:
    """Return the project's reviews in the order in which they were drawn."""
    reviews = Review.objects.filter(gold__item__project=project)
    if state:
        reviews = reviews.filter(state=state)
    return reviews.select_related("gold__item__sentence__image", "gold__item__project").order_by(
        "pk"
    )


def confirm_review(*, review: Review, expert: AbstractBaseUser, now: datetime) -> Review:
    """Record that the gold is correct. Raise TransitionNotAllowedError."""
    return _judge(review, ReviewState.CONFIRMED, expert, now)


def return_review(
    *, review: Review, expert: AbstractBaseUser, comment: str, now: datetime
) -> Review:
    """Record that the gold is wrong and that its case needs another consolidation.

    Raise ReviewError without a comment, and TransitionNotAllowedError.
    """
    if not comment.strip():
        raise ReviewError("Explain what is wrong.")
    return _judge(review, ReviewState.RETURNED, expert, now, comment=comment.strip())


@transaction.atomic
def correct_review(
    *,
    review: Review,
    expert: AbstractBaseUser,
    consolidation: Json,
    comment: str,
    now: datetime,
) -> Review:
    """Record a correction, a parsed consolidation of the gold, as the item's next version of gold.

    Raise ReviewError if nothing was changed or a newer version exists. Raise
    TransitionNotAllowedError if the review was already judged.
    """
    gold = Gold.objects.select_related("item__project", "case").get(pk=review.gold_id)
    merging = scheme_of(gold.item.project).get_merging()
    sources = [merging.as_source(gold.content)]
    content, _ = merging.gold_of(consolidation, sources)
    if content == gold.content:
        raise ReviewError(
            "The correction doesn't change anything. Confirm the annotation, or correct it."
        )
    Item.objects.select_for_update(of=("self",)).get(pk=gold.item_id)
    if not is_current(gold):
        raise ReviewError("This annotation can't be corrected because the item has newer gold.")
    judged = _judge(review, ReviewState.CORRECTED, expert, now, comment=comment.strip())
    traced = merging.trace(consolidation, sources).provenance
    judged.correction = add_gold(
        item=gold.item,
        source=gold.source,
        content=content,
        provenance=[_composed(step, gold.provenance) for step in traced],
        case=gold.case,
        now=now,
    )
    judged.save(update_fields=["correction"])
    return judged


def _composed(step: Json, origins: list[Json]) -> Json:
    """Return the provenance of a corrected unit."""
    if step["unit"] is None:
        return {"source": None, "state": "new"}
    # Imported gold may lack the origins of its units.
    before = origins[step["unit"]] if step["unit"] < len(origins) else {}
    return before if step["state"] == "kept" else {**before, "state": "edited"}


def _judge(
    review: Review, state: str, expert: AbstractBaseUser, now: datetime, comment: str = ""
) -> Review:
    return change_state(
        instance=review,
        new=state,
        transitions=TRANSITIONS,
        actor=str(expert),
        now=now,
        reason=comment,
        expert=expert,
        reviewed_at=now,
        comment=comment,
    )


def what_changed(review: Review) -> Compared | None:
    """Compare the reviewed gold with its correction. Return None without a correction."""
    if review.correction is None:
        return None
    item = review.gold.item
    return scheme_of(item.project).comparison.compare(
        review.correction.content, review.gold.content, context_of(item)
    )


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """The share of `judged` reviews of the sample that were corrected or returned.

    `interval` is the 95 % interval of the rate.
    """

    drawn: int
    judged: int
    corrected: int
    returned: int

    @property
    def rate(self) -> float | None:
        return (self.corrected + self.returned) / self.judged if self.judged else None

    @property
    def interval(self) -> Interval:
        return wilson_interval(self.corrected + self.returned, self.judged)


def error_rate(*, project: Project) -> ErrorRate:
    """Return the error rate of the sample. Requested reviews are of suspected errors."""
    sample = Review.objects.filter(gold__item__project=project, origin=ReviewOrigin.SAMPLED)
    rows = sample.order_by().values_list("state")
    counts = dict(rows.annotate(n=Count("pk")))
    waiting = counts.pop(ReviewState.DRAWN, 0)
    judged = sum(counts.values())
    return ErrorRate(
        drawn=waiting + judged,
        judged=judged,
        corrected=counts.get(ReviewState.CORRECTED, 0),
        returned=counts.get(ReviewState.RETURNED, 0),
    )
