"""Judgements of trainees by a second trainer, and how far they agree with the decisions."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from audit.models import StateChange
from metrics.coefficients import cohen_kappa
from qualification.enums import EnrolmentState, Opinion
from qualification.models import Enrolment, Evaluation, Round, SecondOpinion

OPINION_OF = {
    EnrolmentState.PASSED: Opinion.PASS,
    EnrolmentState.REPEATING: Opinion.REPEAT,
    EnrolmentState.DECLINED: Opinion.DECLINE,
}
LABEL = Enrolment._meta.label


@dataclass(frozen=True, slots=True)
class Decided:
    """The newest decision on a worker's round, and who made it."""

    opinion: Opinion
    actor: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of `compared` second opinions agree with the decision of another trainer.

    `kappa` is Cohen's, or None if it is undefined. `open` opinions are of workers without a decision.
    """

    compared: int
    agreeing: int
    open: int
    kappa: float | None


def decisions_of(*, enrolments: Collection[int]) -> dict[int, Decided]:
    """Return the newest decisions by enrolment id."""
    changes = StateChange.objects.filter(
        aggregate=LABEL, object_id__in=enrolments, new__in=OPINION_OF
    ).order_by("pk")
    return {
        change.object_id: Decided(OPINION_OF[EnrolmentState(change.new)], change.actor)
        for change in changes
    }


def awaiting_opinion(*, round: Round, trainer: Any) -> QuerySet[Enrolment]:
    """Return the evaluated workers on whom the trainer neither decided nor gave an opinion."""
    evaluated = Evaluation.objects.filter(enrolment=OuterRef("pk"), so_far=False)
    given = SecondOpinion.objects.filter(enrolment=OuterRef("pk"), trainer=trainer)
    decided = StateChange.objects.filter(
        aggregate=LABEL,
        object_id=OuterRef("pk"),
        new__in=OPINION_OF,
        actor=trainer.get_username(),
    )
    rows = round.enrolments.filter(Exists(evaluated)).exclude(Exists(given) | Exists(decided))
    return rows.select_related("worker").order_by("pk")


def give_opinion(
    *, enrolment: Enrolment, trainer: Any, opinion: Opinion, comment: str, now: datetime
) -> bool:
    """Store the trainer's opinion. Return False if the trainer has judged the worker before."""
    waiting = awaiting_opinion(round=enrolment.round, trainer=trainer)
    if not waiting.filter(pk=enrolment.pk).exists():
        return False
    _, created = SecondOpinion.objects.get_or_create(
        enrolment=enrolment,
        trainer=trainer,
        defaults={"opinion": opinion, "comment": comment.strip(), "given_at": now},
    )
    return created


def agreement_of(*, round: Round) -> Agreement | None:
    """Compare the round's opinions with the decisions of others. Return None without opinions."""
    opinions = list(SecondOpinion.objects.filter(enrolment__round=round).select_related("trainer"))
    if not opinions:
        return None
    decisions = decisions_of(enrolments={row.enrolment_id for row in opinions})
    pairs = [
        (decided.opinion.value, row.opinion)
        for row in opinions
        if (decided := decisions.get(row.enrolment_id))
        and decided.actor != row.trainer.get_username()
    ]
    return Agreement(
        compared=len(pairs),
        agreeing=sum(decision == opinion for decision, opinion in pairs),
        open=len(opinions) - len(pairs),
        kappa=cohen_kappa(pairs),
    )
