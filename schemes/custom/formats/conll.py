"""Spans in CoNLL's columns: a token per line with a tag per field of spans.

    # id = a:1
    # text = Ada met Grace.
    Ada	B-PER
    met	O
    Grace	B-PER
    .	O

Blank lines separate items, and lines of `-DOCSTART-` are ignored. Columns are separated by tabs, or by
blanks in a file without tabs. A file with several fields of spans names its columns in its first line,
`# global.columns = FORM <field> ...`. With a single field of spans, the first column has the tokens and
the last one the tags. Without `# id`, items are numbered as `<file>:<number>`. Items with several texts
have their numbers of tokens, as in `# texts = source:8 translation:7`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemes.characters import separator_in
from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.values import Json
from schemes.custom.definition import Definition, SpansField
from schemes.custom.entries import Entry, TextPart, checked_id, has_words, parts_of
from schemes.custom.formats.tags import TagError, Tagging, without_overlaps
from schemes.text_lines import numbered_blocks

COLUMNS = "global.columns"
FORM = "FORM"
_COMMENT = re.compile(r"#\s*([^\s=]+)\s*=\s*([^\t]*)")
_DOCUMENT_START = "-DOCSTART-"
_TEXT_LENGTH = re.compile(r"([A-Za-z0-9_-]+):([1-9][0-9]{0,6})")


@dataclass(slots=True)
class Block:
    """The comments and rows of an item. `lines` has the line of each row."""

    comments: dict[str, str] = field(default_factory=dict)
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def spans_fields(definition: Definition) -> list[SpansField]:
    return [field for field in definition.fields if isinstance(field, SpansField)]


def read(
    path: Path, definition: Definition, on_error: ErrorSink, *, tagging: Tagging
) -> Iterator[Entry]:
    """Yield the items of a file. Bad items go to `on_error` and are skipped. Raise FileError."""
    columns: list[str] = []
    count, is_bad = 0, False
    for line, lines in numbered_blocks(path):
        try:
            block = _block(lines, line, path)
            if COLUMNS in block.comments:
                columns = _columns(block.comments.pop(COLUMNS), definition)
            if not block.rows:
                continue
            count += 1
            yield _entry(block, columns, definition, path, number=count, tagging=tagging)
        except FieldError as error:
            is_bad = True
            on_error(error.at(path, line))
        except FileError as error:
            is_bad = True
            on_error(error)
    if not count and not is_bad:
        raise FileError(path.name, None, "contains no token with a tag.")


def _columns(text: str, definition: Definition) -> list[str]:
    names = text.split()
    known = [field.key for field in spans_fields(definition)]
    if not names or names[0].upper() != FORM or len(set(names)) < len(names):
        raise FieldError(COLUMNS, f"must be {FORM} and the fields of spans: {', '.join(known)}.")
    return names


def _block(lines: Sequence[str], first: int, path: Path) -> Block:
    block = Block()
    for line, text in enumerate(lines, start=first):
        if match := _COMMENT.fullmatch(text):
            if block.rows:
                message = "is a comment after tokens; a blank line is missing before it."
                raise FileError(path.name, line, message)
            if match[1] in block.comments:
                raise FileError(path.name, line, f"is a second {match[1]} of the item.")
            block.comments[match[1]] = match[2].strip()
        elif not text.startswith(_DOCUMENT_START):
            block.rows.append(text.split("\t") if "\t" in text else text.split())
            block.lines.append(line)
    return block


def _entry(
    block: Block,
    columns: Sequence[str],
    definition: Definition,
    path: Path,
    *,
    number: int,
    tagging: Tagging,
) -> Entry:
    """Return the item of a block. Raise FieldError and FileError."""
    places = _places(block, columns, definition, path)
    tokens = [row[0] for row in block.rows]
    for token, line in zip(tokens, block.lines, strict=True):
        if not token or (name := separator_in(token)):
            what = f"contains {name}" if token else "is empty"
            raise FileError(path.name, line, f"the token {token[:40]!r} {what}.", field=FORM)
    parts = divided(tokens, block.comments, definition)
    entry = Entry(
        external_id=checked_id(block.comments.get("id") or f"{path.stem}:{number}"),
        line=block.lines[0],
        file=path.name,
        parts=parts,
        document=block.comments.get("document", ""),
    )
    answers: Json = {}
    for field_ in spans_fields(definition):
        if field_.key not in places:
            continue
        tags = [row[places[field_.key]] for row in block.rows]
        try:
            spans = tagging.spans(tags, labels_of(field_))
        except TagError as error:
            line = block.lines[error.at]
            raise FileError(path.name, line, str(error), field=field_.key) from None
        _check_text(spans, entry, field_, block, path)
        answers[field_.key] = with_attributes(spans, field_)
    return Entry(
        external_id=entry.external_id,
        line=entry.line,
        file=entry.file,
        parts=parts,
        document=entry.document,
        answers=answers,
    )


def _places(
    block: Block, columns: Sequence[str], definition: Definition, path: Path
) -> dict[str, int]:
    """Return the columns of the fields. Raise FileError for rows of other lengths."""
    width = len(columns) or len(block.rows[0])
    for row, line in zip(block.rows, block.lines, strict=True):
        if len(row) != width or width < 2:
            message = f"has {len(row)} columns, where {max(width, 2)} are expected."
            raise FileError(path.name, line, message)
    fields = spans_fields(definition)
    if columns:
        return {field.key: columns.index(field.key) for field in fields if field.key in columns}
    if len(fields) != 1:
        keys = " ".join(field.key for field in fields)
        message = (
            f"doesn't name its columns. Write “# {COLUMNS} = {FORM} {keys}” in the first line."
        )
        raise FileError(path.name, block.lines[0], message)
    return {fields[0].key: width - 1}


def divided(
    tokens: Sequence[str], comments: Mapping[str, str], definition: Definition
) -> tuple[TextPart, ...]:
    """Return the texts of an item from its comments `texts` and `text`. Raise FieldError."""
    text = comments.get("text", "")
    if text and not has_words(text, tokens):
        raise FieldError("text", "has other words than the tokens.")
    if len(definition.texts) == 1:
        key = definition.texts[0].key
        return parts_of(definition, {key: text}, tokens)
    keys = [text.key for text in definition.texts]
    lengths = [_TEXT_LENGTH.fullmatch(part) for part in comments.get("texts", "").split()]
    named = [match[1] for match in lengths if match]
    if named != keys or sum(int(match[2]) for match in lengths if match) != len(tokens):
        example = " ".join(f"{key}:N" for key in keys)
        message = f"must give the number of tokens of each text, as in “# texts = {example}”."
        raise FieldError("texts", message)
    parts, start = [], 0
    for key, match in zip(keys, lengths, strict=True):
        end = start + int(match[2]) if match else start
        parts.append(TextPart(key, tuple(tokens[start:end])))
        start = end
    return tuple(parts)


def _check_text(
    spans: Iterable[Json], entry: Entry, field_: SpansField, block: Block, path: Path
) -> None:
    part, start = entry.part_at(field_.text)
    for span in spans:
        if not start <= span["start"] < span["end"] <= start + len(part.tokens):
            line = block.lines[span["start"]]
            message = f"a span is outside the {field_.text}, to which the field belongs."
            raise FileError(path.name, line, message, field=field_.key)


def labels_of(field_: SpansField) -> dict[str, str]:
    return {label.key: label.key for label in field_.labels}


def with_attributes(spans: list[Json], field_: SpansField) -> list[Json]:
    """Return spans with empty attributes, if the field has any."""
    if not field_.attributes:
        return spans
    return [{**span, "attributes": span.get("attributes", {})} for span in spans]


def write(entries: Iterable[Entry], path: Path, definition: Definition, *, tagging: Tagging) -> int:
    """Write the spans of items, and return the number of items. Skipped items are left out."""
    fields = spans_fields(definition)
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if len(fields) > 1:
            file.write(f"# {COLUMNS} = {' '.join([FORM, *(field.key for field in fields)])}\n")
        for entry in entries:
            if entry.skipped:
                continue
            file.writelines(f"# {name} = {value}\n" for name, value in comments_of(entry))
            tags = [
                tagging.tags(
                    without_overlaps((entry.answers or {}).get(field.key, [])), len(entry.tokens)
                )
                for field in fields
            ]
            file.writelines("\t".join(row) + "\n" for row in zip(entry.tokens, *tags, strict=True))
            file.write("\n")
            count += 1
    return count


def comments_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an item's comments."""
    yield "id", entry.external_id
    if entry.document:
        yield "document", " ".join(entry.document.split())
    if len(entry.parts) > 1:
        yield "texts", " ".join(f"{part.key}:{len(part.tokens)}" for part in entry.parts)
    elif entry.text:
        yield "text", " ".join(entry.text.split())


def left_out(content: Json, definition: Definition) -> int:
    """Return how many units of content have no place in tags, or lose something there."""
    if content.get("skipped"):
        return 1
    count = 0
    for field_ in definition.fields:
        if field_.key not in content["answers"]:
            continue
        value = content["answers"][field_.key]
        if not isinstance(field_, SpansField):
            count += len(value) if field_.has_parts else 1
            continue
        kept = without_overlaps(value)
        count += len(value) - len(kept)
        count += sum(1 for span in kept if span.get("attributes"))
    return count
