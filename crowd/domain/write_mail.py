"""Messages as e-mails too, to workers who gave an address: retried while it is certain that nothing
went out, and never sent twice.

A mail is marked as being sent, and that is committed, before the server hears of it. A process that
dies in between leaves it so: then it is in doubt, is shown, and goes out again only by hand.
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

from crowd.domain.lease import BITE, take_leases
from crowd.domain.write_messages import FIRST_RETRY, MOST_ATTEMPTS
from crowd.enums import MailState
from crowd.models import Mail, MailAddress, Message, Worker

PERMANENT = 500  # from here on a server's answer will not change


@transaction.atomic
def keep_address(*, worker: Worker, address: str, now: datetime) -> MailAddress:
    """Write to this address from now on. What is on its way to an earlier one follows."""
    kept, _ = MailAddress.objects.update_or_create(
        worker=worker, defaults={"address": address, "given_at": now}
    )
    Mail.objects.filter(message__worker=worker, state=MailState.PENDING).update(address=address)
    return kept


@transaction.atomic
def forget_address(*, worker: Worker) -> bool:
    """Write no more, and keep the address nowhere; says whether there was one."""
    mails = Mail.objects.filter(message__worker=worker)
    mails.filter(state__in=[MailState.PENDING, MailState.FAILED]).update(state=MailState.DROPPED)
    mails.exclude(address="").update(address="")
    deleted, _ = MailAddress.objects.filter(worker=worker).delete()
    return bool(deleted)


def also_by_mail(*, message: Message) -> Mail | None:
    """Have the message sent as an e-mail too, if its worker gave an address and this site sends mail."""
    given = MailAddress.objects.filter(worker=message.worker_id).first()
    if given is None or not settings.MAIL_IS_ON:
        return None
    mail, _ = Mail.objects.get_or_create(message=message, defaults={"address": given.address})
    return mail


def send_due_mail(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Send up to `limit` mails; returns how many are off the list, delivered or not."""
    if not settings.MAIL_IS_ON:
        return 0
    now = clock()
    _doubt_what_died(now)
    due = Mail.objects.filter(
        Q(retry_at=None) | Q(retry_at__lte=now), state=MailState.PENDING
    ).select_related("message")
    return sum(_send(mail, clock()) for mail in take_leases(due, now=now, limit=limit))


def _doubt_what_died(now: datetime) -> None:
    Mail.objects.filter(state=MailState.SENDING, leased_until__lt=now).update(
        state=MailState.DOUBT,
        leased_until=None,
        error="The process that was sending it died: nobody knows whether it went out.",
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
        _written(mail, connection).send()
    except SMTPException as error:
        return _refused(mail, error, now)
    except OSError as error:
        return _settle(mail, MailState.DOUBT, f"The connection broke off: {error}")
    finally:
        connection.close()
    Mail.objects.filter(pk=mail.pk).update(
        state=MailState.SENT, sent_at=now, leased_until=None, error=""
    )
    return True


def _begin(mail: Mail) -> bool:
    """From here on it counts as sent unless the server says no. False where it was dropped meanwhile."""
    begun = Mail.objects.filter(pk=mail.pk, state=MailState.PENDING).exclude(address="")
    return bool(begun.update(state=MailState.SENDING))


def _written(mail: Mail, connection: BaseEmailBackend) -> EmailMessage:
    host = urlsplit(settings.SITE_URL).hostname
    return EmailMessage(
        subject=mail.message.subject,
        body=mail.message.text,
        to=[mail.address],
        # The same again for the same mail, so that a reader's program can tell a repeat by hand.
        headers={"Message-ID": f"<mail-{mail.pk}@{host}>", "Auto-Submitted": "auto-generated"},
        connection=connection,
    )


def _refused(mail: Mail, error: SMTPException, now: datetime) -> bool:
    codes = _codes(error)
    if not codes:  # the server never said: it may have taken it
        return _settle(mail, MailState.DOUBT, f"The mail server did not answer: {error}")
    if min(codes) >= PERMANENT:
        return _settle(mail, MailState.FAILED, f"The mail server refused it: {error}")
    return _try_later(mail, f"The mail server put it off: {error}", now)


def _codes(error: SMTPException) -> list[int]:
    """What the server answered, if it did."""
    if isinstance(error, SMTPResponseException):
        return [error.smtp_code]
    recipients = getattr(error, "recipients", {})
    return [code for code, _ in recipients.values()]


def _settle(mail: Mail, state: MailState, reason: str) -> bool:
    Mail.objects.filter(pk=mail.pk).update(state=state, leased_until=None, error=reason)
    return True


def _try_later(mail: Mail, reason: str, now: datetime) -> bool:
    attempts = mail.attempts + 1
    given_up = attempts >= MOST_ATTEMPTS
    Mail.objects.filter(pk=mail.pk).exclude(state=MailState.DROPPED).update(
        state=MailState.FAILED if given_up else MailState.PENDING,
        attempts=attempts,
        retry_at=None if given_up else now + FIRST_RETRY * 2 ** (attempts - 1),
        leased_until=None,
        error=reason,
    )
    return given_up


def undelivered_mail(*, workers: QuerySet[Worker]) -> list[Mail]:
    """What failed, or perhaps did."""
    rows = Mail.objects.filter(
        state__in=[MailState.FAILED, MailState.DOUBT], message__worker__in=workers
    )
    return list(rows.select_related("message__worker").order_by("pk"))


def send_again(*, mail: Mail, now: datetime) -> bool:
    """By hand: try once more what failed or is in doubt; says whether it was."""
    return bool(
        Mail.objects.filter(pk=mail.pk, state__in=[MailState.FAILED, MailState.DOUBT])
        .exclude(address="")
        .update(state=MailState.PENDING, attempts=0, retry_at=now, leased_until=None)
    )
