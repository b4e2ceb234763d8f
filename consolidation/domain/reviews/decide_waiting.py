"""Decide work and bonuses that wait for consolidation, by what the gold has of the work."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotation.domain.decisions.award_bonus import bonus_for, units_of
from annotation.domain.decisions.bonus_timing import MAX_WAIT, kept_record
from annotation.domain.decisions.decide_submission import end_wait
from annotation.domain.decisions.hold_bonus import speed_reason
from annotation.domain.decisions.review_bonus import (
    accept_bonus,
    decline_bonus,
    earned_units,
    submissions_of_held,
)
from annotation.enums import HeldBonusState, SubmissionState
from annotation.models import HeldBonus, Submission
from crowd.enums import AssignmentState
from crowd.models import Assignment
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.protocols import TERMS
from schemes.contract.texts import Translatable

ACTOR = "automatic"


def decide_waiting_work(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Accept up to `limit` assignments that waited for gold, or leave them to a person. Return how many.

    The worker's record decides, and a person on work that was faster than plausible. Work whose items
    get no gold, because they are withdrawn, the project is archived or MAX_WAIT is over, is accepted, and
    so is work that the marketplace approved meanwhile.
    """
    work = Submission.objects.filter(assignment=OuterRef("pk"))
    without_result = Exists(work.filter(kept_units=None, item__in_production=True))
    is_over = (
        Q(submitted_at__lte=clock() - MAX_WAIT)
        | ~Q(state=AssignmentState.SUBMITTED)
        | Q(hit__task__batch__project__archived_at__isnull=False)
    )
    waiting = Assignment.objects.filter(
        ~without_result | is_over,
        pk__in=Submission.objects.filter(state=SubmissionState.WAITING).values("assignment"),
    )
    # Nobody decided on these before the marketplace did.
    awaiting_review = Submission.objects.filter(
        state=SubmissionState.SUBMITTED,
        kept_units__isnull=False,
        assignment__state=AssignmentState.APPROVED,
    )
    total = 0
    for rows in (waiting, Assignment.objects.filter(pk__in=awaiting_review.values("assignment"))):
        total += for_each_row(
            sweep="decide waiting work",
            rows=rows.select_related("worker", "hit__task__batch__project").order_by("pk"),
            process=_end_wait,
            clock=clock,
            limit=limit - total,
        )
    return total


def _end_wait(assignment: Assignment, now: datetime) -> int:
    end_wait(assignment=assignment, review_reason=_review_reason(assignment, now), now=now)
    return 1


def _review_reason(assignment: Assignment, now: datetime) -> str:
    """Return why a person has to decide, or "".

    An example is "3 of 24 units in the worker's newest 8 items were kept. Of this work: 0 of 4.".
    """
    submissions = list(assignment.submissions.select_related("item__project", "worker"))
    judged = [row for row in submissions if row.kept_units is not None]
    if not judged or assignment.submitted_at <= now - MAX_WAIT:
        return ""
    project = assignment.hit.task.batch.project
    record = kept_record(project=project, worker=assignment.worker)
    if record.is_good:
        return next((reason.text for reason in speed_reason(submissions)), "")
    nouns = scheme_of(project).vocabulary
    kept, units = sum(row.kept_units or 0 for row in judged), sum(map(units_of, judged))
    return (
        f"{record.kept:,} of {nouns.unit.count(record.units)} in the worker's newest "
        f"{nouns.item.count(record.items)} were kept. Of this work: {kept:,} of {units:,}."
    )


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


def _note(
    held: HeldBonus, submissions: Sequence[Submission], kept: int, earned: int
) -> Translatable:
    """Describe the decision, for example "1 of 2 labels were kept when the item was consolidated."."""
    if all(row.kept_units is None for row in submissions):
        return Translatable("There was no result, so the bonus is paid in full.")
    if earned and not any(row.judged_units for row in submissions):
        return Translatable("Nobody else judged the work, so the bonus is paid in full.")
    project = held.project
    unit, done = scheme_of(project).vocabulary.unit, TERMS[project.protocol].done
    return Translatable(
        "%(kept)s of %(units)s were kept when the item was %(done)s.",
        kept=f"{kept:,}",
        units=unit.count(earned),
        done=Translatable(done),
    )
