"""PropBank arguments as token spans, and their comparison with QA-SRL answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from metrics.role_kinds import KindComparison, compare_by_kind
from metrics.spans import Span
from schemes.contract.errors import FieldError

_CORE = frozenset({"A0", "A1", "A2", "A3", "A4", "A5"})
# Modals, negations and discourse markers, which no question asks for.
_NOT_ASKED_FOR = frozenset({"AM-MOD", "AM-NEG", "AM-DIS"})

Kind = Literal["core", "adjunct"]


@dataclass(frozen=True, slots=True)
class PropBankArgument:
    """An argument: its label (A0, AM-TMP, C-A1, R-A0 ...) and half-open span."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class PropBankPredicate:
    """A predicate: its token, from 0, sense (`sell.01`), part of speech and arguments."""

    index: int
    sense: str
    pos: str
    arguments: tuple[PropBankArgument, ...]


@dataclass(frozen=True, slots=True)
class PropBankSentence:
    """A sentence's tokens and predicates. `line` is the line of its first token."""

    tokens: tuple[str, ...]
    predicates: tuple[PropBankPredicate, ...]
    line: int


class RowError(FieldError):
    """An invalid row of a sentence, before its file and line are known."""

    def __init__(self, row: int, field: str, message: str) -> None:
        super().__init__(field, message)
        self.row = row


def short_label(label: str) -> str:
    """Return an OntoNotes label (ARG0, R-ARGM-TMP) as CoNLL-2009 writes it (A0, R-AM-TMP)."""
    prefix, found, name = label.partition("ARG")
    return f"{prefix}A{name}" if found else label


def argument_kind(label: str) -> Kind:
    """Return core for A0 to A5, else adjunct."""
    return "core" if label in _CORE else "adjunct"


def is_recalled(label: str) -> bool:
    """Return False for an argument that QA-SRL does not have to cover.

    These are modals, negations, discourse markers, references (R-A0) such as relative pronouns,
    and continuations (C-A1) of discontinuous arguments.
    """
    return not label.startswith(("R-", "C-")) and label not in _NOT_ASKED_FOR


def question_kind(wh: str) -> Kind:
    """Return core for who and what, else adjunct (Roit et al. 2020)."""
    return "core" if wh.lower() in ("who", "what") else "adjunct"


def kinds_of_arguments(predicate: PropBankPredicate) -> dict[Span, set[Kind]]:
    """Return the distinct spans of a predicate's arguments with their kinds.

    Spans of arguments that are not recalled have no kind.
    """
    kinds: dict[Span, set[Kind]] = {}
    for argument in predicate.arguments:
        of_span = kinds.setdefault(argument.span, set())
        if is_recalled(argument.label):
            of_span.add(argument_kind(argument.label))
    return kinds


def kinds_of_answers(
    questions: Sequence[tuple[str, Sequence[Span]]],
) -> dict[Span, set[Kind]]:
    """Return the distinct spans of a predicate's questions (WH, spans) with their kinds."""
    kinds: dict[Span, set[Kind]] = {}
    for wh, answers in questions:
        for span in answers:
            kinds.setdefault(span, set()).add(question_kind(wh))
    return kinds


def compare_with_propbank(
    propbank: Mapping[tuple[str, int], PropBankPredicate],
    questions: Mapping[tuple[str, int], Sequence[tuple[str, Sequence[Span]]]],
) -> dict[str, KindComparison]:
    """Return QA-SRL's macro precision and recall for "all", "core" and "adjunct".

    Recall is by the PropBank role and precision by the question (Roit et al. 2020, footnote 10).
    Both mappings are keyed by (sentence id, token of the verb). See `compare_by_kind`.
    """
    reference = {key: kinds_of_arguments(predicate) for key, predicate in propbank.items()}
    predicted = {key: kinds_of_answers(answers) for key, answers in questions.items()}
    comparisons = compare_by_kind(reference, predicted)
    return {str(kind): comparison for kind, comparison in comparisons.items()}
