"""PropBank arguments as token spans, from OntoNotes files in the CoNLL-2012 layout.

A sentence is a block of lines of blank-separated columns (Pradhan et al. 2012): document, part, word
number, word, part of speech, parse, lemma, frameset, ..., then one column of bracketed arguments per
predicate. The columns between frameset and arguments differ between releases, so a predicate's
column is recognised by its (V*).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from schemes.contract.errors import ErrorSink
from schemes.qasrl.propbank_arguments import (
    PropBankArgument,
    PropBankPredicate,
    PropBankSentence,
    RowError,
    short_label,
)
from schemes.text_lines import numbered_blocks

_NUMBER, _WORD, _POS, _LEMMA, _FRAMESET, _FIRST_OPTIONAL = 2, 3, 4, 6, 7, 8
_CELL = re.compile(r"((?:\([^\s()*]+)*)\*(\)*)")
_VERB = "(V*"
# The word of a file whose words are published separately.
_PLACEHOLDER = "[WORD]"


def looks_like_conll2012(block: Sequence[str]) -> bool:
    """Return True for a block of CoNLL-2012 lines, False for CoNLL-2009."""
    rows = [line for line in block if not line.startswith("#")]
    return len(rows) < len(block) or (bool(rows) and _has_word_numbers(rows[0].split()))


def _has_word_numbers(row: Sequence[str]) -> bool:
    # In CoNLL-2009, columns 2 and 3 are words and their number is in column 1.
    return len(row) > _FIRST_OPTIONAL and not row[0].isdigit() and row[_NUMBER] == "0"


def read_conll2012(path: Path, *, on_error: ErrorSink) -> Iterator[PropBankSentence]:
    """Yield the sentences of a file. Malformed ones go to `on_error` and are skipped.

    Labels are those of CoNLL-2009 (A0 for ARG0). Raises FileError as `numbered_blocks` does.
    """
    for first_line, block in numbered_blocks(path):
        # Lines such as "#begin document" stand before and after sentences.
        start = sum(1 for line in block if line.startswith("#begin"))
        rows = [line.split() for line in block if not line.startswith("#")]
        if not rows:
            continue
        try:
            yield _sentence(rows, first_line + start)
        except RowError as bad:
            on_error(bad.at(path, first_line + start + bad.row))


def _sentence(rows: list[list[str]], line: int) -> PropBankSentence:
    _check_columns(rows)
    columns = list(zip(*rows, strict=True))[_FIRST_OPTIONAL:]
    predicates = [
        _predicate(rows, column)
        for column in columns
        if any(cell.startswith(_VERB) for cell in column)
    ]
    return PropBankSentence(tuple(row[_WORD] for row in rows), tuple(predicates), line)


def _check_columns(rows: list[list[str]]) -> None:
    for at, row in enumerate(rows):
        if len(row) < _FIRST_OPTIONAL or len(row) != len(rows[0]):
            message = f"has {len(row)} columns; {max(len(rows[0]), _FIRST_OPTIONAL)} are needed."
            raise RowError(at, "", message)
        if row[_NUMBER] != str(at):
            raise RowError(at, "word number", f"{row[_NUMBER][:20]!r} should be {at}.")
        if row[_WORD] == _PLACEHOLDER:
            message = "the file has no words; add those of the treebank to make a _conll file."
            raise RowError(at, "word", message)


def _predicate(rows: list[list[str]], column: Sequence[str]) -> PropBankPredicate:
    spans = list(_labelled_spans(column))
    at = next(argument.span[0] for argument in spans if argument.label == "V")
    lemma, frameset = rows[at][_LEMMA], rows[at][_FRAMESET]
    sense = frameset if "." in frameset else f"{lemma}.{frameset}"
    arguments = [argument for argument in spans if argument.label not in ("V", "C-V")]
    return PropBankPredicate(at, sense, rows[at][_POS], tuple(arguments))


def _labelled_spans(column: Sequence[str]) -> Iterator[PropBankArgument]:
    """Yield the bracketed spans in the order of their ends."""
    opened: list[tuple[str, int]] = []
    for at, cell in enumerate(column):
        match = _CELL.fullmatch(cell)
        if match is None:
            raise RowError(at, "arguments", f"{cell[:40]!r} is not bracket notation.")
        opened += [(short_label(label), at) for label in match[1].split("(")[1:]]
        for _ in match[2]:
            if not opened:
                raise RowError(at, "arguments", "a bracket is closed that was never opened.")
            label, start = opened.pop()
            yield PropBankArgument(label, (start, at + 1))
    if opened:
        raise RowError(opened[0][1], "arguments", "a bracket is opened and never closed.")
