"""Sentences in JSON Lines, one JSON object per line, and the fields of such objects."""

import gzip
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from schemes.contract.errors import ContentError, ErrorSink, FieldError, FileError
from schemes.contract.values import Json, Tokens
from schemes.english.forms import VerbForms, forms_from_names
from schemes.english.lemmas import is_lemma_of
from schemes.json_values import UNSTORABLE, json_object
from schemes.stated import shown

# A sentence with all its questions needs about 20 kB.
MAX_LINE_BYTES = 8 << 20
MAX_EMPTY_LINES = 100_000
# JSON rarely shrinks to less than a twentieth.
MAX_RATIO = 100
# The size to which any file may unpack.
MIN_UNPACKED_BYTES = 64 << 20
_GZIP = b"\x1f\x8b"


def json_lines(path: Path, on_error: ErrorSink) -> Iterator[tuple[int, Json]]:
    """Yield `(line number, object)` of a file, which may be compressed with gzip.

    Lines that are not objects go to `on_error` and are skipped. Raises FileError if the file is empty,
    unreadable or damaged, has a line longer than 8 MiB or too many empty lines, or unpacks to much more
    than its size.
    """
    line = empty = unpacked = 0
    try:
        most = max(MIN_UNPACKED_BYTES, MAX_RATIO * path.stat().st_size)
        with _opened(path) as file:
            for raw in iter(partial(file.readline, MAX_LINE_BYTES + 1), b""):
                line += 1
                if len(raw) > MAX_LINE_BYTES:
                    raise FileError(path.name, line, "is longer than 8 MiB; is this the file?")
                unpacked += len(raw)
                if unpacked > most:
                    raise FileError(path.name, line, f"unpacks to more than {most >> 20:,} MiB.")
                if not raw.strip():
                    empty += 1
                    if empty > MAX_EMPTY_LINES:
                        message = f"is the last of more than {MAX_EMPTY_LINES:,} empty lines."
                        raise FileError(path.name, line, message)
                    continue
                try:
                    yield line, json_object(raw)
                except FieldError as bad:
                    on_error(bad.at(path, line))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"ends in the middle or is damaged ({error}); fetch the file again."
        raise FileError(path.name, line + 1, message) from error
    except OSError as error:
        raise FileError(path.name, None, f"cannot be read ({error.strerror}).") from error
    if not line:
        raise FileError(path.name, None, "is empty; expected one sentence per line.")


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def text_field(entry: Json, field: str) -> str:
    value = entry.get(field)
    if not isinstance(value, str) or not value.strip() or not _is_clean(value):
        raise FieldError(field, "must be a text.")
    return value


def _is_clean(text: str) -> bool:
    return UNSTORABLE.search(text) is None


def tokens_field(entry: Json, field: str = "sentenceTokens") -> tuple[str, ...]:
    value = entry.get(field)
    if not isinstance(value, list) or not value:
        raise FieldError(field, "must be a list of tokens.")
    for token in value:
        if not isinstance(token, str) or not token or " " in token or not _is_clean(token):
            raise FieldError(field, "contains an invalid token.")
    return tuple(value)


def mapping_field(entry: Json, field: str) -> Json:
    value = entry.get(field)
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        raise FieldError(field, "must be a map of objects.")
    return value


def position_field(entry: Json, field: str) -> int:
    value = entry.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FieldError(field, "must be a position.")
    return value


def verb_forms_field(verb: Json) -> VerbForms:
    names = verb.get("verbInflectedForms")
    if not isinstance(names, dict):
        raise FieldError("verbInflectedForms", "must be a map.")
    try:
        return forms_from_names(names)
    except ContentError as error:
        raise FieldError("verbInflectedForms", str(error)) from error


def check_verb(at: int, forms: VerbForms, tokens: Tokens) -> None:
    """Raise FieldError if the token is not a form of the verb."""
    word, spellings = tokens[at].lower(), forms.by_name().values()
    if word not in spellings and not any(is_lemma_of(form, word) for form in spellings):
        message = f"{at} is “{shown([tokens[at]])}”, not a form of “{forms.stem}”."
        raise FieldError("verbIndex", message)


def list_field(entry: Json, field: str) -> list[Any]:
    value = entry.get(field)
    if not isinstance(value, list):
        raise FieldError(field, "must be a list.")
    return value


def span_field(span: object, length: int) -> tuple[int, int]:
    """Return a half-open range of the tokens of a sentence of this length."""
    if (
        isinstance(span, list)
        and len(span) == 2
        and all(type(end) is int for end in span)
        and 0 <= span[0] < span[1] <= length
    ):
        return span[0], span[1]
    raise FieldError("spans", f"{str(span)[:40]} is not a span of the sentence.")
