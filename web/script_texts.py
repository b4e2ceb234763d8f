"""The texts of scripts: t`Part ${number}`, and counted(count, "part", "parts")."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

from web.modules import imported_modules

_COUNTED = re.compile(
    r"""\bcounted\((?:[^(),"]|\((?:[^()]|\([^()]*\))*\))*,\s*"(?P<one>[^"]+)"(?:,\s*"(?P<many>[^"]+)")?\)"""
)
# They define both functions, and have no text of their own.
_DEFINITIONS = "js/html.js"


def texts_of_script(source: str) -> Iterator[tuple[str, str]]:
    """Yield each text with its plural, or an empty string. {0}, {1} ... stand for expressions."""
    for text in _tagged(source):
        yield text, ""
    for match in _COUNTED.finditer(source):
        yield match["one"], match["many"] or f"{match['one']}s"


def texts_of_modules(*entries: str) -> frozenset[str]:
    """Return the texts of the modules with these static names, and of all that they import."""
    # Files change while a development server runs.
    return (_texts_of_modules.__wrapped__ if settings.DEBUG else _texts_of_modules)(entries)


@lru_cache
def _texts_of_modules(entries: tuple[str, ...]) -> frozenset[str]:
    names = {*entries, *(name for entry in entries for name in imported_modules(entry, later=True))}
    return frozenset(
        text
        for name in names - {_DEFINITIONS}
        for text, _ in texts_of_script(Path(str(finders.find(name))).read_text("utf-8"))
    )


def _tagged(source: str) -> Iterator[str]:
    """Yield the texts of the template literals with the tag `t`, also of nested ones."""
    for match in re.finditer(r"\bt`", source):
        position, number, text = match.end(), 0, ""
        while source[position] != "`":
            if source.startswith("${", position):
                text += f"{{{number}}}"
                number += 1
                position = _end_of_expression(source, position + 2)
            elif source[position] == "\\":
                text += {"n": "\n"}.get(source[position + 1], source[position + 1])
                position += 2
            else:
                text += source[position]
                position += 1
        yield text


def _end_of_expression(source: str, position: int) -> int:
    """Return the position behind the brace that ends the expression of a template literal."""
    depth, quote = 1, ""
    while depth:
        character = source[position]
        if quote:
            # A literal within a literal has expressions of its own.
            if quote == "`" and source.startswith("${", position):
                position = _end_of_expression(source, position + 2)
                continue
            position += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        else:
            depth += {"{": 1, "}": -1}.get(character, 0)
        position += 1
    return position
