"""The tutorial that a worker's first task of a role offers."""

from dataclasses import replace
from datetime import datetime

from django.templatetags.static import static

from annotation.domain.item_context import page_tokens
from annotation.domain.look_up import task_of_page
from annotation.domain.worker_page import InvalidPageError, PageToken
from annotation.models import FinishedTutorial
from database import statements
from projects.domain.resources import resources_of
from projects.enums import Role, page_role
from projects.models import Project
from schemes.base import Json, Scheme, Tutorial
from schemes.registry import get_scheme

_FINISHED = """
SELECT 1 FROM annotation_finishedtutorial WHERE worker_ref = %s AND scheme = %s AND role = %s
"""


def offers_tutorial(*, project: Project, role: str, worker_ref: str) -> bool:
    """Return True if the role has a tutorial that the worker has neither finished nor skipped."""
    if role not in get_scheme(project.scheme).tutorials:
        return False
    return not statements.fetch_rows(_FINISHED, worker_ref, project.scheme, role)


def tutorial_of_page(claim: PageToken) -> Json:
    """Return the steps and the example for the page's script. Raise InvalidPageError."""
    task = task_of_page(claim)
    project, role = task.batch.project, task.role
    scheme = get_scheme(project.scheme)
    if role not in scheme.tutorials:
        raise InvalidPageError("This task has no tutorial.")
    tutorial = scheme.tutorials[role]()
    return {
        "steps": [
            {
                "title": step.title,
                "text": step.text,
                "goals": [{"path": goal.path, "value": goal.value} for goal in step.goals],
            }
            for step in tutorial.steps
        ],
        "item": _example(scheme, role, tutorial, project),
    }


def _example(scheme: Scheme, role: str, tutorial: Tutorial, project: Project) -> Json:
    """Return the example in the shape of the items of `open_page`."""
    context = replace(tutorial.context, resources=resources_of(project))
    if context.image:
        context = replace(context, image=replace(context.image, url=static(tutorial.picture)))
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
    """Record that the worker finished or skipped the tutorial. Raise InvalidPageError."""
    task = task_of_page(claim)
    FinishedTutorial.objects.get_or_create(
        worker_ref=claim.worker_ref,
        scheme=task.batch.project.scheme,
        role=task.role,
        defaults={"finished_at": now},
    )
