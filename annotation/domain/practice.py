"""Exercises that anyone may do without an account. Nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

from annotation.domain.drafts import InvalidContentError
from annotation.domain.open_page import draft_data
from audit.errors import TouchstoneError
from projects.domain.create_project import DEFAULT_GUIDELINES, GUIDELINE_FILES
from projects.enums import Role
from schemes.base import ContentError, Json
from schemes.qasrl import practice as qasrl
from schemes.registry import get_scheme

# The modules of schemes with exercises. Each has `exercises()` and `check()`.
PRACTICE: dict[str, ModuleType] = {"qasrl": qasrl}
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
    exercise: qasrl.Exercise
    check: Callable[[qasrl.Exercise, object], Json]


def find_lesson(*, scheme: str, number: int) -> Lesson:
    """Return the exercise with its series. Raise ExerciseNotFoundError."""
    series = PRACTICE[scheme].exercises() if scheme in PRACTICE else ()
    if not 1 <= number <= len(series):
        raise ExerciseNotFoundError(f"There is no exercise {number} for {scheme}.")
    return Lesson(
        scheme=scheme,
        number=number,
        count=len(series),
        titles=[exercise.title for exercise in series],
        exercise=series[number - 1],
        check=PRACTICE[scheme].check,
    )


def practice_page(lesson: Lesson) -> Json:
    """Return the page's data in the shape of `open_page`, without pay or a draft."""
    scheme = get_scheme(lesson.scheme)
    tokens, target = lesson.exercise.tokens, lesson.exercise.target
    return {
        "preview": False,
        **draft_data(None),
        "number": lesson.number,
        "shared": scheme.shared_page_data(),
        "items": [
            {
                "id": ITEM,
                "tokens": tokens,
                "target": target,
                "data": scheme.page_data(tokens, target),
                "content": None,
            }
        ],
    }


def check_answers(*, lesson: Lesson, content: object) -> Json:
    """Compare the answers with the expert's. Raise InvalidContentError."""
    try:
        return lesson.check(lesson.exercise, content)
    except ContentError as error:
        raise InvalidContentError({ITEM: error}) from error


def practice_guidelines(scheme: str) -> str:
    """Return the scheme's default guidelines, as Markdown."""
    path = DEFAULT_GUIDELINES / scheme / "guidelines" / GUIDELINE_FILES[Role.GENERATOR]
    return path.read_text("utf-8") if path.exists() else ""
