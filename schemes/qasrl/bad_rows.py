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
    is_empty: bool = True


def survey_rows(rows: Iterable[GoldRow | BadRow]) -> Survey:
    """Return the scattered and the bad predicates of a file.

    A row that names no predicate may belong to those before and after it, and to scattered ones. A
    line that is broken in two may hide the predicate of the row after them.
    """
    survey = Survey()
    finished: set[Key] = set()
    last: GoldRow | BadRow | None = None
    is_broken, since_break = False, _AFTER_BREAK
    for row in rows:
        survey.is_empty = False
        key = row.key
        if key is None:
            is_broken, since_break = True, 0
            survey.bad |= {last.key} if last and last.key else set()
            continue
        if isinstance(row, BadRow) or since_break < _AFTER_BREAK:
            survey.bad.add(key)
        since_break += 1
        if last and last.key and last.key != key:
            if key in finished:
                survey.scattered.add(key)
            survey.bad |= _doubtful(last, row)
        finished.add(key)
        last = row
    if is_broken:
        survey.bad |= survey.scattered
    return survey


# The rows after a broken one that are left out with it
_AFTER_BREAK = 2


def _doubtful(first: GoldRow | BadRow, second: GoldRow | BadRow) -> set[Key]:
    """Return the predicates of adjacent rows if one of the rows is bad and may belong to the other."""
    if not (isinstance(first, BadRow) or isinstance(second, BadRow)):
        return set()
    keys = [row.key for row in (first, second) if row.key]
    same_place = any(one == other for one, other in zip(*keys, strict=True))
    return set(keys) if first.verb == second.verb and same_place else set()


def with_consequence(row: BadRow) -> FileError:
    """Return the error of a row with what is left out because of it."""
    if row.key:
        left_out = f"The predicate {row.key[0]}/{row.key[1]} is left out."
    else:
        left_out = "The predicates before and after it are left out."
    error = row.error
    return FileError(error.file, error.line, f"{error.message} {left_out}", field=error.field)
