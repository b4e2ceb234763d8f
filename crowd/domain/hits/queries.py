"""Queries on workers, HITs and money. A budget identifies its project."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum

from crowd.enums import ENDED_PAYMENTS, AssignmentState, GrantState, HitState, PaymentState
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
from web.days import Days

# In these states, `error` is the reason shown to the worker, not a failure.
TAKEN_AWAY = [GrantState.REVOKING, GrantState.REVOKED]


@dataclass(frozen=True, slots=True)
class LedgerFilter(Days):
    """A filter on ledger entries. An empty field matches everything."""

    kind: str = ""
    pseudonym: str = ""

    @property
    def is_whole(self) -> bool:
        """Return True if the filter excludes nothing but kinds of entries."""
        return not (self.pseudonym or self.first_day or self.last_day)


def ledger_of(*, budget: Budget, wanted: LedgerFilter) -> QuerySet[LedgerEntry]:
    """Return the budget's entries, newest first, with the workers of payments."""
    entries = LedgerEntry.objects.filter(budget=budget).order_by("-pk")
    related = entries.select_related("hit__task", "payment__assignment__worker")
    return narrowed_ledger(related, wanted)


def narrowed_ledger(entries: QuerySet[LedgerEntry], wanted: LedgerFilter) -> QuerySet[LedgerEntry]:
    if wanted.kind:
        entries = entries.filter(kind=wanted.kind)
    if wanted.pseudonym:
        entries = entries.filter(payment__assignment__worker__pseudonym=wanted.pseudonym.upper())
    return wanted.within(entries)


def sums_of(*, entries: QuerySet[LedgerEntry]) -> dict[str, int]:
    """Return the sum in cents, including fees, by kind of entry."""
    rows = entries.order_by().values_list("kind")
    return dict(rows.annotate(cents=Sum(F("amount_cents") + F("fee_cents"))))


@dataclass(frozen=True, slots=True)
class PendingWork:
    """The numbers of a budget's rows by state. Payments that have ended are excluded."""

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
        payments_of(budget=budget)
        .exclude(state__in=ENDED_PAYMENTS)
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
        messages=_by_state(Message.objects.filter(budget=budget)),
    )


def payments_of(*, budget: Budget) -> QuerySet[Payment]:
    return Payment.objects.filter(assignment__hit__budget=budget)


def _grants(qualifications: QuerySet[QualificationType]) -> QuerySet[QualificationGrant]:
    return QualificationGrant.objects.filter(qualification_type__in=qualifications.values("pk"))


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
    # The id of a payment that can be closed
    to_close: int | None = None


def failures_of(
    *, budget: Budget, qualifications: QuerySet[QualificationType], limit: int = 50
) -> dict[str, list[Failure]]:
    """Return the newest rows of each kind with an error, at most `limit`. Includes held payments."""
    hits = Hit.objects.filter(Q(state=HitState.FAILED) | ~Q(error=""), budget=budget)
    payments = (
        payments_of(budget=budget)
        .filter(
            Q(state__in=[PaymentState.HELD, PaymentState.FAILED]) | ~Q(error=""),
        )
        .exclude(state=PaymentState.CLOSED)
    )
    payments = payments.select_related("assignment__worker")
    grants = _grants(qualifications).exclude(error="").exclude(state__in=TAKEN_AWAY)
    grants = grants.select_related("worker", "qualification_type")
    messages = Message.objects.filter(budget=budget).exclude(error="").select_related("worker")
    return {
        "HITs": [
            _failure(hit, str(hit), hit.attempted_at or hit.prepared_at)
            for hit in hits.order_by("-pk")[:limit]
        ],
        "payments": [
            _failure(
                payment,
                f"{payment.get_kind_display()} for assignment {payment.assignment}",
                payment.attempted_at or payment.intended_at,
                worker=str(payment.assignment.worker),
                cents=payment.amount_cents + payment.fee_cents,
                to_close=payment.pk if payment.state == PaymentState.FAILED else None,
            )
            for payment in payments.order_by("-pk")[:limit]
        ],
        "qualifications": [
            _failure(
                grant, grant.qualification_type.name, grant.changed_at, worker=str(grant.worker)
            )
            for grant in grants.order_by("-pk")[:limit]
        ],
        "messages": [
            _failure(message, message.subject, message.written_at, worker=str(message.worker))
            for message in messages.order_by("-pk")[:limit]
        ],
    }


def _failure(row: Any, what: str, at: datetime, **details: Any) -> Failure:
    return Failure(what, row.get_state_display(), row.error, at, **details)
