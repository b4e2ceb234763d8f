"""Spellings of words as dictionaries and taggers have them."""

import unicodedata

_APOSTROPHES = dict.fromkeys(map(ord, "’ʼ＇"), "'")


def plain_spelling(token: str) -> str:
    """Return a token without soft hyphens, joiners and the like, composed, with straight apostrophes.

    A token of nothing else stays as it is.
    """
    if token.isascii():
        return token
    visible = "".join(c for c in token if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFC", visible).translate(_APOSTROPHES) or token
