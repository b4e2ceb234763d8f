"""Get or create workers by their ids at a marketplace."""

import hashlib
import hmac
from datetime import datetime

from django.conf import settings

from crowd.models import Worker

# Prefixes of ids that replace a marketplace's id: a keyed digest of it, or no trace of it.
PSEUDONYMISED, ERASED = "pseudonymised:", "erased:"


def register_worker(
    *, provider: str, external_id: str, now: datetime, is_simulated: bool = False
) -> Worker:
    """Get or create the worker. A pseudonymised one who returns gets the original id back."""
    worker = Worker.objects.filter(provider=provider, external_id=external_id).first()
    if worker:
        return worker
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = [_pseudonymised_id(provider, external_id, secret) for secret in secrets]
    former = Worker.objects.filter(provider=provider, external_id__in=digests)
    if former.update(external_id=external_id):
        return Worker.objects.get(provider=provider, external_id=external_id)
    worker, _ = Worker.objects.get_or_create(
        provider=provider,
        external_id=external_id,
        defaults={"first_seen_at": now, "is_simulated": is_simulated},
    )
    return worker


def pseudonymised_id(*, provider: str, external_id: str) -> str:
    """Return the id of a pseudonymised worker, which depends on the secret key."""
    return _pseudonymised_id(provider, external_id, settings.SECRET_KEY)


def _pseudonymised_id(provider: str, external_id: str, secret: str) -> str:
    text = f"{provider}:{external_id}".encode()
    digest = hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    return PSEUDONYMISED + digest[:40]


def is_forgotten(worker: Worker) -> bool:
    """Return True if the worker's id is gone, so that they can't be paid or messaged."""
    return worker.external_id.startswith((PSEUDONYMISED, ERASED))
