"""The record format of SemEval-2019 Task 2: one verb per line, with its frame and arguments.

    #20671029 11 sell.Commerce_sell fund-:-2-:-Seller bond-:-14-:-Goods

Positions are token numbers from 1. `_` joins the positions of a multi-word unit, which may have gaps.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.text_lines import numbered_lines

Positions = tuple[int, ...]

SEPARATOR = "-:-"
_BLANKS = re.compile(r"[ \t]+")
_MAX_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: its words joined by `_`, their positions, and its role or relation."""

    filler: str
    positions: Positions
    role: str


@dataclass(frozen=True, slots=True)
class Record:
    """A verb in a sentence.

    `lemma` includes particles (`buy_back`). `frame` is `na` or `unkn` if there is none. `line` is the
    line number, from 1.
    """

    sentence: str
    positions: Positions
    lemma: str
    frame: str
    arguments: tuple[Argument, ...] = ()
    line: int = 0

    @property
    def name(self) -> str:
        """Return the sentence and the verb's positions as messages show them."""
        return f"{self.sentence} {joined(self.positions)}"


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A line that is no record. `sentence` and `positions` are empty if the line doesn't name them."""

    sentence: str
    positions: Positions
    error: FileError
    text: str = ""


def read_records(path: Path, *, on_error: ErrorSink) -> Iterator[Record]:
    """Yield the records of a file, skipping blank lines.

    Broken lines, repeated verbs and records with two arguments at one position go to `on_error` and are
    skipped. Raises FileError as `numbered_lines` does.
    """
    for record in all_records(path):
        if isinstance(record, BadRecord):
            on_error(record.error)
        else:
            yield record


def all_records(path: Path) -> Iterator[Record | BadRecord]:
    """Yield the records of a file, good and bad. Raises FileError as `numbered_lines` does."""
    seen: dict[tuple[str, Positions], int] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            record = _record(text, line)
            first = seen.setdefault((record.sentence, record.positions), line)
            if first != line:
                raise FieldError("", f"the verb {record.name} is repeated from line {first}.")
        except FieldError as bad:
            yield BadRecord(*_named(text), bad.at(path, line), text)
        else:
            yield record


def _named(text: str) -> tuple[str, Positions]:
    """Return the sentence and positions of a bad line, as far as the line names them."""
    sentence, *rest = _BLANKS.split(text.strip(" \t"))
    try:
        return sentence, _positions(rest[0] if rest else "", "position")
    except FieldError:
        return sentence, ()


def joined(positions: Positions) -> str:
    """Return positions in the notation of the format, for example `12_13`."""
    return "_".join(map(str, positions))


def _record(text: str, line: int) -> Record:
    fields = _BLANKS.split(text.strip(" \t"))
    if len(fields) < 3:
        message = f"has {len(fields)} fields; sentence, position and verb.frame are needed."
        raise FieldError("", message)
    sentence, positions, verb, *rest = fields
    lemma, dot, frame = verb.rpartition(".")
    if not (lemma and dot and frame):
        raise FieldError("verb", f"{verb[:40]!r} is not lemma.frame.")
    arguments = tuple(_argument(field) for field in rest)
    seen: set[Positions] = set()
    for argument in arguments:
        if argument.positions in seen:
            place = joined(argument.positions)
            raise FieldError("argument", f"the argument at position {place} is repeated.")
        seen.add(argument.positions)
    return Record(sentence, _positions(positions, "position"), lemma, frame, arguments, line)


def _argument(text: str) -> Argument:
    # Split from the right, because a filler may contain the separator.
    parts = text.rsplit(SEPARATOR, 2)
    if len(parts) < 3 or not parts[0] or not parts[2]:
        raise FieldError("argument", f"{text[:40]!r} is not filler-:-position-:-role.")
    return Argument(parts[0], _positions(parts[1], "argument"), parts[2])


def _positions(text: str, field: str) -> Positions:
    parts = text.split("_")
    if not all(part.isascii() and part.isdigit() and len(part) <= _MAX_DIGITS for part in parts):
        raise FieldError(field, f"{text[:40]!r} is not a token number, or several joined by _.")
    positions = tuple(map(int, parts))
    if positions[0] < 1:
        raise FieldError(field, f"{text[:40]!r} is on no token: positions start at 1.")
    if any(first >= second for first, second in pairwise(positions)):
        raise FieldError(field, f"{text[:40]!r} must ascend.")
    return positions
