"""Sentences from CoNLL-U files (Universal Dependencies)."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from schemes.base import ErrorSink, FileError, Json, SentenceRecord
from schemes.original_text import Offset, align_words
from schemes.text_lines import numbered_blocks


class _BlockError(ValueError):
    pass


Word = dict[str, Any]


def read_conllu(
    path: Path, *, on_error: ErrorSink, metadata: Callable[[Sequence[Word]], Json]
) -> Iterator[SentenceRecord]:
    """Yield the sentences of a file. The tokens are the syntactic words.

    `metadata` returns that of a sentence from its words, which have the columns of the format in
    lower case, such as `upos`. The id is `sent_id`, else a comment of one word, else
    `<file>:<number of the sentence>`. Invalid blocks go to `on_error` and are skipped. Raises
    FileError if the file is not text or has no sentence.
    """
    count, seen = 0, set()
    for number, (line, block) in enumerate(numbered_blocks(path), start=1):
        try:
            sentence = _sentence(block, f"{path.stem}:{number}", line, metadata)
            if sentence.external_id in seen:
                raise _BlockError(f"sent_id {sentence.external_id[:60]!r} is repeated.")
        except _BlockError as error:
            on_error(FileError(path.name, line, f"{error} Sentence left out."))
            continue
        seen.add(sentence.external_id)
        count += 1
        yield sentence
    if not count:
        raise FileError(path.name, None, "contains no sentence in CoNLL-U.")


def _sentence(
    block: Sequence[str], name: str, line: int, metadata: Callable[[Sequence[Word]], Json]
) -> SentenceRecord:
    parse, errors = _conllu()
    try:
        parsed = parse("\n".join(block) + "\n\n")
    except (errors, ValueError, IndexError, KeyError) as error:
        raise _BlockError(f"is not CoNLL-U ({str(error).strip()[:120]}).") from error
    if len(parsed) != 1:
        raise _BlockError("contains no word.")
    # Words have a number as id. Ranges (2-3) and empty nodes (2.1) have a tuple.
    words = [token for token in parsed[0] if isinstance(token.get("id"), int)]
    if not words:
        raise _BlockError("contains no word.")
    tokens = tuple("\u00a0".join(str(word.get("form") or "_").split()) for word in words)
    if not all(tokens):
        raise _BlockError("has a word without a form.")
    external_id = str(parsed[0].metadata.get("sent_id") or _comment_id(block) or name)
    text, offsets = _text_of(parsed[0])
    known = offsets if len(offsets) == len(tokens) else ()
    return SentenceRecord(external_id, tokens, line, metadata(words), text=text, offsets=known)


def _text_of(sentence: Any) -> tuple[str, tuple[Offset, ...]]:
    """Return the sentence as it was written, with the offsets of its words if they are known.

    The text is the comment `text`, else it follows from words without a blank after them.
    """
    surfaces = list(_surfaces(sentence))
    text = str(sentence.metadata.get("text") or "").strip()
    if not text and any(not blank or len(words) > 1 for _, words, blank in surfaces):
        text = "".join(form + " " * blank for form, _, blank in surfaces).strip()
    offsets = align_words([(form, words) for form, words, _ in surfaces], text) if text else None
    return text, tuple(offsets or ())


def _surfaces(sentence: Any) -> Iterator[tuple[str, Sequence[str], bool]]:
    """Yield the form of each written word, its words, and whether a blank follows it.

    Written words of several words are ranges, such as 2-3.
    """
    forms = {word["id"]: str(word.get("form") or "_") for word in sentence}
    end = 0
    for token in sentence:
        number, form = token["id"], forms[token["id"]]
        blank = (token.get("misc") or {}).get("SpaceAfter") != "No"
        if isinstance(number, tuple) and number[1] == "-":
            numbers = range(number[0], min(number[2], len(forms)) + 1)
            yield form, [forms[word] for word in numbers if word in forms], blank
            end = number[2]
        elif isinstance(number, int) and number > end:
            yield form, [form], blank


def _comment_id(block: Sequence[str]) -> str:
    """Return the id in a first line such as `#20671029`, or ""."""
    word = block[0].removeprefix("#").strip()
    return word if block[0].startswith("#") and word and len(word.split()) == 1 else ""


@cache
def _conllu() -> Any:
    """Import the parser on first use, because most commands do not need it."""
    from conllu import parse  # noqa: PLC0415 - see above
    from conllu.exceptions import ParseException  # noqa: PLC0415 - see above

    return parse, ParseException
