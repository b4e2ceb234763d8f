"""The tutorial that a worker's first task of a role offers."""

from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext, gettext_lazy

from annotation.domain.corpus.example_pictures import with_picture
from annotation.domain.corpus.item_context import page_tokens
from annotation.domain.work.look_up import readable_task
from annotation.domain.work.unconfirmed_drafts import check_limit
from annotation.domain.work.worker_page import TOKEN_LIFE, InvalidPageError, PageToken
from annotation.models import FinishedTutorial
from annotation.translated import translated
from crowd.domain.provider.hold_publishing import active_hold
from crowd.models import Worker
from database import statements
from projects.domain.resources import resources_of
from projects.domain.schemes import scheme_of
from projects.enums import Role, page_role
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.pages import Tutorial
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

# As long as a page may work on a task.
MARK_AGE = TOKEN_LIFE
NO_TUTORIAL = gettext_lazy("This task has no tutorial.")
_FINISHED = """
SELECT 1 FROM annotation_finishedtutorial WHERE worker_ref = %s AND scheme = %s AND role = %s
"""


def offers_tutorial(*, project: Project, role: str, worker_ref: str) -> bool:
    """Return True if the role has a tutorial that the worker has neither finished nor skipped.

    A tutorial without its picture is not offered.
    """
    tutorials = scheme_of(project).tutorials
    if role not in tutorials:
        return False
    if statements.fetch_rows(_FINISHED, worker_ref, _tutorial_key(project), role):
        return False
    if not project.definition_digest:
        return True
    # The example of a scheme that a project declares can have an image of the project.
    tutorial = tutorials[role]()
    return with_picture(tutorial.context, tutorial.picture, project) is not None


def _shown_context(tutorial: Tutorial, project: Project) -> ItemContext | None:
    """Return the example with its picture and the project's resources, or None without the picture."""
    context = with_picture(tutorial.context, tutorial.picture, project)
    return context and replace(context, resources=resources_of(project))


def _tutorial_key(project: Project) -> str:
    """Return what identifies the project's tutorials: its scheme, or itself if it declares its own."""
    return f"{project.scheme}/{project.pk}" if project.definition_digest else project.scheme


def tutorial_of_page(*, claim: PageToken, now: datetime) -> Json:
    """Return the steps and the example for the page's script. Raise InvalidPageError."""
    task = readable_task(claim=claim, now=now)
    project, role = task.batch.project, task.role
    scheme = scheme_of(project)
    if role not in scheme.tutorials:
        raise InvalidPageError(NO_TUTORIAL)
    tutorial = scheme.tutorials[role]()
    example = _example(scheme, role, tutorial, project)
    if example is None:
        raise InvalidPageError(NO_TUTORIAL)
    # The words of a definition stay as the project wrote them.
    shown = translated if scheme.declaration else gettext
    return {
        "steps": [
            {
                "title": shown(step.title),
                "text": shown(step.text),
                "goals": [{"path": goal.path, "value": goal.value} for goal in step.goals],
            }
            for step in tutorial.steps
        ],
        "item": example,
    }


def example_of(*, project: Project, role: str) -> Json | None:
    """Return the example of the role's tutorial in the shape of the items of `open_page`, or None."""
    scheme = scheme_of(project)
    if role not in scheme.tutorials:
        return None
    return _example(scheme, role, scheme.tutorials[role](), project)


def _example(scheme: Scheme, role: str, tutorial: Tutorial, project: Project) -> Json | None:
    context = _shown_context(tutorial, project)
    if context is None:
        return None
    sources = list(tutorial.sources)
    example: Json = {
        "id": 0,
        **page_tokens(context.tokens, context.text, context.offsets),
        "target": context.target,
        "freeForm": True,
        "data": scheme.pages.item(context) if page_role(role) in scheme.pages.roles else {},
        "content": None,
    }
    if role == Role.CONSOLIDATOR:
        example["sources"] = sources
        example["layout"] = scheme.get_merging().lay_out(sources, context)
    elif role == Role.VALIDATOR:
        example["asked"] = scheme.get_validating().asked(sources)
    return example


def finish_tutorial(*, claim: PageToken, now: datetime) -> None:
    """Record that the worker finished or skipped the tutorial.

    Raise InvalidPageError, or TooManyDraftsError if too many workers did who submitted nothing.
    """
    task = readable_task(claim=claim, now=now)
    if task.role not in scheme_of(task.batch.project).tutorials:
        raise InvalidPageError(NO_TUTORIAL)
    check_limit(_unknown_marks(), settings.UNCONFIRMED_DRAFTS)
    FinishedTutorial.objects.get_or_create(
        worker_ref=claim.worker_ref,
        scheme=_tutorial_key(task.batch.project),
        role=task.role,
        defaults={"finished_at": now},
    )


def delete_unused_marks(*, now: datetime) -> int:
    """Delete the marks of workers who submitted nothing in time. Return how many.

    A restored installation first reads the marketplace's assignments.
    """
    if active_hold():
        return 0
    deleted, _ = _unknown_marks().filter(finished_at__lt=now - MARK_AGE).delete()
    return deleted


def _unknown_marks() -> QuerySet[FinishedTutorial]:
    known = Worker.objects.filter(external_id=OuterRef("worker_ref"))
    return FinishedTutorial.objects.filter(~Exists(known))
