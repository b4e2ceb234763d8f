"""Pay sessions exactly once, at a provider whose bonuses are not idempotent.

The provider pays a session's reward when the session is approved, which is safe to repeat. Everything
else that the work earned is paid as a bonus, in steps that are committed one by one:

1. Set up: note the bonuses that the session already has, set up the bonus, and compare its amount.
   A bonus that was only set up costs nothing and can be abandoned.
2. Send: mark the settlements as being paid, then send the payment. It is never sent again.
3. Confirm: wait until the provider lists one more bonus for each session. After a day without it, an
   admin decides (see `resolve_settlement`).

Each provider has at most one order in flight. Its fees and taxes are distributed over the payments, so
that the ledger matches the provider's account to the cent.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.money.decide_assignment import payment_token, set_aside_payment
from crowd.domain.money.ledger import Movement, release, reserve, settle
from crowd.domain.provider.fees import fee_cents
from crowd.domain.provider.providers import providers_with_sessions, study_provider_of
from crowd.domain.sessions.session_rules import may_return
from crowd.domain.sessions.sync_sessions import GIVEN_UP
from crowd.enums import AssignmentState, PaymentKind, PaymentState, SessionState, SettlementState
from crowd.models import Assignment, Payment, ProviderAccount, Settlement, StudySession
from crowd.providers.base import (
    BonusOrder,
    NotPerformedError,
    OutcomeUnknownError,
    ProviderRefusedError,
    StudyProvider,
)
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# After this time, a bonus that the provider does not list needs a person.
BONUS_LISTING_TIMEOUT = timedelta(days=1)
# The number of sessions whose bonuses are set up in one order.
MAX_IN_ORDER = 200
PAYABLE = [SessionState.SUBMITTED, SessionState.APPROVED, SessionState.RETURNED]
SUBMITTED_STATES = [SessionState.SUBMITTED, SessionState.APPROVED]
UNDECIDED = [AssignmentState.SUBMITTED, AssignmentState.REJECTING]
NOT_LISTED = "The provider has not listed this bonus for a day. Check the payment there."
UNEXPECTED = (
    "The provider lists a bonus for this session that is not in the ledger, for example because the "
    "database was restored. Check whether it is this one."
)
TOP_UP = "The study pays at least its reward for a submitted session."


class SettlementError(TouchstoneError, ValueError):
    """The settlement does not need a decision."""


def plan_settlements(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Plan the payment of sessions that ended and whose work is decided. Return how many."""
    due = payable_sessions(now=clock()).select_related("study", "worker")
    return for_each_row(
        sweep="plan settlements",
        rows=due.order_by("pk"),
        process=lambda session, now: plan_settlement(session=session, now=now),
        clock=clock,
        limit=limit,
    )


def payable_sessions(*, now: datetime) -> QuerySet[StudySession]:
    """Return ended sessions with unpaid payments, or whose reward the provider paid by itself.

    The work of the latter was paid by a bonus before, for example because the session's time was over.
    Those that were submitted early wait until they are returned, or for a week.
    """
    work = Assignment.objects.filter(session=OuterRef("pk"))
    undecided = work.filter(Q(state__in=UNDECIDED) | Q(recorded_at=None))
    unpaid = Payment.objects.filter(
        assignment__session=OuterRef("pk"), state=PaymentState.PENDING, settlement=None
    )
    running = Settlement.objects.filter(session=OuterRef("pk")).exclude(
        state=SettlementState.CONFIRMED
    )
    rewarded = Settlement.objects.filter(session=OuterRef("pk"), reward_cents__gt=0)
    was_approved = Q(Exists(work), state=SessionState.APPROVED) & ~Q(Exists(rewarded))
    return StudySession.objects.filter(
        Q(Exists(unpaid)) | was_approved,
        ~Exists(undecided),
        ~Exists(running),
        ~may_return(now),
        state__in=PAYABLE,
    )


@transaction.atomic
def plan_settlement(*, session: StudySession, now: datetime) -> bool:
    """Create the settlement of the session's unpaid payments. Return False if there is none.

    A submitted session with less work than its reward covers is topped up to the reward, which is the
    whole reward if the work was paid before. What is decided after that, such as a bonus that was in
    review, is paid as far as it exceeds the top-up.
    """
    row = StudySession.objects.select_for_update().get(pk=session.pk)
    if not payable_sessions(now=now).filter(pk=row.pk).exists():
        return False
    rows = Payment.objects.filter(
        assignment__session=row, state=PaymentState.PENDING, settlement=None
    )
    payments = list(
        rows.select_for_update().select_related("assignment__hit__hit_type").order_by("pk")
    )
    payments = [payment for payment in payments if not _is_covered(payment, row, now)]
    has_reward = row.settlements.filter(reward_cents__gt=0).exists()
    if not payments and (row.state != SessionState.APPROVED or has_reward):
        return False
    owed = sum(payment.amount_cents for payment in payments)
    reward = session.study.reward_cents if row.state in SUBMITTED_STATES and not has_reward else 0
    if owed < reward:
        last = payments[-1].assignment if payments else row.assignments.order_by("pk").last()
        assert last
        top_up = _top_up(last, reward - owed, session.study.provider, now)
        if top_up is None:
            return False  # until the budget has room
        payments.append(top_up)
    settlement = Settlement.objects.create(
        session=row, reward_cents=reward, bonus_cents=max(0, owed - reward), planned_at=now
    )
    Payment.objects.filter(pk__in=[payment.pk for payment in payments]).update(
        settlement=settlement
    )
    return True


def _is_covered(payment: Payment, session: StudySession, now: datetime) -> bool:
    """Take off what the session's top-up has paid of the payment. Return True if that is all of it."""
    of_session = Payment.objects.filter(assignment__session=session)
    top_ups = of_session.filter(kind=PaymentKind.TOP_UP, settlement__isnull=False)
    paid = top_ups.aggregate(cents=Sum("amount_cents", default=0))["cents"]
    used = of_session.aggregate(cents=Sum("covered_cents", default=0))["cents"]
    covered = min(paid - used, payment.amount_cents)
    if payment.kind == PaymentKind.TOP_UP or not covered:
        return False
    rest = payment.amount_cents - covered
    fee = fee_cents(rest, provider=session.study.provider) if rest else 0
    key = f"release:covered:{payment.token}"
    movement = Movement(payment.assignment.hit, key, covered, payment.fee_cents - fee)
    release(movement=movement, now=now)
    payment.amount_cents, payment.fee_cents, payment.covered_cents = rest, fee, covered
    if not rest:
        payment.state, payment.confirmed_at = PaymentState.CONFIRMED, now
    payment.save()
    return not rest


def _top_up(
    assignment: Assignment, amount_cents: int, provider: str, now: datetime
) -> Payment | None:
    """Return a payment of the rest of the reward, or None if the budget has no room for it."""
    payment, _ = Payment.objects.get_or_create(
        token=payment_token(assignment, PaymentKind.TOP_UP),
        defaults={
            "assignment": assignment,
            "kind": PaymentKind.TOP_UP,
            "amount_cents": amount_cents,
            "fee_cents": fee_cents(amount_cents, provider=provider),
            "reason": TOP_UP,
            "state": PaymentState.HELD,
            "intended_at": now,
        },
    )
    if payment.state == PaymentState.HELD:
        set_aside_payment(payment=payment, hit=assignment.hit, now=now)
    return payment if payment.state == PaymentState.PENDING else None


def approve_sessions(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Approve sessions whose settlement has a reward. Return how many."""
    due = Settlement.objects.filter(state=SettlementState.PLANNED)
    return for_each_row(
        sweep="approve sessions",
        rows=due.select_related("session__study"),
        process=_approve,
        clock=clock,
        limit=limit,
        leased=True,
    )


def _approve(settlement: Settlement, now: datetime) -> bool:
    session = settlement.session
    fee = 0
    if settlement.reward_cents:
        provider = study_provider_of(session.study.provider)
        try:
            provider.approve_session(session.external_id)
        except ProviderRefusedError as refused:
            return _approval_refused(settlement, provider, str(refused), now)
        except OutcomeUnknownError as error:
            _keep([settlement], error=str(error))  # a repeat is harmless
            return False
        fee = session.study.reward_fee_cents or 0
    with transaction.atomic():
        changed = Settlement.objects.filter(pk=settlement.pk, state=SettlementState.PLANNED).update(
            state=SettlementState.APPROVED, reward_fee_cents=fee, error="", leased_until=None
        )
        if changed and settlement.reward_cents:
            sessions = StudySession.objects.filter(pk=session.pk)
            sessions.filter(approved_at=None).update(approved_at=now)
            sessions.update(state=SessionState.APPROVED, sync_due_at=None)
        if changed and not settlement.bonus_cents:
            confirm(settlement=settlement, now=now)
    return bool(changed)


def _approval_refused(
    settlement: Settlement, provider: StudyProvider, problem: str, now: datetime
) -> bool:
    """Pay everything as a bonus if the worker has returned the session meanwhile."""
    try:
        listed = provider.session(settlement.session.external_id)
    except (OutcomeUnknownError, ProviderRefusedError):
        listed = None
    if listed is None or listed.state not in GIVEN_UP:
        _keep([settlement], error=problem)
        return False
    _pay_without_reward(settlement, now)
    return True


@transaction.atomic
def _pay_without_reward(settlement: Settlement, now: datetime) -> None:
    row = Settlement.objects.select_for_update().get(pk=settlement.pk)
    if row.state != SettlementState.PLANNED:
        return
    payments = list(row.payments.select_for_update().select_related("assignment__hit"))
    for payment in payments:
        if payment.kind == PaymentKind.TOP_UP:
            _withdraw(payment, now)
    owed = sum(payment.amount_cents for payment in payments if payment.kind != PaymentKind.TOP_UP)
    Settlement.objects.filter(pk=row.pk).update(
        reward_cents=0, bonus_cents=owed, error="", leased_until=None
    )


def _withdraw(payment: Payment, now: datetime) -> None:
    """Decline a payment that is not owed any more, and release its reservation."""
    movement = Movement(
        payment.assignment.hit,
        f"release:{payment.token}",
        payment.amount_cents,
        payment.fee_cents,
        payment,
    )
    release(movement=movement, now=now)
    Payment.objects.filter(pk=payment.pk).update(state=PaymentState.DECLINED, settlement=None)
    old, new = payment.state, PaymentState.DECLINED
    log_state_change(instance=payment, old=old, new=new, actor="automatic", now=now)


def pay_bonuses(*, clock: Callable[[], datetime]) -> int:
    """Continue the order in flight of each provider, or start one. Return how many changed."""
    now = clock()
    for name in providers_with_sessions(True):
        ProviderAccount.objects.get_or_create(provider=name)
    return for_each_row(
        sweep="pay bonuses",
        rows=ProviderAccount.objects.filter(provider__in=providers_with_sessions(True)),
        process=_continue_order,
        clock=lambda: now,
        leased=True,
    )


def _continue_order(account: ProviderAccount, now: datetime) -> int:
    try:
        settlements = Settlement.objects.filter(
            session__study__provider=account.provider
        ).select_related("session__study")
        paying = list(settlements.filter(state=SettlementState.PAYING).order_by("pk"))
        if paying:
            return _find_paid(account.provider, paying, now)
        due = settlements.filter(state=SettlementState.APPROVED, bonus_cents__gt=0)
        first = due.order_by("pk").first()
        if first is None:
            return 0
        same_study = due.filter(session__study=first.session.study).order_by("pk")
        return _pay(account.provider, list(same_study[:MAX_IN_ORDER]), now)
    finally:
        ProviderAccount.objects.filter(pk=account.pk).update(leased_until=None)


def _pay(name: str, settlements: Sequence[Settlement], now: datetime) -> int:
    """Set up one order for the settlements and pay it."""
    provider = study_provider_of(name)
    study = settlements[0].session.study
    assert study.external_id
    lines = [(row.session.external_id, row.bonus_cents) for row in settlements]
    try:
        before = [len(provider.list_bonuses(session)) for session, _ in lines]
        order = provider.set_up_bonuses(study=study.external_id, bonuses=lines)
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        _keep(settlements, error=str(error))  # nothing is paid, so that it can be set up again
        return 0
    if unexpected := [
        (row, count)
        for row, count in zip(settlements, before, strict=True)
        if count > _known_bonuses(row)
    ]:
        for row, count in unexpected:
            _give_up(row, count, UNEXPECTED, now)
        return len(unexpected)
    wanted = sum(cents for _, cents in lines)
    if order.amount_cents != wanted:
        message = f"The provider set up {order.amount_cents} cents instead of {wanted}."
        _keep(settlements, error=message)
        return 0
    _mark_as_paying(settlements, before, order, now)
    try:
        provider.pay_bonuses(order.external_id)
    except (ProviderRefusedError, NotPerformedError) as refused:
        # Nothing was paid, so that the bonus can be set up again.
        rows = Settlement.objects.filter(order=order.external_id, state=SettlementState.PAYING)
        rows.update(state=SettlementState.APPROVED, order="", error=str(refused))
        return 0
    except OutcomeUnknownError as error:
        _keep(settlements, error=str(error))
    return len(settlements)


@transaction.atomic
def _mark_as_paying(
    settlements: Sequence[Settlement], before: Sequence[int], order: BonusOrder, now: datetime
) -> None:
    fees = split_cents(order.fee_cents, [row.bonus_cents for row in settlements])
    for settlement, count, fee in zip(settlements, before, fees, strict=True):
        Settlement.objects.filter(pk=settlement.pk).update(
            state=SettlementState.PAYING,
            order=order.external_id,
            bonuses_before=count,
            bonus_fee_cents=fee,
            paid_at=now,
            error="",
        )


def _find_paid(name: str, settlements: Sequence[Settlement], now: datetime) -> int:
    """Confirm the settlements whose bonus the provider lists. After a day, a person looks."""
    provider = study_provider_of(name)
    count = 0
    for settlement in settlements:
        assert settlement.paid_at
        assert settlement.bonuses_before is not None
        try:
            listed = provider.list_bonuses(settlement.session.external_id)
        except (OutcomeUnknownError, ProviderRefusedError) as error:
            _keep([settlement], error=str(error))
            continue
        if settlement.bonus_cents in listed[settlement.bonuses_before :]:
            with transaction.atomic():
                confirm(settlement=settlement, now=now)
            count += 1
        elif now - settlement.paid_at >= BONUS_LISTING_TIMEOUT:
            _give_up(settlement, len(listed), NOT_LISTED, now)
            count += 1
    return count


def _known_bonuses(settlement: Settlement) -> int:
    """Return how many bonuses of the session this site knows, or a person has seen."""
    confirmed = settlement.session.settlements.filter(
        state=SettlementState.CONFIRMED, bonus_cents__gt=0
    )
    return max(confirmed.count(), settlement.bonuses_before or 0)


@transaction.atomic
def _give_up(settlement: Settlement, listed: int, error: str, now: datetime) -> None:
    """Leave the decision to a person, who has seen the bonuses that are listed."""
    old, new = settlement.state, SettlementState.UNKNOWN
    rows = Settlement.objects.filter(pk=settlement.pk, state=old)
    if rows.update(state=new, error=error, bonuses_before=listed, leased_until=None):
        log_state_change(
            instance=settlement, old=old, new=new, actor="provider", now=now, reason=error
        )


@transaction.atomic
def resolve_settlement(
    *, settlement: Settlement, was_paid: bool, actor: str, now: datetime
) -> None:
    """Decide a bonus of unknown outcome: book it, or let it be paid again. Raise SettlementError."""
    row = Settlement.objects.select_for_update().get(pk=settlement.pk)
    if row.state != SettlementState.UNKNOWN:
        raise SettlementError("This bonus doesn't need a decision any more.")
    new = SettlementState.CONFIRMED if was_paid else SettlementState.APPROVED
    log_state_change(instance=row, old=row.state, new=new, actor=actor, now=now)
    if was_paid:
        confirm(settlement=row, now=now)
    else:
        Settlement.objects.filter(pk=row.pk).update(state=new, order="", error="")


@transaction.atomic
def confirm(*, settlement: Settlement, now: datetime) -> None:
    """Mark the settlement and its payments as paid, and book them with the provider's fees."""
    row = Settlement.objects.select_for_update().get(pk=settlement.pk)
    if row.state == SettlementState.CONFIRMED:
        return
    Settlement.objects.filter(pk=row.pk).update(
        state=SettlementState.CONFIRMED, confirmed_at=now, error="", leased_until=None
    )
    payments = list(
        row.payments.select_for_update().select_related("assignment__hit").order_by("pk")
    )
    fees = split_cents(
        row.reward_fee_cents + row.bonus_fee_cents, [payment.amount_cents for payment in payments]
    )
    for payment, fee in zip(payments, fees, strict=True):
        _book(payment, fee, now)


def _book(payment: Payment, fee: int, now: datetime) -> None:
    """Settle the payment with its actual fee instead of the expected one."""
    hit, rest = payment.assignment.hit, payment.fee_cents - fee
    movement = Movement(hit, f"fee:{payment.token}", 0, abs(rest), payment)
    if rest > 0:
        release(movement=movement, now=now)
    elif rest < 0:
        reserve(movement=movement, now=now)
    payment.state, payment.fee_cents, payment.confirmed_at = PaymentState.CONFIRMED, fee, now
    payment.attempted_at = payment.attempted_at or now
    payment.error = ""
    payment.save(update_fields=["state", "fee_cents", "confirmed_at", "attempted_at", "error"])
    settle(payment=payment, hit=hit, now=now)


def split_cents(total: int, weights: Sequence[int]) -> list[int]:
    """Split whole cents in proportion to the weights, with the largest remainders rounded up."""
    whole = sum(weights)
    if not whole:
        return [total, *[0] * (len(weights) - 1)][: len(weights)]
    shares = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda index: -(total * weights[index] % whole))
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares


def _keep(settlements: Sequence[Settlement], *, error: str) -> None:
    Settlement.objects.filter(pk__in=[row.pk for row in settlements]).update(
        error=error, leased_until=None
    )
