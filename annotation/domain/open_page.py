"""Collect the data of a worker's page, so that the page needs no further request."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from annotation.domain.drafts import find_draft
from annotation.domain.find_task import find_task
from annotation.domain.item_context import context_of, page_tokens
from annotation.domain.publish import batch_terms
from annotation.domain.republish import has_done_before
from annotation.domain.tutorial import offers_tutorial
from annotation.domain.worker_page import NotForWorkerError, page_token_of_arrival
from annotation.models import BlockAssignment, Draft, Item, PageDraft, Task
from audit.errors import TouchstoneError
from crowd.domain.arrivals import Arrival
from database import statements
from projects.enums import page_role
from projects.models import Project
from schemes.base import Json, Scheme
from schemes.registry import get_scheme

OTHER_BLOCK = (
    "You're working on part {block}, and this task belongs to another part. Return it and continue "
    "with your part."
)


class TaskNotFoundError(TouchstoneError, LookupError):
    """No task of this role has the address."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """The content of a page. `guidelines` is Markdown, and `data` is for the page's script."""

    project: Project
    role: str
    guidelines: str
    data: Json


def open_page(*, public_id: UUID, role: str, arrival: Arrival, now: datetime) -> OpenedPage:
    """Return the task's page for the worker who arrived.

    Raise TaskNotFoundError, InvalidPageError.
    """
    claim = page_token_of_arrival(public_id=public_id, arrival=arrival)
    worker = arrival.worker
    offered = find_task(public_id)
    if offered is None or offered.task.role != role:
        raise TaskNotFoundError(f"This {role} task doesn't exist. Return it.")
    task = offered.task
    is_repeat = offered.is_republished and worker
    if is_repeat and has_done_before(task=task, worker=worker, assignment=arrival.assignment):
        raise NotForWorkerError("You already did this task. Return it so that others can do it.")
    if claim:
        assign_block(task=task, worker_ref=claim.worker_ref, now=now)
    project = task.batch.project
    draft = find_draft(claim=claim, task=task) if claim else None
    guidelines_id = (draft and draft.guidelines_id) or offered.guidelines_id
    data: Json = {
        "preview": claim is None,
        "token": claim.token() if claim else "",
        "assignment": claim.assignment_ref if claim else "",
        "submitTo": arrival.submit_to,
        **draft_data(draft),
        "tutorial": claim is not None
        and draft is None
        and offers_tutorial(project=project, role=role, worker_ref=claim.worker_ref),
        "pay": batch_terms(task.batch),
        "shared": shared_data(get_scheme(project.scheme), role),
        "items": [item_data(item, draft, role) for item in offered.items],
    }
    return OpenedPage(project, role, _guidelines_text(guidelines_id), data)


def assign_block(*, task: Task, worker_ref: str, now: datetime) -> None:
    """Assign the worker to the block of the first task that they open in a batch.

    Concurrent calls assign only one block. Raise NotForWorkerError if the worker has another block.
    """
    if task.block is None:
        return
    assignment, _ = BlockAssignment.objects.get_or_create(
        batch=task.batch,
        worker_ref=worker_ref,
        defaults={"block": task.block, "assigned_at": now},
    )
    if assignment.block != task.block:
        raise NotForWorkerError(OTHER_BLOCK.format(block=assignment.block))


def _guidelines_text(guidelines_id: int | None) -> str:
    rows = statements.fetch_rows(
        "SELECT text FROM projects_guidelines WHERE id = %s", guidelines_id
    )
    return rows[0][0] if rows else ""


def draft_data(draft: PageDraft | None) -> Json:
    """Return the progress of the work for the page's scripts."""
    draft = draft or Draft(save_id="")
    return {
        "revision": draft.revision,
        "saveId": draft.save_id,
        "submitted": bool(draft.submitted_at),
        "activeSeconds": draft.active_seconds,
        "moves": draft.moves,
        "steps": draft.steps,
        "comment": draft.comment,
    }


def shared_data(scheme: Scheme, role: str) -> Json:
    return scheme.pages.shared() if page_role(role) in scheme.pages.roles else {}


def item_data(item: Item, draft: PageDraft | None, role: str) -> Json:
    pages = get_scheme(item.project.scheme).pages
    return {
        "id": item.pk,
        **page_tokens(item.sentence.tokens, item.sentence.text, item.sentence.offsets),
        "target": item.target,
        "freeForm": item.project.allow_free_form,
        "data": pages.item(context_of(item)) if page_role(role) in pages.roles else {},
        "content": draft.content.get(str(item.pk)) if draft else None,
    }
