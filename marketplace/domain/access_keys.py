"""Requester accounts and the keys that sign their requests."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from database.statements import Select
from marketplace.domain import books, vault
from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.identifiers import ALPHABET, new_worker_code
from marketplace.models import AccessKey, Requester

HOUSE = "house"


def open_account(*, name: str, email: str = "", balance_cents: int, now: datetime) -> Requester:
    """A new requester with its opening balance; InvalidParameterError when the name is taken."""
    try:
        with transaction.atomic():
            requester = Requester.objects.create(
                code=new_worker_code(), name=name, email=email, created_at=now
            )
            if balance_cents:
                books.deposit(
                    requester=requester,
                    amount_cents=balance_cents,
                    note="opening balance",
                    now=now,
                )
    except IntegrityError:
        raise InvalidParameterError(f"There is a requester named {name!r} already.") from None
    requester.refresh_from_db()
    return requester


def issue_key(*, requester: Requester, now: datetime) -> tuple[AccessKey, str]:
    """A new key and its secret, which nobody will be shown again."""
    key_id = "TS" + "".join(secrets.choice(ALPHABET) for _ in range(18))
    secret = secrets.token_urlsafe(30)
    return _keep_key(requester, key_id, secret, now), secret


def revoke_key(*, key: AccessKey, now: datetime) -> None:
    """Requests signed with it are refused from now on."""
    AccessKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now)


@dataclass(frozen=True, slots=True)
class Signer:
    """Whose requests a key signs, and the secret that proves it."""

    requester: Requester
    secret: str


def find_signer(access_key_id: str, *, now: datetime) -> Signer | None:
    """An active requester with a valid key; the house's account is made when first used."""
    signer = _find(access_key_id)
    house = settings.MARKETPLACE_HOUSE_KEY
    if signer is None and house and _same(access_key_id, house[0]):
        _open_house(*house, now=now)
        signer = _find(access_key_id)
    return signer


_SIGNER = Select(
    Requester,
    """
    SELECT {r}, k.secret_encrypted FROM marketplace_accesskey k
    JOIN marketplace_requester r ON r.id = k.requester_id
    WHERE k.access_key_id = %s AND k.revoked_at IS NULL AND r.active
    """,
)


def _find(access_key_id: str) -> Signer | None:
    row: Any = _SIGNER.first([access_key_id])
    return Signer(row, vault.decrypt(row.secret_encrypted)) if row is not None else None


def _same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode(), known.encode())


def _open_house(key_id: str, secret: str, *, now: datetime) -> None:
    if AccessKey.objects.filter(access_key_id=key_id).exists():
        return  # it was revoked, or its requester was closed
    try:
        with transaction.atomic():
            house = Requester.objects.filter(name=HOUSE).first() or open_account(
                name=HOUSE,
                balance_cents=int(settings.MARKETPLACE_OPENING_BALANCE * 100),
                now=now,
            )
            _keep_key(house, key_id, secret, now)
    except (IntegrityError, InvalidParameterError):
        pass  # another process made it first


def _keep_key(requester: Requester, key_id: str, secret: str, now: datetime) -> AccessKey:
    return AccessKey.objects.create(
        requester=requester,
        access_key_id=key_id,
        secret_encrypted=vault.encrypt(secret),
        created_at=now,
    )
