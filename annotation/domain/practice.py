"""Exercises that anyone may do: no marketplace, no account, nothing kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

from annotation.domain.create_project import DEFAULT_GUIDELINES, GUIDELINE_FILES
from annotation.domain.drafts import ContentRefused
from annotation.enums import Role
from schemes.base import ContentError, Json
from schemes.qasrl import practice as qasrl
from schemes.registry import get_scheme

# One line for each scheme that has exercises: its module has `exercises()` and `check()`.
PRACTICE: dict[str, ModuleType] = {"qasrl": qasrl}
ITEM = 1


class NoSuchExercise(Exception):
    """The scheme has no exercises, or none of this number."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One exercise, numbered from 1 in its series of `count`."""

    scheme: str
    number: int
    count: int
    titles: Sequence[str]
    exercise: qasrl.Exercise
    check: Callable[[qasrl.Exercise, object], Json]


def find_lesson(*, scheme: str, number: int) -> Lesson:
    """Raises NoSuchExercise."""
    series = PRACTICE[scheme].exercises() if scheme in PRACTICE else ()
    if not 1 <= number <= len(series):
        raise NoSuchExercise(f"There is no exercise {number} for {scheme}.")
    return Lesson(
        scheme=scheme,
        number=number,
        count=len(series),
        titles=[each.title for each in series],
        exercise=series[number - 1],
        check=PRACTICE[scheme].check,
    )


def practice_page(lesson: Lesson) -> Json:
    """The page's data, in the shape of `open_page`; there is no pay and nothing to restore."""
    scheme = get_scheme(lesson.scheme)
    tokens, target = lesson.exercise.tokens, lesson.exercise.target
    return {
        "preview": False,
        "submitted": False,
        "activeSeconds": 0,
        "moves": 0,
        "comment": "",
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
    """How the answers compare with the expert's. Raises ContentRefused."""
    try:
        return lesson.check(lesson.exercise, content)
    except ContentError as error:
        raise ContentRefused({ITEM: error}) from error


def practice_guidelines(scheme: str) -> str:
    """The guidelines that come with the scheme, as Markdown."""
    path = DEFAULT_GUIDELINES / scheme / "guidelines" / GUIDELINE_FILES[Role.GENERATOR]
    return path.read_text("utf-8") if path.exists() else ""
