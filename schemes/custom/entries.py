"""Items of files with their texts and answers. Readers yield them, and writers get them.

The sentence of an item has the tokens of all its texts, one text after another. Its text has the texts
joined by line feeds. Positions of spans are positions in the sentence.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemes.characters import separator_in
from schemes.contract.errors import FieldError
from schemes.contract.records import (
    ExportRow,
    GoldRecord,
    ItemRecord,
    SentenceRecord,
    Stated,
    StatedWords,
)
from schemes.contract.values import Json
from schemes.custom.definition import Definition, Field, QuestionsField, SpansField
from schemes.custom.items import in_order
from schemes.custom.tokenize import tokenize
from schemes.json_values import is_json
from schemes.original_text import Offset, align
from schemes.plain_text import MAX_PARAGRAPH
from schemes.stated import same_words, spelled

LOCAL_KEY = "0"
MAX_ID = 200
# Longer spans are refused before their positions are listed.
MAX_SPAN = 100_000


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text of an item. `text` is the text as it was written, or "" if only its tokens are known."""

    key: str
    tokens: tuple[str, ...]
    text: str = ""

    def written(self) -> tuple[str, list[Offset]]:
        """Return the text and the place of each token in it. Without a text, blanks are between them."""
        offsets = align(self.tokens, self.text) if self.text else None
        if offsets is not None:
            return self.text, offsets
        offsets, at = [], 0
        for token in self.tokens:
            offsets.append((at, at + len(token)))
            at += len(token) + 1
        return " ".join(self.tokens), offsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An item of a file.

    `parts` has its texts in the definition's order, or nothing if the file has none. `answers` is None
    if the file has no annotation of the item, and `skipped` is the reason of a skipped one. `words` are
    those that the file states beside positions. `states_tokens` is False if the tokens are not those of
    the file. `notes` counts what the reader left out.
    """

    external_id: str
    line: int = 0
    file: str = ""
    parts: tuple[TextPart, ...] = ()
    states_tokens: bool = True
    answers: Json | None = None
    skipped: str = ""
    image: str = ""
    image_size: tuple[int, int] | None = None
    document: str = ""
    position: int | None = None
    words: tuple[StatedWords, ...] = ()
    provenance: Sequence[Json] = ()
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(token for part in self.parts for token in part.tokens)

    @property
    def text(self) -> str:
        """Return the texts, or "" if none of them is known as it was written."""
        if not any(part.text for part in self.parts):
            return ""
        return "\n".join(part.written()[0] for part in self.parts)

    @property
    def has_annotation(self) -> bool:
        return self.answers is not None or bool(self.skipped)

    def ranges(self) -> dict[str, list[int]]:
        """Return the half-open range of each text in the tokens, or nothing for a single text."""
        ranges, start = {}, 0
        for part in self.parts:
            ranges[part.key] = [start, start + len(part.tokens)]
            start += len(part.tokens)
        return ranges if len(ranges) > 1 else {}

    def part_at(self, key: str) -> tuple[TextPart, int]:
        """Return a text and the position of its first token in the sentence. Raise KeyError."""
        start = 0
        for part in self.parts:
            if part.key == key:
                return part, start
            start += len(part.tokens)
        raise KeyError(key)

    def content(self) -> Json:
        if self.skipped:
            return {"skipped": self.skipped, "answers": {}}
        return {"answers": self.answers or {}}

    def sentence(self) -> SentenceRecord:
        ranges = self.ranges()
        metadata: Json = {
            **({"texts": ranges} if ranges else {}),
            **({"document": self.document} if self.document else {}),
            **({"position": self.position} if self.position else {}),
        }
        return SentenceRecord(
            external_id=self.external_id,
            tokens=self.tokens,
            line=self.line,
            metadata=metadata,
            image=self.image,
            image_size=self.image_size,
            text=self.text,
        )

    def item(self) -> ItemRecord:
        stated = Stated(
            tokens=self.tokens if self.states_tokens else (),
            text=self.text,
            words=self.words,
            image=self.image,
            image_size=self.image_size,
        )
        ranges = self.ranges()
        target: Json = {"texts": ranges} if ranges else {}
        return ItemRecord(
            self.external_id, LOCAL_KEY, target, line=self.line, file=self.file, stated=stated
        )

    def gold(self) -> GoldRecord:
        content = self.content()
        units = count_units(content)
        provenance = [dict(origin) for origin in self.provenance]
        return GoldRecord(
            item=self.item(),
            content=content,
            provenance=provenance if len(provenance) == units else [{} for _ in range(units)],
            line=self.line,
            is_blank=not self.has_annotation,
            notes=self.notes,
        )


def count_units(content: Json) -> int:
    """Return the number of parts and single values in the answers."""
    answers = content.get("answers") or {}
    return sum(_units_of(value) for value in answers.values())


def _units_of(value: Any) -> int:
    has_parts = isinstance(value, list) and all(isinstance(part, dict) for part in value)
    return len(value) if has_parts else 1


def entry_of(row: ExportRow, definition: Definition) -> Entry:
    """Return the entry of an exported row."""
    ranges = row.target.get("texts") or {definition.texts[0].key: [0, len(row.tokens)]}
    keys = in_order(ranges)
    parts = [
        TextPart(key, tuple(row.tokens[slice(*ranges[key])]), text)
        for key, text in zip(keys, _texts(row, [ranges[key] for key in keys]), strict=True)
    ]
    content = row.content
    return Entry(
        external_id=row.external_id,
        parts=tuple(parts),
        answers=None if content.get("skipped") else content.get("answers", {}),
        skipped=content.get("skipped", ""),
        image=row.image.name if row.image else "",
        image_size=(row.image.width, row.image.height) if row.image else None,
        document=row.document,
        position=row.metadata.get("position"),
        provenance=row.provenance,
    )


def _texts(row: ExportRow, ranges: Sequence[Sequence[int]]) -> list[str]:
    """Return the text of each range of tokens. The texts of an item are joined by line feeds."""
    if not row.text:
        return [""] * len(ranges)
    if not row.offsets and len(ranges) > 1:
        return [" ".join(row.tokens[start:end]) for start, end in ranges]
    texts, begin = [], 0
    for start, _ in ranges[1:]:
        last, first = row.offsets[start - 1][1], row.offsets[start][0]
        line_feed = row.text.find("\n", last, first)
        texts.append(row.text[begin : last if line_feed < 0 else line_feed])
        begin = first if line_feed < 0 else line_feed + 1
    return [*texts, row.text[begin:]]


def parts_of(
    definition: Definition, texts: Mapping[str, str], tokens: Sequence[str] = ()
) -> tuple[TextPart, ...]:
    """Return the texts of an item with their tokens, which are found if they are not given.

    Raise FieldError for a text without a word, and for tokens that are not those of the texts.
    """
    for token in tokens:
        if name := separator_in(token):
            raise FieldError("tokens", f"the token {token[:40]!r} contains {name}.")
    keys = [text.key for text in definition.texts]
    if tokens and not any(texts.get(key) for key in keys):
        if len(keys) > 1:
            message = f"are not divided among {', '.join(keys)}. Give the texts as well."
            raise FieldError("tokens", message)
        return (TextPart(keys[0], tuple(tokens)),)
    parts = []
    rest = list(tokens)
    for key in keys:
        text = texts.get(key, "").strip()
        if len(text) > MAX_PARAGRAPH:
            raise FieldError(key, f"has more than {MAX_PARAGRAPH:,} characters.")
        own = _own_tokens(text, rest) if tokens else tokenize(text)
        if own is None:
            raise FieldError("tokens", f"are not those of the {key}, “{_short(text)}”.")
        if not own:
            raise FieldError(key, "has no words.")
        rest = rest[len(own) :]
        parts.append(TextPart(key, tuple(own), text))
    if rest:
        raise FieldError("tokens", f"go on after the last text with “{_short(' '.join(rest))}”.")
    return tuple(parts)


def _own_tokens(text: str, tokens: Sequence[str]) -> list[str] | None:
    """Return the first tokens, which are those of the text, or None if they aren't."""
    for letters in (_visible, spelled):
        own = _first_tokens(text, tokens, letters)
        if has_words(text, own):
            return own
    return None


def has_words(text: str, tokens: Sequence[str]) -> bool:
    """Return True if the tokens are those of the text, which may have more invisible characters.

    Treebanks write quotes and brackets in other ways.
    """
    return _visible(text) == _visible("".join(tokens)) or same_words(text, tokens)


def _first_tokens(text: str, tokens: Sequence[str], letters: Callable[[str], str]) -> list[str]:
    """Return the first tokens, which have as many letters as the text."""
    length, at = len(letters(text)), 0
    while at < len(tokens) and (length > 0 or not letters(tokens[at])):
        length -= len(letters(tokens[at]))
        at += 1
    return list(tokens[:at])


def _visible(text: str) -> str:
    """Return the text without blanks and characters that aren't shown, such as soft hyphens."""
    return "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Cf")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def checked_id(value: Any, name: str = "id") -> str:
    """Return an id of an item. Raise FieldError."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not 0 < len(value.strip()) <= MAX_ID:
        raise FieldError(name, f"must be a text of 1 to {MAX_ID} characters.")
    return checked_name(value.strip(), name)


def checked_name(text: str, name: str) -> str:
    """Return the name of an item, document or image. Raise FieldError for answers in its place."""
    if is_json(text):
        raise FieldError(name, "is a value in JSON, as answers are. Are the columns swapped?")
    return text


def without_words(field: Field, value: Any) -> tuple[Any, list[StatedWords]]:
    """Return the parts of a field as in content, and the words that the file states beside them.

    Raise FieldError.
    """
    if not isinstance(field, SpansField | QuestionsField) or not isinstance(value, list):
        return value, []
    plain: list[Any] = []
    words: list[StatedWords] = []
    for at, part in enumerate(value):
        path = f"answers.{field.key}.{at}"
        if not isinstance(part, dict) or "words" not in part:
            plain.append(part)
            continue
        plain.append({name: member for name, member in part.items() if name != "words"})
        if isinstance(field, SpansField):
            words.append(stated_words(path, [part.get("start"), part.get("end")], part["words"]))
            continue
        answers, said = part.get("answers"), part["words"]
        if not isinstance(answers, list) or not isinstance(said, list) or len(said) != len(answers):
            raise FieldError(f"{path}.words", "must be a list with the words of each answer.")
        words += [
            stated_words(f"{path}.answers.{number}", span, text)
            for number, (span, text) in enumerate(zip(answers, said, strict=True))
        ]
    return plain, words


def stated_words(path: str, span: Any, words: Any) -> StatedWords:
    """Return the words that a file states for a half-open range. Raise FieldError."""
    match span:
        case [int(start), int(end)] if 0 <= start < end <= start + MAX_SPAN:
            if not isinstance(words, str) or not words.strip():
                raise FieldError(path, "has words that are not a text.")
            return StatedWords(path, tuple(range(start, end)), words)
    raise FieldError(path, "must be a range of tokens, from its first to after its last one.")


def with_words(field: Field, value: Any, entry: Entry) -> Any:
    """Return the parts of a field with the words at their positions."""
    if isinstance(field, SpansField):
        return [
            {**span, "words": words_at(entry, field.text, span["start"], span["end"])}
            for span in value
        ]
    if isinstance(field, QuestionsField):
        return [
            {
                **question,
                "words": [words_at(entry, field.text, *span) for span in question["answers"]],
            }
            for question in value
        ]
    return value


def words_at(entry: Entry, key: str, start: int, end: int) -> str:
    """Return the words of a range of the sentence as they were written."""
    part, first = entry.part_at(key)
    text, offsets = part.written()
    return " ".join(text[offsets[start - first][0] : offsets[end - 1 - first][1]].split())


def range_of(offsets: Sequence[Offset], text: str, start: int, end: int) -> tuple[int, int]:
    """Return the half-open range of the tokens at a range of characters.

    Blanks at its ends don't count. Raise ValueError if it isn't in the text, has no word, or begins or
    ends inside a token.
    """
    if not 0 <= start < end <= len(text):
        raise ValueError(f"{start} to {end} is not in the text of {len(text)} characters.")
    shown = text[start:end]
    start += len(shown) - len(shown.lstrip())
    end -= len(shown) - len(shown.rstrip())
    starts = {offset[0]: at for at, offset in reversed(list(enumerate(offsets)))}
    ends = {offset[1]: at for at, offset in enumerate(offsets)}
    first, last = starts.get(start), ends.get(end)
    if first is None or last is None or last < first:
        raise ValueError(f"{start} to {end}, “{_short(shown)}”, begins or ends inside a word.")
    return first, last + 1


def fields_of(definition: Definition, answers: Json) -> Iterator[tuple[Field, Any]]:
    """Yield the answered fields in the definition's order."""
    for field_ in definition.fields:
        if field_.key in answers:
            yield field_, answers[field_.key]
