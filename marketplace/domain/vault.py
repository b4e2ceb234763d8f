"""Encryption of texts that are needed in plain: access keys' secrets and payment details."""

from base64 import urlsafe_b64encode
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class UnreadableSecretError(ValueError):
    """A value that was modified or encrypted under a key that this site does not have."""

    def __init__(self) -> None:
        super().__init__(
            "This value was encrypted under another key. Add the earlier key to "
            "MARKETPLACE_ENCRYPTION_KEYS or SECRET_KEY_FALLBACKS, or replace the value: issue a new "
            "access key, or ask the worker for the payment details."
        )


def encrypt(plain: str) -> str:
    return _cipher().encrypt(plain.encode()).decode()


def decrypt(encrypted: str) -> str:
    """Return the plain text. Raise UnreadableSecretError."""
    try:
        return _cipher().decrypt(encrypted).decode()
    except InvalidToken:
        raise UnreadableSecretError from None


def rotate(encrypted: str) -> str:
    """Return the value encrypted under the first key. Raise UnreadableSecretError."""
    try:
        return _cipher().rotate(encrypted).decode()
    except InvalidToken:
        raise UnreadableSecretError from None


def _cipher() -> MultiFernet:
    return _cipher_of(
        tuple(settings.MARKETPLACE_ENCRYPTION_KEYS),
        (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS),
    )


@lru_cache(maxsize=8)
def _cipher_of(keys: tuple[str, ...], secret_keys: tuple[str, ...]) -> MultiFernet:
    """Build the cipher. The first key encrypts, all keys decrypt."""
    derived = [_derived_key(secret_key) for secret_key in secret_keys]
    return MultiFernet([Fernet(key) for key in [*keys, *derived]])


def _derived_key(secret_key: str) -> str:
    derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"marketplace.vault")
    return urlsafe_b64encode(derivation.derive(secret_key.encode())).decode()
