"""Predicates that bad rows of a QA file leave out as a whole."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from schemes.base import FileError
from schemes.qasrl.published_csv import BadRow, GoldRow, Key


@dataclass(slots=True)
class Survey:
    """Predicates of a file: those whose rows are not adjacent, and those with a bad row."""

    scattered: set[Key] = field(default_factory=set)
    bad: set[Key] = field(default_factory=set)


def survey_rows(rows: Iterable[GoldRow | BadRow]) -> Survey:
    """Return the scattered and the bad predicates of a file.

    A row that names no predicate may belong to those before and after it, and to scattered ones.
    """
    survey = Survey()
    finished: set[Key] = set()
    last: Key | None = None
    is_broken = was_broken = False
    for row in rows:
        key = row.key
        if key is None:
            is_broken = was_broken = True
            survey.bad |= {last} if last else set()
            continue
        if isinstance(row, BadRow) or was_broken:
            survey.bad.add(key)
        was_broken = False
        if key != last and key in finished:
            survey.scattered.add(key)
        finished.add(key)
        last = key
    if is_broken:
        survey.bad |= survey.scattered
    return survey


def with_consequence(row: BadRow) -> FileError:
    """Return the error of a row with what is left out because of it."""
    if row.key:
        left_out = f"The predicate {row.key[0]}/{row.key[1]} is left out."
    else:
        left_out = "The predicates before and after it are left out."
    error = row.error
    return FileError(error.file, error.line, f"{error.message} {left_out}", field=error.field)
