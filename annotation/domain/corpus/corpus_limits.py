"""Limits of a corpus's sentences, which bound the time and space of an import."""

import json
from collections.abc import Callable, Iterable, Iterator

from schemes.characters import separator_in
from schemes.contract.errors import FileError
from schemes.contract.records import SentenceRecord
from schemes.json_values import is_json

MAX_ID = 200
MAX_KEY = 240
MAX_DOCUMENT = 200
MAX_TOKEN = 200
MAX_TOKENS = 2000
MAX_METADATA = 1 << 20
MAX_TEXT = 500_000
# Bad rows of an import. More of them mean another format.
MAX_BAD_ROWS = 100_000


def within_limits(
    records: Iterable[SentenceRecord], *, file: str, on_error: Callable[[FileError], None]
) -> Iterator[SentenceRecord]:
    """Yield the sentences that can be stored. The others go to `on_error`."""
    for record in records:
        if problem := _problem(record):
            on_error(FileError(file, record.line, problem))
        else:
            yield record


def _problem(record: SentenceRecord) -> str:
    """Return what a sentence exceeds, or an empty string."""
    return (
        _size_problem(record)
        or _token_problem(record)
        or _metadata_problem(record)
        or _document_problem(record)
    )


def _size_problem(record: SentenceRecord) -> str:
    if len(record.external_id) > MAX_ID:
        return f"has an id of more than {MAX_ID} characters. Sentence left out."
    if len(record.tokens) > MAX_TOKENS:
        return f"has more than {MAX_TOKENS:,} tokens. Sentence left out."
    if max(map(len, record.tokens), default=0) > MAX_TOKEN:
        return f"has a token of more than {MAX_TOKEN} characters. Sentence left out."
    if len(record.text) > MAX_TEXT:
        return f"has a text of more than {MAX_TEXT:,} characters. Sentence left out."
    return ""


def _is_text(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _token_problem(record: SentenceRecord) -> str:
    """Return the token that can't be stored. Searching the joined text first is faster."""
    joined = "".join(record.tokens)
    if not _is_text(joined) or not _is_text(record.external_id):
        return "contains a NUL character or half of a character. Sentence left out."
    if not separator_in(joined):
        return ""
    token = next(token for token in record.tokens if separator_in(token))
    return f"has a token with {separator_in(token)}: {token[:40]!r}. Sentence left out."


def _metadata_problem(record: SentenceRecord) -> str:
    if not record.metadata:
        return ""
    try:
        text = json.dumps(record.metadata, ensure_ascii=False, allow_nan=False)
        size = len(text.encode())
    except ValueError:  # includes UnicodeEncodeError
        return "has a number that is not finite or half of a character. Sentence left out."
    if size > MAX_METADATA:
        return (
            f"has more than {MAX_METADATA >> 20} MiB of data besides its tokens. Sentence left out."
        )
    if "\\u0000" in text:
        return "contains a NUL character. Sentence left out."
    return ""


def _document_problem(record: SentenceRecord) -> str:
    """Say whether the name of the document is one. Swapped columns put other values there."""
    document = str(record.metadata.get("document", ""))
    if len(document) > MAX_DOCUMENT:
        problem = f"more than {MAX_DOCUMENT} characters"
    elif is_json(document):
        problem = "a value in JSON"
    else:
        return ""
    return f"has {problem} as the name of its document. Check the columns. Sentence left out."
