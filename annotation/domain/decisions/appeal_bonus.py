"""Appeals of workers against declined bonuses, and the answers to them."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.domain.decisions.appeal_links import APPEAL_WITHIN
from annotation.domain.decisions.hold_bonus import work_title
from annotation.domain.decisions.review_bonus import (
    add_news,
    in_language_of_worker,
    submissions_of_held,
)
from annotation.enums import AppealState, HeldBonusState
from annotation.models import BonusAppeal, HeldBonus
from audit.domain.change_state import (
    TransitionNotAllowedError,
    Transitions,
    change_state,
    log_state_change,
)
from audit.errors import TouchstoneError
from crowd.domain.money.announce_bonuses import announce_bonus
from crowd.domain.money.decide_assignment import BonusAward
from crowd.domain.money.review_payment import pay_rest, reinstate_payment
from crowd.domain.workers.languages import keep_language, page_language
from crowd.enums import AnnouncementStatus
from projects.models import Project
from web.money import dollars

AFTER_APPEAL: Transitions = {HeldBonusState.DECLINED: [HeldBonusState.ACCEPTED]}


class AppealError(TouchstoneError, ValueError):
    """The bonus can't be appealed, or the appeal can't be decided. The message explains why."""


def why_not_appealed(held: HeldBonus, *, now: datetime) -> str:
    """Return why the bonus can't be appealed now, or an empty string."""
    if not held.unpaid_cents:
        return gettext("Only bonuses that were declined, or paid in part, can be appealed.")
    if BonusAppeal.objects.filter(held=held).exists():
        return gettext("You have already appealed.")
    if held.decided_at and now - held.decided_at > APPEAL_WITHIN:
        return gettext("Appeals are possible within %(days)s days of the decision.") % {
            "days": APPEAL_WITHIN.days
        }
    return ""


@transaction.atomic
def appeal_bonus(*, held: HeldBonus, text: str, now: datetime) -> BonusAppeal:
    """Store the worker's appeal. Raise AppealError if the bonus can't be appealed."""
    if not text.strip():
        raise AppealError(gettext("Explain why the bonus should be paid."))
    row = HeldBonus.objects.select_for_update().get(pk=held.pk)
    if problem := why_not_appealed(row, now=now):
        raise AppealError(problem)
    appeal = BonusAppeal.objects.create(held=row, text=text, created_at=now)
    keep_language(worker=held.payment.assignment.worker, language=page_language())
    log_state_change(instance=row, old=row.state, new="appealed", actor="the worker", now=now)
    announce_bonus(
        payment=row.payment,
        status=AnnouncementStatus.DECLINED,
        amount_cents=row.unpaid_cents,
        text=gettext("You appealed. You'll get a message with the answer."),
        now=now,
    )
    return appeal


def open_appeals(*, project: Project) -> QuerySet[BonusAppeal]:
    """Return the appeals that wait for an answer, oldest first."""
    rows = BonusAppeal.objects.filter(held__project=project, state=AppealState.OPEN)
    related = rows.select_related("held__project__budget", "held__payment__assignment__worker")
    work = "held__payment__assignment__submissions__item"
    return related.prefetch_related(f"{work}__sentence__image", f"{work}__project").order_by("pk")


@transaction.atomic
def decide_appeal(
    *, appeal: BonusAppeal, pay: bool, answer: str, actor: str, now: datetime
) -> None:
    """Pay the bonus or keep it declined, and send the worker the answer.

    Raise TransitionNotAllowedError if the appeal is decided already, and AppealError without an
    answer.
    """
    if not answer.strip():
        raise AppealError("Enter an answer. The worker reads it.")
    new = AppealState.GRANTED if pay else AppealState.UPHELD
    row = BonusAppeal.objects.select_for_update().get(pk=appeal.pk)
    if row.state != AppealState.OPEN:
        raise TransitionNotAllowedError(row, row.state, new)
    row.state, row.answer, row.decided_by, row.decided_at = new, answer, actor, now
    row.save(update_fields=["state", "answer", "decided_by", "decided_at"])
    held = HeldBonus.objects.select_related("payment").get(pk=row.held_id)
    unpaid, submissions = held.unpaid_cents, submissions_of_held(held)
    if pay:
        _pay_unpaid(held, answer, actor, now)
    else:
        log_state_change(
            instance=held, old="appealed", new="upheld", actor=actor, now=now, reason=answer
        )
    with in_language_of_worker(submissions):
        declined = gettext("Your appeal was declined: %(answer)s") % {"answer": answer}
        text = _answered(pay) % {"amount": dollars(unpaid), "work": work_title(submissions)}
        add_news(held, f"{text} {answer}", now)
    announce_bonus(
        payment=held.payment,
        status=AnnouncementStatus.ACCEPTED if pay else AnnouncementStatus.DECLINED,
        amount_cents=unpaid,
        text=declined,
        now=now,
    )


def _answered(pay: bool) -> str:
    if pay:
        return gettext("We read your appeal. Your bonus of %(amount)s for %(work)s will be paid.")
    return gettext("We read your appeal. Your bonus of %(amount)s for %(work)s stays declined.")


def _pay_unpaid(held: HeldBonus, answer: str, actor: str, now: datetime) -> None:
    """Pay the declined bonus, or the rest of one that was paid in part."""
    if held.state == HeldBonusState.ACCEPTED:
        with in_language_of_worker(submissions_of_held(held)):
            reason = gettext("Thank you! After your appeal: %(answer)s") % {"answer": answer}
        award = BonusAward(held.unpaid_cents, reason[:2000])
        pay_rest(payment=held.payment, award=award, actor=actor, now=now)
        log_state_change(
            instance=held, old="appealed", new=held.state, actor=actor, now=now, reason=answer
        )
        return
    change_state(
        instance=held,
        new=HeldBonusState.ACCEPTED,
        transitions=AFTER_APPEAL,
        actor=actor,
        now=now,
        reason=answer,
    )
    reinstate_payment(payment=held.payment, actor=actor, now=now)
