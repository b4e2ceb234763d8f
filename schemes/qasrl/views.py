"""Display of questions and answers on pages for staff.

The module is the part `views` of the scheme.
"""

from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json
from schemes.qasrl.context_answers import context_texts
from schemes.qasrl.items import marked

__all__ = ["marked", "remark", "units"]


def units(content: object, context: ItemContext) -> list[ShownUnit] | None:
    """Return the questions with their answers, or None for content of another shape."""
    questions = content.get("questions") if isinstance(content, dict) else None
    if not isinstance(questions, list):
        return None
    known = [_shown_unit(question, context) for question in questions]
    shown = [unit for unit in known if unit is not None]
    return shown if len(shown) == len(known) else None


def _shown_unit(question: Any, context: ItemContext) -> ShownUnit | None:
    if not isinstance(question, dict) or not isinstance(question.get("question"), str):
        return None
    answers = question.get("answers")
    if not isinstance(answers, list) or not all(_is_span(span, context) for span in answers):
        return None
    verdict = question.get("verdict", "")
    implied = "implied" if question.get("implied") is True else ""
    return ShownUnit(
        label=question["question"],
        values=[
            *(context.span_text(start, end) for start, end in answers),
            *context_texts(question),
        ],
        spans=[(start, end) for start, end in answers],
        state=implied if verdict in ("", "keep", "valid") else str(verdict),
    )


def _is_span(span: Any, context: ItemContext) -> bool:
    if not isinstance(span, list) or [type(end) for end in span] != [int, int]:
        return False
    return bool(0 <= span[0] < span[1] <= len(context.tokens))


def remark(content: Json) -> str:
    return str(content.get("no_question") or "")
