"""Guess which columns of a table are those of a format, by their names and values."""

import re
from collections.abc import Mapping, Sequence

from schemes.layouts import Column, Layout

# The share of values that must match the pattern of a column.
_MOST = 0.8


def guess_columns(
    layout: Layout, names: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, str]:
    """Return the column of the table for each column of the format that is recognised.

    Names decide first, then values. Each column of the table is used once.
    """
    guess: dict[str, str] = {}
    for similar in (_same, _similar):
        for column in layout.columns:
            free = [name for name in names if name and name not in guess.values()]
            if column.name not in guess and (name := similar(column, free)):
                guess[column.name] = name
    places = {name: at for at, name in reversed([*enumerate(names)])}
    for column in layout.columns:
        if column.name in layout.missing(guess):
            left = {name: at for name, at in places.items() if name and name not in guess.values()}
            if name := _by_values(column, left, rows):
                guess[column.name] = name
    return guess


def _same(column: Column, names: Sequence[str]) -> str:
    return next((name for name in names if letters(name) == letters(column.name)), "")


def _similar(column: Column, names: Sequence[str]) -> str:
    by_letters = {letters(name): name for name in reversed(names)}
    usual = map(letters, column.names)
    return next((by_letters[name] for name in usual if name in by_letters), "")


def letters(name: str) -> str:
    """Return the letters and digits of a name in lower case."""
    return "".join(filter(str.isalnum, name.lower()))


def _by_values(column: Column, free: Mapping[str, int], rows: Sequence[Sequence[str]]) -> str:
    """Return the free column with most values that match the column's pattern, or "".

    `free` has the places of the free columns.
    """
    if not column.pattern:
        return ""
    shares = {name: _share(column.pattern, at, rows) for name, at in free.items()}
    best = max(shares, key=lambda name: shares[name], default="")
    return best if best and shares[best] >= _MOST else ""


def _share(pattern: str, at: int, rows: Sequence[Sequence[str]]) -> float:
    values = [row[at].strip() for row in rows if row[at].strip()]
    matches = sum(re.fullmatch(pattern, value, re.DOTALL) is not None for value in values)
    return matches / len(values) if values else 0.0
