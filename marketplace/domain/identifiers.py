"""Random identifiers in MTurk's form of capitals and digits."""

import secrets

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def new_code() -> str:
    """Return an identifier of 30 characters that begins with 3, for anything but people."""
    return "3" + _random_text(29)


def new_worker_code() -> str:
    """Return an identifier of 14 characters that begins with A, for people."""
    return "A" + _random_text(13)


def _random_text(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
