"""PropBank arguments as token spans, from CoNLL-2009 files.

A sentence is a block of lines of tab-separated columns (Hajic et al. 2009, table 1): ID, FORM,
LEMMA, PLEMMA, POS, PPOS, FEAT, PFEAT, HEAD, PHEAD, DEPREL, PDEPREL, FILLPRED, PRED, then one APRED
column per predicate. An argument is marked on its head word only. Its span is the head's subtree.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from metrics.spans import Span
from schemes.contract.errors import ErrorSink
from schemes.qasrl.propbank_arguments import (
    PropBankArgument,
    PropBankPredicate,
    PropBankSentence,
    RowError,
)
from schemes.text_lines import numbered_blocks

_FORM, _POS, _HEAD, _FILLPRED, _PRED, _FIRST_ARGUMENT = 1, 4, 8, 12, 13, 14


def read_conll2009(path: Path, *, on_error: ErrorSink) -> Iterator[PropBankSentence]:
    """Yield the sentences of a file. Malformed ones go to `on_error` and are skipped.

    Raises FileError as `numbered_blocks` does.
    """
    for first_line, block in numbered_blocks(path):
        try:
            yield _sentence([text.split("\t") for text in block], first_line)
        except RowError as bad:
            on_error(bad.at(path, first_line + bad.row))


def _sentence(rows: list[list[str]], line: int) -> PropBankSentence:
    _check_columns(rows)
    predicate_rows = [at for at, row in enumerate(rows) if row[_FILLPRED] == "Y"]
    width = len(rows[0]) - _FIRST_ARGUMENT
    if width != len(predicate_rows):
        message = (
            f"{len(predicate_rows)} predicates are marked but there are {width} APRED columns."
        )
        raise RowError(0, "APRED", message)
    heads = [_head(row, at, len(rows)) for at, row in enumerate(rows)]
    _check_no_circle(heads)
    predicates = [
        _predicate(rows, heads, at, _FIRST_ARGUMENT + column)
        for column, at in enumerate(predicate_rows)
    ]
    return PropBankSentence(tuple(row[_FORM] for row in rows), tuple(predicates), line)


def _check_columns(rows: list[list[str]]) -> None:
    for at, row in enumerate(rows):
        if len(row) < _FIRST_ARGUMENT or len(row) != len(rows[0]):
            message = f"has {len(row)} columns; {max(len(rows[0]), _FIRST_ARGUMENT)} are needed."
            raise RowError(at, "", message)
        if row[0] != str(at + 1):
            raise RowError(at, "ID", f"{row[0][:20]!r} should be {at + 1}.")


def _head(row: list[str], at: int, length: int) -> int:
    """Return the position of the head from 0, or -1 for the root."""
    text = row[_HEAD]
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) <= length):
        raise RowError(at, "HEAD", f"{text[:20]!r} is not a token of a sentence of {length}.")
    return int(text) - 1


def _check_no_circle(heads: Sequence[int]) -> None:
    for at in range(len(heads)):
        here, steps = at, 0
        while here >= 0:
            here, steps = heads[here], steps + 1
            if steps > len(heads):
                raise RowError(here, "HEAD", "the heads form a cycle.")


def _predicate(
    rows: list[list[str]], heads: Sequence[int], at: int, column: int
) -> PropBankPredicate:
    arguments = tuple(
        PropBankArgument(row[column], argument_span(heads, head=head, predicate=at))
        for head, row in enumerate(rows)
        if row[column] != "_"
    )
    return PropBankPredicate(at, rows[at][_PRED], rows[at][_POS], arguments)


def argument_span(heads: Sequence[int], *, head: int, predicate: int) -> Span:
    """Return the span of the argument marked on token `head`, a contiguous part of its subtree.

    `heads[i]` is the head of token i, or -1 for the root. If the predicate is inside the subtree,
    as in a relative clause, its branch is excluded. The predicate itself as argument is its own
    token alone. Only the contiguous tokens around `head` count, because an answer is one span.
    """
    if head == predicate:
        return head, head + 1
    cut = _branch_below(heads, head, predicate)
    inside = [_leads_to(heads, at, head, cut) for at in range(len(heads))]
    start, end = head, head + 1
    while start > 0 and inside[start - 1]:
        start -= 1
    while end < len(heads) and inside[end]:
        end += 1
    return start, end


def _branch_below(heads: Sequence[int], top: int, token: int) -> int | None:
    """Return the child of `top` above or at `token`, or None if `token` is not below `top`."""
    here = token
    while here >= 0:
        if heads[here] == top:
            return here
        here = heads[here]
    return None


def _leads_to(heads: Sequence[int], token: int, top: int, cut: int | None) -> bool:
    here = token
    while here >= 0 and here != cut:
        if here == top:
            return True
        here = heads[here]
    return False
