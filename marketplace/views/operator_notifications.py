"""The operator's list of notifications whose delivery failed."""

from collections.abc import Sequence

from django.contrib import messages
from django.db.models import Case, F, When
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_POST

from marketplace.domain.notifications import notifications
from marketplace.models import Notification
from marketplace.views.operator_columns import code, requester_link, time_column
from marketplace.views.operator_pages import listing, operator_required, render_list
from web.lists import Column

#: The time of the next attempt, or null for notifications that were given up.
PENDING = Case(When(given_up_at=None, then=F("due_at")))


@require_GET
@operator_required
def undelivered(request: HttpRequest) -> HttpResponseBase:
    rows = Notification.objects.filter(delivered_at=None, attempts__gt=0)
    undelivered = listing(
        request,
        rows.select_related("requester"),
        _columns(request),
        noun=("notification", "notifications"),
        order=[F("given_up_at").desc(nulls_last=True), "-pk"],
        empty="Every notification was delivered, or is about to be.",
    )
    template = "marketplace/operator/notifications.html"
    return render_list(request, template, undelivered, file="notifications")


def _columns(request: HttpRequest) -> Sequence[Column]:
    def next_attempt(row: Notification) -> str:
        context = {"row": row}
        return render_to_string("marketplace/operator/next_attempt.html", context, request)

    return (
        Column("Event", lambda row: row.event["EventType"], order=F("event__EventType")),
        time_column("Created (UTC)", lambda row: row.created_at, order=F("created_at")),
        Column(
            "Requester", lambda row: row.requester.name, requester_link, order=F("requester__name")
        ),
        Column("Destination", _destination, _destination_cell, order=F("destination")),
        Column("Last error", lambda row: row.last_error),
        Column("Attempts", lambda row: row.attempts, order=F("attempts"), is_number=True),
        Column("Next attempt (UTC)", _next_attempt, next_attempt, order=PENDING),
    )


def _destination(row: Notification) -> str:
    return f"{row.get_transport_display()} {row.destination}"


def _destination_cell(row: Notification) -> SafeString:
    return format_html("{} {}", row.get_transport_display(), code(row.destination))


def _next_attempt(row: Notification) -> str:
    if row.given_up_at:
        return f"Given up {row.given_up_at.isoformat(timespec='seconds')}"
    return row.due_at.isoformat(timespec="seconds")


@require_POST
@operator_required
def try_again(request: HttpRequest, pk: int) -> HttpResponseBase:
    row = get_object_or_404(Notification, pk=pk)
    notifications.try_again(notification=row, now=timezone.now())
    messages.success(request, "The notification is sent again within seconds.")
    return redirect("marketplace:operator-notifications")
