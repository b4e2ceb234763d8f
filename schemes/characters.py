"""Characters that tokens can't contain, because they separate words or lines, and their names."""

import re
import unicodedata

# Blanks, line ends, control characters and invisible separators. A no-break or thin space is allowed.
_SEPARATORS = re.compile("[\x00-\x20\x7f-\x9f\u200b\u2028\u2029\ufeff]")
_NAMES = {
    "\t": "a tab",
    "\n": "a line feed",
    "\r": "a carriage return",
    " ": "a blank",
    "\x00": "a NUL character",
    "\u200b": "a zero width space",
    "\ufeff": "a byte-order mark",
}


def separator_in(token: str) -> str:
    """Return the name of the first separator in a token, such as "a tab (U+0009)", or ""."""
    match = _SEPARATORS.search(token)
    return character_name(match.group()) if match else ""


def character_name(character: str) -> str:
    """Return the name of a character with its code."""
    name = _NAMES.get(character) or unicodedata.name(character, "a control character").lower()
    return f"{name} (U+{ord(character):04X})"
