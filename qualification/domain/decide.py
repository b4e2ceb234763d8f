"""A trainer's decision on a worker who has done a round: pass, repeat, decline."""

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from annotation.domain.qualification_codes import pool_code
from annotation.enums import Role, SubmissionState
from annotation.models import Project
from audit.domain.change_state import Moves, change_state, log_state_change
from crowd.domain.qualifications import (
    define_qualification,
    grant_qualification,
    revoke_qualification,
)
from crowd.domain.write_mail import also_by_mail
from crowd.models import Message, QualificationType
from qualification.domain.evaluate import submissions_in
from qualification.domain.publish_round import invite_workers, round_qualification
from qualification.domain.states import MOVES
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Round

# A repeated round is written anew: the earlier work was paid, and no longer stands for its author.
SET_ASIDE: Moves = {
    SubmissionState.SUBMITTED: [SubmissionState.WITHDRAWN],
    SubmissionState.ACCEPTED: [SubmissionState.WITHDRAWN],
}


# The value of the generators' qualification for one who is in no production group.
UNGROUPED = 0


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
    """The next one for the role; after a generator's last the first for consolidators, if those who
    passed may enter it."""
    rounds = Round.objects.filter(project=one.project_id).select_related("project")
    later = rounds.filter(role=one.role, ordinal__gt=one.ordinal).order_by("ordinal").first()
    if later or one.role != Role.GENERATOR:
        return later
    first = rounds.filter(role=Role.CONSOLIDATOR).order_by("ordinal").first()
    return first if first and first.entry == RoundEntry.PASSED else None


def preceding_round(one: Round) -> Round | None:
    """The round whose passing leads here; None for the first."""
    rounds = Round.objects.filter(project=one.project_id)
    earlier = rounds.filter(role=one.role, ordinal__lt=one.ordinal).order_by("-ordinal").first()
    if earlier or one.role != Role.CONSOLIDATOR:
        return earlier
    return rounds.filter(role=Role.GENERATOR).order_by("-ordinal").first()


def pool_of(project: Project, role: str) -> QualificationType:
    """The qualification that the project's trained pool for a role holds."""
    return define_qualification(
        provider=project.provider,
        code=pool_code(project, role),
        name=f"{project.title[:120]}: trained {role} ({project.slug})",
        description=f"Granted to trained {role}s of the project {project.title}.",
    )


def _passed(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    for role in enrolment.round.pool_roles:
        pool = pool_of(enrolment.round.project, role)
        fresh = not pool.grants.filter(worker=enrolment.worker).exists()
        # Of consolidators the value is a number of their own (docs/adr/0004), of generators their
        # production group.
        value = UNGROUPED if fresh and role == Role.GENERATOR else None
        grant = grant_qualification(
            qualification=pool, worker=enrolment.worker, value=value, now=now
        )
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
    message = Message.objects.create(
        worker=enrolment.worker,
        budget=enrolment.round.project.budget,
        subject=subject.format(title=title)[:200],
        text=text.format(title=title, following=_what_follows(enrolment.round)),
        written_at=now,
    )
    also_by_mail(message=message)


def _what_follows(one: Round) -> str:
    following = following_round(one)
    told = [POOL_FOLLOWS] if one.pool_roles else []
    if following:
        told.append(ROUND_FOLLOWS.format(title=following.title))
    return " ".join(told) or NOTHING_FOLLOWS
