"""Answers in the context of a sentence, which annotators mark if a project allows them.

The field `context_answers` of a question has them (see `schemes.qasrl.content`). Comparisons and the
formats of published files have a place for answers in the sentence only.
"""

from collections.abc import Sequence

from schemes.contract.records import ExportRow
from schemes.contract.values import Json


def is_outside(question: Json) -> bool:
    """Return True if only the context answers the question."""
    return not question["answers"] and bool(question.get("context_answers"))


def answered_in_sentence(row: ExportRow) -> Sequence[tuple[Json, Json]]:
    """Return the questions that the sentence answers, with their provenance."""
    pairs = zip(row.content["questions"], row.provenance, strict=True)
    return [(question, origin) for question, origin in pairs if not is_outside(question)]


def count_outside(content: Json) -> int:
    """Return the number of questions that only the context answers."""
    return sum(map(is_outside, content.get("questions", ())))


def context_texts(question: Json) -> list[str]:
    """Return the answers in the context as pages for staff show them."""
    return [f"{answer['text']} (in context)" for answer in question.get("context_answers", ())]
