"""Pages of a user's notifications."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from projects.domain import notification_settings as choices
from projects.domain.notify import mark_as_read, notifications_of, unread_of
from projects.enums import NotificationKind
from projects.forms import NotificationSettingsForm
from projects.notification_texts import text_of
from projects.permissions import public_page, signed_in_page
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, time_column

NOTIFICATIONS = Noun("notification", "notifications")
# The columns of the CSV file, and the orders of the list.
COLUMNS = (
    Column("Notification", text_of),
    Column("Project", lambda row: row.project.title, order="project__title"),
    time_column("Received", lambda row: row.created_at, order="created_at"),
    time_column("Read", lambda row: row.read_at),
)
EMPTY = Empty(
    "No notifications yet",
    "You are notified here when work in your projects needs you, and when your imports and exports"
    " are finished.",
)
UNREAD_EMPTY = Empty("All caught up", "You have read all notifications.")


@require_GET
@signed_in_page
def notifications(request: HttpRequest) -> HttpResponseBase:
    user = request.user
    shows_unread = request.GET.get("unread") == "1"
    rows = (unread_of if shows_unread else notifications_of)(user=user)  # type: ignore[arg-type]
    listing = Listing(
        request=request,
        name="notifications",
        rows=rows.select_related("project"),
        columns=COLUMNS,
        count=NOTIFICATIONS.count,
        empty=UNREAD_EMPTY if shows_unread else EMPTY,
    )
    if request.GET.get("format") == "csv":
        return listing.csv(f"notifications-{timezone.now():%Y-%m-%d}.csv")
    context = {
        "listing": listing,
        "rows": [(notification, text_of(notification)) for notification in listing.page_rows],
        "shows_unread": shows_unread,
        "unread": unread_of(user=user).count(),  # type: ignore[arg-type]
    }
    return render(request, "projects/notifications.html", context)


@require_GET
@signed_in_page
def open_notification(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Open the notification's page, which also marks it as read."""
    own = notifications_of(user=request.user)  # type: ignore[arg-type]
    notification = get_object_or_404(own, pk=pk)
    mark_as_read(notifications=own.filter(pk=pk), now=timezone.now())
    return redirect(notification.path)


@require_POST
@signed_in_page
def mark_read(request: HttpRequest, pk: int) -> HttpResponseBase:
    own = notifications_of(user=request.user)  # type: ignore[arg-type]
    get_object_or_404(own, pk=pk)
    mark_as_read(notifications=own.filter(pk=pk), now=timezone.now())
    return redirect("projects:notifications")


@require_POST
@signed_in_page
def mark_all_read(request: HttpRequest) -> HttpResponseBase:
    unread = unread_of(user=request.user)  # type: ignore[arg-type]
    count = mark_as_read(notifications=unread, now=timezone.now())
    if count:
        noun = "notification" if count == 1 else "notifications"
        messages.success(request, f"{count} {noun} marked as read.")
    return redirect("projects:notifications")


@require_http_methods(["GET", "POST"])
@signed_in_page
def notification_settings(request: HttpRequest) -> HttpResponseBase:
    user = request.user
    stored = choices.settings_of(user=user)  # type: ignore[arg-type]
    initial = {
        "digest": stored.digest,
        "kinds": [kind for kind in NotificationKind if kind not in stored.muted_kinds],
    }
    form = NotificationSettingsForm(request.POST or None, initial=initial)
    if form.is_valid():
        data = form.cleaned_data
        choices.save_settings(user=user, digest=data["digest"], kinds=data["kinds"])  # type: ignore[arg-type]
        messages.success(request, "Settings saved.")
        return redirect("projects:notification_settings")
    context = {
        "form": form,
        "mail_is_on": settings.MAIL_IS_ON,
    }
    status = 422 if form.is_bound else 200
    return render(request, "projects/notification_settings.html", context, status=status)


# The token authorises the request. Mail programs send it without the site's page.
@csrf_exempt
@require_http_methods(["GET", "POST"])
@public_page
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Stop the digests of the account that a link in a digest belongs to."""
    try:
        user = choices.user_of_token(token)
    except choices.InvalidLinkError:
        return render(request, "projects/unsubscribe.html", {"is_invalid": True}, status=404)
    if request.method == "POST":
        choices.unsubscribe(user=user)
    context = {"account": user, "is_done": request.method == "POST"}
    return render(request, "projects/unsubscribe.html", context)
