"""Sentences from tables with any columns, a sentence per row.

The columns are `id`, `text` or `tokens`, and optionally `document` and `position`. The text
of a row is one unit of annotation, whatever its number of sentences. Other columns are not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.records import SentenceRecord
from schemes.contract.values import Json
from schemes.layouts import Column, Layout, LayoutKind
from schemes.plain_text import MAX_PARAGRAPH, sentences
from schemes.stated import spelled
from schemes.tables import Table

TABLE = "table"
TEXT = Column(
    "text",
    names=("sentence", "body", "content", "caption", "utterance", "review", "comment", "tweet"),
    pattern=r".*\w\s+\w+\s+\w.*",
    description="The sentence as it is written. It is tokenised.",
)
TOKENS = Column(
    "tokens",
    is_required=False,
    names=("words", "tokenized", "tokenised", "tokenized_text"),
    instead_of="text",
    description="The tokens, separated by blanks. Used instead of the text.",
)
ID = Column(
    "id",
    is_required=False,
    names=("qasrl_id", "sentence_id", "sent_id", "doc_id", "text_id", "key", "uid", "index", "no"),
    description="A unique id. Without it, rows are numbered as FILE:LINE.",
)
DOCUMENT = Column(
    "document",
    is_required=False,
    names=("doc", "document_id", "article", "article_id", "source_document"),
    description="The document that the sentence is from.",
)
POSITION = Column(
    "position",
    is_required=False,
    names=("sentence_number", "sentence_no", "sent_no", "sentence_index", "sent_index", "order"),
    description="The place in the document, a whole number. Without it, the order of the rows counts.",
)
IMAGE = Column(
    "image",
    names=("file_name", "filename", "image_name", "picture", "photo", "img"),
    pattern=r"\S+\.(?:jpe?g|png|webp)",
    description="The file name of the image that the sentence describes.",
)
LAYOUT = Layout(LayoutKind.TABLE, columns=(TEXT, TOKENS, ID, DOCUMENT, POSITION))
_POSITION = re.compile(r"[0-9]{1,15}")
IMAGE_LAYOUT = Layout(LayoutKind.TABLE, columns=(TEXT, TOKENS, IMAGE, ID, DOCUMENT, POSITION))


def read_table(
    path: Path, *, on_error: ErrorSink, layout: Layout = LAYOUT
) -> Iterator[SentenceRecord]:
    """Yield the sentences of a table. Bad rows go to `on_error` and are skipped. Raise FileError."""
    names = [column.name for column in layout.columns]
    required = [name for name in layout.required if name != TEXT.name]
    with Table(path, required=required, optional=names, on_error=on_error) as table:
        if not table.columns.keys() & {TEXT.name, TOKENS.name}:
            header = ", ".join(table.names)[:200]
            message = (
                f"the column is missing; the header has: {header}. Name the column of the text with "
                "`columns`, as in text=NAME."
            )
            raise FileError(path.name, 1, message, field=TEXT.name)
        row = _Row(table.columns, path.stem)
        for line, fields in rows_of(table, path):
            try:
                yield row.sentence(line, fields)
            except FieldError as error:
                on_error(error.at(path, line))


def rows_of(table: Table, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table. Raise FileError if it has none, as a file that was cut off."""
    is_empty = True
    for row in table:
        is_empty = False
        yield row
    if is_empty:
        raise FileError(path.name, None, "has no row after its header that can be read.")


def check_columns(text: str, tokens: Sequence[str], others: Mapping[str, str]) -> None:
    """Raise FieldError if the text of a row seems to be in another column, or to be its tokens.

    The table has columns of texts and of tokens, and `others` by their names. One of the two may be
    empty in the row.
    """
    if text and tokens:
        if _is_divided(text, tokens):
            message = "are written as a text, and the text as tokens. Are the columns swapped?"
            raise FieldError("tokens", message)
        return
    letters = spelled(text or "".join(tokens))
    for name, value in others.items():
        # A heading may have the name of its document as its text.
        if letters and value != text and spelled(value) == letters:
            empty, full = ("tokens", "text") if text else ("text", "tokens")
            message = f"is empty, but {name} has the words of {full}. Are the columns swapped?"
            raise FieldError(empty, message)


def _is_divided(text: str, tokens: Sequence[str]) -> bool:
    """Return True if blanks of the text divide tokens into words and punctuation.

    Blanks may also be within words, as in numbers.
    """
    parts = filter(None, map(spelled, text.split(" ")))
    is_divided = False
    for token in map(spelled, tokens):
        own = [next(parts, "")]
        while len("".join(own)) < len(token) and (part := next(parts, "")):
            own.append(part)
        if "".join(own) != token:
            return False
        is_divided |= len(own) > 1 and not all(any(map(str.isalnum, part)) for part in own)
    return is_divided


class _Row:
    """The columns' positions, and sentences of rows."""

    def __init__(self, columns: dict[str, int], stem: str) -> None:
        self._columns = columns
        self._stem = stem

    def sentence(self, line: int, fields: Sequence[str]) -> SentenceRecord:
        """Return the sentence of a row. Raise FieldError."""
        text = self._value("text", fields)
        tokens = self._tokens(text, fields)
        if self._columns.keys() >= {"text", "tokens"}:
            others = {name: self._value(name, fields) for name in ("document", "image")}
            check_columns(text, tokens, others)
        image = self._value("image", fields)
        if "image" in self._columns and not image:
            raise FieldError("image", "is empty.")
        return SentenceRecord(
            external_id=self._id(line, fields),
            tokens=tokens,
            line=line,
            metadata=self._metadata(image, fields),
            image=image,
            text=text,
        )

    def _value(self, name: str, fields: Sequence[str]) -> str:
        at = self._columns.get(name)
        return "" if at is None else fields[at].strip()

    def _id(self, line: int, fields: Sequence[str]) -> str:
        if "id" not in self._columns:
            return f"{self._stem}:{line}"
        if not (external_id := self._value("id", fields)):
            raise FieldError("id", "is empty.")
        return external_id

    def _tokens(self, text: str, fields: Sequence[str]) -> tuple[str, ...]:
        if "tokens" in self._columns:
            # At plain blanks only, because a token may contain a no-break space.
            tokens = tuple(filter(None, self._value("tokens", fields).split(" ")))
        elif len(text) > MAX_PARAGRAPH:
            raise FieldError("text", f"has more than {MAX_PARAGRAPH:,} characters.")
        else:
            tokens = tuple(chain.from_iterable(sentences(text)))
        if not tokens:
            raise FieldError("tokens" if "tokens" in self._columns else "text", "has no words.")
        return tokens

    def _metadata(self, image: str, fields: Sequence[str]) -> Json:
        document = self._value("document", fields) or (image and Path(image).stem)
        position = self._value("position", fields)
        if position and not _POSITION.fullmatch(position):
            message = f"{position[:40]!r} is not a whole number of at most 15 digits."
            raise FieldError("position", message)
        return {
            **({"document": document} if document else {}),
            **({"position": int(position)} if position else {}),
        }
