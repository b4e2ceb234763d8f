"""Items in tables: CSV files with any separator, workbooks and JSON objects.

A row is an item. Each text has a column, and so does each field. Several choices are separated by `|`.
Spans, relations, questions and boxes are JSON as in `schemes.custom.formats.jsonl`. An empty cell is no
answer, and `[]` says that somebody looked and found no part.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.records import StatedWords
from schemes.contract.values import Json
from schemes.custom.definition import (
    ChoicesField,
    Definition,
    Field,
    NumberField,
    PartsField,
    RatingField,
)
from schemes.custom.entries import (
    Entry,
    checked_id,
    checked_name,
    parts_of,
    with_words,
    without_words,
)
from schemes.json_values import json_value
from schemes.layouts import Column, Layout, LayoutKind
from schemes.table_sentences import (
    DOCUMENT,
    ID,
    IMAGE,
    POSITION,
    TEXT,
    TOKENS,
    check_columns,
    rows_of,
)
from schemes.tables import Table

SEPARATOR = "|"
SKIPPED = "skipped"
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}(\.0*)?")
_NUMBER = re.compile(r"[+-]?([0-9]{1,15}(\.[0-9]{0,15})?|\.[0-9]{1,15})([eE][+-]?[0-9]{1,2})?")
_POSITION = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True)
class Columns:
    """The names of a definition's columns.

    Texts have their keys. Other columns and fields have a prefix if their name is already used.
    """

    definition: Definition

    @cached_property
    def texts(self) -> dict[str, str]:
        return {text.key: text.key for text in self.definition.texts}

    @cached_property
    def facts(self) -> dict[str, str]:
        names = (ID.name, TOKENS.name, IMAGE.name, DOCUMENT.name, POSITION.name, SKIPPED)
        return _unused(names, "item_", set(self.texts))

    @cached_property
    def answers(self) -> dict[str, str]:
        used = {*self.texts, *self.facts.values()}
        return _unused([field.key for field in self.definition.fields], "answer_", used)

    def sentences(self) -> Layout:
        """Return the layout of tables of items."""
        return Layout(
            LayoutKind.TABLE, columns=(*self._texts(), *self._facts(ID, DOCUMENT, POSITION))
        )

    def items(self) -> Layout:
        """Return the layout of tables that list items by their ids."""
        name = self.facts[ID.name]
        column = Column(name, names=ID.names, description="The id of the item's sentence.")
        return Layout(LayoutKind.TABLE, columns=(column,))

    def gold(self) -> Layout:
        """Return the layout of tables of answers."""
        answers = tuple(
            Column(name, is_required=False, names=_names(field), description=_cell(field))
            for field, name in zip(self.definition.fields, self.answers.values(), strict=True)
        )
        name = self.facts[ID.name]
        return Layout(
            LayoutKind.TABLE,
            columns=(
                Column(name, names=ID.names, description="The id of the item."),
                *answers,
                *(Column(key, is_required=False) for key in self.texts),
                *self._facts(TOKENS),
            ),
        )

    def _texts(self) -> Iterator[Column]:
        texts = self.definition.texts
        is_single = len(texts) == 1
        for text in texts:
            yield Column(
                text.key,
                names=_names(text) + ((*TEXT.names, TEXT.name) if is_single else ()),
                pattern=TEXT.pattern if is_single else "",
                description=f"{text.label or text.key}, as it is written. It is tokenised.",
            )
        yield Column(
            self.facts[TOKENS.name],
            is_required=False,
            names=TOKENS.names,
            instead_of=texts[0].key if is_single else "",
            description=TOKENS.description if is_single else "The tokens of all texts, in order.",
        )
        if self.definition.image != "none":
            yield Column(
                self.facts[IMAGE.name],
                is_required=self.definition.image == "required",
                names=IMAGE.names,
                pattern=IMAGE.pattern,
                description="The file name of the item's image.",
            )

    def _facts(self, *columns: Column) -> Iterator[Column]:
        for column in columns:
            name = self.facts[column.name]
            yield Column(
                name, is_required=False, names=column.names, description=column.description
            )


def _unused(names: Iterable[str], prefix: str, used: set[str]) -> dict[str, str]:
    unused = {}
    for name in names:
        column = name
        while column in used:
            column = prefix + column
        used.add(column)
        unused[name] = column
    return unused


def _names(described: Any) -> tuple[str, ...]:
    label = described.label
    return (label,) if label and label != described.key else ()


def _cell(field: Field) -> str:
    if isinstance(field, PartsField):
        return f"{field.label or field.key}: a list in JSON."
    if isinstance(field, ChoicesField):
        return f"{field.label or field.key}: options separated by {SEPARATOR}."
    return f"{field.label or field.key}."


def read(
    path: Path, definition: Definition, on_error: ErrorSink, *, with_gold: bool
) -> Iterator[Entry]:
    """Yield the items of a table. Bad rows go to `on_error` and are skipped. Raise FileError.

    Without gold, only the columns of texts and of facts about items are read.
    """
    columns = Columns(definition)
    layout = columns.gold() if with_gold else columns.sentences()
    parts = {
        columns.answers[field.key] for field in definition.fields if isinstance(field, PartsField)
    }
    required = [name for name in layout.required if name not in columns.texts]
    plain = [column.name for column in layout.columns if column.name not in parts]
    if with_gold:
        plain.append(columns.facts[SKIPPED])
        plain.append(columns.facts[IMAGE.name])
    with Table(path, required=required, optional=plain, on_error=on_error) as table:
        _check_header(table, columns, path, with_gold=with_gold)
        row = _Row(columns, table.columns, path, with_gold=with_gold)
        for line, fields in rows_of(table, path):
            try:
                yield row.entry(line, fields)
            except FieldError as error:
                on_error(error.at(path, line))


def read_ids(path: Path, definition: Definition, on_error: ErrorSink) -> Iterator[tuple[int, str]]:
    """Yield the line and id of each row. Raise FileError."""
    name = Columns(definition).facts[ID.name]
    with Table(path, required=[name], optional=[], on_error=on_error) as table:
        for line, fields in table:
            try:
                yield line, checked_id(fields[table.columns[name]], name)
            except FieldError as error:
                on_error(error.at(path, line))


def _check_header(table: Table, columns: Columns, path: Path, *, with_gold: bool) -> None:
    header = ", ".join(table.names)[:200]
    missing = [key for key in columns.texts if key not in table.columns]
    if with_gold:
        if not table.columns.keys() & {*columns.answers.values(), columns.facts[SKIPPED]}:
            wanted = ", ".join(columns.answers.values())
            message = f"has no column of an answer: {wanted}. The header has: {header}."
            raise FileError(path.name, 1, message)
        if missing and len(missing) < len(columns.texts):
            message = f"the column is missing; the header has: {header}."
            raise FileError(path.name, 1, message, field=missing[0])
        return
    has_tokens = columns.facts[TOKENS.name] in table.columns and len(columns.texts) == 1
    if missing and not has_tokens:
        message = (
            f"the column is missing; the header has: {header}. Name the column of the text with "
            f"`columns`, as in {missing[0]}=NAME."
        )
        raise FileError(path.name, 1, message, field=missing[0])


class _Row:
    """The places of columns, and items of rows."""

    def __init__(
        self, columns: Columns, places: Mapping[str, int], path: Path, *, with_gold: bool
    ) -> None:
        self._columns = columns
        self._definition = columns.definition
        self._places = places
        self._path = path
        self._with_gold = with_gold

    def entry(self, line: int, fields: Sequence[str]) -> Entry:
        """Return the item of a row. Raise FieldError."""

        def value(name: str) -> str:
            place = self._places.get(name)
            return "" if place is None else fields[place].strip()

        facts = {name: value(column) for name, column in self._columns.facts.items()}
        for name in (DOCUMENT.name, IMAGE.name):
            checked_name(facts[name], self._columns.facts[name])
        texts = {key: value(key) for key in self._columns.texts}
        tokens = tuple(filter(None, facts[TOKENS.name].split(" ")))
        parts = (
            parts_of(self._definition, texts, tokens)
            if tokens or any(texts.values()) or not self._with_gold
            else ()
        )
        if not self._with_gold:
            self._check_columns(texts, tokens, facts)
        answers, words = self._answers(value) if self._with_gold else (None, ())
        skipped = facts[SKIPPED] if self._with_gold else ""
        if skipped and answers:
            raise FieldError(self._columns.facts[SKIPPED], "is given together with answers.")
        return Entry(
            external_id=self._id(line, facts[ID.name]),
            line=line,
            file=self._path.name,
            parts=parts,
            states_tokens=bool(tokens),
            answers=answers or None,
            skipped=skipped,
            image=facts[IMAGE.name],
            document=facts[DOCUMENT.name],
            position=self._position(facts[POSITION.name]),
            words=tuple(words),
        )

    def _check_columns(
        self, texts: Mapping[str, str], tokens: Sequence[str], facts: Mapping[str, str]
    ) -> None:
        columns = self._columns
        if self._places.keys() >= {*columns.texts, columns.facts[TOKENS.name]}:
            names = (DOCUMENT.name, IMAGE.name, SKIPPED)
            others = {columns.facts[name]: facts[name] for name in names}
            check_columns(" ".join(filter(None, texts.values())), tokens, others)

    def _id(self, line: int, text: str) -> str:
        name = self._columns.facts[ID.name]
        if name not in self._places:
            return f"{self._path.stem}:{line}"
        return checked_id(text, name)

    def _position(self, text: str) -> int | None:
        if text and not _POSITION.fullmatch(text):
            message = f"{text[:40]!r} is not a whole number of at most 15 digits."
            raise FieldError(self._columns.facts[POSITION.name], message)
        return int(text) if text else None

    def _answers(self, value: Any) -> tuple[Json, list[StatedWords]]:
        answers: Json = {}
        words: list[StatedWords] = []
        for field in self._definition.fields:
            column = self._columns.answers[field.key]
            if not (text := value(column)):
                continue
            try:
                answers[field.key], said = without_words(field, parse_cell(field, text))
            except FieldError as error:
                message = f"{error.field}: {error.message}" if error.field else error.message
                raise FieldError(column, message) from None
            words += said
        return answers, words


def parse_cell(field: Field, text: str) -> Any:
    """Return the answer in a cell that is not empty. Raise FieldError."""
    match field:
        case PartsField():
            value = json_value(text)
            if not isinstance(value, list):
                raise FieldError("", "must be a list in JSON, such as [].")
            return value
        case ChoicesField():
            return [] if text == "[]" else [part.strip() for part in text.split(SEPARATOR)]
        case RatingField():
            return _whole(text)
        case NumberField():
            if not _NUMBER.fullmatch(text):
                raise FieldError("", f"{text[:40]!r} is not a number.")
            return _whole(text) if _WHOLE.fullmatch(text) else float(text)
    return text


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise FieldError("", f"{text[:40]!r} is not a whole number.")
    return int(text.partition(".")[0])


def cell_of(field: Field, value: Any, entry: Entry) -> str:
    """Return an answer as the text of a cell."""
    if isinstance(field, PartsField):
        return json.dumps(with_words(field, value or [], entry), ensure_ascii=False)
    if isinstance(field, ChoicesField):
        return SEPARATOR.join(value) if value else "[]"
    return str(value)


def write(entries: Iterable[Entry], path: Path, definition: Definition) -> int:
    """Write items as CSV, and return their number."""
    columns = Columns(definition)
    facts = {name: column for name, column in columns.facts.items() if name != ID.name}
    if definition.image == "none":
        del facts[IMAGE.name]
    header = [columns.facts[ID.name], *columns.texts, *facts.values(), *columns.answers.values()]
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for entry in entries:
            texts = {part.key: part.written()[0] for part in entry.parts}
            values = {
                TOKENS.name: " ".join(entry.tokens),
                IMAGE.name: entry.image,
                DOCUMENT.name: entry.document,
                POSITION.name: str(entry.position or ""),
                SKIPPED: entry.skipped,
            }
            answers, has_answers = entry.answers or {}, entry.answers is not None
            writer.writerow(
                [
                    entry.external_id,
                    *(texts.get(key, "") for key in columns.texts),
                    *(values[name] for name in facts),
                    *(
                        cell_of(field, answers.get(field.key), entry)
                        if field.key in answers or (has_answers and field.has_parts)
                        else ""
                        for field in definition.fields
                    ),
                ]
            )
            count += 1
    return count
