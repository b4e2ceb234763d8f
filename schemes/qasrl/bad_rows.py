"""Predicates that bad rows of a QA file leave out as a whole."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from schemes.contract.errors import FileError
from schemes.qasrl.published_csv import BadRow, GoldRow, Key


@dataclass(slots=True)
class Survey:
    """Predicates of a file: those whose rows are not adjacent, and those with a bad row.

    `fields` counts the bad rows by the field that is bad.
    """

    scattered: set[Key] = field(default_factory=set)
    bad: set[Key] = field(default_factory=set)
    fields: Counter[str] = field(default_factory=Counter)
    is_empty: bool = True
    # The predicates that a bad row leaves out beside its own, by line
    _others: dict[int | None, set[Key]] = field(default_factory=dict)

    def left_out_by(self, row: BadRow) -> list[Key]:
        """Return the predicates that a bad row leaves out, in order."""
        own = {row.key} if row.key else set()
        return sorted(own | self._others.get(row.error.line, set()))

    def leave_out(self, row: BadRow, keys: Iterable[Key]) -> None:
        """Leave out predicates because of a bad row."""
        self._others.setdefault(row.error.line, set()).update(keys)
        self.bad.update(keys)


def survey_rows(rows: Iterable[GoldRow | BadRow]) -> Survey:
    """Return the scattered and the bad predicates of a file.

    A row that names no predicate may belong to those before and after it, and to scattered ones. A
    line that is broken in two may hide the predicate of the row after them.
    """
    survey = Survey()
    finished: set[Key] = set()
    last: GoldRow | BadRow | None = None
    broken: BadRow | None = None
    since_break = 0
    for row in rows:
        survey.is_empty = False
        if isinstance(row, BadRow):
            survey.fields[row.error.field] += 1
            if row.key is None:
                broken, since_break = row, 0
                survey.leave_out(row, [last.key] if last and last.key else [])
                continue
            survey.bad.add(row.key)
        key = row.key
        assert key
        if broken and since_break < _AFTER_BREAK:
            survey.leave_out(broken, [key])
        since_break += 1
        if last and last.key and last.key != key:
            if key in finished:
                survey.scattered.add(key)
            _leave_out_doubtful(survey, last, row)
        finished.add(key)
        last = row
    if broken:
        survey.leave_out(broken, survey.scattered)
    return survey


# The rows after a broken one that are left out with it
_AFTER_BREAK = 2


def _leave_out_doubtful(survey: Survey, first: GoldRow | BadRow, second: GoldRow | BadRow) -> None:
    """Leave out the predicates of adjacent rows if a row is bad and may belong to the other."""
    bad = next((row for row in (second, first) if isinstance(row, BadRow)), None)
    if bad is None:
        return
    keys = [row.key for row in (first, second) if row.key]
    same_place = any(one == other for one, other in zip(*keys, strict=True))
    if first.verb == second.verb and same_place:
        survey.leave_out(bad, keys)


def with_consequence(row: BadRow, survey: Survey) -> FileError:
    """Return the error of a row with what is left out because of it."""
    keys = survey.left_out_by(row)
    names = [f"{external_id}/{at}" for external_id, at in keys]
    if not row.key:
        consequence = "The predicates before and after it are left out."
    elif len(names) == 1:
        consequence = f"The predicate {names[0]} is left out."
    else:
        consequence = f"The predicates {', '.join(names[:-1])} and {names[-1]} are left out."
    error = row.error
    return FileError(
        error.file,
        error.line,
        f"{error.message} {consequence}",
        field=error.field,
        items=[(external_id, str(at)) for external_id, at in keys],
    )


def with_extent(row: BadRow, survey: Survey) -> FileError:
    """Return the error of a file's first bad row with the number of bad rows and predicates."""
    fields = [f"{name or 'row'}: {count}" for name, count in survey.fields.most_common()]
    extent = (
        f"Bad rows in the file: {survey.fields.total()} ({', '.join(fields)}). Skipping them leaves "
        f"out this number of predicates: {len(survey.bad)}."
    )
    error = row.error
    return FileError(error.file, error.line, f"{error.message} {extent}", field=error.field)
