"""Items in JSON Lines, which hold everything.

    {"id": "a:1", "texts": {"text": "Ada met Grace."}, "tokens": ["Ada", "met", "Grace", "."],
     "answers": {"people": [{"start": 0, "end": 1, "label": "PER", "words": "Ada"}]}}

With a single text, `text` may stand for `texts`. `tokens`, `image`, `image_size`, `document`, `position`,
`skipped` and `provenance` are optional. Tokens are those of all texts. `words` of spans and of questions
are compared with the words at their positions.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from schemes.contract.errors import ErrorSink, FieldError
from schemes.contract.records import StatedWords
from schemes.contract.values import Json
from schemes.custom.definition import Definition
from schemes.custom.entries import (
    Entry,
    TextPart,
    checked_id,
    fields_of,
    parts_of,
    with_words,
    without_words,
)
from schemes.json_values import json_object
from schemes.text_lines import numbered_lines

MAX_POSITION = 10**15
_OPTIONS = orjson.OPT_APPEND_NEWLINE


def read(path: Path, definition: Definition, on_error: ErrorSink) -> Iterator[Entry]:
    """Yield the items of a file. Bad lines go to `on_error` and are skipped. Raise FileError."""
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            yield _entry(json_object(text), definition, line, path)
        except FieldError as error:
            on_error(error.at(path, line))


def write(entries: Iterable[Entry], path: Path, definition: Definition) -> int:
    """Write items, and return their number."""
    count = 0
    with path.open("wb") as file:
        for entry in entries:
            file.write(orjson.dumps(_line(entry, definition), option=_OPTIONS))
            count += 1
    return count


def _line(entry: Entry, definition: Definition) -> Json:
    texts = {part.key: part.text for part in entry.parts if part.text}
    facts: Json = {
        "texts": texts,
        "tokens": entry.tokens,
        "image": entry.image,
        "image_size": entry.image_size,
        "document": entry.document,
        "position": entry.position,
        "skipped": entry.skipped,
    }
    answers = {
        field.key: with_words(field, value, entry)
        for field, value in fields_of(definition, entry.answers or {})
    }
    provenance = {"provenance": entry.provenance} if any(entry.provenance) else {}
    return {
        "id": entry.external_id,
        **{name: value for name, value in facts.items() if value},
        "answers": answers,
        **provenance,
    }


def _entry(value: Json, definition: Definition, line: int, path: Path) -> Entry:
    external_id = checked_id(value.get("id", f"{path.stem}:{line}"))
    answers, words = _answers(value.get("answers"), definition)
    skipped = _text(value, "skipped")
    if skipped and answers:
        raise FieldError("skipped", "is given together with answers. Leave one of them out.")
    provenance = value.get("provenance", [])
    if not isinstance(provenance, list) or not all(isinstance(part, dict) for part in provenance):
        raise FieldError("provenance", "must be a list of objects.")
    return Entry(
        external_id=external_id,
        line=line,
        file=path.name,
        parts=_parts(value, definition),
        states_tokens=bool(value.get("tokens")),
        answers=None if skipped else answers,
        skipped=skipped,
        image=_text(value, "image"),
        image_size=_size(value.get("image_size")),
        document=_text(value, "document"),
        position=_position(value.get("position")),
        words=tuple(words),
        provenance=provenance,
    )


def _answers(value: Any, definition: Definition) -> tuple[Json | None, list[StatedWords]]:
    if value is None:
        return None, []
    if not isinstance(value, dict):
        raise FieldError("answers", "must be an object with the answers by field.")
    known = {field.key: field for field in definition.fields}
    answers: Json = {}
    words: list[StatedWords] = []
    for key, answer in value.items():
        if key not in known:
            message = f"is not a field of the definition, which has: {', '.join(known)}."
            raise FieldError(f"answers.{key[:40]}", message)
        answers[key], said = without_words(known[key], answer)
        words += said
    return answers, words


def _parts(value: Json, definition: Definition) -> tuple[TextPart, ...]:
    keys = [text.key for text in definition.texts]
    texts = value.get("texts")
    if len(keys) == 1 and "text" in value:
        if texts:
            raise FieldError("text", "is given together with texts. Leave one of them out.")
        texts = {keys[0]: value["text"]}
    tokens = value.get("tokens", [])
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise FieldError("tokens", "must be a list of texts.")
    if texts is None and not tokens:
        return ()
    texts = {} if texts is None else texts
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise FieldError("texts", f"must be an object with the texts {', '.join(keys)}.")
    if unknown := texts.keys() - set(keys):
        name = min(unknown)[:40]
        message = f"is not a text of the definition, which has: {', '.join(keys)}."
        raise FieldError(f"texts.{name}", message)
    return parts_of(definition, texts, tokens)


def _text(value: Json, name: str) -> str:
    text = value.get(name) or ""
    if not isinstance(text, str):
        raise FieldError(name, "must be a text.")
    return text.strip()


def _size(value: Any) -> tuple[int, int] | None:
    match value:
        case None:
            return None
        case [int(width), int(height)] if width > 0 and height > 0:
            return width, height
    raise FieldError("image_size", "must be [width, height] in whole pixels.")


def _position(value: Any) -> int | None:
    if value is None or (type(value) is int and 0 <= value < MAX_POSITION):
        return value
    raise FieldError("position", "must be a whole number of at most 15 digits.")
