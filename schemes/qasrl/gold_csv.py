"""Reading and writing of gold annotation in the published CSV format."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from schemes.base import ErrorSink, ExportRow, GoldRecord, ItemRecord, Json
from schemes.qasrl.published_csv import (
    GOLD_COLUMNS,
    NO_SLOTS,
    SLOT_FIELDS,
    GoldRow,
    gold_line,
    read_gold_rows,
    read_predicates,
    write_lines,
)

Key = tuple[str, int]
_slot_values = itemgetter(*SLOT_FIELDS)
_ID_FIELDS = ("worker_id", "assign_id", "source_assign_id")


def read_items(path: Path, *, on_error: ErrorSink) -> Iterator[ItemRecord]:
    """Yield the distinct predicates of a QA file, in file order."""
    for qasrl_id, verb_idx, verb, line in read_predicates(path, on_error=on_error):
        target = {"verb_idx": verb_idx, "verb": verb}
        yield ItemRecord(qasrl_id, str(verb_idx), target, line)


def read_gold_csv(path: Path, *, on_error: ErrorSink) -> Iterator[GoldRecord]:
    """Yield a record per predicate, without redundant rows.

    Rows with the same question become one question with all their answers. Its provenance is that
    of the first row, with the ids and answers of all rows in `rows`. Only predicates with scattered
    rows are held in memory, and they come last.
    """
    scattered = _scattered(path)
    held: dict[Key, list[GoldRow]] = {key: [] for key in scattered}
    run: list[GoldRow] = []
    for row in read_gold_rows(path, on_error=on_error):
        if _key(row) in held:
            held[_key(row)].append(row)
            continue
        if run and _key(run[0]) != _key(row):
            yield _record(run)
            run = []
        run.append(row)
    for rows in ([run] if run else []) + [rows for rows in held.values() if rows]:
        yield _record(rows)


def write_gold_csv(rows: Iterable[ExportRow], path: Path) -> int:
    """Write gold. Return the number of questions. Items without questions have no row."""
    return write_lines(path, GOLD_COLUMNS, _lines(rows))


def _key(row: GoldRow) -> Key:
    return row.qasrl_id, row.verb_idx


def _scattered(path: Path) -> set[Key]:
    """Return the predicates whose rows are not adjacent."""
    finished: set[Key] = set()
    scattered: set[Key] = set()
    last: Key | None = None
    for row in read_gold_rows(path, on_error=lambda error: None):
        key = _key(row)
        if key == last:
            continue
        if key in finished:
            scattered.add(key)
        finished.add(key)
        last = key
    return scattered


def _record(rows: Sequence[GoldRow]) -> GoldRecord:
    first = rows[0]
    by_question: dict[str, list[GoldRow]] = {}
    for row in rows:
        if row.question and not row.is_redundant:
            by_question.setdefault(" ".join(row.question.lower().split()), []).append(row)
    merged = list(by_question.values())
    target = {"verb_idx": first.verb_idx, "verb": first.verb}
    item = ItemRecord(first.qasrl_id, str(first.verb_idx), target, first.line)
    questions = [_question(same) for same in merged]
    provenance = [_provenance(same) for same in merged]
    return GoldRecord(item, {"questions": questions}, provenance, first.line)


def _question(rows: Sequence[GoldRow]) -> Json:
    answers = dict.fromkeys(span for row in rows for span in row.answers)
    return {"question": rows[0].question, "answers": [list(span) for span in answers]}


def _provenance(rows: Sequence[GoldRow]) -> Json:
    if len(rows) == 1:
        return _ids(rows[0])
    origins = [{**_ids(row), "answers": [list(span) for span in row.answers]} for row in rows]
    return {**_ids(rows[0]), "rows": origins}


def _ids(row: GoldRow) -> Json:
    return {name: getattr(row, name) for name in _ID_FIELDS}


def _lines(rows: Iterable[ExportRow]) -> Iterator[str]:
    """Yield lines directly from stored content.

    Creating a GoldRow and Slots per question would double the time of an export.
    """
    for row in rows:
        tokens, verb_idx = row.tokens, row.target["verb_idx"]
        predicate = row.external_id, str(verb_idx), tokens[verb_idx].lower()
        for question, ids in zip(row.content["questions"], row.provenance, strict=True):
            slots = question.get("slots")
            yield gold_line(
                predicate,
                [ids.get(name, "") for name in _ID_FIELDS],
                question=question["question"],
                answers=question["answers"],
                tokens=tokens,
                slots=_slot_fields(*_slot_values(slots)) if slots else NO_SLOTS,
            )


@lru_cache(maxsize=1 << 14)
def _slot_fields(*values: Any) -> tuple[str, ...]:
    """Return the values of SLOT_FIELDS as text, cached because they recur."""
    return tuple(map(str, values))
