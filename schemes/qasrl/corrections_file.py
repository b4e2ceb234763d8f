"""Corrections of automatic matches in a CSV file, as `quality --corrections` writes them.

The columns are `item` (or `qasrl_id` and `verb_idx`), `kind`, `reference` and `predicted`. A side is a
token range `start-end`, and the reference of an accepted answer is empty.
"""

from pathlib import Path

from metrics.corrections import Decision, Verdict
from schemes.contract.errors import FieldError, refuse
from schemes.qasrl.annotation_files import Predicate
from schemes.qasrl.items import item_key_of_row
from schemes.qasrl.span_keys import span_of
from schemes.tables import Table


def read_corrections(path: Path) -> dict[Predicate, list[Decision]]:
    """Return the decisions on each predicate. Raises FileError at the first invalid row."""
    corrections: dict[Predicate, list[Decision]] = {}
    required = ("kind", "reference", "predicted")
    with Table(path, required=required, on_error=refuse) as table:
        names = list(table.columns)
        for line, fields in table:
            row = dict(zip(names, fields, strict=True))
            try:
                predicate, decision = _decision(row)
            except FieldError as bad:
                raise bad.at(path, line) from bad
            corrections.setdefault(predicate, []).append(decision)
    return corrections


def _decision(row: dict[str, str]) -> tuple[Predicate, Decision]:
    key = item_key_of_row(row)
    if key is None or not (key[1].isascii() and key[1].isdigit()):
        raise FieldError("item", "must be a sentence's id, a slash and the position of a verb.")
    if row["kind"] not in set(Verdict):
        raise FieldError("kind", f"must be one of {', '.join(Verdict)}.")
    verdict = Verdict(row["kind"])
    if (verdict == Verdict.ANSWER_ACCEPTED) == bool(row["reference"]):
        raise FieldError("reference", f"{verdict} needs {'none' if row['reference'] else 'one'}.")
    reference = _span(row, "reference") if row["reference"] else None
    return (key[0], int(key[1])), Decision(reference, _span(row, "predicted"), verdict)


def _span(row: dict[str, str], field: str) -> tuple[int, int]:
    try:
        return span_of(row[field])
    except ValueError as error:
        raise FieldError(field, f"{row[field][:40]!r} is not a token range such as 3-5.") from error
