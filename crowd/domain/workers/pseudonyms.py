"""Pseudonyms of workers."""

import hashlib
import hmac
from functools import lru_cache

from crowd.domain.provider.site_key import site_key


@lru_cache(maxsize=1 << 14)
def foreign_pseudonym(worker_id: str) -> str:
    """Return the pseudonym of a worker id from an imported file. Equal ids have equal pseudonyms."""
    digest = hmac.new(site_key(), worker_id.encode(), hashlib.sha256)
    return "X" + digest.hexdigest()[:9].upper()
