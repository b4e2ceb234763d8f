"""Likely remarks on an annotation, derived from its alignment with the reference.

They are suggestions for a trainer. Each error has a code, so that an item gets each remark once.
"""

from collections.abc import Iterator, Sequence

from metrics.spans import Span
from schemes.contract.comparison import AlignedRow, Compared, RowSide
from schemes.contract.items import ItemContext
from schemes.qasrl.span_keys import span_of

MODALS = frozenset({"can", "could", "may", "might", "must", "shall", "should", "would"})
# The sections of schemes/qasrl/guidelines for generators and consolidators that an error violates.
_SECTIONS = {
    "modal-missing": ("modals", "redundant-questions"),
    "modal-needless": ("modals", "redundant-questions"),
    "negation-missing": ("negation", "redundant-questions"),
    "negation-needless": ("negation", "redundant-questions"),
    "other-question": ("building-a-question", "redundant-questions"),
    "answer-not-split": ("several-answers", "correcting-answers"),
    "implicit-missed": ("what-is-only-implied", "missing-questions"),
    "argument-missed": ("every-participant", "missing-questions"),
    "not-about-the-verb": ("the-idea", "invalid-questions"),
    "not-an-answer": ("the-substitute-test", "invalid-questions"),
    "answer-too-long": ("answers", "correcting-answers"),
    "answer-too-short": ("answers", "correcting-answers"),
}
SECTIONS = {
    role: {code: sections[at] for code, sections in _SECTIONS.items()}
    for at, role in enumerate(("generator", "consolidator"))
}
# An argument at least this many tokens from the verb is usually implied.
FAR = 6


def section(code: str, role: str) -> str:
    """Return the anchor of the guideline section of an error, or ""."""
    return SECTIONS.get(role, {}).get(code, "")


def hints(compared: Compared, context: ItemContext) -> list[tuple[str, str]]:
    """Return (code, sentence) for the likely errors in the rows.

    Only the first error of each code is included.
    """
    first: dict[str, str] = {}
    for code, sentence in _all(compared.rows, context):
        first.setdefault(code, sentence)
    return list(first.items())


def _all(rows: Sequence[AlignedRow], context: ItemContext) -> Iterator[tuple[str, str]]:
    covering = [span_of(row.predicted.key) for row in rows if row.predicted]
    for row in rows:
        if row.reference and row.predicted:
            if row.state == "label-differs":
                yield from _other_question(row.reference, row.predicted)
            elif row.state == "extent-differs":
                yield _length(row.reference, row.predicted)
        elif row.state == "missed" and row.reference:
            yield _missed(row.reference, covering, context)
        elif row.state == "extra" and row.predicted:
            yield _extra(row.predicted, context)


def _other_question(reference: RowSide, predicted: RowSide) -> Iterator[tuple[str, str]]:
    expected, asked, answer = reference.labels[0], predicted.labels[0], reference.value
    if _has_modal(expected) and not _has_modal(asked):
        yield (
            "modal-missing",
            (
                f"“{asked}” says that it happened, but the sentence doesn't. Use a modal, "
                f"as in “{expected}”"
            ),
        )
    elif _has_modal(asked) and not _has_modal(expected):
        yield "modal-needless", f"The sentence states this as a fact, without a modal: “{expected}”"
    if _negated(expected) != _negated(asked):
        code = "negation-missing" if _negated(expected) else "negation-needless"
        yield code, f"Negate the question only if the sentence is negated: “{expected}”"
    if _has_modal(expected) == _has_modal(asked) and _negated(expected) == _negated(asked):
        yield "other-question", f"The question for “{answer}” is “{expected}”"


def _missed(reference: RowSide, covering: Sequence[Span], context: ItemContext) -> tuple[str, str]:
    (start, end), question = span_of(reference.key), reference.labels[0]
    answer = reference.value
    if any(first <= start and end <= last for first, last in covering):
        return "answer-not-split", (
            f"“{answer}” is a separate answer. Select each of several people or things separately."
        )
    verb = int(context.target["verb_idx"])
    if max(start - verb, verb - end) >= FAR:
        return "implicit-missed", (
            f"The sentence also says this, further from the verb: “{question}” – “{answer}”"
        )
    return "argument-missed", f"This question was missing: “{question}” – “{answer}”"


def _extra(predicted: RowSide, context: ItemContext) -> tuple[str, str]:
    question, answer = predicted.labels[0], predicted.value
    forms = {str(form).lower() for form in context.target.get("forms", {}).values()}
    if forms and not forms & set(_tokens_of(question)):
        verb = context.tokens[int(context.target["verb_idx"])]
        return "not-about-the-verb", f"“{question}” is not about the marked verb, “{verb}”."
    return "not-an-answer", f"“{answer}” does not answer “{question}” in this sentence."


def _length(reference: RowSide, predicted: RowSide) -> tuple[str, str]:
    reference_span, predicted_span, answer = (
        span_of(reference.key),
        span_of(predicted.key),
        reference.value,
    )
    if predicted_span[1] - predicted_span[0] > reference_span[1] - reference_span[0]:
        return "answer-too-long", f"The shortest complete answer is “{answer}”."
    return "answer-too-short", f"The complete answer is “{answer}”."


def _tokens_of(question: str) -> list[str]:
    return question.lower().rstrip("?").split()


def _has_modal(question: str) -> bool:
    return any(
        word.removesuffix("n't") in MODALS or word == "can't" for word in _tokens_of(question)
    )


def _negated(question: str) -> bool:
    return any(word == "not" or word.endswith("n't") for word in _tokens_of(question))
