"""Names on leaderboards, which must be visible and must not look like another one."""

import unicodedata

# A zero-width non-joiner and joiner, which Persian, Indic scripts and emoji need.
_JOINERS = "\u200c\u200d"
# Letters and symbols that show nothing.
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"


def clean_name(text: str) -> str:
    """Return the text with single blanks."""
    return " ".join(text.split())


def is_readable(text: str) -> bool:
    """Return False for a text with invisible characters, or with ones that turn the text around it."""
    is_shown = text == "" or text.strip(f"{_JOINERS} ") != ""
    return is_shown and all(c in _JOINERS or (c.isprintable() and c not in _BLANK) for c in text)


def name_key(text: str) -> str:
    """Return what two names share that differ in case, width or joiners only."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(c for c in folded if c not in _JOINERS).split())
