"""The columns of the operator's lists."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from marketplace.models import Appeal, Invitation, Payout, WorkerAccount
from marketplace.views.tables import Column, code, money_column, time_column

TEXT_LENGTH = 200


def _link(view: str, key: object, text: str) -> SafeString:
    return format_html('<a href="{}">{}</a>', reverse(f"marketplace:{view}", args=[key]), text)


def _worker_link(row: WorkerAccount) -> SafeString:
    link = _link("operator-worker", row.code, row.username)
    return link if row.active else format_html("{} (closed)", link)


def _location(row: WorkerAccount) -> str:
    return "-".join(filter(None, [row.country, row.subdivision]))


def _appeal_link(row: Appeal) -> SafeString:
    return _link("operator-appeal", row.pk, row.assignment.hit_type.title)


def _shortened(text: str) -> str:
    return Truncator(text).chars(TEXT_LENGTH)


def requester_link(row: Any) -> SafeString:
    """Link to the page of the requester of a row."""
    return _link("operator-requester", row.requester.code, row.requester.name)


REQUESTERS: Sequence[Column] = (
    Column(
        "Name",
        lambda row: row.name,
        lambda row: _link("operator-requester", row.code, row.name),
        order="name",
    ),
    Column("Id", lambda row: row.code, lambda row: code(row.code), order="code"),
    money_column(
        "Available ($)",
        lambda row: row.available_cents,
        order=F("balance_cents") - F("held_cents"),
    ),
    money_column("Reserved ($)", lambda row: row.held_cents, order="held_cents"),
)

WORKERS: Sequence[Column] = (
    Column("Name", lambda row: row.username, _worker_link, order="username"),
    Column("Worker id", lambda row: row.code, lambda row: code(row.code), order="code"),
    Column("Location", _location, order="country"),
    Column("Approved", lambda row: row.approved_count, order="approved_count", is_number=True),
    Column("Rejected", lambda row: row.rejected_count, order="rejected_count", is_number=True),
)

APPEALS: Sequence[Column] = (
    Column(
        "HIT",
        lambda row: row.assignment.hit_type.title,
        _appeal_link,
        order="assignment__hit_type__title",
    ),
    Column(
        "Worker",
        lambda row: row.assignment.worker.code,
        lambda row: code(row.assignment.worker.code),
        order="assignment__worker__code",
    ),
    Column(
        "Requester",
        lambda row: row.assignment.hit_type.requester.name,
        order="assignment__hit_type__requester__name",
    ),
    Column("State", lambda row: row.get_status_display(), order="status"),
    time_column("Appealed (UTC)", lambda row: row.created_at, order="created_at"),
    Column("Text", lambda row: row.text, lambda row: _shortened(row.text)),
)

LEDGER: Sequence[Column] = (
    time_column("When (UTC)", lambda row: row.created_at, order="created_at"),
    Column("Entry", lambda row: row.kind, order="kind"),
    Column("Note", lambda row: row.note),
    Column("Worker", lambda row: row.worker.code if row.worker else "", order="worker__code"),
    money_column("Balance ($)", lambda row: row.amount_cents, order="amount_cents"),
    money_column("Reserved ($)", lambda row: row.held_cents, order="held_cents"),
)


def _selectable(row: Any) -> SafeString | str:
    """Return the worker's name, with a checkbox of the form for payouts if money is due."""
    if not row["due_cents"]:
        return str(row["username"])
    return format_html(
        '<label><input type="checkbox" name="worker" value="{}" form="record"> {}</label>',
        row["worker_code"],
        row["username"],
    )


def _payout_state(row: Payout) -> SafeString | str:
    if row.withdrawn_at:
        return f"withdrawn {row.withdrawn_at:%Y-%m-%d}"
    url = reverse("marketplace:operator-withdraw-payout", args=[row.pk])
    label = f" the payout of {row.amount_cents / 100:.2f} dollars to {row.worker.username}"
    return format_html(
        '<a href="{}">Withdraw …<span class="visually-hidden">{}</span></a>', url, label
    )


PAYOUTS: Sequence[Column] = (
    Column("Worker", lambda row: row["username"], _selectable, order="username"),
    Column(
        "Worker id",
        lambda row: row["worker_code"],
        lambda row: code(row["worker_code"]),
        order="worker_code",
    ),
    Column("HITs", lambda row: row["assignments"], order="assignments", is_number=True),
    money_column("Rewards ($)", lambda row: row["reward_cents"], order="reward_cents"),
    money_column("Bonuses ($)", lambda row: row["bonus_cents"], order="bonus_cents"),
    money_column("Earned ($)", lambda row: row["total_cents"], order="total_cents"),
    money_column("Paid ($)", lambda row: row["paid_cents"], order="paid_cents"),
    money_column("Due ($)", lambda row: row["due_cents"], order="due_cents"),
)

RECORDED_PAYOUTS: Sequence[Column] = (
    Column("Worker", lambda row: row.worker.username, lambda row: _worker_link(row.worker)),
    Column("Paid on", lambda row: row.paid_on.isoformat(), order="paid_on"),
    money_column("Amount ($)", lambda row: row.amount_cents, order="amount_cents"),
    Column("Reference", lambda row: row.reference, order="reference"),
    Column("Recorded by", lambda row: row.recorded_by, order="recorded_by"),
    Column(
        "State",
        lambda row: "withdrawn" if row.withdrawn_at else "paid",
        _payout_state,
        order="withdrawn_at",
    ),
)


def invitations(request: HttpRequest) -> Sequence[Column]:
    """Return the columns of invitations, whose addresses have the host of the request."""

    def address(row: Invitation) -> str:
        return request.build_absolute_uri(reverse("marketplace:join", args=[row.code]))

    return (
        Column("Address", address, lambda row: code(address(row)), order="code"),
        Column("Note", lambda row: row.note, order="note"),
        time_column("Created (UTC)", lambda row: row.created_at, order="created_at"),
        time_column("Used (UTC)", lambda row: row.used_at, order="used_at"),
        Column(
            "Worker",
            lambda row: row.worker.username if row.worker else "",
            lambda row: _worker_link(row.worker) if row.worker else "",
            order="worker__username",
        ),
    )
