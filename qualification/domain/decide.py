"""A trainer's decision about a worker in a round: pass, repeat, decline or withdraw."""

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from annotation.domain.qualification_codes import pool_code
from annotation.enums import SubmissionState
from audit.domain.change_state import Transitions, change_state, log_state_change
from crowd.domain.qualifications import (
    define_qualification,
    grant_qualification,
    revoke_qualification,
)
from crowd.domain.write_mail import also_by_mail
from crowd.models import Message, QualificationType
from projects.enums import Role
from projects.models import Project
from qualification.domain.evaluate import submissions_in
from qualification.domain.publish_round import invite_workers, round_qualification
from qualification.domain.states import TRANSITIONS
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Round

# When a round is repeated, the earlier work stays paid but is withdrawn.
SET_ASIDE: Transitions = {
    SubmissionState.SUBMITTED: [SubmissionState.WITHDRAWN],
    SubmissionState.ACCEPTED: [SubmissionState.WITHDRAWN],
}
# The value of a generator's qualification outside all production groups
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
THANKS = "Thank you for your work on “{title}”. All of it is paid."
TEXTS = {
    Verdict.PASS: ("You passed {title}", THANKS + "\n\nYou passed. {following}"),
    Verdict.REPEAT: (
        "Please repeat {title}",
        THANKS + "\n\nPlease do this round once more, using the feedback you received. "
        "It will be available to you soon and is paid again.",
    ),
    Verdict.DECLINE: (
        "{title}: no further tasks for now",
        THANKS
        + "\n\nWe selected a small group of workers for the next tasks and can't offer you a "
        "place at this time. Your approval rate isn't affected, because no work was rejected.",
    ),
}
POOL_FOLLOWS = "You are now a trained annotator and can do the project's tasks."
ROUND_FOLLOWS = "The next round, “{title}”, will be available to you soon."
NOTHING_FOLLOWS = "We'll message you when more tasks are available."


@transaction.atomic
def decide(
    *, enrolment: Enrolment, verdict: Verdict, reason: str, actor: str, now: datetime
) -> bool:
    """Change the state with its consequences, and message the worker. Return False if unchanged."""
    enrolment = Enrolment.objects.select_related("round__project", "worker").get(pk=enrolment.pk)
    new = STATE_OF[verdict]
    if enrolment.state == new:
        return False
    change_state(
        instance=enrolment, new=new, transitions=TRANSITIONS, actor=actor, now=now, reason=reason
    )
    _CONSEQUENCES[verdict](enrolment, reason, actor, now)
    _notify(enrolment, verdict, now)
    return True


@transaction.atomic
def decide_all(
    *, enrolments: Iterable[Enrolment], verdict: Verdict, reason: str, actor: str, now: datetime
) -> int:
    """Apply the verdict to all or none. Return how many changed. Raise TransitionNotAllowedError."""
    return sum(
        decide(enrolment=enrolment, verdict=verdict, reason=reason, actor=actor, now=now)
        for enrolment in enrolments
    )


def following_round(round: Round) -> Round | None:
    """Return the role's next round, or None.

    The generators' last round is followed by the consolidators' first, if its entry is PASSED.
    """
    rounds = Round.objects.filter(project=round.project_id).select_related("project")
    later = rounds.filter(role=round.role, ordinal__gt=round.ordinal).order_by("ordinal").first()
    if later or round.role != Role.GENERATOR:
        return later
    first = rounds.filter(role=Role.CONSOLIDATOR).order_by("ordinal").first()
    return first if first and first.entry == RoundEntry.PASSED else None


def preceding_round(round: Round) -> Round | None:
    """Return the round before this one, or None for the first."""
    rounds = Round.objects.filter(project=round.project_id)
    earlier = rounds.filter(role=round.role, ordinal__lt=round.ordinal).order_by("-ordinal").first()
    if earlier or round.role != Role.CONSOLIDATOR:
        return earlier
    return rounds.filter(role=Role.GENERATOR).order_by("-ordinal").first()


def pool_of(project: Project, role: str) -> QualificationType:
    """Return the qualification of the project's trained pool for a role."""
    return define_qualification(
        provider=project.provider,
        code=pool_code(project, role),
        name=f"{project.title[:120]}: trained {role} ({project.slug})",
        description=f"Granted to trained {role}s of the project {project.title}.",
    )


def _passed(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    for role in enrolment.round.pool_roles:
        pool = pool_of(enrolment.round.project, role)
        is_new = not pool.grants.filter(worker=enrolment.worker).exists()
        # A generator's value is the production group. A consolidator's is a number (docs/adr/0004).
        value = UNGROUPED if is_new and role == Role.GENERATOR else None
        grant = grant_qualification(
            qualification=pool, worker=enrolment.worker, value=value, now=now
        )
        log_reason = f"{pool.code}: {reason}"
        log_state_change(
            instance=grant, old="", new="granted", actor=actor, now=now, reason=log_reason
        )
    if following := following_round(enrolment.round):
        invite_workers(round=following, workers=[enrolment.worker], actor=actor, now=now)


def _repeated(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    del reason
    for submission in submissions_in(enrolment).values():
        if submission.state in SET_ASIDE:
            change_state(
                instance=submission,
                new=SubmissionState.WITHDRAWN,
                transitions=SET_ASIDE,
                actor=actor,
                now=now,
                reason="the round is repeated",
            )


def _declined(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    project, worker = enrolment.round.project, enrolment.worker
    types = [round_qualification(enrolment.round)]
    types += [pool_of(project, role) for role in enrolment.round.pool_roles]
    text = f"{enrolment.round.title} of {project.title} is complete. Thank you for taking part."
    for qualification in types:
        grant = qualification.grants.filter(worker=worker).first()
        if grant is None:
            continue
        revoke_qualification(qualification=qualification, worker=worker, reason=text, now=now)
        log_reason = f"{qualification.code}: {reason}"
        log_state_change(
            instance=grant, old="granted", new="revoked", actor=actor, now=now, reason=log_reason
        )


_CONSEQUENCES: dict[Verdict, Callable[[Enrolment, str, str, datetime], None]] = {
    Verdict.PASS: _passed,
    Verdict.REPEAT: _repeated,
    Verdict.DECLINE: _declined,
    Verdict.WITHDRAW: _declined,
}


def _notify(enrolment: Enrolment, verdict: Verdict, now: datetime) -> None:
    """Send the worker a message. Workers who withdrew receive none."""
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


def _what_follows(round: Round) -> str:
    following = following_round(round)
    sentences = [POOL_FOLLOWS] if round.pool_roles else []
    if following:
        sentences.append(ROUND_FOLLOWS.format(title=following.title))
    return " ".join(sentences) or NOTHING_FOLLOWS
