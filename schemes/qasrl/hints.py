"""Likely remarks on an annotation, derived from its alignment with the reference.

They are suggestions for a trainer. Each error has a code, so that an item gets each remark once.
"""

from collections.abc import Iterator, Sequence

from schemes.base import Json, Tokens

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


def remarks_on(rows: Sequence[Json], *, tokens: Tokens, target: Json) -> list[tuple[str, str]]:
    """Return (code, sentence) for the likely errors in rows of `comparison.compare`.

    Only the first error of each code is included.
    """
    remarks: dict[str, str] = {}
    for code, sentence in _all(rows, tokens, target):
        remarks.setdefault(code, sentence)
    return list(remarks.items())


def _all(rows: Sequence[Json], tokens: Tokens, target: Json) -> Iterator[tuple[str, str]]:
    covering = [row["predicted"]["span"] for row in rows if row["predicted"]]
    for row in rows:
        state = row["state"]
        if state == "label-differs":
            yield from _other_question(row, tokens)
        elif state == "missed":
            yield _missed(row["reference"], covering, tokens, target)
        elif state == "extra":
            yield _extra(row["predicted"], tokens, target)
        elif state == "matched" and not row["same_span"]:
            yield _length(row, tokens)


def _other_question(row: Json, tokens: Tokens) -> Iterator[tuple[str, str]]:
    expected, asked = row["reference"]["questions"][0], row["predicted"]["questions"][0]
    answer = _words(row["reference"]["span"], tokens)
    if _has_modal(expected) and not _has_modal(asked):
        yield (
            "modal-missing",
            (
                f"“{asked}” says that it happened, and the sentence leaves it open: use a modal, "
                f"as in “{expected}”"
            ),
        )
    elif _has_modal(asked) and not _has_modal(expected):
        yield "modal-needless", f"The sentence states this as a fact, without a modal: “{expected}”"
    if _negated(expected) != _negated(asked):
        code = "negation-missing" if _negated(expected) else "negation-needless"
        yield code, f"Keep what the sentence denies and what it affirms: “{expected}”"
    if _has_modal(expected) == _has_modal(asked) and _negated(expected) == _negated(asked):
        yield "other-question", f"For “{answer}” the question that fits is “{expected}”"


def _missed(
    reference: Json, covering: list[list[int]], tokens: Tokens, target: Json
) -> tuple[str, str]:
    (start, end), question = reference["span"], reference["questions"][0]
    answer = _words(reference["span"], tokens)
    if any(first <= start and end <= last for first, last in covering):
        return "answer-not-split", (
            f"“{answer}” is an answer of its own: mark each of several people or things separately."
        )
    verb = int(target["verb_idx"])
    if max(start - verb, verb - end) >= FAR:
        return "implicit-missed", (
            f"The sentence also tells this, away from the verb: “{question}” – “{answer}”"
        )
    return "argument-missed", f"This one was missing: “{question}” – “{answer}”"


def _extra(predicted: Json, tokens: Tokens, target: Json) -> tuple[str, str]:
    question, answer = predicted["questions"][0], _words(predicted["span"], tokens)
    forms = {str(form).lower() for form in target.get("forms", {}).values()}
    if forms and not forms & set(_tokens_of(question)):
        verb = tokens[int(target["verb_idx"])]
        return "not-about-the-verb", f"“{question}” is not about the marked verb, “{verb}”."
    return "not-an-answer", f"“{answer}” does not answer “{question}” in this sentence."


def _length(row: Json, tokens: Tokens) -> tuple[str, str]:
    ours, theirs = row["reference"]["span"], row["predicted"]["span"]
    answer = _words(ours, tokens)
    if theirs[1] - theirs[0] > ours[1] - ours[0]:
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


def _words(span: Sequence[int], tokens: Tokens) -> str:
    return " ".join(tokens[span[0] : span[1]])
