"""Reading and writing of gold annotation in the published CSV format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.records import ExportRow, GoldRecord, ItemRecord, Stated, SubmittedRow
from schemes.contract.values import Json
from schemes.qasrl.bad_rows import survey_rows, with_consequence
from schemes.qasrl.context_answers import answered_in_sentence
from schemes.qasrl.published_csv import (
    GOLD_COLUMNS,
    IMPLIED_COLUMN,
    NO_ROWS,
    NO_SLOTS,
    NOUN_COLUMNS,
    SEPARATOR,
    SLOT_FIELDS,
    BadRow,
    GoldRow,
    Key,
    all_gold_rows,
    append_column,
    csv_line,
    gold_line,
    has_nouns,
    read_predicates,
    write_lines,
)
from schemes.qasrl.span_keys import key_of
from schemes.qasrl.stated_rows import predicate_words, stated_by, stated_verb
from schemes.qasrl.targets import NOUN

_slot_values = itemgetter(*SLOT_FIELDS)
_ID_FIELDS = ("worker_id", "assign_id", "source_assign_id")
# Columns of gold whose certainty was estimated: the probabilities of the answers, joined by SEPARATOR,
# and the expected coverage of the item
PROBABILITY_COLUMN, COVERAGE_COLUMN = "probability", "expected_coverage"
# A column of submissions. Gold does not have it.
PICKED_COLUMN = "picked"
_NO_QUESTION: Json = {"question": "", "answers": []}


def read_items(path: Path, *, on_error: ErrorSink) -> Iterator[ItemRecord]:
    """Yield the distinct predicates of a QA file, in file order. Raise FileError if it has no row."""
    if has_nouns(path, on_error=on_error):
        yield from _noun_items(path, on_error)
        return
    for qasrl_id, verb_idx, verb, line in read_predicates(path, on_error=on_error):
        target = {"verb_idx": verb_idx, "verb": verb}
        stated = Stated(words=stated_verb(verb, (verb_idx,), line))
        yield ItemRecord(qasrl_id, str(verb_idx), target, line, path.name, stated)


def _noun_items(path: Path, on_error: ErrorSink) -> Iterator[ItemRecord]:
    seen: set[tuple[Key, str, str]] = set()
    row = None
    for row in all_gold_rows(path):
        if isinstance(row, BadRow):
            on_error(row.error)
            continue
        predicate = row.key, row.verb, row.verb_form
        if predicate not in seen:
            seen.add(predicate)
            yield _item(row, path, Stated(words=predicate_words(row)))
    if row is None:
        raise FileError(path.name, None, NO_ROWS)


def _item(row: GoldRow, path: Path, stated: Stated) -> ItemRecord:
    return ItemRecord(row.qasrl_id, str(row.verb_idx), _target(row), row.line, path.name, stated)


def _target(row: GoldRow) -> Json:
    target: Json = {"verb_idx": row.verb_idx, "verb": row.verb}
    if row.is_verbal is None:
        return target
    if row.verb_form:
        target["verb_form"] = row.verb_form
    if row.target_ranges:
        target["tokens"] = [at for span in row.target_ranges for at in range(*span)]
    return {**target, "kind": NOUN}


def read_gold_csv(path: Path, *, on_error: ErrorSink) -> Iterator[GoldRecord]:
    """Yield a record per predicate, without redundant rows.

    A predicate with a bad row, or with several sentences, is left out as a whole. A row that names no
    predicate leaves out those before and after it. Rows with the same question become one question
    with all their answers. Its provenance is that of the first row, with the ids and answers of all
    rows in `rows`. Only predicates with scattered rows are held in memory, and they come last. Raise
    FileError if there is no row.
    """
    survey = survey_rows(all_gold_rows(path))
    if survey.is_empty:
        raise FileError(path.name, None, NO_ROWS)
    held = {key: _Predicate() for key in survey.scattered}
    last = _Predicate()
    for row in all_gold_rows(path):
        if isinstance(row, BadRow):
            on_error(with_consequence(row, survey))
        if isinstance(row, BadRow) or row.key in survey.bad:
            continue
        predicate = last if last.key == row.key else held.get(row.key) or _Predicate()
        if predicate is not last:
            if last.key:
                last.neighbours.append(row.key)
                predicate.neighbours.append(last.key)
            if last.key not in held:
                yield from _records(last, path, on_error)
        predicate.rows.append(row)
        last = predicate
    if last.key not in held:
        yield from _records(last, path, on_error)
    for predicate in held.values():
        yield from _records(predicate, path, on_error)


@dataclass(slots=True)
class _Predicate:
    """The rows of a predicate, and the predicates before and after its rows."""

    rows: list[GoldRow] = field(default_factory=list)
    neighbours: list[Key] = field(default_factory=list)

    @property
    def key(self) -> Key | None:
        return self.rows[0].key if self.rows else None


def write_gold_csv(rows: Iterable[ExportRow], path: Path) -> int:
    """Write the gold of verbs. Return the number of questions.

    Items without questions have no row, and neither have questions that only the context answers.
    The column `is_implied` is added if any question has a value. PROBABILITY_COLUMN and
    COVERAGE_COLUMN are added if the certainty of any item is known.
    """
    return _write_with_optional(path, GOLD_COLUMNS, ((row, list(_lines(row))) for row in rows))


def write_noun_csv(rows: Iterable[ExportRow], path: Path) -> int:
    """Write the gold of nouns. Return the number of rows.

    A noun without questions that the sentence answers has a row with empty columns after
    `source_worker_ids`. `sentence` has
    the tokens joined by blanks, because QANom's tools find positions by splitting it. `is_implied` is
    as in `write_gold_csv`.
    """
    return _write_with_optional(path, NOUN_COLUMNS, ((row, list(_noun_lines(row))) for row in rows))


def _write_with_optional(
    path: Path, header: Sequence[str], written: Iterable[tuple[ExportRow, list[str]]]
) -> int:
    """Write the lines of each row, and optional columns if any question has a value."""
    more: dict[str, list[str]] = {
        IMPLIED_COLUMN: [],
        PROBABILITY_COLUMN: [],
        COVERAGE_COLUMN: [],
    }

    def lines() -> Iterator[str]:
        for row, of_row in written:
            questions = [question for question, _ in answered_in_sentence(row)]
            implied = [str(question.get("implied", "")) for question in questions]
            more[IMPLIED_COLUMN].extend(implied or [""] * len(of_row))
            probabilities = [_probabilities(row, question) for question in questions]
            more[PROBABILITY_COLUMN].extend(probabilities or [""] * len(of_row))
            more[COVERAGE_COLUMN].extend([_coverage(row)] * len(of_row))
            yield from of_row

    count = write_lines(path, header, lines())
    _append_known(path, more)
    return count


def _probabilities(row: ExportRow, question: Json) -> str:
    """Return the probabilities of the question's answers in the order of `answer_range`, or ""."""
    if row.certainty is None:
        return ""
    known = row.certainty.probabilities
    keys = [key_of((start, end)) for start, end in question["answers"]]
    return SEPARATOR.join(f"{known[key]:.4f}" if key in known else "" for key in keys)


def _coverage(row: ExportRow) -> str:
    if row.certainty is None or row.certainty.coverage is None:
        return ""
    return f"{row.certainty.coverage:.4f}"


def write_submissions_csv(rows: Iterable[SubmittedRow], path: Path) -> int:
    """Write every submission in the columns of gold. Return the number of lines.

    Redundant questions are marked. Questions without answers and those judged invalid are left out,
    because the columns have no place for them. A submission without questions has a line without a
    question. `picked` and `is_implied` are added if any question has a value. `picked` is the rank of
    the suggestion that was picked, or "typed".
    """
    more: dict[str, list[str]] = {PICKED_COLUMN: [], IMPLIED_COLUMN: []}
    count = write_lines(path, GOLD_COLUMNS, _submitted_lines(rows, more))
    _append_known(path, more)
    return count


def _append_known(path: Path, columns: Mapping[str, Sequence[str]]) -> None:
    """Add the columns that have any value."""
    for name, values in columns.items():
        if any(values):
            append_column(path, name, values)


def _picked(question: Json) -> str:
    if "picked" not in question:
        return ""
    return "typed" if question["picked"] is None else str(question["picked"])


def _submitted_lines(rows: Iterable[SubmittedRow], more: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines, and add the values of further columns to `more`."""
    for row in rows:
        verb_idx = row.target["verb_idx"]
        predicate = row.external_id, str(verb_idx), row.tokens[verb_idx].lower()
        ids = row.worker_id, row.assign_id, ""
        questions = [
            question
            for question in row.content.get("questions", ())
            if question.get("verdict") != "invalid" and question["answers"]
        ]
        for question in questions or [_NO_QUESTION]:
            slots = question.get("slots")
            more[PICKED_COLUMN].append(_picked(question))
            more[IMPLIED_COLUMN].append(str(question.get("implied", "")))
            yield gold_line(
                predicate,
                ids,
                question=question["question"],
                answers=question["answers"],
                tokens=row.tokens,
                slots=_slot_fields(*_slot_values(slots)) if slots else NO_SLOTS,
                is_redundant=question.get("verdict") == "redundant",
            )


def _records(predicate: _Predicate, path: Path, on_error: ErrorSink) -> Iterator[GoldRecord]:
    """Yield the record of a predicate, if it has rows and all of them have the same sentence."""
    rows = predicate.rows
    sentence = [(row.tokens, row.sentence) for row in rows]
    other = next((row for row, its in zip(rows, sentence, strict=True) if its != sentence[0]), None)
    if other:
        message = f"has another sentence than line {rows[0].line}. The predicate is left out."
        items = [(other.qasrl_id, str(other.verb_idx))]
        on_error(FileError(path.name, other.line, message, items=items))
    elif rows:
        yield _record(predicate, path, on_error)


def _record(predicate: _Predicate, path: Path, on_error: ErrorSink) -> GoldRecord:
    rows = predicate.rows
    first = rows[0]
    by_question: dict[str, list[GoldRow]] = {}
    for row in rows:
        if row.question and not row.is_redundant:
            by_question.setdefault(" ".join(row.question.lower().split()), []).append(row)
    merged = list(by_question.values())
    item = _item(first, path, stated_by(rows))
    questions = [_question(same) for same in merged]
    provenance = [_provenance(same) for same in merged]
    step = {} if first.is_verbal is None else {"is_verbal": any(row.is_verbal for row in rows)}
    other = next((row for row in rows if row.is_verbal != first.is_verbal), None)
    if other:
        message = f"differs from line {first.line}; the noun is taken as verbal."
        on_error(FileError(path.name, other.line, message, field="is_verbal"))
    neighbours = tuple((external_id, str(at)) for external_id, at in predicate.neighbours)
    content = {"questions": questions, **step}
    # A predicate with redundant questions only was asked, so it is not one without questions.
    is_blank = not questions and any(row.question for row in rows)
    return GoldRecord(item, content, provenance, first.line, neighbours, is_blank)


def _question(rows: Sequence[GoldRow]) -> Json:
    """Return the question of the rows. It has the first row's slots, if their columns are filled."""
    answers = dict.fromkeys(span for row in rows for span in row.answers)
    question: Json = {"question": rows[0].question, "answers": [list(span) for span in answers]}
    slots = rows[0].slots
    if slots and slots.wh:
        question["slots"] = slots.by_name()
    implied = [row.is_implied for row in rows if row.is_implied is not None]
    if implied:
        question["implied"] = any(implied)
    return question


def _provenance(rows: Sequence[GoldRow]) -> Json:
    if len(rows) == 1:
        return _ids(rows[0])
    origins = [{**_ids(row), "answers": [list(span) for span in row.answers]} for row in rows]
    return {**_ids(rows[0]), "rows": origins}


def _ids(row: GoldRow) -> Json:
    ids: Json = {name: getattr(row, name) for name in _ID_FIELDS}
    if row.source_worker_ids:
        ids["source_worker_ids"] = row.source_worker_ids.split(SEPARATOR)
    return ids


def _lines(row: ExportRow) -> Iterator[str]:
    verb_idx = row.target["verb_idx"]
    return _question_lines(row, (row.external_id, str(verb_idx), row.tokens[verb_idx].lower()))


def _noun_lines(row: ExportRow) -> Iterator[str]:
    at = row.target["verb_idx"]
    predicate = (
        row.external_id,
        " ".join(row.tokens),
        str(at),
        f"{row.external_id}_{at}",
        row.tokens[at].lower(),
        row.target["verb_form"],
        str(row.content["is_verbal"]),
    )
    if answered_in_sentence(row):
        yield from _question_lines(row, predicate, _noun_ids)
    else:
        start = *predicate, *_noun_ids(row.origin)
        yield csv_line((*start, *[""] * (len(NOUN_COLUMNS) - len(start))))


def _verb_ids(origin: Json) -> list[str]:
    return [origin.get(name, "") for name in _ID_FIELDS]


def _noun_ids(origin: Json) -> list[str]:
    return [*_verb_ids(origin), SEPARATOR.join(origin.get("source_worker_ids", ()))]


def _question_lines(
    row: ExportRow,
    predicate: Sequence[str],
    ids_of: Callable[[Json], list[str]] = _verb_ids,
) -> Iterator[str]:
    """Yield lines directly from stored content.

    Creating a GoldRow and Slots per question would double the time of an export.
    """
    for question, ids in answered_in_sentence(row):
        slots = question.get("slots")
        yield gold_line(
            predicate,
            ids_of(ids),
            question=question["question"],
            answers=question["answers"],
            tokens=row.tokens,
            slots=_slot_fields(*_slot_values(slots)) if slots else NO_SLOTS,
        )


@lru_cache(maxsize=1 << 14)
def _slot_fields(*values: Any) -> tuple[str, ...]:
    """Return the values of SLOT_FIELDS as text, cached because they recur."""
    return tuple(map(str, values))
