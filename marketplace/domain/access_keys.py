"""Requester accounts and the keys that sign their requests."""

import secrets
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.crypto import constant_time_compare, get_random_string

from marketplace.domain import ledger, vault
from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.identifiers import ALPHABET, new_worker_code
from marketplace.models import AccessKey, Requester

# Workers see this name at the HITs that the site itself publishes.
OWN_REQUESTER = "Touchstone"


def open_account(*, name: str, email: str = "", balance_cents: int, now: datetime) -> Requester:
    """Create a requester with an opening balance. Raise InvalidParameterError for a taken name."""
    try:
        with transaction.atomic():
            requester = Requester.objects.create(
                code=new_worker_code(), name=name, email=email, created_at=now
            )
            if balance_cents:
                ledger.deposit(
                    requester=requester,
                    amount_cents=balance_cents,
                    note="opening balance",
                    now=now,
                )
    except IntegrityError:
        raise InvalidParameterError(f"A requester named {name!r} already exists.") from None
    requester.refresh_from_db()
    return requester


def issue_key(*, requester: Requester, now: datetime) -> tuple[AccessKey, str]:
    """Create a key. Return it with its plain secret, which is shown only once."""
    key_id = "TS" + get_random_string(18, ALPHABET)
    secret = secrets.token_urlsafe(30)
    return _save_key(requester, key_id, secret, now), secret


def revoke_key(*, key: AccessKey, now: datetime) -> None:
    """Revoke a key, so that requests signed with it are refused."""
    AccessKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now)


def find_signer(access_key_id: str, *, now: datetime) -> tuple[Requester, str] | None:
    """Return a key's requester and plain secret, or None. The built-in key is created on first use."""
    signer = _find(access_key_id)
    own_key = settings.MARKETPLACE_BUILTIN_KEY
    if signer is None and own_key and constant_time_compare(access_key_id, own_key[0]):
        _open_own_account(*own_key, now=now)
        signer = _find(access_key_id)
    return signer


def newest_key(requester: Requester) -> tuple[str, str] | None:
    """Return the id and plain secret of the requester's newest key, or None."""
    keys = AccessKey.objects.filter(requester=requester, revoked_at=None)
    key = keys.order_by("-pk").first()
    return (key.access_key_id, vault.decrypt(key.secret_encrypted)) if key else None


def _find(access_key_id: str) -> tuple[Requester, str] | None:
    keys = AccessKey.objects.filter(revoked_at=None, requester__active=True)
    key = keys.select_related("requester").filter(access_key_id=access_key_id).first()
    return (key.requester, vault.decrypt(key.secret_encrypted)) if key else None


def _open_own_account(key_id: str, secret: str, *, now: datetime) -> None:
    if AccessKey.objects.filter(access_key_id=key_id).exists():
        return  # it was revoked, or its requester was closed
    try:
        with transaction.atomic():
            requester = Requester.objects.filter(name=OWN_REQUESTER).first() or open_account(
                name=OWN_REQUESTER,
                balance_cents=int(settings.MARKETPLACE_OPENING_BALANCE * 100),
                now=now,
            )
            _save_key(requester, key_id, secret, now)
    except (IntegrityError, InvalidParameterError):
        pass  # another process created it first


def _save_key(requester: Requester, key_id: str, secret: str, now: datetime) -> AccessKey:
    return AccessKey.objects.create(
        requester=requester,
        access_key_id=key_id,
        secret_encrypted=vault.encrypt(secret),
        created_at=now,
    )


@transaction.atomic
def rotate_encryption_keys() -> int:
    """Encrypt all secrets under the first key or none. Return how many. Raise UnreadableSecretError."""
    keys = list(AccessKey.objects.select_for_update().order_by("pk"))
    for key in keys:
        key.secret_encrypted = vault.rotate(key.secret_encrypted)
    AccessKey.objects.bulk_update(keys, ["secret_encrypted"], batch_size=500)
    return len(keys)
