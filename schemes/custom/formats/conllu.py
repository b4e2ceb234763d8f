"""Spans in the column MISC of CoNLL-U.

A field of spans is an attribute of MISC with BIO tags, such as `entities=B-PER`. Attributes of a span are
beside its first tag, such as `entities.sure=yes`. A field without a span has `O` at the first word, so
that it differs from one that nobody annotated. The id is `sent_id`.

Characters that MISC can't have are escaped as in `SpacesAfter` of Universal Dependencies: `\\p` is a
pipe, `\\n` a line feed, `\\t` a tab and `\\\\` a backslash. See https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemes.conllu_files import read_conllu
from schemes.contract.errors import ErrorSink, FieldError
from schemes.contract.records import SentenceRecord
from schemes.contract.values import Json
from schemes.custom.definition import Definition, SpansField
from schemes.custom.entries import Entry, TextPart
from schemes.custom.formats import conll
from schemes.custom.formats.tables import cell_of, parse_cell
from schemes.custom.formats.tags import BIO, OUTSIDE, TagError, without_overlaps

_ESCAPES = {"\\": "\\\\", "|": "\\p", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = {value: key for key, value in _ESCAPES.items()}
_PATTERN = re.compile(r"\\.")
_EMPTY = "_"
_MISC = "misc"


def _misc_only(words: Sequence[Mapping[str, Any]]) -> Json:
    return {_MISC: [word.get(_MISC) or "" for word in words]}


def read(
    path: Path, definition: Definition, on_error: ErrorSink, *, with_gold: bool
) -> Iterator[Entry]:
    """Yield the sentences of a file. Bad ones go to `on_error` and are skipped. Raise FileError."""
    for record in read_conllu(path, on_error=on_error, metadata=_misc_only):
        try:
            yield _entry(record, definition, path, with_gold=with_gold)
        except FieldError as error:
            on_error(error.at(path, record.line))


def _entry(record: SentenceRecord, definition: Definition, path: Path, *, with_gold: bool) -> Entry:
    key = definition.texts[0].key
    entry = Entry(
        external_id=record.external_id,
        line=record.line,
        file=path.name,
        parts=(TextPart(key, record.tokens, record.text),),
        document=record.metadata.get("document", ""),
    )
    return replace(entry, answers=_answers(record, definition)) if with_gold else entry


def _answers(record: SentenceRecord, definition: Definition) -> Json | None:
    """Return the spans of a sentence, or None if no word has one of the fields."""
    values = [_values(text, at) for at, text in enumerate(record.metadata[_MISC])]
    answers: Json = {}
    for field in conll.spans_fields(definition):
        tags = [value.get(field.key, OUTSIDE) for value in values]
        if not any(field.key in value for value in values):
            continue
        try:
            spans = BIO.spans(tags, conll.labels_of(field))
        except TagError as error:
            raise FieldError(f"MISC of word {error.at + 1}: {field.key}", str(error)) from None
        if field.attributes:
            for span in spans:
                span["attributes"] = _attributes(field, values[span["start"]], span["start"])
        answers[field.key] = spans
    return answers or None


def _values(misc: str, at: int) -> dict[str, str]:
    values: dict[str, str] = {}
    for part in filter(None, misc.split("|")):
        name, equals, text = part.partition("=")
        if not equals:
            continue
        if name in values:
            raise FieldError(f"MISC of word {at + 1}", f"has {name[:40]} twice.")
        values[name] = text
    return values


def _attributes(field: SpansField, values: Mapping[str, str], at: int) -> Json:
    attributes: Json = {}
    for attribute in field.attributes:
        name = f"{field.key}.{attribute.key}"
        if name in values:
            try:
                attributes[attribute.key] = parse_cell(attribute, unescaped(values[name]))
            except FieldError as error:
                raise FieldError(f"MISC of word {at + 1}: {name}", error.message) from None
    return attributes


def unescaped(text: str) -> str:
    return _PATTERN.sub(lambda match: _ESCAPED.get(match[0], match[0]), text)


def escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def write(entries: Iterable[Entry], path: Path, definition: Definition) -> int:
    """Write sentences with their spans, and return their number. Skipped ones are left out."""
    count, document = 0, ""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for entry in entries:
            if entry.skipped:
                continue
            if entry.document != document:
                document = entry.document
                file.write(f"# newdoc{document and f' id = {document}'}\n")
            file.writelines(f"{line}\n" for line in _lines(entry, definition))
            file.write("\n")
            count += 1
    return count


def _lines(entry: Entry, definition: Definition) -> Iterator[str]:
    text, offsets = entry.parts[0].written()
    yield f"# sent_id = {entry.external_id}"
    yield f"# text = {' '.join(text.split())}"
    misc = _misc(entry, definition)
    for at, token in enumerate(entry.tokens):
        values = list(misc[at])
        if at + 1 < len(offsets) and offsets[at][1] == offsets[at + 1][0]:
            values.append("SpaceAfter=No")
        yield "\t".join([str(at + 1), token, *[_EMPTY] * 7, "|".join(values) or _EMPTY])


def _misc(entry: Entry, definition: Definition) -> list[list[str]]:
    """Return the attributes of each word."""
    misc: list[list[str]] = [[] for _ in entry.tokens]
    for field in conll.spans_fields(definition):
        spans = without_overlaps((entry.answers or {}).get(field.key, []))
        for at, tag in enumerate(BIO.tags(spans, len(entry.tokens))):
            if tag != OUTSIDE or (at == 0 and not spans):
                misc[at].append(f"{field.key}={tag}")
        for span in spans:
            for attribute in field.attributes:
                if attribute.key in span.get("attributes", {}):
                    text = cell_of(attribute, span["attributes"][attribute.key], entry)
                    misc[span["start"]].append(f"{field.key}.{attribute.key}={escaped(text)}")
    return misc


def left_out(content: Json, definition: Definition) -> int:
    """Return how many units of content have no place in CoNLL-U."""
    if content.get("skipped"):
        return 1
    count = 0
    for field in definition.fields:
        value = content["answers"].get(field.key)
        if value is None:
            continue
        if isinstance(field, SpansField):
            count += len(value) - len(without_overlaps(value))
        else:
            count += len(value) if field.has_parts else 1
    return count
