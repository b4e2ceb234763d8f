"""Send email digests of unread notifications, at most once per user and period.

A digest is a row before it is sent. While there is no connection to the mail server, it is tried
again. A digest that the server refused, or whose outcome is unknown, is not sent again, because the
notifications stay on the site.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from smtplib import SMTPException
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from crowd.enums import MailState
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row
from projects.domain.notification_settings import unsubscribe_token
from projects.domain.notify import unread_of
from projects.enums import DigestPeriod
from projects.models import Digest, Notification
from projects.notification_texts import text_of

# A digest that could not be sent for so long would surprise its reader.
GIVE_UP_AFTER = timedelta(days=2)
MAX_LINES = 50
LENGTHS = {DigestPeriod.DAILY: timedelta(days=1), DigestPeriod.WEEKLY: timedelta(days=7)}


def last_period(period: DigestPeriod, *, now: datetime) -> tuple[datetime, datetime]:
    """Return the begin and end of yesterday or last week, Monday to Sunday, in UTC."""
    end = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == DigestPeriod.WEEKLY:
        end -= timedelta(days=end.weekday())
    return end - LENGTHS[period], end


def queue_due_digests(*, now: datetime) -> int:
    """Create a digest for each user with unread notifications of the last period.

    Return how many were due, of which those that exist already are not created again.
    """
    if not settings.MAIL_IS_ON:
        return 0
    due: list[Digest] = []
    for period in LENGTHS:
        begin, end = last_period(period, now=now)
        chosen = Q(notification_settings__digest=period)
        if period == DigestPeriod.DAILY:  # the default
            chosen |= Q(notification_settings=None)
        users = (
            User.objects.filter(chosen, is_active=True)
            .exclude(email="")
            .filter(
                notifications__read_at=None,
                notifications__created_at__gte=begin,
                notifications__created_at__lt=end,
            )
        )
        own = Digest.objects.filter(user=OuterRef("pk"), period=period, begins_at=begin)
        users = users.exclude(Exists(own))
        due += [
            Digest(user=user, period=period, begins_at=begin, ends_at=end)
            for user in users.distinct()
        ]
    Digest.objects.bulk_create(due, ignore_conflicts=True)
    return len(due)


def send_due_digests(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` digests. Return how many were sent."""
    if not settings.MAIL_IS_ON:
        return 0
    now = clock()
    Digest.objects.filter(state=MailState.SENDING, leased_until__lt=now).update(
        state=MailState.UNCERTAIN, leased_until=None, error="The process that was sending it died."
    )
    return for_each_row(
        sweep="send digests",
        rows=Digest.objects.filter(state=MailState.PENDING).select_related("user"),
        process=_send,
        clock=clock,
        limit=limit,
        leased=True,
    )


def _send(digest: Digest, now: datetime) -> int:
    notifications = list(_unread(digest))
    if not notifications or now - digest.ends_at > GIVE_UP_AFTER:
        return _settle(digest, MailState.DROPPED)
    connection = get_connection()
    connection.open()  # an error leaves the digest pending
    try:
        if not Digest.objects.filter(pk=digest.pk, state=MailState.PENDING).update(
            state=MailState.SENDING
        ):
            return 0
        _email_message(digest, notifications, connection).send()
    except SMTPException as error:
        return _settle(digest, MailState.FAILED, f"The mail server refused it: {error}")
    except OSError as error:
        return _settle(digest, MailState.UNCERTAIN, f"The connection was lost: {error}")
    finally:
        connection.close()
    Digest.objects.filter(pk=digest.pk).update(
        state=MailState.SENT, sent_at=now, leased_until=None, error=""
    )
    return 1


def _settle(digest: Digest, state: MailState, error: str = "") -> int:
    Digest.objects.filter(pk=digest.pk).update(state=state, leased_until=None, error=error)
    return 0


def _unread(digest: Digest) -> QuerySet[Notification]:
    return (
        unread_of(user=digest.user)
        .filter(created_at__gte=digest.begins_at, created_at__lt=digest.ends_at)
        .select_related("project")
        .order_by("project__title", "project", "-pk")
    )


def _email_message(
    digest: Digest, notifications: list[Notification], connection: BaseEmailBackend
) -> EmailMessage:
    count = len(notifications)
    noun = "notification" if count == 1 else "notifications"
    host = urlsplit(settings.SITE_URL).hostname
    link = _address("projects:unsubscribe", unsubscribe_token(digest.user))
    return EmailMessage(
        subject=f"Touchstone: {count} unread {noun}",
        body="\n".join(_lines(notifications, link)),
        to=[digest.user.email],
        headers={
            "Message-ID": f"<digest-{digest.pk}@{host}>",
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{link}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
        connection=connection,
    )


def _lines(notifications: list[Notification], link: str) -> Iterator[str]:
    shown = notifications[:MAX_LINES]
    for project, rows in groupby(shown, key=lambda notification: notification.project):
        yield project.title
        for notification in rows:
            yield f"- {text_of(notification)}"
            yield f"  {settings.SITE_URL}{notification.path}"
        yield ""
    if len(notifications) > len(shown):
        yield f"{len(notifications) - len(shown)} more are on the site."
    yield f"All notifications: {_address('projects:notifications')}"
    yield f"Change how often you receive this email: {_address('projects:notification_settings')}"
    yield f"Unsubscribe: {link}"


def _address(route: str, *arguments: str) -> str:
    return settings.SITE_URL + reverse(route, args=arguments)
