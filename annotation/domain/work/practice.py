"""Exercises that anyone may do without an account. Nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.domain.corpus.item_context import page_tokens
from annotation.domain.work.drafts import InvalidContentError
from annotation.domain.work.open_page import draft_data
from audit.errors import TouchstoneError
from projects.domain.create_project import default_guidelines
from projects.enums import Role
from schemes.contract.errors import ContentError
from schemes.contract.practice import Exercise, PracticeResult
from schemes.contract.values import Json
from schemes.registry import SCHEMES, get_scheme

ITEM = 1


class ExerciseNotFoundError(TouchstoneError):
    """The scheme has no exercises, or none of this number."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """An exercise, numbered from 1 in its series of `count`."""

    scheme: str
    number: int
    count: int
    titles: Sequence[str]
    exercise: Exercise
    check: Callable[[Exercise, object], PracticeResult]


def find_lesson(*, scheme: str, number: int) -> Lesson:
    """Return the exercise with its series. Raise ExerciseNotFoundError."""
    practice = SCHEMES[scheme].practice if scheme in SCHEMES else None
    series = practice.exercises() if practice else ()
    if not practice or not 1 <= number <= len(series):
        raise ExerciseNotFoundError(f"There is no exercise {number} for {scheme}.")
    return Lesson(
        scheme=scheme,
        number=number,
        count=len(series),
        titles=[exercise.title for exercise in series],
        exercise=series[number - 1],
        check=practice.check,
    )


def practice_page(lesson: Lesson) -> Json:
    """Return the page's data in the shape of `open_page`, without pay or a draft."""
    scheme = get_scheme(lesson.scheme)
    context = lesson.exercise.context
    return {
        "preview": False,
        **draft_data(None),
        "number": lesson.number,
        "shared": scheme.pages.shared([context]),
        "items": [
            {
                "id": ITEM,
                **page_tokens(context.tokens, context.text, context.offsets),
                "target": context.target,
                "data": scheme.pages.item(context),
                "content": None,
            }
        ],
    }


def check_answers(*, lesson: Lesson, content: object) -> PracticeResult:
    """Compare the answers with the expert's. Raise InvalidContentError."""
    try:
        return lesson.check(lesson.exercise, content)
    except ContentError as error:
        raise InvalidContentError({ITEM: error}) from error


def practice_guidelines(scheme: str) -> str:
    """Return the scheme's default guidelines, as Markdown."""
    return default_guidelines(get_scheme(scheme), Role.GENERATOR)
