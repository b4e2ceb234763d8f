"""Exercises that anyone may do without an account. Nothing is stored.

A *series* is the name of exercises in addresses. It is that of a scheme, or the signed slug of a project
that declares its scheme.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from django.core import signing
from django.utils.translation import gettext

from annotation.domain.corpus.example_pictures import with_picture
from annotation.domain.corpus.item_context import page_tokens
from annotation.domain.work.drafts import InvalidContentError
from annotation.domain.work.open_page import draft_data
from audit.errors import TouchstoneError
from projects.domain.create_project import current_guidelines, default_guidelines
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Guidelines, Project
from schemes.contract.errors import ContentError
from schemes.contract.practice import Exercise, PracticeResult
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.registry import SCHEMES, get_scheme

ITEM = 1
SIGNER = signing.Signer(salt="annotation.practice.v1")


class ExerciseNotFoundError(TouchstoneError):
    """The series has no exercises, or none of this number."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """An exercise, numbered from 1 in its series of `count`.

    `project` is the one that declares the scheme, or None.
    """

    series: str
    scheme: Scheme
    project: Project | None
    number: int
    count: int
    titles: Sequence[str]
    exercise: Exercise
    check: Callable[[Exercise, object], PracticeResult]


def series_of(project: Project) -> str:
    """Return the name of the series for the project's workers, or "" if there are no exercises."""
    scheme = get_scheme(project.scheme)
    if scheme.declaration is None:
        return scheme.name if scheme.practice else ""
    return SIGNER.sign(project.slug) if exercises_of(scheme_of(project), project) else ""


def exercises_of(scheme: Scheme, project: Project | None) -> list[Exercise]:
    """Return the exercises with the addresses of their pictures. Without its picture, there is none."""
    series = scheme.practice.exercises() if scheme.practice else ()
    shown = []
    for exercise in series:
        context = with_picture(exercise.context, exercise.picture, project)
        if context:
            shown.append(replace(exercise, context=context))
    return shown


def find_lesson(*, series: str, number: int) -> Lesson:
    """Return the exercise with its series. Raise ExerciseNotFoundError."""
    scheme, project = _scheme_in(series)
    exercises = exercises_of(scheme, project)
    if not scheme.practice or not 1 <= number <= len(exercises):
        raise ExerciseNotFoundError(
            gettext("There is no exercise %(number)s for %(series)s.")
            % {"number": number, "series": series}
        )
    return Lesson(
        series=series,
        scheme=scheme,
        project=project,
        number=number,
        count=len(exercises),
        titles=[exercise.title for exercise in exercises],
        exercise=exercises[number - 1],
        check=scheme.practice.check,
    )


def _scheme_in(series: str) -> tuple[Scheme, Project | None]:
    if series in SCHEMES:
        return SCHEMES[series], None
    try:
        project = Project.objects.filter(slug=SIGNER.unsign(series)).first()
    except signing.BadSignature:
        project = None
    if project is None:
        raise ExerciseNotFoundError(
            gettext("There are no exercises for %(series)s.") % {"series": series}
        )
    return scheme_of(project), project


def practice_page(lesson: Lesson) -> Json:
    """Return the page's data in the shape of `open_page`, without pay or a draft."""
    scheme = lesson.scheme
    context = lesson.exercise.context
    return {
        "preview": False,
        **draft_data(None),
        **({"language": lesson.project.language} if lesson.project else {}),
        "series": lesson.series,
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


def practice_guidelines(lesson: Lesson) -> Guidelines | None:
    """Return the project's guidelines for generators, or the scheme's default."""
    if lesson.project is None:
        text = default_guidelines(lesson.scheme, Role.GENERATOR)
        return Guidelines(role=Role.GENERATOR, version=1, text=text)
    return current_guidelines(project_id=lesson.project.pk, role=Role.GENERATOR)
