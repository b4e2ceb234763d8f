"""Accept or decline held bonuses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from annotation.domain.award_bonus import bonus_for, units_of
from annotation.domain.hold_bonus import work_title
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus, Submission
from audit.domain.change_state import Transitions, change_state
from crowd.domain.decide_assignment import BonusAward
from crowd.domain.review_payment import accept_payment, decline_payment

TRANSITIONS: Transitions = {
    HeldBonusState.HELD: [HeldBonusState.ACCEPTED, HeldBonusState.DECLINED],
}


@transaction.atomic
def accept_bonus(
    *,
    held: HeldBonus,
    actor: str,
    now: datetime,
    units: Mapping[int, int] | None = None,
    note: str = "",
) -> None:
    """Let the bonus be paid, in full or for the accepted number of units by submission id.

    The worker gets the note in a message (see send_bonus_news). Raise TransitionNotAllowedError if
    the bonus is decided already, and ValueError if the units earn no bonus or more than the held one.
    """
    submissions = submissions_of_held(held)
    payment = held.payment
    award = BonusAward(payment.amount_cents, payment.reason)
    if units is not None:
        award = bonus_for(submissions, units=units) or replace(award, amount_cents=0)
        _check_amount(award, payment.amount_cents)
    _decide(held, HeldBonusState.ACCEPTED, note, actor, now)
    accept_payment(payment=payment, award=award, actor=actor, now=now)
    cents = award.amount_cents
    if cents == payment.amount_cents:
        text = f"Your bonus of {_dollars(cents)} for {work_title(submissions)} will be paid."
    else:
        text = (
            f"Part of your bonus for {work_title(submissions)} was accepted. You will be paid "
            f"{_dollars(cents)} of {_dollars(payment.amount_cents)}. {award.reason}"
        )
    _add_news(held, f"{text} {note}".strip(), now)


@transaction.atomic
def decline_bonus(*, held: HeldBonus, reason: str, actor: str, now: datetime) -> None:
    """Never pay the bonus, and tell the worker the reason. The reward stays paid.

    Raise TransitionNotAllowedError if the bonus is decided already, and ValueError without a reason.
    """
    if not reason.strip():
        raise ValueError("Enter a reason. The worker sees it.")
    _decide(held, HeldBonusState.DECLINED, reason, actor, now)
    decline_payment(payment=held.payment, actor=actor, reason=reason, now=now)
    text = (
        f"Your bonus of {_dollars(held.payment.amount_cents)} for "
        f"{work_title(submissions_of_held(held))} was declined: {reason}\n\nYour reward is paid, and "
        "your approval rate doesn't change."
    )
    _add_news(held, text, now)


def submissions_of_held(held: HeldBonus) -> list[Submission]:
    """Return the submissions that earned the bonus."""
    rows = held.payment.assignment.submissions.select_related(
        "item__project", "item__sentence__image", "assignment__hit__task__batch__project"
    )
    return list(rows.order_by("pk"))


def _check_amount(award: BonusAward, most_cents: int) -> None:
    if not award.amount_cents:
        raise ValueError("This number earns no bonus. Decline the bonus instead.")
    if award.amount_cents > most_cents:
        raise ValueError("This number earns more than the held bonus.")


def _decide(held: HeldBonus, new: HeldBonusState, note: str, actor: str, now: datetime) -> None:
    """Record the decision. Only the first one succeeds, because the row is locked and checked."""
    change_state(
        instance=held,
        new=new,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=note,
        decided_by=actor,
        decided_at=now,
        note=note,
    )


def _add_news(held: HeldBonus, text: str, now: datetime) -> None:
    """Store the text for the worker, who has not read an earlier text that is still there."""
    HeldBonus.objects.filter(pk=held.pk).update(news=text, news_at=now)


def _dollars(cents: int) -> str:
    return f"${cents / 100:.2f}"


def earned_units(submissions: Sequence[Submission]) -> dict[int, int]:
    """Return the units that the bonus was computed for, by submission id."""
    return {
        submission.pk: units_of(submission) for submission in submissions if submission.is_readable
    }
