"""Sentences from files in CoNLL-U and CoNLL-U Plus (Universal Dependencies), and in CoNLL-X.

A word line has ten columns separated by tabs. A file with other columns names them in its first
line, `# global.columns = ID FORM ...`, or has only the first ones in all lines. See
https://universaldependencies.org/format.html.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NoReturn

from schemes.conllu_ids import IdError, IdSequence
from schemes.conllu_text import WrittenWords
from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.records import SentenceRecord
from schemes.contract.values import Json
from schemes.text_lines import numbered_blocks, numbered_lines

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
# Columns whose values may contain blanks.
_TEXTS = frozenset({"form", "lemma", "misc"})
_COMMENT = re.compile(r"#\s*([^\s=]+)\s*=\s*(.*)")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_GLOBAL_COLUMNS = "global.columns"
# Comments that may stand alone, as marks of a new document or paragraph.
_MARKS = ("newdoc", "newpar")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_BLANKS = re.compile(" {2,}")
_EMPTY = "_"
_FIRST_LINES = 100
# Characters in a form that would break lines elsewhere, or can't be displayed.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Word = dict[str, Any]


class _RowError(ValueError):
    """An invalid line. `row` counts from 0 in its block."""

    def __init__(self, row: int, message: str) -> None:
        super().__init__(message)
        self.row = row


@dataclass(slots=True)
class _Layout:
    """The names of a file's columns."""

    names: tuple[str, ...]

    def declare(self, value: str, row: int) -> None:
        names = tuple(value.lower().split())
        if "id" not in names or "form" not in names or len(set(names)) < len(names):
            message = f"{_GLOBAL_COLUMNS} must name ID, FORM and other columns, each once."
            raise _RowError(row, message)
        self.names = names

    def word(self, line: str, row: int) -> Word:
        values = _values(line)
        if len(values) != len(self.names):
            expected = f"{len(self.names)} are expected, separated by tabs"
            raise _RowError(row, f"is not CoNLL-U: it has {_columns(len(values))}, and {expected}.")
        return dict(zip(self.names, values, strict=True))


@dataclass(slots=True)
class _Block:
    """The comments and words of a sentence."""

    comments: dict[str, str] = field(default_factory=dict)
    comment_id: str = ""
    is_mark: bool = True
    words: list[Word] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    written: WrittenWords = field(default_factory=WrittenWords)


def read_conllu(
    path: Path, *, on_error: ErrorSink, metadata: Callable[[Sequence[Word]], Json]
) -> Iterator[SentenceRecord]:
    """Yield the sentences of a file. The tokens are the syntactic words.

    `metadata` returns that of a sentence from its words, which have the columns of the file in lower
    case, such as `upos`. Columns with `_` are None, except form and lemma. The id is `sent_id`, else a
    comment of one word, else `<file>:<number of the block>`. The document is that of the last `newdoc`,
    and is named like such an id if the mark has none. Invalid blocks go to `on_error` and are
    skipped. Raises FileError if the file is not text or has no sentence.
    """
    count, seen, layout, document = 0, set(), _usual_layout(path), ""
    for number, (line, lines) in enumerate(numbered_blocks(path), start=1):
        name = f"{path.stem}:{number}"
        if mark := _new_document(lines):
            document = (mark[1] or "").strip() or name
        try:
            block = _parsed(lines, layout)
            if block.is_mark and not block.words:
                continue
            sentence = _sentence(block, name, line, metadata)
            if sentence.external_id in seen:
                raise _RowError(0, f"sent_id {sentence.external_id[:60]!r} is repeated.")
        except _RowError as error:
            message = f"{error} Sentence left out."
            on_error(FileError(path.name, line + error.row, message))
            continue
        seen.add(sentence.external_id)
        count += 1
        if document:
            sentence.metadata["document"] = document
        yield sentence
    if not count:
        raise FileError(path.name, None, "contains no sentence in CoNLL-U.")


def _new_document(lines: Sequence[str]) -> re.Match[str] | None:
    """Return the match of the block's `newdoc`, or None."""
    comments = takewhile(lambda line: line.startswith("#"), lines)
    return next((mark for line in comments if (mark := _NEW_DOCUMENT.fullmatch(line))), None)


def _usual_layout(path: Path) -> _Layout:
    """Return the columns that most of the first lines have, so that a line cut off is noticed."""
    lines = (
        line for _, line in numbered_lines(path) if line.strip(" \t") and not line.startswith("#")
    )
    counts = Counter(len(_values(line)) for line in islice(lines, _FIRST_LINES))
    usual = max(counts, key=lambda columns: (counts[columns], columns), default=len(COLUMNS))
    return _Layout(COLUMNS[:usual] if usual > 1 else COLUMNS)


def _values(line: str) -> list[str]:
    """Return the columns of a line. Blanks separate them only if it has no tab."""
    values = line.split("\t") if "\t" in line else _BLANKS.split(line)
    return values if len(values) > 1 else line.split(" ")


def _parsed(lines: Sequence[str], layout: _Layout) -> _Block:
    block, ids = _Block(), IdSequence()
    for row, line in enumerate(lines):
        if line.startswith("#"):
            _add_comment(block, line, row, layout)
            continue
        word = layout.word(line, row)
        try:
            number = ids.add(word["id"])
        except IdError as error:
            _fail(row, str(error))
        _add_written(block, word, number)
        if number:
            word["id"] = number
            block.words.append(word)
            block.rows.append(row)
    try:
        ids.end()
    except IdError as error:
        _fail(len(lines) - 1, str(error))
    return block


def _add_written(block: _Block, word: Word, number: int) -> None:
    """Add a word or a multiword token to the written text. Empty nodes are not written."""
    form, misc = word["form"].strip(" "), word.get("misc")
    first, dash, last = word["id"].partition("-")
    if number:
        block.written.add_word(form, misc)
    elif dash:
        block.written.add_token(form, misc, words=int(last) - int(first) + 1)


def _add_comment(block: _Block, line: str, row: int, layout: _Layout) -> None:
    if block.words:
        _fail(row, "is a comment after words; a blank line is missing before it.")
    match = _COMMENT.fullmatch(line)
    name = match[1] if match else line[1:].strip()
    if match and name == _GLOBAL_COLUMNS:
        layout.declare(match[2], row)
        return
    if match and name in ("sent_id", "text"):
        if name in block.comments:
            _fail(row, f"is a second {name} of the sentence; is a blank line missing?")
        block.comments[name] = match[2].strip()
        if name == "sent_id" and len(block.comments[name].split()) > 1:
            _fail(row, "has a sent_id with a blank; are two lines joined?")
    if name in ("sent_id", "text"):
        block.is_mark = False
    elif row == 0 and not match and name not in _MARKS and len(name.split()) == 1:
        block.comment_id = name


def _sentence(
    block: _Block, name: str, line: int, metadata: Callable[[Sequence[Word]], Json]
) -> SentenceRecord:
    if not block.words:
        _fail(0, "contains no word.")
    tokens = tuple(map(_token, block.words, block.rows))
    for word, row in zip(block.words, block.rows, strict=True):
        _clean(word, row)
    if "head" in block.words[0]:
        _check_heads(block)
        for word, row in zip(block.words, block.rows, strict=True):
            _check_shift(word, row)
    external_id = block.comments.get("sent_id") or block.comment_id or name
    text, offsets = block.written.text(block.comments.get("text", ""))
    return SentenceRecord(
        external_id, tokens, line, metadata(block.words), text=text, offsets=offsets
    )


def _token(word: Word, row: int) -> str:
    """Return the form as a token. Blanks become U+00A0, because files separate tokens by blanks."""
    form = word["form"] = word["form"].strip(" ")
    if not form:
        _fail(row, "has a word without a form.")
    if match := _BREAKS.search(form):
        _fail(row, f"has the character U+{ord(match[0]):04X} in the form; delete it.")
    return str(form.replace(" ", "\u00a0"))


def _clean(word: Word, row: int) -> None:
    """Replace `_` by None. Raise _RowError for an empty column, or one with blanks."""
    for name, value in word.items():
        if name in ("id", "form"):
            continue
        if value == _EMPTY:
            word[name] = _EMPTY if name == "lemma" else None
        elif not value or (name not in _TEXTS and name in COLUMNS and " " in value):
            fault = "contains a blank" if value else f"is empty; CoNLL-U has “{_EMPTY}” there"
            _fail(row, f"{name.upper()} {fault}. Are columns shifted?")


def _check_heads(block: _Block) -> None:
    """Convert heads to numbers. Words may have none, and several may be roots."""
    for word, row in zip(block.words, block.rows, strict=True):
        head = word["head"]
        if head is None:
            continue
        if not _NUMBER.fullmatch(head) or int(head) > len(block.words):
            _fail(row, f"HEAD {head[:20]!r} is neither 0 nor the id of a word in the sentence.")
        if int(head) == word["id"]:
            _fail(row, f"HEAD {head} is the id of the word itself.")
        word["head"] = int(head)


def _check_shift(word: Word, row: int) -> None:
    """Raise _RowError if a relation is a number, or enhanced dependencies are without one."""
    relation, dependencies = word.get("deprel"), word.get("deps")
    if relation and _NUMBER.fullmatch(relation):
        _fail(row, f"DEPREL {relation} is a number. Are columns shifted?")
    if dependencies and not dependencies[0].isdigit():
        _fail(row, f"DEPS {dependencies[:20]!r} begins with no number. Are columns shifted?")


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _fail(row: int, message: str) -> NoReturn:
    raise _RowError(row, message)
