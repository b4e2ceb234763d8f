"""Send copies of messages by email, to workers who gave an address.

A mail is retried only if it certainly was not sent. It is committed as SENDING before it is sent. If
the process dies in between, the outcome is unknown, and only a user can send the mail again.
"""

from collections.abc import Callable
from datetime import datetime
from smtplib import SMTPException, SMTPResponseException
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet

from crowd.domain.workers.write_messages import FIRST_RETRY, MAX_ATTEMPTS
from crowd.enums import MailState
from crowd.models import Mail, MailAddress, Message, Worker
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

PERMANENT = 500  # SMTP codes from here on are permanent failures
UNDELIVERED = [MailState.FAILED, MailState.UNCERTAIN]


@transaction.atomic
def keep_address(*, worker: Worker, address: str, now: datetime) -> MailAddress:
    """Store the worker's address, and use it for pending mail too."""
    mail_address, _ = MailAddress.objects.update_or_create(
        worker=worker, defaults={"address": address, "given_at": now}
    )
    Mail.objects.filter(message__worker=worker, state=MailState.PENDING).update(address=address)
    return mail_address


@transaction.atomic
def forget_address(*, worker: Worker) -> bool:
    """Delete the worker's address and drop unsent mail. Return True if there was an address."""
    mails = Mail.objects.filter(message__worker=worker)
    mails.filter(state__in=[MailState.PENDING, MailState.FAILED]).update(state=MailState.DROPPED)
    mails.exclude(address="").update(address="")
    deleted, _ = MailAddress.objects.filter(worker=worker).delete()
    return bool(deleted)


def also_by_mail(*, message: Message) -> Mail | None:
    """Queue an email copy if the worker gave an address and this site sends mail."""
    mail_address = MailAddress.objects.filter(worker=message.worker_id).first()
    if mail_address is None or not settings.MAIL_IS_ON:
        return None
    address = mail_address.address
    return Mail.objects.get_or_create(message=message, defaults={"address": address})[0]


def send_due_mail(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` mails. Return how many will not be retried, delivered or not."""
    if not settings.MAIL_IS_ON:
        return 0
    now = clock()
    Mail.objects.filter(state=MailState.SENDING, leased_until__lt=now).update(
        state=MailState.UNCERTAIN,
        leased_until=None,
        error="The process that was sending it died. It may have been sent.",
    )
    due = Mail.objects.filter(
        Q(retry_at=None) | Q(retry_at__lte=now), state=MailState.PENDING
    ).select_related("message")
    return for_each_row(
        sweep="send mail", rows=due, process=_send, clock=clock, limit=limit, leased=True
    )


def _send(mail: Mail, now: datetime) -> bool:
    connection = get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as error:
        return _try_later(mail, f"No connection to the mail server: {error}", now)
    try:
        if not _begin(mail):
            return False
        _email_message(mail, connection).send()
    except SMTPException as error:
        return _refused(mail, error, now)
    except OSError as error:
        return _settle(mail, MailState.UNCERTAIN, f"The connection was lost: {error}")
    finally:
        connection.close()
    Mail.objects.filter(pk=mail.pk).update(
        state=MailState.SENT, sent_at=now, leased_until=None, error=""
    )
    return True


def _begin(mail: Mail) -> bool:
    """Mark the mail as being sent. Return False if it was dropped meanwhile."""
    pending = Mail.objects.filter(pk=mail.pk, state=MailState.PENDING).exclude(address="")
    return bool(pending.update(state=MailState.SENDING))


def _email_message(mail: Mail, connection: BaseEmailBackend) -> EmailMessage:
    host = urlsplit(settings.SITE_URL).hostname
    return EmailMessage(
        subject=mail.message.subject,
        body=mail.message.text,
        to=[mail.address],
        # Stable, so that mail programs can recognize a mail that was sent again.
        headers={"Message-ID": f"<mail-{mail.pk}@{host}>", "Auto-Submitted": "auto-generated"},
        connection=connection,
    )


def _refused(mail: Mail, error: SMTPException, now: datetime) -> bool:
    codes = _codes(error)
    if not codes:  # no response: the server may have accepted it
        return _settle(mail, MailState.UNCERTAIN, f"The mail server did not respond: {error}")
    if min(codes) >= PERMANENT:
        return _settle(mail, MailState.FAILED, f"The mail server refused it: {error}")
    return _try_later(mail, f"The mail server deferred it: {error}", now)


def _codes(error: SMTPException) -> list[int]:
    """Return the SMTP codes of the server's response, if any."""
    if isinstance(error, SMTPResponseException):
        return [error.smtp_code]
    recipients = getattr(error, "recipients", {})
    return [code for code, _ in recipients.values()]


def _settle(mail: Mail, state: MailState, reason: str) -> bool:
    Mail.objects.filter(pk=mail.pk).update(state=state, leased_until=None, error=reason)
    return True


def _try_later(mail: Mail, reason: str, now: datetime) -> bool:
    attempts = mail.attempts + 1
    given_up = attempts >= MAX_ATTEMPTS
    Mail.objects.filter(pk=mail.pk).exclude(state=MailState.DROPPED).update(
        state=MailState.FAILED if given_up else MailState.PENDING,
        attempts=attempts,
        retry_at=None if given_up else now + FIRST_RETRY * 2 ** (attempts - 1),
        leased_until=None,
        error=reason,
    )
    return given_up


def undelivered_mail(*, workers: QuerySet[Worker]) -> list[Mail]:
    """Return the workers' mails that failed or have an unknown outcome."""
    rows = Mail.objects.filter(state__in=UNDELIVERED, message__worker__in=workers)
    return list(rows.select_related("message__worker").order_by("pk"))


def send_again(*, mail: Mail, now: datetime) -> bool:
    """Queue a failed or uncertain mail again. Return False if it is in another state."""
    rows = Mail.objects.filter(pk=mail.pk, state__in=UNDELIVERED).exclude(address="")
    new = {"state": MailState.PENDING, "attempts": 0, "retry_at": now, "leased_until": None}
    return bool(rows.update(**new))
