"""Workers' accounts: invitations, signing up, logging in and out.

Workers are no users of Django: a session of theirs is a row of ours, found by the digest of the
token in its cookie together with the account, in one query.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction

from database.statements import Select
from marketplace.domain.identifiers import new_worker_code
from marketplace.models import Invitation, LoginFailure, WorkerAccount, WorkerSession

COOKIE = "hits_session"
SESSION_LASTS = timedelta(days=14)
FAILURES_ALLOWED = 10
FAILURES_COUNT_FOR = timedelta(minutes=15)
CODE_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


class SignUpError(ValueError):
    """Says why, in words for the person who tries."""


class LoginError(ValueError):
    """Says why, in words for the person who tries."""


@dataclass(frozen=True, slots=True)
class NewWorker:
    username: str
    email: str
    password: str
    country: str
    subdivision: str = ""
    is_adult: bool = False


def invite(*, count: int, prefix: str = "", note: str = "", now: datetime) -> list[Invitation]:
    """`count` new invitations; each lets one person sign up."""
    return Invitation.objects.bulk_create(
        Invitation(code=prefix + _invitation_code(), note=note, created_at=now)
        for _ in range(count)
    )


def sign_up(*, invitation_code: str, new: NewWorker, now: datetime) -> WorkerAccount:
    """Makes the account and uses the invitation up; raises SignUpError."""
    hashed = make_password(new.password)  # slow on purpose, so not inside the transaction
    try:
        with transaction.atomic():
            invitation = (
                Invitation.objects.select_for_update()
                .filter(code=invitation_code, used_at__isnull=True)
                .first()
            )
            if invitation is None:
                raise SignUpError("This invitation does not exist or has been used.")
            worker = WorkerAccount.objects.create(
                code=new_worker_code(),
                username=new.username.lower(),
                email=new.email,
                password=hashed,
                country=new.country.upper(),
                subdivision=new.subdivision.upper(),
                is_adult=new.is_adult,
                created_at=now,
            )
            invitation.used_at = now
            invitation.worker = worker
            invitation.save(update_fields=["used_at", "worker"])
    except IntegrityError:
        raise SignUpError("This user name is taken; choose another.") from None
    return worker


def log_in(*, username: str, password: str, address: str, now: datetime) -> WorkerAccount:
    """The worker with this name and password; raises LoginError, the same for every cause."""
    name = username.lower()[:60]
    failures = LoginFailure.objects.filter(username=name, address=address)
    if failures.filter(at__gt=now - FAILURES_COUNT_FOR).count() >= FAILURES_ALLOWED:
        raise LoginError("Too many attempts. Wait a quarter of an hour and try again.")
    worker = WorkerAccount.objects.filter(username=name, active=True).first()
    if worker is None:
        make_password(password)  # the answer must take as long as for a name that exists
    elif check_password(password, worker.password):
        failures.delete()
        return worker
    LoginFailure.objects.create(username=name, address=address, at=now)
    raise LoginError("This name and password do not go together.")


def change_password(*, worker: WorkerAccount, password: str) -> None:
    """Sets the password and ends every session."""
    WorkerAccount.objects.filter(pk=worker.pk).update(password=make_password(password))
    WorkerSession.objects.filter(worker=worker).delete()


def start_session(*, worker: WorkerAccount, now: datetime) -> str:
    """A new token for the cookie."""
    token = secrets.token_urlsafe(32)
    WorkerSession.objects.create(
        digest=session_digest(token), worker=worker, expires_at=now + SESSION_LASTS
    )
    return token


def end_session(*, token: str) -> None:
    WorkerSession.objects.filter(digest=session_digest(token)).delete()


def worker_of_session(*, token: str, now: datetime) -> WorkerAccount | None:
    """The worker who is logged in with this token; closed accounts are not."""
    return _WORKER_OF_SESSION.first([session_digest(token), now])


_WORKER_OF_SESSION = Select(
    WorkerAccount,
    """
    SELECT {w} FROM marketplace_workersession s
    JOIN marketplace_workeraccount w ON w.id = s.worker_id
    WHERE s.digest = %s AND s.expires_at > %s AND w.active
    """,
)


def close_account(*, worker: WorkerAccount) -> None:
    """Ends every session and lets nobody in again; work that was done is still paid."""
    WorkerAccount.objects.filter(pk=worker.pk).update(active=False)
    WorkerSession.objects.filter(worker=worker).delete()


def unused_invitations() -> Sequence[Invitation]:
    return list(Invitation.objects.filter(used_at__isnull=True).order_by("pk"))


def _invitation_code() -> str:
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(12))


def session_digest(token: str) -> str:
    """How a session's token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()
