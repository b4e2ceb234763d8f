"""Readable differences between our copy of a submission and the marketplace's.

Questions with answers are compared by question, other content by its position in the JSON.
"""

from collections.abc import Iterator
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.json_differences import shown_value, value_differences

# Derived from the question's text on parsing, so it differs only if the text does.
DERIVED = {"question", "answers", "slots", "source"}


def differences(own_copy: object, other_copy: object, context: ItemContext) -> list[str]:
    """Return a sentence for each difference, or [] for equal content."""
    if own_copy == other_copy:
        return []
    if _asks(own_copy) and _asks(other_copy):
        assert isinstance(own_copy, dict)
        assert isinstance(other_copy, dict)
        sentences = [
            *_of_questions(own_copy["questions"], other_copy["questions"], context),
            *value_differences(_without_questions(own_copy), _without_questions(other_copy)),
        ]
        return sentences or ["The same questions are in another order."]
    return list(value_differences(own_copy, other_copy))


def _asks(content: object) -> bool:
    questions = content.get("questions") if isinstance(content, dict) else None
    return isinstance(questions, list) and all(
        isinstance(question, dict)
        and isinstance(question.get("question"), str)
        and isinstance(question.get("answers"), list)
        for question in questions
    )


def _without_questions(content: Json) -> Json:
    return {name: value for name, value in content.items() if name != "questions"}


def _of_questions(
    own_copy: list[Json], other_copy: list[Json], context: ItemContext
) -> Iterator[str]:
    left, right = _by_name(own_copy), _by_name(other_copy)
    for name in dict.fromkeys([*left, *right]):
        mine, other = left.get(name), right.get(name)
        if mine is None or other is None:
            whose = "ours" if other is None else "the marketplace's"
            only = mine or other
            assert only
            yield f"{name} is in {whose} only, {_answers(only, context)}."
            continue
        my_answers, other_answers = _answers(mine, context), _answers(other, context)
        if my_answers != other_answers:
            yield f"{name}: ours is {my_answers}, the marketplace's {other_answers}."
        rest = [
            {k: v for k, v in question.items() if k not in DERIVED} for question in (mine, other)
        ]
        yield from value_differences(rest[0], rest[1], name)


def _by_name(questions: list[Json]) -> dict[str, Json]:
    """Key questions by display name. Repeated questions are numbered."""
    by_name: dict[str, Json] = {}
    for question in questions:
        base = f"“{question['question']}”{_source(question.get('source'))}"
        name, number = base, 1
        while name in by_name:
            number += 1
            name = f"{base} ({number})"
        by_name[name] = question
    return by_name


def _source(source: Any) -> str:
    """Return the letter that pages show for the annotation of a judged question."""
    if not isinstance(source, dict) or not isinstance(source.get("submission"), int):
        return ""
    return f" of {chr(ord('A') + source['submission'] % 26)}"


def _answers(question: Json, context: ItemContext) -> str:
    answers = [_words(span, context) for span in question["answers"]]
    return f"answered {' and '.join(answers)}" if answers else "without an answer"


def _words(span: Any, context: ItemContext) -> str:
    is_span = isinstance(span, list) and [type(end) for end in span] == [int, int]
    if not is_span or not 0 <= span[0] < span[1] <= len(context.tokens):
        return shown_value(span)
    return f"“{context.span_text(*span)}”"
