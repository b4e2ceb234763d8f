"""Encryption of texts that the site needs in plain, such as the keys of other services.

The key is derived from SECRET_KEY, so that neither the database nor a backup of it is enough to read
them.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.encoding import force_bytes

from audit.errors import TouchstoneError


class UnreadableTextError(TouchstoneError, ValueError):
    """A text that was changed, or sealed under a key that this site does not have."""


def seal(text: str, *, purpose: str) -> str:
    """Return the encrypted text. Only `unseal` with the same purpose reads it."""
    return _cipher(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, *, purpose: str) -> str:
    """Return the plain text. Raise UnreadableTextError."""
    try:
        return _cipher(purpose).decrypt(sealed).decode()
    except InvalidToken:
        raise UnreadableTextError(
            "This value was encrypted under another SECRET_KEY. Add that key to "
            "SECRET_KEY_FALLBACKS, or enter the value again."
        ) from None


def _cipher(purpose: str) -> MultiFernet:
    """Build the cipher. The current SECRET_KEY encrypts, and all of them decrypt."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = [sha256(f"{purpose}:".encode() + force_bytes(secret)).digest() for secret in secrets]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])
