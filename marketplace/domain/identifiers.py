"""Identifiers of MTurk's kind: capitals and digits, too many to guess or to meet twice."""

import secrets

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def new_code() -> str:
    """30 characters that begin with 3, for everything but people."""
    return "3" + "".join(secrets.choice(ALPHABET) for _ in range(29))


def new_worker_code() -> str:
    """14 characters that begin with A."""
    return "A" + "".join(secrets.choice(ALPHABET) for _ in range(13))
