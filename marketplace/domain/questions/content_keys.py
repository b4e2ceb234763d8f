"""Keys in the addresses of HTMLQuestions, so that a page opens only from the marketplace's frame."""

from django.core.signing import BadSignature, TimestampSigner

#: A frame loads its page at once. A worker reloads the marketplace's page, which has a new key.
LASTS_SECONDS = 300


def content_key(hit_code: str) -> str:
    return _signer().sign(hit_code).partition(":")[2]


def is_content_key(key: str, *, hit_code: str) -> bool:
    """Return True if the key was made for the HIT and has not expired."""
    try:
        _signer().unsign(f"{hit_code}:{key}", max_age=LASTS_SECONDS)
    except BadSignature:
        return False
    return True


def _signer() -> TimestampSigner:
    return TimestampSigner(salt="marketplace.content")
