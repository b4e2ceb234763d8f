"""Queries on workers, HITs and money. A budget identifies its project."""

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
# In these states, `error` is the reason shown to the worker, not a failure.
TAKEN_AWAY = [GrantState.REVOKING, GrantState.REVOKED]


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """A filter on ledger entries. Days are UTC and inclusive. An empty field matches everything."""

    kind: str = ""
    pseudonym: str = ""
    first_day: date | None = None
    last_day: date | None = None

    @property
    def is_whole(self) -> bool:
        """Return True if the filter excludes nothing but kinds of entries."""
        return not (self.pseudonym or self.first_day or self.last_day)


def ledger_of(*, budget: Budget, wanted: LedgerFilter) -> QuerySet[LedgerEntry]:
    """Return the budget's entries, newest first, with the workers of payments."""
    entries = (
        LedgerEntry.objects.filter(budget=budget)
        .select_related("hit__task", "payment__assignment__worker")
        .order_by("-pk")
    )
    return narrowed_ledger(entries, wanted)


def narrowed_ledger(entries: QuerySet[LedgerEntry], wanted: LedgerFilter) -> QuerySet[LedgerEntry]:
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
    """Return the sum in cents, including fees, by kind of entry."""
    rows = entries.order_by().values_list("kind")
    return {
        kind: amount + fee
        for kind, amount, fee in rows.annotate(a=Sum("amount_cents"), f=Sum("fee_cents"))
    }


@dataclass(frozen=True, slots=True)
class PendingWork:
    """The numbers of a budget's rows by state. Confirmed payments are excluded."""

    hits: Mapping[str, int]
    payments: Mapping[str, int]
    payment_cents: Mapping[str, int]
    rejections: int
    unrecorded: int
    grants: Mapping[str, int] = field(default_factory=dict)
    messages: Mapping[str, int] = field(default_factory=dict)


def pending_work(*, budget: Budget, qualifications: QuerySet[QualificationType]) -> PendingWork:
    """Count the budget's rows and the grants of the qualifications."""
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
class Failure:
    """A row with an error. `error` is the marketplace's message."""

    what: str
    state: str
    error: str
    at: datetime
    worker: str = ""
    cents: int | None = None


def failures_of(
    *, budget: Budget, qualifications: QuerySet[QualificationType], limit: int = 50
) -> dict[str, list[Failure]]:
    """Return the newest rows of each kind with an error, at most `limit`. Includes held payments."""
    return {
        "HITs": [_hit_failure(hit) for hit in _failed_hits(budget)[:limit]],
        "payments": [_payment_failure(payment) for payment in _failed_payments(budget)[:limit]],
        "qualifications": [
            _grant_failure(grant)
            for grant in _grants(qualifications)
            .exclude(error="")
            .exclude(state__in=TAKEN_AWAY)
            .select_related("worker", "qualification_type")
            .order_by("-pk")[:limit]
        ],
        "messages": [
            _message_failure(message)
            for message in _messages(budget)
            .exclude(error="")
            .select_related("worker")
            .order_by("-pk")[:limit]
        ],
    }


def _failed_hits(budget: Budget) -> QuerySet[Hit]:
    has_failed = Q(state=HitState.FAILED) | ~Q(error="")
    return Hit.objects.filter(has_failed, budget=budget).order_by("-pk")


def _failed_payments(budget: Budget) -> QuerySet[Payment]:
    has_failed = Q(state__in=[PaymentState.HELD, PaymentState.FAILED]) | ~Q(error="")
    rows = _payments(budget).filter(has_failed).select_related("assignment__worker")
    return rows.order_by("-pk")


def _hit_failure(hit: Hit) -> Failure:
    at = hit.attempted_at or hit.prepared_at
    return Failure(str(hit), HitState(hit.state).label, hit.error, at)


def _payment_failure(payment: Payment) -> Failure:
    return Failure(
        f"{payment.get_kind_display()} for assignment {payment.assignment.external_id}",
        PaymentState(payment.state).label,
        payment.error,
        payment.attempted_at or payment.intended_at,
        payment.assignment.worker.pseudonym,
        payment.amount_cents + payment.fee_cents,
    )


def _grant_failure(grant: QualificationGrant) -> Failure:
    state = GrantState(grant.state).label
    worker = grant.worker.pseudonym
    return Failure(grant.qualification_type.name, state, grant.error, grant.changed_at, worker)


def _message_failure(message: Message) -> Failure:
    state = MessageState(message.state).label
    worker = message.worker.pseudonym
    return Failure(message.subject, state, message.error, message.written_at, worker)
