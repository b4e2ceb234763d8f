"""The CSV files of the published QA-SRL gold standard (Roit et al. 2020)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.files import SentenceSink
from schemes.contract.records import SentenceRecord
from schemes.contract.values import Tokens
from schemes.qasrl.slots import Slots
from schemes.tables import Table

Span = tuple[int, int]
# The id of a sentence, and the position of a predicate
Key = tuple[str, int]

SEPARATOR = "~!~"
SENTENCE_COLUMNS = ("qasrl_id", "tokens", "sentence")
GOLD_COLUMNS = (
    "qasrl_id", "verb_idx", "verb", "worker_id", "assign_id", "source_assign_id",
    "question", "is_redundant", "answer_range", "answer",
    "wh", "subj", "obj", "obj2", "aux", "prep", "verb_prefix", "is_passive", "is_negated",
    "verb_slot_inflection",
)  # fmt: skip
NOUN_COLUMNS = (
    "qasrl_id", "sentence", "target_idx", "key", "noun", "verb_form", "is_verbal",
    "worker_id", "assign_id", "source_assign_id", "source_worker_ids", *GOLD_COLUMNS[6:],
)  # fmt: skip
# A column of our own, after the published ones, if anybody was asked what is only implied.
IMPLIED_COLUMN = "is_implied"
# A column of our own, after the published ones, if the ids do not name the documents.
DOCUMENT_COLUMN = "document"
SLOT_FIELDS = GOLD_COLUMNS[GOLD_COLUMNS.index("wh") :]
NO_ROWS = "has a header, but no rows."
NO_SLOTS = ("",) * len(SLOT_FIELDS)
# Names in QANom's files of nouns (Klein et al. 2020).
ALIASES = {"target_idx": "verb_idx", "noun": "verb"}
REQUIRED_COLUMNS = ("qasrl_id", "verb_idx", "question", "answer_range")
_SLOT_COLUMNS = ("wh", "aux", "subj", "verb_prefix", "obj", "prep", "obj2")
_VOICE_COLUMNS = ("is_passive", "is_negated")
# The order of their values in `_GoldColumns.parse`
_OPTIONAL_COLUMNS = (
    "verb", "is_redundant", "verb_form", "target_range", "answer", "tokens", "sentence",
    "worker_id", "assign_id", "source_assign_id", "source_worker_ids",
)  # fmt: skip
# The position of a missing column, in the cells of a row with an empty one after them
_MISSING = -1
_BUFFER = 1 << 18
# Longer numbers cannot be positions in a line of at most 1 MiB.
_MAX_DIGITS = 7
# A spreadsheet turns 2:4 into this.
_TIME = re.compile(r"\d{1,2}:\d\d:\d\d(?: [AP]M)?", re.IGNORECASE)


def has_nouns(path: Path, *, on_error: ErrorSink) -> bool:
    """Return True if the predicates of a QA file are nouns, which have `is_verbal`."""
    required = ("qasrl_id", "verb_idx")
    with Table(path, required=required, on_error=on_error, aliases=ALIASES) as table:
        if "verb_form" in table.columns and "is_verbal" not in table.columns:
            message = "the column is missing, but the file has verb_form as files of nouns do."
            raise FileError(path.name, 1, message, field="is_verbal")
        return "is_verbal" in table.columns


# Not frozen, because the rows of a large file are then created in half the time.
@dataclass(slots=True)
class GoldRow:
    """A row of the file: a question about a predicate with all its answers.

    `answers` are half-open token ranges in file order. `slots` is None if the file has no slot
    columns. A row without question and answers marks a predicate without questions. `line` counts
    from 1 and includes the header. `verb_form` and `is_verbal` are those of nouns: the stem of the
    verb, and whether the noun describes an event. `is_verbal` is None in files of verbs.
    `target_ranges` are those of a noun of several words. `source_worker_ids` are the annotators whose
    work was merged, joined by SEPARATOR. `is_implied` is whether the sentence only implies the answers,
    and None if that is not known. `answer` is the text of the answers, and
    `tokens` and `sentence` are those of the sentence, if the file has them.
    """

    qasrl_id: str
    verb_idx: int
    verb: str
    worker_id: str
    assign_id: str
    source_assign_id: str
    question: str
    is_redundant: bool
    answers: tuple[Span, ...]
    slots: Slots | None
    line: int
    verb_form: str = ""
    is_verbal: bool | None = None
    target_ranges: tuple[Span, ...] = ()
    answer: str = ""
    tokens: str = ""
    sentence: str = ""
    source_worker_ids: str = ""
    is_implied: bool | None = None

    @property
    def key(self) -> Key:
        return self.qasrl_id, self.verb_idx


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that can't be used. `key` is its predicate, or None if the row does not name it."""

    key: Key | None
    error: FileError
    verb: str = ""


def read_gold_rows(path: Path, *, on_error: ErrorSink) -> Iterator[GoldRow]:
    """Yield the rows. Only qasrl_id, verb_idx, question and answer_range are required.

    Bad rows go to `on_error` and are skipped. Raises FileError on the first iteration if the file
    is unreadable (see Table).
    """
    for row in all_gold_rows(path):
        if isinstance(row, BadRow):
            on_error(row.error)
        else:
            yield row


def all_gold_rows(path: Path) -> Iterator[GoldRow | BadRow]:
    """Yield the rows, good and bad. Raises FileError as `read_gold_rows` does."""
    broken: list[FileError] = []

    def collect(error: FileError) -> None:
        broken.append(error)

    with Table(path, required=REQUIRED_COLUMNS, on_error=collect, aliases=ALIASES) as table:
        columns = _GoldColumns(table.columns)
        for line, fields in table:
            if broken:
                yield from _without_key(broken)
            try:
                row: GoldRow | BadRow = columns.parse(fields, line)
            except FieldError as bad:
                row = BadRow(columns.key(fields), bad.at(path, line), columns.verb(fields))
            yield row
    yield from _without_key(broken)


def _without_key(broken: list[FileError]) -> Iterator[BadRow]:
    """Yield the rows that the table could not read, and forget them."""
    yield from [BadRow(None, error) for error in broken]
    broken.clear()


def read_predicates(path: Path, *, on_error: ErrorSink) -> Iterator[tuple[str, int, str, int]]:
    """Yield the distinct `(qasrl_id, verb_idx, verb, line)` of predicates, in file order.

    Only these columns are parsed, for speed. Errors are handled as in `read_gold_rows`.
    """
    required = ("qasrl_id", "verb_idx")
    with Table(path, required=required, on_error=on_error, aliases=ALIASES) as table:
        id_at, idx_at = table.columns["qasrl_id"], table.columns["verb_idx"]
        verb_at = table.columns.get("verb")
        seen: set[tuple[str, str, str]] = set()
        is_empty = True
        for line, fields in table:
            is_empty = False
            key = fields[id_at].strip(), fields[idx_at].strip()
            verb = "" if verb_at is None else fields[verb_at].strip()
            if (*key, verb) in seen:
                continue
            seen.add((*key, verb))
            try:
                verb_idx = parse_position(key[1], "verb_idx")
                _not_empty(key[0], "qasrl_id")
            except FieldError as bad:
                on_error(bad.at(path, line))
                continue
            yield key[0], verb_idx, verb, line
        if is_empty:
            raise FileError(path.name, None, NO_ROWS)


def read_sentence_rows(path: Path, *, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    """Yield the sentences. Repeated rows are dropped, but must have the same tokens.

    Raises FileError on the first iteration if the file is unreadable (see Table).
    """
    with Table(path, required=("qasrl_id", "tokens"), on_error=on_error) as table:
        id_at, tokens_at = table.columns["qasrl_id"], table.columns["tokens"]
        text_at = table.columns.get("sentence", tokens_at)
        document_at = table.columns.get(DOCUMENT_COLUMN)
        seen: dict[str, int] = {}
        is_empty = True
        for line, fields in table:
            external_id, joined = fields[id_at].strip(), fields[tokens_at]
            is_empty = False
            try:
                _check_columns(joined, fields[text_at])
                known = seen.get(external_id)
                if known is not None:
                    _same_tokens(known, joined)
                    continue
                tokens = _tokens(external_id, joined)
            except FieldError as bad:
                on_error(bad.at(path, line))
                continue
            seen[external_id] = hash(joined)  # the texts would need too much memory
            text = fields[text_at].strip()
            text = "" if text == joined else text
            document = "" if document_at is None else fields[document_at].strip()
            metadata = {"document": document} if document else {}
            yield SentenceRecord(external_id, tokens, line, metadata, text=text)
        if is_empty:
            raise FileError(path.name, None, NO_ROWS)


def _check_columns(joined: str, text: str) -> None:
    """Raise FieldError if the columns seem to be swapped."""
    if len(text.split()) > len(joined.split()):
        message = "has fewer words than the sentence. Are the columns swapped?"
        raise FieldError("tokens", message)


def write_gold_rows(rows: Iterable[tuple[GoldRow, Tokens]], path: Path) -> int:
    """Stream rows and their sentences' tokens in the published columns and order.

    Return the number of rows. The same rows give the same bytes.
    """
    return write_lines(path, GOLD_COLUMNS, (_gold_line(*row) for row in rows))


@contextmanager
def sentence_file(path: Path, *, documents: bool = False) -> Iterator[SentenceSink]:
    """Open `path` for sentences in the published columns, and their documents in one after them."""
    with path.open("w", encoding="utf-8", newline="", buffering=_BUFFER) as file:
        file.write(csv_line((*SENTENCE_COLUMNS, *([DOCUMENT_COLUMN] if documents else []))))
        yield lambda sentence: file.write(_sentence_line(sentence, documents))


class _GoldColumns:
    """The columns' positions, looked up once per file."""

    def __init__(self, columns: dict[str, int]) -> None:
        self._id, self._idx, self._question, self._ranges = (
            columns[name] for name in REQUIRED_COLUMNS
        )
        self._optional = [columns.get(name, _MISSING) for name in _OPTIONAL_COLUMNS]
        self._verb = columns.get("verb", _MISSING)
        self._verbal = columns.get("is_verbal")
        self._implied = columns.get(IMPLIED_COLUMN, _MISSING)
        # The aliases of columns that the file has as well
        self._same = [
            (alias, columns[alias], usual, columns[usual])
            for alias, usual in ALIASES.items()
            if alias in columns and usual in columns
        ]
        self._slots: list[int] | None = None
        if all(name in columns for name in (*_SLOT_COLUMNS, *_VOICE_COLUMNS)):
            self._slots = [columns[name] for name in (*_SLOT_COLUMNS, *_VOICE_COLUMNS)]
            self._slots.append(columns.get("verb_slot_inflection", _MISSING))

    def key(self, fields: list[str]) -> Key | None:
        """Return the predicate of a bad row, or None if the row does not name it."""
        try:
            return _id(fields[self._id]), parse_position(fields[self._idx], "verb_idx")
        except FieldError:
            return None

    def verb(self, fields: list[str]) -> str:
        return [*fields, ""][self._verb].strip()

    def parse(self, fields: list[str], line: int) -> GoldRow:
        for alias, at, usual, usual_at in self._same:
            if fields[at].strip() != fields[usual_at].strip():
                message = f"is {fields[at][:40]!r}, but {usual} is {fields[usual_at][:40]!r}."
                raise FieldError(alias, message)
        question, ranges = fields[self._question].strip(), fields[self._ranges].strip()
        if question and not ranges:
            raise FieldError("answer_range", "the question has no answer.")
        if ranges and not question:
            raise FieldError("question", "there are answers but no question.")
        cells = [*fields, ""]
        texts = [cells[at] for at in self._optional]
        verb, redundant, verb_form, target, answer, tokens, sentence, *ids = texts
        worker, assignment, source, source_workers = ids
        return GoldRow(
            qasrl_id=_id(fields[self._id]),
            verb_idx=parse_position(fields[self._idx], "verb_idx"),
            verb=verb.strip(),
            worker_id=worker,
            assign_id=assignment,
            source_assign_id=_unwrapped(source),
            question=question,
            is_redundant=_truth(redundant, "is_redundant"),
            answers=parse_spans(ranges),
            slots=_slots(*[cells[at] for at in self._slots]) if question and self._slots else None,
            line=line,
            verb_form=verb_form.strip().lower(),
            is_verbal=self._parse_verbal(fields, question),
            target_ranges=parse_spans(target.strip(), "target_range"),
            answer=answer.strip(),
            tokens=tokens.strip(),
            sentence=sentence.strip(),
            source_worker_ids=source_workers.strip(),
            is_implied=_optional_truth(cells[self._implied].strip(), IMPLIED_COLUMN),
        )

    def _parse_verbal(self, fields: list[str], question: str) -> bool | None:
        if self._verbal is None:
            return None
        is_verbal = _truth(_not_empty(fields[self._verbal], "is_verbal"), "is_verbal")
        if question and not is_verbal:
            raise FieldError("is_verbal", "is False, but there is a question.")
        return is_verbal


@lru_cache(maxsize=1 << 14)
def _slots(*texts: str) -> Slots:
    """Return the slots of columns, cached because they recur. Raise FieldError."""
    *words, passive, negated, inflection = texts
    wh, aux, subj, prefix, obj, prep, obj2 = map(str.lower, words)
    return Slots(
        wh=wh,
        aux=aux,
        subj=subj,
        verb_prefix=prefix,
        verb_slot_inflection=inflection,
        obj=obj,
        prep=prep,
        obj2=obj2,
        is_passive=_truth(passive, "is_passive"),
        is_negated=_truth(negated, "is_negated"),
    )


def _not_empty(text: str, field: str) -> str:
    if not text.strip():
        raise FieldError(field, "is empty.")
    return text


def _id(text: str) -> str:
    return _not_empty(text, "qasrl_id").strip()


def parse_position(text: str, field: str) -> int:
    """Return a position in a sentence. Raise FieldError."""
    if not (text.isdigit() and text.isascii() and len(text) <= _MAX_DIGITS):
        raise FieldError(field, f"{text[:40]!r} is not a position.")
    return int(text)


def _optional_truth(text: str, field: str) -> bool | None:
    return _truth(text, field) if text else None


def _truth(text: str, field: str) -> bool:
    if text in ("True", "False", ""):
        return text == "True"
    lowered = text.lower()
    if lowered not in ("true", "false", "1", "0"):
        raise FieldError(field, f"{text[:40]!r} is neither True nor False.")
    return lowered in ("true", "1")


@lru_cache(maxsize=1 << 14)
def parse_spans(ranges: str, field: str = "answer_range") -> tuple[Span, ...]:
    """Return the half-open ranges of tokens that a cell has. Raise FieldError.

    Cached, because ranges recur and large files have millions of them.
    """
    if not ranges:
        return ()
    return tuple(_span(part, field) for part in ranges.split(SEPARATOR))


def _span(text: str, field: str) -> Span:
    first, colon, last = text.partition(":")
    if not colon:
        raise FieldError(field, f"{text[:40]!r} is not start:end.")
    if _TIME.fullmatch(text.strip()):
        message = f"{text.strip()!r} is a time, into which a spreadsheet turned the range."
        raise FieldError(field, message)
    start, end = parse_position(first.strip(), field), parse_position(last.strip(), field)
    if start >= end:
        message = f"{start}:{end} ends before it starts (the end is exclusive)."
        raise FieldError(field, message)
    return start, end


def _unwrapped(assignment: str) -> str:
    """Remove Scala's `Some(...)`, which some published rows have around the id."""
    if assignment.startswith("Some(") and assignment.endswith(")"):
        return assignment[5:-1]
    return "" if assignment == "None" else assignment


def _tokens(external_id: str, joined: str) -> tuple[str, ...]:
    _not_empty(external_id, "qasrl_id")
    _not_empty(joined, "tokens")
    # Split at plain blanks only, because a token may contain a no-break space.
    tokens = tuple(joined.split(" "))
    if not all(tokens) or (len(tokens) == 1 and len(joined.split()) > 1):
        raise FieldError("tokens", "tokens must be joined by single blanks.")
    return tokens


def _same_tokens(known: int, joined: str) -> None:
    if known != hash(joined):
        message = "this id is repeated with other tokens; the first row is used."
        raise FieldError("qasrl_id", message)


def gold_line(
    predicate: Sequence[str],
    ids: Sequence[str],
    *,
    question: str,
    answers: Sequence[Sequence[int]],
    tokens: Tokens,
    slots: Sequence[str],
    is_redundant: bool = False,
) -> str:
    """Return a line of GOLD_COLUMNS, or of NOUN_COLUMNS.

    `predicate` is (qasrl_id, verb_idx, verb) or the columns before worker_id. `ids` are the columns
    after it and before the question.
    `slots` are the values of SLOT_FIELDS, or NO_SLOTS.
    """
    ranges = SEPARATOR.join([f"{start}:{end}" for start, end in answers])
    texts = SEPARATOR.join([" ".join(tokens[start:end]) for start, end in answers])
    return csv_line((*predicate, *ids, question, str(is_redundant), ranges, texts, *slots))


def _gold_line(row: GoldRow, tokens: Tokens) -> str:
    slots = NO_SLOTS
    if row.slots:
        slots = tuple(str(getattr(row.slots, name)) for name in SLOT_FIELDS)
    return gold_line(
        (row.qasrl_id, str(row.verb_idx), row.verb),
        (row.worker_id, row.assign_id, row.source_assign_id),
        question=row.question,
        answers=row.answers,
        tokens=tokens,
        slots=slots,
        is_redundant=row.is_redundant,
    )


def _sentence_line(sentence: SentenceRecord, documents: bool) -> str:
    joined = _quoted(" ".join(sentence.tokens))
    text = _quoted(sentence.text) if sentence.text else joined
    document = f",{_quoted(sentence.metadata.get('document', ''))}" if documents else ""
    return f"{_quoted(sentence.external_id)},{joined},{text}{document}\n"


def csv_line(fields: Sequence[str]) -> str:
    """Return a CSV line, with carriage returns quoted.

    Most lines need no quotes, and skipping them is faster than the csv module.
    """
    line = ",".join(fields)
    if (
        line.count(",") == len(fields) - 1
        and '"' not in line
        and "\n" not in line
        and "\r" not in line
    ):
        return line + "\n"
    return ",".join([_quoted(field) for field in fields]) + "\n"


def _quoted(field: str) -> str:
    if "," in field or '"' in field or "\n" in field or "\r" in field:
        return '"' + field.replace('"', '""') + '"'
    return field


def append_column(path: Path, name: str, values: Sequence[str]) -> None:
    """Add a column to a file of `write_lines`, which has a line per row. Cells are plain text."""
    partial = path.with_name(path.name + ".part")
    try:
        with (
            path.open(encoding="utf-8", newline="\n") as source,
            partial.open("w", encoding="utf-8", newline="", buffering=_BUFFER) as target,
        ):
            lines = zip(source, (name, *values), strict=True)
            target.writelines(f"{line[:-1]},{value}\n" for line, value in lines)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_lines(path: Path, header: Sequence[str], lines: Iterable[str]) -> int:
    """Stream lines of `csv_line` below the header. Return their number."""
    numbers = count()
    with path.open("w", encoding="utf-8", newline="", buffering=_BUFFER) as file:
        file.write(csv_line(header))
        file.writelines(line for line, _ in zip(lines, numbers, strict=False))
    return next(numbers)
