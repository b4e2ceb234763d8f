"""Workers' accounts, invitations and sessions.

Workers are not Django users. Their sessions are rows of WorkerSession, found by the digest of the
token in the cookie.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.translation import gettext

from database import statements
from marketplace.domain.identifiers import new_worker_code
from marketplace.models import Invitation, LoginFailure, WorkerAccount, WorkerSession

COOKIE = f"{settings.COOKIE_PREFIX}hits_session"
SESSION_LASTS = timedelta(days=14)
FAILURES_ALLOWED = 10
# Of a name from all addresses, or of an address with all names.
FAILURES_ALLOWED_IN_ALL = 100
FAILURES_COUNT_FOR = timedelta(minutes=15)
CODE_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_WORKER_OF_SESSION = """
SELECT worker.id, worker.code, worker.username, worker.email, worker.country, worker.subdivision,
    worker.accepts_next, worker.approved_count, worker.rejected_count, worker.is_adult
FROM marketplace_workersession AS login
JOIN marketplace_workeraccount AS worker ON worker.id = login.worker_id
WHERE login.digest = %s AND login.expires_at > %s AND worker.active
"""


class SignUpError(ValueError):
    """A failed sign-up. The message is shown to the visitor."""


class LoginError(ValueError):
    """A failed login. The message is shown to the visitor."""


def invite(
    *, count: int, prefix: str = "", note: str = "", is_simulated: bool = False, now: datetime
) -> list[Invitation]:
    """Create `count` invitations for one worker each."""
    return Invitation.objects.bulk_create(
        Invitation(
            code=prefix + get_random_string(12, CODE_ALPHABET),
            note=note,
            is_simulated=is_simulated,
            created_at=now,
        )
        for _ in range(count)
    )


def sign_up(
    *,
    invitation_code: str,
    username: str,
    email: str,
    password: str,
    country: str,
    subdivision: str = "",
    is_adult: bool = False,
    now: datetime,
) -> WorkerAccount:
    """Create the account and mark the invitation as used. Raise SignUpError."""
    hashed = make_password(password)  # slow by design, so outside the transaction
    try:
        with transaction.atomic():
            invitation = (
                Invitation.objects.select_for_update()
                .filter(code=invitation_code, used_at__isnull=True)
                .first()
            )
            if invitation is None:
                raise SignUpError(gettext("This invitation does not exist or has been used."))
            worker = WorkerAccount.objects.create(
                code=new_worker_code(),
                username=username.lower(),
                email=email,
                password=hashed,
                country=country.upper(),
                subdivision=subdivision.upper(),
                is_adult=is_adult,
                is_simulated=invitation.is_simulated,
                created_at=now,
            )
            invitation.used_at = now
            invitation.worker = worker
            invitation.save(update_fields=["used_at", "worker"])
    except IntegrityError:
        raise SignUpError(gettext("This username is taken. Choose another.")) from None
    return worker


def log_in(*, username: str, password: str, address: str, now: datetime) -> WorkerAccount:
    """Return the worker with this name and password. Raise the same LoginError for any cause."""
    name = username.lower()[:60]
    failures = LoginFailure.objects.filter(username=name, address=address)
    check_attempts(name=name, address=address, now=now)
    worker = WorkerAccount.objects.filter(username=name, active=True).first()
    if worker is None:
        make_password(password)  # take as long as for a name that exists
    elif check_password(password, worker.password):
        failures.delete()
        return worker
    note_failure(name=name, address=address, now=now)
    raise LoginError(gettext("The username or password is incorrect."))


def check_attempts(*, name: str, address: str, now: datetime) -> None:
    """Raise LoginError after too many failures of a name, of an address or of both."""
    name = name[:60]
    recent = LoginFailure.objects.filter(at__gt=now - FAILURES_COUNT_FOR)
    if (
        recent.filter(username=name, address=address).count() >= FAILURES_ALLOWED
        or recent.filter(address=address).count() >= FAILURES_ALLOWED_IN_ALL
        or recent.filter(username=name).count() >= FAILURES_ALLOWED_IN_ALL
    ):
        raise LoginError(gettext("Too many attempts. Try again in 15 minutes."))


def note_failure(*, name: str, address: str, now: datetime) -> None:
    LoginFailure.objects.create(username=name[:60], address=address, at=now)


def change_password(*, worker: WorkerAccount, password: str) -> None:
    """Set the password and end every session."""
    WorkerAccount.objects.filter(pk=worker.pk).update(password=make_password(password))
    WorkerSession.objects.filter(worker=worker).delete()


def start_session(*, worker: WorkerAccount, now: datetime) -> str:
    """Create a session and return its token for the cookie."""
    token = secrets.token_urlsafe(32)
    WorkerSession.objects.create(
        digest=_digest(token), worker=worker, expires_at=now + SESSION_LASTS
    )
    return token


def end_session(*, token: str) -> None:
    WorkerSession.objects.filter(digest=_digest(token)).delete()


def worker_of_session(*, token: str, now: datetime) -> WorkerAccount | None:
    """Return the worker who is signed in with this token, unless the account is closed."""
    return statements.fetch(WorkerAccount, _WORKER_OF_SESSION, _digest(token), now)


def close_account(*, worker: WorkerAccount) -> None:
    """End every session and prevent further logins. Completed work is still paid."""
    WorkerAccount.objects.filter(pk=worker.pk).update(active=False)
    WorkerSession.objects.filter(worker=worker).delete()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def set_language(*, worker: WorkerAccount, language: str) -> None:
    """Store the language of the messages that the marketplace itself writes to the worker."""
    if worker.language != language:
        WorkerAccount.objects.filter(pk=worker.pk).update(language=language)
