"""The row of a worker that a marketplace, or an operator, has named."""

import hashlib
import hmac
from datetime import datetime

from django.conf import settings

from crowd.models import Worker

# Ids that stand in for a marketplace's: of a person whose id is kept as a keyed digest alone, and of
# one about whom nothing is kept.
PSEUDONYMISED, ERASED = "pseudonymised:", "erased:"


def register_worker(
    *, provider: str, external_id: str, now: datetime, is_simulated: bool = False
) -> Worker:
    """The worker of that id. Someone who was pseudonymised and works again gets the id back: without it
    they could not be paid."""
    known = Worker.objects.filter(provider=provider, external_id=external_id).first()
    if known:
        return known
    digest = pseudonymised_id(provider=provider, external_id=external_id)
    if Worker.objects.filter(provider=provider, external_id=digest).update(external_id=external_id):
        return Worker.objects.get(provider=provider, external_id=external_id)
    worker, _ = Worker.objects.get_or_create(
        provider=provider,
        external_id=external_id,
        defaults={"first_seen_at": now, "is_simulated": is_simulated},
    )
    return worker


def pseudonymised_id(*, provider: str, external_id: str) -> str:
    """What stands in for the id of a pseudonymised person: only who has our key and the id can tell
    that they belong together."""
    text = f"{provider}:{external_id}".encode()
    digest = hmac.new(settings.SECRET_KEY.encode(), text, hashlib.sha256).hexdigest()
    return PSEUDONYMISED + digest[:40]


def is_forgotten(worker: Worker) -> bool:
    """Whether the worker's id at the marketplace is no longer known: they can't be paid or written to."""
    return worker.external_id.startswith((PSEUDONYMISED, ERASED))
