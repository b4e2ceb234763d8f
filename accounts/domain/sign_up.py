"""Accounts of participants in benchmarks, who prove their email address before they get one.

An invitation into a project gives its role to the account with its address. An account with an
unconfirmed address could receive the role of another person. The page stores the address without
looking for an account, so its response does not depend on whether there is one.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import ParticipantSignUp
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row
from projects.domain.new_user import new_user

SALT = "accounts.sign-up"
VALID_FOR = timedelta(days=1)
# The pages to which a participant returns.
_PAGES = "/benchmarks/"


class SignUpOverError(TouchstoneError):
    """The link is invalid, expired or used."""


def request_sign_up(*, email: str, path: str, now: datetime) -> None:
    """Store a request. Any other path than one of benchmarks is replaced by their list."""
    is_page = path.startswith(_PAGES) and len(path) <= 300 and "\\" not in path
    ParticipantSignUp.objects.create(
        email=email, path=path if is_page else _PAGES, requested_at=now
    )


def send_due_links(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send the mails of up to `limit` requests, and delete old ones. Return the number of mails."""
    ParticipantSignUp.objects.filter(requested_at__lt=clock() - VALID_FOR).delete()
    return for_each_row(
        sweep="send sign-up links",
        rows=ParticipantSignUp.objects.filter(sent_at=None),
        process=_send,
        clock=clock,
        limit=limit,
        leased=True,
    )


def _send(row: ParticipantSignUp, now: datetime) -> int:
    has_account = get_user_model().objects.filter(email__iexact=row.email).exists()
    name = "has_account" if has_account else "sign_up"
    context = {
        "address": f"{settings.SITE_URL}{reverse('accounts:finish_sign_up', args=[token_of(row)])}",
        "site": settings.SITE_URL,
        "reset": f"{settings.SITE_URL}{reverse('account_reset_password')}",
    }
    send_mail(
        subject="Your account" if has_account else "Create your account",
        message=render_to_string(f"accounts/mail/{name}.txt", context),
        from_email=None,
        recipient_list=[row.email],
    )
    ParticipantSignUp.objects.filter(pk=row.pk).update(sent_at=now)
    return 1


def token_of(row: ParticipantSignUp) -> str:
    return signing.dumps(row.pk, salt=SALT)


def sign_up_of(*, token: str, now: datetime) -> ParticipantSignUp:
    """Return the request of a link. Raise SignUpOverError."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=VALID_FOR)
    except signing.BadSignature as error:
        raise SignUpOverError from error
    rows = ParticipantSignUp.objects.filter(pk=pk, requested_at__gte=now - VALID_FOR)
    row = rows.first()
    if row is None or get_user_model().objects.filter(email__iexact=row.email).exists():
        raise SignUpOverError
    return row


@transaction.atomic
def create_account(*, row: ParticipantSignUp, username: str, password: str, now: datetime) -> User:
    """Create the account. Raise SignUpOverError if the address got one meanwhile.

    Raise UsernameTakenError if someone else got the username meanwhile. The link stays valid then.

    Other requests for the address end too, and a simultaneous one waits for this transaction.
    """
    deleted, _ = ParticipantSignUp.objects.filter(email=row.email).delete()
    users = get_user_model().objects
    if not deleted or users.filter(email__iexact=row.email).exists():
        raise SignUpOverError
    user = new_user(username=username, email=row.email, password=password)
    log_state_change(instance=user, old="", new="signed up", actor=username, now=now)
    return user
