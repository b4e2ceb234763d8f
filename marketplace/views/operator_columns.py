"""The columns of the operator's lists."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from marketplace.models import Appeal, Invitation, Payout, WorkerAccount
from marketplace.templatetags.marketplace_tags import amount
from web import lists
from web.lists import Column, Order

TEXT_LENGTH = 200


def money_column(heading: str, cents: Callable[[Any], int], *, order: Order = "") -> Column:
    """Return a column of amounts, whose heading has the unit."""
    column = lists.money_column(heading, cents, order=order)
    return replace(column, cell=lambda row: amount(cents(row)))


def time_column(heading: str, at: Callable[[Any], datetime | None], *, order: Order = "") -> Column:
    """Return a column of times in UTC, which the CSV file has to the second."""

    def plain(row: Any) -> str:
        moment = at(row)
        return moment.isoformat(timespec="seconds") if moment else ""

    return Column(heading, plain, lambda row: _time(at(row)), order)


def _time(at: datetime | None) -> str | SafeString:
    if at is None:
        return ""
    shown = f"{at:%Y-%m-%d %H:%M}"
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), shown)


def code(text: str) -> SafeString:
    """Render an identifier."""
    return format_html("<code>{}</code>", text)


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
        order=F("name"),
    ),
    Column("Id", lambda row: row.code, lambda row: code(row.code), order=F("code")),
    money_column(
        "Available ($)",
        lambda row: row.available_cents,
        order=F("balance_cents") - F("held_cents"),
    ),
    money_column("Reserved ($)", lambda row: row.held_cents, order=F("held_cents")),
)

WORKERS: Sequence[Column] = (
    Column("Name", lambda row: row.username, _worker_link, order=F("username")),
    Column("Worker id", lambda row: row.code, lambda row: code(row.code), order=F("code")),
    Column("Location", _location, order=F("country")),
    Column("Approved", lambda row: row.approved_count, order=F("approved_count"), is_number=True),
    Column("Rejected", lambda row: row.rejected_count, order=F("rejected_count"), is_number=True),
)

APPEALS: Sequence[Column] = (
    Column(
        "HIT",
        lambda row: row.assignment.hit_type.title,
        _appeal_link,
        order=F("assignment__hit_type__title"),
    ),
    Column(
        "Worker",
        lambda row: row.assignment.worker.code,
        lambda row: code(row.assignment.worker.code),
        order=F("assignment__worker__code"),
    ),
    Column(
        "Requester",
        lambda row: row.assignment.hit_type.requester.name,
        order=F("assignment__hit_type__requester__name"),
    ),
    Column("State", lambda row: row.get_status_display(), order=F("status")),
    time_column("Appealed (UTC)", lambda row: row.created_at, order=F("created_at")),
    Column("Text", lambda row: row.text, lambda row: _shortened(row.text)),
)

LEDGER: Sequence[Column] = (
    time_column("When (UTC)", lambda row: row.created_at, order=F("created_at")),
    Column("Entry", lambda row: row.kind, order=F("kind")),
    Column("Note", lambda row: row.note),
    Column("Worker", lambda row: row.worker.code if row.worker else "", order=F("worker__code")),
    money_column("Balance ($)", lambda row: row.amount_cents, order=F("amount_cents")),
    money_column("Reserved ($)", lambda row: row.held_cents, order=F("held_cents")),
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


def payouts(rows: Sequence[dict[str, Any]]) -> Sequence[Column]:
    """Return the columns of what is due to workers, which sort the rows by their positions."""

    def order(name: str) -> Callable[[int], Any]:
        return lambda position: rows[position][name]

    def money(heading: str, name: str) -> Column:
        return money_column(heading, lambda row: row[name], order=order(name))

    return (
        Column("Worker", lambda row: row["username"], _selectable, order("username")),
        Column(
            "Worker id",
            lambda row: row["worker_code"],
            lambda row: code(row["worker_code"]),
            order("worker_code"),
        ),
        Column("HITs", lambda row: row["assignments"], order=order("assignments"), is_number=True),
        money("Rewards ($)", "reward_cents"),
        money("Bonuses ($)", "bonus_cents"),
        money("Earned ($)", "total_cents"),
        money("Paid ($)", "paid_cents"),
        money("Due ($)", "due_cents"),
    )


RECORDED_PAYOUTS: Sequence[Column] = (
    Column("Worker", lambda row: row.worker.username, lambda row: _worker_link(row.worker)),
    Column("Paid on", lambda row: row.paid_on.isoformat(), order=F("paid_on")),
    money_column("Amount ($)", lambda row: row.amount_cents, order=F("amount_cents")),
    Column("Reference", lambda row: row.reference, order=F("reference")),
    Column("Recorded by", lambda row: row.recorded_by, order=F("recorded_by")),
    Column(
        "State",
        lambda row: "withdrawn" if row.withdrawn_at else "paid",
        _payout_state,
        order=F("withdrawn_at"),
    ),
)


def invitations(request: HttpRequest) -> Sequence[Column]:
    """Return the columns of invitations, whose addresses have the host of the request."""

    def address(row: Invitation) -> str:
        return request.build_absolute_uri(reverse("marketplace:join", args=[row.code]))

    return (
        Column("Address", address, lambda row: code(address(row)), order=F("code")),
        Column("Note", lambda row: row.note, order=F("note")),
        time_column("Created (UTC)", lambda row: row.created_at, order=F("created_at")),
        time_column("Used (UTC)", lambda row: row.used_at, order=F("used_at")),
        Column(
            "Worker",
            lambda row: row.worker.username if row.worker else "",
            lambda row: _worker_link(row.worker) if row.worker else "",
            order=F("worker__username"),
        ),
    )
