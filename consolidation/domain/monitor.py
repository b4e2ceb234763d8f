"""Monitoring: a seeded sample of the consolidated work, judged blind by an expert.

Roit et al. 2020, section 3: 1 % of the work is sampled and reviewed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from math import sqrt

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Project
from audit.domain.change_state import Moves, change_state, log_state_change
from consolidation.domain.record_gold import add_gold
from consolidation.enums import GoldSource, ReviewState
from consolidation.models import Gold, Judgment, Monitoring, Review
from metrics.intervals import Interval
from schemes.base import Comparison, Json
from schemes.registry import get_scheme

MOVES: Moves = {
    ReviewState.DRAWN: [ReviewState.CONFIRMED, ReviewState.CORRECTED, ReviewState.RETURNED]
}
Z_95 = 1.959963984540054


class ReviewRefused(Exception):
    """This judgment can't be taken; the message says why."""


def set_review_rate(*, project: Project, per_thousand: int) -> Monitoring:
    """How much of the project is drawn for review, in thousandths. What was drawn stays drawn."""
    if not 0 <= per_thousand <= 1000:
        raise ReviewRefused("The rate must lie between 0 and 100 %.")
    found, _ = Monitoring.objects.update_or_create(
        project=project, defaults={"per_thousand": per_thousand}
    )
    return found


def draw_due_reviews(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Draw up to `limit` reviews among consolidated and validated gold that has none; returns how many.

    An item's lot is its place in the project's seeded shuffle, so the sample is the same whenever
    it is drawn and neither workers nor experts can bend it; a higher rate adds to the sample.
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
        Gold.objects.filter(consolidated | validated, review=None, case__place=0)
        # The last digits: the first ones say who was published early.
        .annotate(lot=F("item__position") % 1000, rate=Coalesce(rate, Monitoring.PER_THOUSAND))
        .filter(lot__lt=F("rate"))
        .order_by("pk")
    )
    drawn = list(due[:limit])
    for gold in drawn:
        _draw(gold, clock())
    return len(drawn)


@transaction.atomic
def _draw(gold: Gold, now: datetime) -> None:
    review, created = Review.objects.get_or_create(gold=gold, defaults={"drawn_at": now})
    if created:
        log_state_change(instance=review, old="", new=review.state, actor="automatic", now=now)


def reviews_of(*, project: Project, state: str = "") -> QuerySet[Review]:
    """The project's reviews, those that wait first, oldest first."""
    reviews = Review.objects.filter(gold__item__project=project)
    if state:
        reviews = reviews.filter(state=state)
    return reviews.select_related("gold__item__sentence", "gold__item__project").order_by("pk")


def confirm_review(*, review: Review, expert: AbstractBaseUser, now: datetime) -> Review:
    """The gold is right as it stands. Raises MoveRefused."""
    return _judge(review, ReviewState.CONFIRMED, expert, now)


def return_review(
    *, review: Review, expert: AbstractBaseUser, comment: str, now: datetime
) -> Review:
    """The gold is wrong in a way that the expert does not correct: the state is what says that its case
    needs another consolidation. Raises ReviewRefused without a reason, MoveRefused."""
    if not comment.strip():
        raise ReviewRefused("Say what is wrong: the office reads it.")
    return _judge(review, ReviewState.RETURNED, expert, now, comment=comment.strip())


@transaction.atomic
def correct_review(
    *, review: Review, expert: AbstractBaseUser, content: object, comment: str, now: datetime
) -> Review:
    """The expert's correction, as the item's next version of gold.

    Raises ContentError for content that the scheme refuses, ReviewRefused where nothing was
    changed or a newer version stands, MoveRefused.
    """
    gold = Gold.objects.select_related("item__sentence", "item__project", "case").get(
        pk=review.gold_id
    )
    item = gold.item
    parsed = get_scheme(item.project.scheme).parse_gold(
        content, tokens=item.sentence.tokens, target=item.target
    )
    judged = _begin_correction(review, gold, expert, parsed, comment, now=now)
    return _finish_correction(judged, gold, parsed, _corrected_provenance(gold, parsed), now)


@transaction.atomic
def correct_review_on_page(
    *,
    review: Review,
    expert: AbstractBaseUser,
    consolidation: Json,
    comment: str,
    now: datetime,
) -> Review:
    """As `correct_review`, from a consolidation, parsed by the scheme, whose one source is the gold."""
    gold = Gold.objects.select_related("item__project", "case").get(pk=review.gold_id)
    scheme = get_scheme(gold.item.project.scheme)
    sources = [scheme.as_source(gold.content)]
    content, _ = scheme.gold_of(consolidation, sources)
    traced = scheme.trace(consolidation, sources).provenance
    provenance = [_composed(one, gold.provenance) for one in traced]
    judged = _begin_correction(review, gold, expert, content, comment, now=now)
    return _finish_correction(judged, gold, content, provenance, now)


def _begin_correction(
    review: Review,
    gold: Gold,
    expert: AbstractBaseUser,
    content: Json,
    comment: str,
    *,
    now: datetime,
) -> Review:
    if content == gold.content:
        raise ReviewRefused("Nothing was changed: accept it, or correct it first.")
    if Gold.objects.filter(case=gold.case, version__gt=gold.version).exists():
        raise ReviewRefused("The item has a newer version of gold; this one is past correcting.")
    return _judge(review, ReviewState.CORRECTED, expert, now, comment=comment.strip())


def _finish_correction(
    judged: Review, gold: Gold, content: Json, provenance: list[Json], now: datetime
) -> Review:
    judged.correction = add_gold(
        item=gold.item,
        source=gold.source,
        content=content,
        provenance=provenance,
        case=gold.case,
        now=now,
    )
    judged.save(update_fields=["correction"])
    return judged


def _composed(step: Json, origins: list[Json]) -> Json:
    """Where a corrected question came from before the correction, if it came from anywhere."""
    if step["question"] is None:
        return {"source": None, "state": "new"}
    before = origins[step["question"]]
    return before if step["state"] == "kept" else {**before, "state": "edited"}


def _judge(
    review: Review, state: str, expert: AbstractBaseUser, now: datetime, comment: str = ""
) -> Review:
    return change_state(
        instance=review,
        new=state,
        moves=MOVES,
        actor=str(expert),
        now=now,
        reason=comment,
        expert=expert,
        reviewed_at=now,
        comment=comment,
    )


def _corrected_provenance(gold: Gold, corrected: Json) -> list[Json]:
    """A question as it was keeps where it came from; one with other answers was edited."""
    before = {
        question["question"]: (question, origin)
        for question, origin in zip(gold.content["questions"], gold.provenance, strict=True)
    }
    found: list[Json] = []
    for question in corrected["questions"]:
        old, origin = before.get(question["question"], (None, {"source": None, "state": "new"}))
        edited = {
            "source": origin.get("source"),
            "state": "edited",
        }  # whose answers, is no longer known
        found.append(origin if old in (None, question) else edited)
    return found


def what_changed(review: Review) -> Comparison | None:
    """The reviewed gold held against its correction, as a submission against a reference: what a
    feedback on it says. None without a correction."""
    if review.correction is None:
        return None
    item = review.gold.item
    return get_scheme(item.project.scheme).compare(
        reference=review.correction.content,
        predicted=review.gold.content,
        tokens=item.sentence.tokens,
        target=item.target,
    )


# --- the error rate ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Of `judged` reviews, those corrected or returned. `interval` holds the rate with 95 %."""

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


def wilson_interval(hits: int, of: int) -> Interval:
    """The 95 % score interval of a share (Wilson 1927): it stays inside [0, 1] and is right for few
    and rare hits, where the usual one would give 0 ± 0. Both ends None without any case."""
    if not of:
        return Interval(None, None, 0.95, 1.0)
    share, z2 = hits / of, Z_95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    low = 0.0 if hits == 0 else middle - half
    high = 1.0 if hits == of else middle + half
    return Interval(low, high, 0.95, 0.0)
