"""A trainer's decision about a worker in a round: pass, repeat, decline or withdraw."""

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotation.enums import SubmissionState
from audit.domain.change_state import Transitions, change_state, log_state_change
from crowd.domain.workers.languages import language_of
from crowd.domain.workers.qualifications import revoke_qualification
from crowd.domain.workers.write_mail import also_by_mail
from crowd.enums import PaymentState
from crowd.models import Message, Payment
from projects.enums import Role
from qualification.domain.pool.admit import POOL_FOLLOWS, grant_pools, pool_of
from qualification.domain.rounds.publish_round import invite_workers, round_qualification
from qualification.domain.states import TRANSITIONS
from qualification.domain.training.evaluate import submissions_in
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Round
from web.money import dollars

# When a round is repeated, the earlier work stays paid but is withdrawn.
SET_ASIDE: Transitions = {
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
# The subject of the message, and its text after what is paid
TEXTS = {
    Verdict.PASS: (gettext_noop("You passed %(title)s"), gettext_noop("You passed. %(following)s")),
    Verdict.REPEAT: (
        gettext_noop("Please repeat %(title)s"),
        gettext_noop(
            "Please do this round once more, using the feedback you received. It will be available to "
            "you soon and is paid again."
        ),
    ),
    Verdict.DECLINE: (
        gettext_noop("%(title)s: no further tasks for now"),
        gettext_noop(
            "We selected a small group of workers for the next tasks and can't offer you a place at "
            "this time. Your approval rate isn't affected, because no work was rejected."
        ),
    ),
}
ON_THE_WAY = gettext_noop("%(amount)s of your pay is on its way.")
IN_REVIEW = gettext_noop(
    "%(amount)s of your bonuses is in review. You'll get a message with the result, and the rest of your "
    "pay isn't affected."
)
DECLINED = gettext_noop("%(amount)s of your bonuses was declined.")
ROUND_FOLLOWS = gettext_noop("The next round, “%(title)s”, will be available to you soon.")


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


def can_decide(enrolment: Enrolment, verdict: Verdict) -> bool:
    """Return True if the enrolment's state allows the verdict, or already has it."""
    new = STATE_OF[verdict]
    return enrolment.state == new or new in TRANSITIONS.get(enrolment.state, ())


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


def _passed(enrolment: Enrolment, reason: str, actor: str, now: datetime) -> None:
    round, worker = enrolment.round, enrolment.worker
    grant_pools(
        project=round.project,
        worker=worker,
        roles=round.pool_roles,
        reason=reason,
        actor=actor,
        now=now,
    )
    if following := following_round(round):
        invite_workers(round=following, workers=[worker], actor=actor, now=now)


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
    for qualification in types:
        grant = qualification.grants.filter(worker=worker).first()
        if grant is None:
            continue
        # Without a reason for the worker, whom the decision's message tells enough.
        revoke_qualification(qualification=qualification, worker=worker, reason="", now=now)
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
    with translation.override(language_of(enrolment.worker)):
        subject, text = _message(enrolment, verdict)
    message = Message.objects.create(
        worker=enrolment.worker,
        budget=enrolment.round.project.budget,
        subject=subject[:200],
        text=text,
        written_at=now,
    )
    also_by_mail(message=message)


def _message(enrolment: Enrolment, verdict: Verdict) -> tuple[str, str]:
    """Return the subject and the text of the message in the current language."""
    subject, decision = map(gettext, TEXTS[verdict])
    thanks = gettext("Thank you for your work on “%(title)s”.")
    values = {"title": enrolment.round.title, "following": _what_follows(enrolment.round)}
    text = f"{thanks % values} {_what_is_paid(enrolment)}\n\n{decision % values}"
    return subject % values, text


def _what_is_paid(enrolment: Enrolment) -> str:
    """State what of the round's work is not paid, or not yet."""
    assignments = {row.assignment_id for row in submissions_in(enrolment).values()}
    unpaid = Payment.objects.filter(assignment__in=assignments).exclude(
        state__in=[PaymentState.CONFIRMED, PaymentState.CLOSED]
    )
    cents = dict.fromkeys((ON_THE_WAY, IN_REVIEW, DECLINED), 0)
    for state, needs_review, amount in unpaid.values_list("state", "needs_review", "amount_cents"):
        if state == PaymentState.DECLINED:
            cents[DECLINED] += amount
        else:
            cents[IN_REVIEW if needs_review else ON_THE_WAY] += amount
    sentences = [
        gettext(text) % {"amount": dollars(amount)} for text, amount in cents.items() if amount
    ]
    if not sentences:
        return gettext("All of it is paid.")
    if not cents[ON_THE_WAY] and not cents[IN_REVIEW]:
        sentences.append(gettext("The rest is paid."))
    return " ".join(sentences)


def _what_follows(round: Round) -> str:
    following = following_round(round)
    sentences = [gettext(POOL_FOLLOWS)] if round.pool_roles else []
    if following:
        sentences.append(gettext(ROUND_FOLLOWS) % {"title": following.title})
    return " ".join(sentences) or gettext(
        "There are no further tasks for you now. If there are more, we'll message you."
    )


def effects_of_pass(round: Round) -> list[str]:
    """Describe to staff what follows a pass."""
    following = following_round(round)
    effects = []
    if round.pool_roles:
        effects.append("Workers who pass are admitted to the pool, and get new tasks.")
    if following:
        effects.append(f"Workers who pass are invited to {following.title}.")
    return effects or [
        f"{round.title} does not admit to production, and no round follows. Workers who pass get no "
        "further tasks until you admit them to the pool."
    ]
