"""A trainer's decision on a worker who has done a round: pass, repeat, decline."""

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from annotation.enums import SubmissionState
from annotation.models import Project
from audit.domain.change_state import Moves, change_state, log_state_change
from consolidation.domain.open_cases import pool_code
from crowd.domain.qualifications import (
    define_qualification,
    grant_qualification,
    revoke_qualification,
)
from crowd.models import Message, QualificationType
from qualification.domain.evaluate import submissions_in
from qualification.domain.publish_round import invite_workers, round_qualification
from qualification.domain.states import MOVES
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Round

# A repeated round is written anew: the earlier work was paid, and no longer stands for its author.
SET_ASIDE: Moves = {
    SubmissionState.SUBMITTED: [SubmissionState.WITHDRAWN],
    SubmissionState.ACCEPTED: [SubmissionState.WITHDRAWN],
}


class Verdict(StrEnum):
    PASS = "pass"  # noqa: S105
    REPEAT = "repeat"
    DECLINE = "decline"
    WITHDRAW = "withdraw"


STATE_OF = {
    Verdict.PASS: EnrolmentState.PASSED,
    Verdict.REPEAT: EnrolmentState.REPEATING,
    Verdict.DECLINE: EnrolmentState.DECLINED,
    Verdict.WITHDRAW: EnrolmentState.WITHDRAWN,
}
THANKS = "Thank you for the work that you put into “{title}”. All of it is paid."
TEXTS = {
    Verdict.PASS: (
        "You passed {title}",
        THANKS + "\n\nYou have passed. {following}",
    ),
    Verdict.REPEAT: (
        "Another go at {title}",
        THANKS + "\n\nWe would like you to do this round once more, with the feedback in mind. "
        "It will be offered to you again, and paid again.",
    ),
    Verdict.DECLINE: (
        "{title}: no further tasks for now",
        THANKS
        + "\n\nWe have chosen a small group for the tasks that follow, and can't offer you a "
        "place in it. This has no effect on your standing: nothing of your work was rejected.",
    ),
}
POOL_FOLLOWS = "You are now one of the trained annotators: the project's tasks are open to you."
ROUND_FOLLOWS = "The next round, “{title}”, will be offered to you soon."
NOTHING_FOLLOWS = "We will write when there is more to do."


@transaction.atomic
def decide(
    *, enrolment: Enrolment, verdict: Verdict, reason: str, actor: str, now: datetime
) -> bool:
    """Move the worker on, with what follows from it: qualifications, the next round, a message.

    Says whether anything changed; a repeat changes nothing. Raises MoveRefused.
    """
    enrolment = Enrolment.objects.select_related("round__project", "worker").get(pk=enrolment.pk)
    new = STATE_OF[verdict]
    if enrolment.state == new:
        return False
    change_state(instance=enrolment, new=new, moves=MOVES, actor=actor, now=now, reason=reason)
    _CONSEQUENCES[verdict](enrolment, reason, actor, now)
    _tell(enrolment, verdict, now)
    return True


@transaction.atomic
def decide_all(
    *, enrolments: Iterable[Enrolment], verdict: Verdict, reason: str, actor: str, now: datetime
) -> int:
    """The same verdict on all of them or, where one can't have it, on none; returns how many moved.
    Raises MoveRefused."""
    return sum(
        decide(enrolment=one, verdict=verdict, reason=reason, actor=actor, now=now)
        for one in enrolments
    )


def following_round(one: Round) -> Round | None:
    later = Round.objects.filter(project=one.project_id, role=one.role, ordinal__gt=one.ordinal)
    return later.select_related("project").order_by("ordinal").first()


def pool_of(project: Project, role: str) -> QualificationType:
    """The qualification that the project's trained pool for a role holds."""
    return define_qualification(
        provider=project.provider,
        code=pool_code(project, role),
        name=f"{project.title}: trained {role}",
        description=f"Granted to trained {role}s of the project {project.title}.",
    )


def _passed(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    for role in enrolment.round.pool_roles:
        pool = pool_of(enrolment.round.project, role)
        grant = grant_qualification(qualification=pool, worker=enrolment.worker, now=now)
        told = f"{pool.code}: {reason}"
        log_state_change(instance=grant, old="", new="granted", actor=actor, now=now, reason=told)
    if following := following_round(enrolment.round):
        invite_workers(round=following, workers=[enrolment.worker], actor=actor, now=now)


def _repeated(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    del reason
    for submission in submissions_in(enrolment).values():
        if submission.state in SET_ASIDE:
            change_state(
                instance=submission,
                new=SubmissionState.WITHDRAWN,
                moves=SET_ASIDE,
                actor=actor,
                now=now,
                reason="the round is repeated",
            )


def _declined(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    project, worker = enrolment.round.project, enrolment.worker
    types = [round_qualification(enrolment.round)]
    types += [pool_of(project, role) for role in enrolment.round.pool_roles]
    for qualification in types:
        held = qualification.grants.filter(worker=worker).first()
        if held is None:
            continue
        revoke_qualification(
            qualification=qualification,
            worker=worker,
            reason=f"{enrolment.round.title} of {project.title} is over for you. Thank you!",
            now=now,
        )
        told = f"{qualification.code}: {reason}"
        log_state_change(
            instance=held, old="granted", new="revoked", actor=actor, now=now, reason=told
        )


_CONSEQUENCES: dict[Verdict, Callable[[Enrolment, str, str, datetime], None]] = {
    Verdict.PASS: _passed,
    Verdict.REPEAT: _repeated,
    Verdict.DECLINE: _declined,
    Verdict.WITHDRAW: _declined,
}


def _tell(enrolment: Enrolment, verdict: Verdict, now: datetime) -> None:
    """Whoever withdrew knows."""
    if verdict not in TEXTS:
        return
    subject, text = TEXTS[verdict]
    title = enrolment.round.title
    Message.objects.create(
        worker=enrolment.worker,
        subject=subject.format(title=title)[:200],
        text=text.format(title=title, following=_what_follows(enrolment.round)),
        written_at=now,
    )


def _what_follows(one: Round) -> str:
    if following := following_round(one):
        return ROUND_FOLLOWS.format(title=following.title)
    return POOL_FOLLOWS if one.pool_roles else NOTHING_FOLLOWS
