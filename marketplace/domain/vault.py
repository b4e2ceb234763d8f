"""Keeps the secrets of access keys: readable with this site's SECRET_KEY and by nothing else.

The standard library has no cipher, and the house has no other dependency that brings one; so this
is a stream from HMAC-SHA-256 in counter mode under a fresh nonce, authenticated with a second key
(encrypt, then MAC): the textbook construction from a pseudo-random function.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode

from django.conf import settings

NONCE_BYTES = 16
TAG_BYTES = 32


class UnreadableSecretError(ValueError):
    """The value was not written under this SECRET_KEY, or was changed since."""


def encrypt(plain: str) -> str:
    nonce = secrets.token_bytes(NONCE_BYTES)
    body = _xor(plain.encode(), _stream(settings.SECRET_KEY, nonce, len(plain.encode())))
    return urlsafe_b64encode(nonce + body + _tag(settings.SECRET_KEY, nonce + body)).decode()


def decrypt(kept: str) -> str:
    """The plain text; also reads what was written under a key in SECRET_KEY_FALLBACKS."""
    raw = urlsafe_b64decode(kept)
    sealed, tag = raw[:-TAG_BYTES], raw[-TAG_BYTES:]
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if hmac.compare_digest(tag, _tag(key, sealed)):
            nonce, body = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
            return _xor(body, _stream(key, nonce, len(body))).decode()
    raise UnreadableSecretError(
        "This access key was issued under another SECRET_KEY; issue a new one."
    )


def _derived(key: str | bytes, purpose: bytes) -> bytes:
    secret = key.encode() if isinstance(key, str) else key
    return hmac.new(secret, b"marketplace.vault." + purpose, hashlib.sha256).digest()


def _stream(key: str | bytes, nonce: bytes, length: int) -> bytes:
    derived = _derived(key, b"stream")
    blocks = (
        hmac.new(derived, nonce + counter.to_bytes(8, "big"), hashlib.sha256).digest()
        for counter in range(length // 32 + 1)
    )
    return b"".join(blocks)[:length]


def _tag(key: str | bytes, sealed: bytes) -> bytes:
    return hmac.new(_derived(key, b"tag"), sealed, hashlib.sha256).digest()


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))
