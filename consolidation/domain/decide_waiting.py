"""Decide bonuses that wait for consolidation, by what the gold has of the work."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotation.domain.award_bonus import bonus_for
from annotation.domain.bonus_timing import MAX_WAIT
from annotation.domain.review_bonus import (
    accept_bonus,
    decline_bonus,
    earned_units,
    submissions_of_held,
)
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus, Submission
from jobs.domain.sweep import for_each_row
from projects.protocols import TERMS
from schemes.registry import get_scheme

ACTOR = "automatic"


def decide_waiting_bonuses(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Decide up to `limit` bonuses whose items have gold. Return how many.

    Items that get none, because they are withdrawn, the project is archived or MAX_WAIT is over, are
    paid in full.
    """
    open_items = Submission.objects.filter(
        assignment=OuterRef("payment__assignment"), kept_units=None, item__in_production=True
    )
    is_due = (
        ~Exists(open_items)
        | Q(held_at__lte=clock() - MAX_WAIT)
        | Q(project__archived_at__isnull=False)
    )
    return for_each_row(
        sweep="decide waiting bonuses",
        rows=HeldBonus.objects.filter(is_due, state=HeldBonusState.WAITING).order_by("pk"),
        process=_decide,
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _decide(waiting: HeldBonus, now: datetime) -> int:
    held = HeldBonus.objects.select_for_update(of=("self",)).get(pk=waiting.pk)
    if held.state != HeldBonusState.WAITING:
        return 0
    submissions = submissions_of_held(held)
    earned = earned_units(submissions)
    kept = {
        row.pk: earned[row.pk] if row.kept_units is None else row.kept_units
        for row in submissions
        if row.pk in earned
    }
    note = _note(held, submissions, sum(kept.values()), sum(earned.values()))
    award = bonus_for(submissions, units=kept, terms=held.terms)
    if award is None:
        decline_bonus(held=held, reason=note, actor=ACTOR, now=now)
    elif award.amount_cents < held.earned_cents:
        accept_bonus(held=held, units=kept, note=note, actor=ACTOR, now=now)
    else:
        accept_bonus(held=held, note=note, actor=ACTOR, now=now)
    return 1


def _note(held: HeldBonus, submissions: Sequence[Submission], kept: int, earned: int) -> str:
    """Describe the decision, for example "1 of 2 labels were kept when the item was consolidated."."""
    if all(row.kept_units is None for row in submissions):
        return "There was no result, so the bonus is paid in full."
    project = held.project
    unit, done = get_scheme(project.scheme).vocabulary.unit, TERMS[project.protocol].done
    return f"{kept:,} of {unit.count(earned)} were kept when the item was {done}."
