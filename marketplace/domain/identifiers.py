"""Identifiers of MTurk's kind: capitals and digits, too many to guess or to meet twice."""

import secrets

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def new_code() -> str:
    """30 characters that begin with 3, for everything but people."""
    return "3" + _drawn(29)


def new_worker_code() -> str:
    """14 characters that begin with A."""
    return "A" + _drawn(13)


def _drawn(length: int) -> str:
    """One number instead of a draw for each character."""
    number, drawn = secrets.randbelow(len(ALPHABET) ** length), ""
    for _ in range(length):
        number, at = divmod(number, len(ALPHABET))
        drawn += ALPHABET[at]
    return drawn
