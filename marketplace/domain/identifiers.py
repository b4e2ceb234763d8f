"""Random identifiers in MTurk's form of capitals and digits."""

from django.utils.crypto import get_random_string

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def new_code() -> str:
    """Return an identifier of 30 characters that begins with 3, for anything but people."""
    return "3" + get_random_string(29, ALPHABET)


def new_worker_code() -> str:
    """Return an identifier of 14 characters that begins with A, for people."""
    return "A" + get_random_string(13, ALPHABET)
