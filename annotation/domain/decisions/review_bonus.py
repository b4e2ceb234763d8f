"""Accept or decline held bonuses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from annotation.domain.decisions.appeal_links import APPEAL_WITHIN, appeal_url
from annotation.domain.decisions.award_bonus import bonus_for, units_of
from annotation.domain.decisions.hold_bonus import work_title
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus, Submission
from annotation.translated import translated
from audit.domain.change_state import Transitions, change_state
from crowd.domain.money.announce_bonuses import announce_bonus
from crowd.domain.money.decide_assignment import BonusAward
from crowd.domain.money.review_payment import accept_payment, decline_payment
from crowd.domain.workers.languages import language_of
from crowd.enums import AnnouncementStatus
from schemes.contract.texts import Translatable, text_parts
from web.money import dollars

TRANSITIONS: Transitions = {
    HeldBonusState.HELD: [HeldBonusState.ACCEPTED, HeldBonusState.DECLINED],
    HeldBonusState.WAITING: [HeldBonusState.ACCEPTED, HeldBonusState.DECLINED],
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

    The worker gets the note in a message (see send_bonus_news), translated if it is translatable, and
    can appeal about the part that is not paid. A bonus that only waited for its items is paid in full
    without a message. Raise TransitionNotAllowedError if the bonus is decided already, and ValueError
    if the units earn no bonus or more than the held one.
    """
    submissions = submissions_of_held(held)
    payment, was_reviewed = held.payment, held.state == HeldBonusState.HELD
    award = BonusAward(payment.amount_cents, payment.reason)
    if units is not None:
        award = bonus_for(submissions, units=units, terms=held.terms) or replace(
            award, amount_cents=0
        )
        _check_amount(award, payment.amount_cents)
    _decide(held, HeldBonusState.ACCEPTED, note, actor, now)
    accept_payment(payment=payment, award=award, actor=actor, now=now)
    with in_language_of_worker(submissions):
        if award.amount_cents < held.earned_cents:
            _report_part(held, award, submissions, translated(note), now)
            return
        if was_reviewed:
            text = gettext("Your bonus of %(amount)s for %(work)s will be paid.") % {
                "amount": dollars(award.amount_cents),
                "work": work_title(submissions),
            }
            add_news(held, f"{text} {translated(note)}".strip(), now)
    announce_bonus(payment=payment, status=AnnouncementStatus.ACCEPTED, now=now)


def _report_part(
    held: HeldBonus, award: BonusAward, submissions: Sequence[Submission], note: str, now: datetime
) -> None:
    """Tell the worker which part of the bonus is paid, and how to appeal about the rest."""
    values = {
        "work": work_title(submissions),
        "part": dollars(award.amount_cents),
        "all": dollars(held.earned_cents),
    }
    text = gettext(
        "Part of your bonus for %(work)s was accepted. You will be paid %(part)s of %(all)s."
    )
    news = f"{text % values} {award.reason} {note}".strip()
    add_news(held, f"{news}\n\n{_how_to_appeal(held)}", now)
    paid = gettext("You are paid %(part)s of %(all)s.") % values
    announce_bonus(
        payment=held.payment,
        status=AnnouncementStatus.DECLINED,
        amount_cents=held.earned_cents - award.amount_cents,
        text=f"{paid} {note}".strip(),
        appeal_url=appeal_url(held),
        now=now,
    )


def _how_to_appeal(held: HeldBonus) -> str:
    text = gettext("If you disagree, you can appeal within %(days)s days: %(url)s")
    return text % {"days": APPEAL_WITHIN.days, "url": appeal_url(held)}


@transaction.atomic
def decline_bonus(*, held: HeldBonus, reason: str, actor: str, now: datetime) -> None:
    """Never pay the bonus, and tell the worker the reason. The reward stays paid.

    Raise TransitionNotAllowedError if the bonus is decided already, and ValueError without a reason.
    """
    if not reason.strip():
        raise ValueError("Enter a reason. The worker sees it.")
    _decide(held, HeldBonusState.DECLINED, reason, actor, now)
    decline_payment(payment=held.payment, actor=actor, reason=str(reason), now=now)
    submissions = submissions_of_held(held)
    with in_language_of_worker(submissions):
        declined = gettext("Your bonus of %(amount)s for %(work)s was declined: %(reason)s") % {
            "amount": dollars(held.payment.amount_cents),
            "work": work_title(submissions),
            "reason": translated(reason),
        }
        paid = gettext("Your reward is paid, and your approval rate doesn't change.")
        add_news(held, f"{declined}\n\n{paid} {_how_to_appeal(held)}", now)
        announced = translated(reason)
    announce_bonus(
        payment=held.payment,
        status=AnnouncementStatus.DECLINED,
        text=announced,
        appeal_url=appeal_url(held),
        now=now,
    )


def submissions_of_held(held: HeldBonus) -> list[Submission]:
    """Return the submissions that earned the bonus."""
    rows = held.payment.assignment.submissions.select_related(
        "item__project", "item__sentence__image", "assignment__hit__task__batch__project", "worker"
    )
    return list(rows.order_by("pk"))


def in_language_of_worker(submissions: Sequence[Submission]) -> translation.override:
    """Return a context in which texts are in the language of the worker of the submissions."""
    return translation.override(language_of(submissions[0].worker))


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
        reason=str(note),
        decided_by=actor,
        decided_at=now,
        note=str(note),
        note_parts=text_parts(note) if isinstance(note, Translatable) else None,
    )


def add_news(held: HeldBonus, text: str, now: datetime) -> None:
    """Store the text for the worker, who has not read an earlier text that is still there."""
    HeldBonus.objects.filter(pk=held.pk).update(news=text, news_at=now)


def earned_units(submissions: Sequence[Submission]) -> dict[int, int]:
    """Return the units that the bonus was computed for, by submission id."""
    return {
        submission.pk: units_of(submission) for submission in submissions if submission.is_readable
    }
