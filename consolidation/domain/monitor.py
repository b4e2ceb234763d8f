"""Monitoring: an expert's blind review of a seeded sample of the consolidated work.

Roit et al. 2020 (section 3) sample and review 1 % of the work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.domain.item_context import context_of, scheme_of
from audit.domain.change_state import Transitions, change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.add_gold import add_gold
from consolidation.enums import GoldSource, ReviewState
from consolidation.models import Gold, Judgment, Monitoring, Review
from jobs.domain.sweep import for_each_row
from metrics.intervals import Interval, wilson_interval
from projects.models import Project
from schemes.base import Compared, Json

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
    rate = Subquery(
        Monitoring.objects.filter(project=OuterRef("item__project")).values("per_thousand")[:1],
        output_field=IntegerField(),
    )
    consolidated = Q(source=GoldSource.CONSOLIDATED, submission__isnull=False)
    validated = Q(source=GoldSource.VALIDATED) & Exists(
        Judgment.objects.filter(gold=OuterRef("pk"))
    )
    due = (
        Gold.objects.filter(consolidated | validated, review=None, case__attempt=0)
        # The last digits, because the first ones depend on the order of publication.
        .annotate(lot=F("item__position") % 1000, rate=Coalesce(rate, Monitoring.PER_THOUSAND))
        .filter(lot__lt=F("rate"))
        .order_by("pk")
    )
    return for_each_row(sweep="draw reviews", rows=due, process=_draw, clock=clock, limit=limit)


@transaction.atomic
def _draw(gold: Gold, now: datetime) -> int:
    review, created = Review.objects.get_or_create(gold=gold, defaults={"drawn_at": now})
    if created:
        log_state_change(instance=review, old="", new=review.state, actor="automatic", now=now)
    return 1


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
    merging = scheme_of(gold.item).get_merging()
    sources = [merging.as_source(gold.content)]
    content, _ = merging.gold_of(consolidation, sources)
    if content == gold.content:
        raise ReviewError(
            "The correction doesn't change anything. Confirm the annotation, or correct it."
        )
    if Gold.objects.filter(case=gold.case, version__gt=gold.version).exists():
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
    before = origins[step["unit"]]
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
    return scheme_of(item).comparison.compare(
        review.correction.content, review.gold.content, context_of(item)
    )


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """The share of `judged` reviews that were corrected or returned.

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
    rows = Review.objects.filter(gold__item__project=project).order_by().values_list("state")
    counts = dict(rows.annotate(n=Count("pk")))
    waiting = counts.pop(ReviewState.DRAWN, 0)
    judged = sum(counts.values())
    return ErrorRate(
        drawn=waiting + judged,
        judged=judged,
        corrected=counts.get(ReviewState.CORRECTED, 0),
        returned=counts.get(ReviewState.RETURNED, 0),
    )
