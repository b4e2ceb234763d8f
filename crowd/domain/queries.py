"""Reads of people, HITs and money that pages and the API share. A budget stands for its project."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q, QuerySet, Sum

from crowd.enums import AssignmentState, GrantState, HitState, MessageState, PaymentState
from crowd.models import (
    Assignment,
    Budget,
    Hit,
    LedgerEntry,
    Message,
    Payment,
    QualificationGrant,
    QualificationType,
)

UTC = ZoneInfo("UTC")
# Of these the "error" is the reason that the worker reads: no trouble.
TAKEN_AWAY = [GrantState.REVOKING, GrantState.REVOKED]


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Which movements of money to list; days are UTC and both ends are meant. Empty means any."""

    kind: str = ""
    pseudonym: str = ""
    first_day: date | None = None
    last_day: date | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it leaves out nothing, or kinds of entries only."""
        return not (self.pseudonym or self.first_day or self.last_day)


def ledger_of(*, budget: Budget, wanted: LedgerFilter) -> QuerySet[LedgerEntry]:
    """The budget's entries, newest first, with the worker of those that belong to a payment."""
    entries = (
        LedgerEntry.objects.filter(budget=budget)
        .select_related("hit__task", "payment__assignment__worker")
        .order_by("-pk")
    )
    return narrowed_ledger(entries, wanted)


def narrowed_ledger(entries: QuerySet[LedgerEntry], wanted: LedgerFilter) -> QuerySet[LedgerEntry]:
    """Those of the entries that are wanted."""
    if wanted.kind:
        entries = entries.filter(kind=wanted.kind)
    if wanted.pseudonym:
        entries = entries.filter(payment__assignment__worker__pseudonym=wanted.pseudonym.upper())
    if wanted.first_day:
        entries = entries.filter(at__gte=_midnight(wanted.first_day))
    if wanted.last_day:
        entries = entries.filter(at__lt=_midnight(wanted.last_day + timedelta(days=1)))
    return entries


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def sums_of(*, entries: QuerySet[LedgerEntry]) -> dict[str, int]:
    """Kind of entry -> cents, fees included."""
    rows = entries.order_by().values_list("kind")
    return {
        kind: amount + fee
        for kind, amount, fee in rows.annotate(a=Sum("amount_cents"), f=Sum("fee_cents"))
    }


# --- what is under way -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PendingWork:
    """How many rows of a budget are in each state; of payments, those that are not confirmed."""

    hits: Mapping[str, int]
    payments: Mapping[str, int]
    payment_cents: Mapping[str, int]
    rejections: int
    unrecorded: int
    grants: Mapping[str, int] = field(default_factory=dict)
    messages: Mapping[str, int] = field(default_factory=dict)


def pending_work(*, budget: Budget, qualifications: QuerySet[QualificationType]) -> PendingWork:
    """Counts for `budget`; grants are those of the qualifications."""
    assignments = Assignment.objects.filter(hit__budget=budget)
    payments = list(
        _payments(budget)
        .exclude(state=PaymentState.CONFIRMED)
        .order_by()
        .values_list("state")
        .annotate(n=Count("pk"), cents=Sum(F("amount_cents") + F("fee_cents")))
    )
    return PendingWork(
        hits=_by_state(Hit.objects.filter(budget=budget)),
        payments={state: n for state, n, _ in payments},
        payment_cents={state: cents for state, _, cents in payments},
        rejections=assignments.filter(state=AssignmentState.REJECTING).count(),
        unrecorded=assignments.unrecorded().count(),
        grants=_by_state(_grants(qualifications)),
        messages=_by_state(_messages(budget)),
    )


def _payments(budget: Budget) -> QuerySet[Payment]:
    return Payment.objects.filter(assignment__hit__budget=budget)


def _grants(qualifications: QuerySet[QualificationType]) -> QuerySet[QualificationGrant]:
    return QualificationGrant.objects.filter(qualification_type__in=qualifications.values("pk"))


def _messages(budget: Budget) -> QuerySet[Message]:
    return Message.objects.filter(budget=budget)


def _by_state(rows: QuerySet[Any]) -> dict[str, int]:
    return dict(rows.order_by().values_list("state").annotate(n=Count("*")))


@dataclass(frozen=True, slots=True)
class Trouble:
    """One row that did not go through: what it is, how it stands, and the marketplace's words."""

    what: str
    state: str
    error: str
    at: datetime
    worker: str = ""
    cents: int | None = None


def troubles_of(
    *, budget: Budget, qualifications: QuerySet[QualificationType], limit: int = 50
) -> dict[str, list[Trouble]]:
    """The newest rows with an error, or held back, by kind; at most `limit` of each."""
    return {
        "HITs": [_hit_trouble(one) for one in _troubled_hits(budget)[:limit]],
        "payments": [_payment_trouble(one) for one in _troubled_payments(budget)[:limit]],
        "qualifications": [
            _grant_trouble(one)
            for one in _grants(qualifications)
            .exclude(error="")
            .exclude(state__in=TAKEN_AWAY)
            .select_related("worker", "qualification_type")
            .order_by("-pk")[:limit]
        ],
        "messages": [
            _message_trouble(one)
            for one in _messages(budget)
            .exclude(error="")
            .select_related("worker")
            .order_by("-pk")[:limit]
        ],
    }


def _troubled_hits(budget: Budget) -> QuerySet[Hit]:
    wrong = Q(state=HitState.FAILED) | ~Q(error="")
    return Hit.objects.filter(wrong, budget=budget).order_by("-pk")


def _troubled_payments(budget: Budget) -> QuerySet[Payment]:
    wrong = Q(state__in=[PaymentState.HELD, PaymentState.FAILED]) | ~Q(error="")
    rows = _payments(budget).filter(wrong).select_related("assignment__worker")
    return rows.order_by("-pk")


def _hit_trouble(hit: Hit) -> Trouble:
    at = hit.attempted_at or hit.prepared_at
    return Trouble(str(hit), HitState(hit.state).label, hit.error, at)


def _payment_trouble(payment: Payment) -> Trouble:
    return Trouble(
        f"{payment.get_kind_display()} for assignment {payment.assignment.external_id}",
        PaymentState(payment.state).label,
        payment.error,
        payment.attempted_at or payment.intended_at,
        payment.assignment.worker.pseudonym,
        payment.amount_cents + payment.fee_cents,
    )


def _grant_trouble(grant: QualificationGrant) -> Trouble:
    state = GrantState(grant.state).label
    worker = grant.worker.pseudonym
    return Trouble(grant.qualification_type.name, state, grant.error, grant.changed_at, worker)


def _message_trouble(message: Message) -> Trouble:
    state = MessageState(message.state).label
    worker = message.worker.pseudonym
    return Trouble(message.subject, state, message.error, message.written_at, worker)
