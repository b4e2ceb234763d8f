"""Everything that a worker's page needs, in one go: it asks for nothing more before it can be used."""

from dataclasses import dataclass
from uuid import UUID

from annotation.domain.drafts import find_draft
from annotation.domain.find_task import OfferedTask, find_task
from annotation.domain.reoffer import has_done_before
from annotation.domain.take_hand import take_hand
from annotation.domain.worker_page import BadPage, claim_of_address, submit_address
from annotation.models import Draft, Guidelines, Item, PageDraft, Project
from database.statements import Select
from schemes.base import Json
from schemes.registry import get_scheme


class NoSuchTask(LookupError):
    """No task of this role has the address."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """`data` is what the page's script reads."""

    project: Project
    role: str
    guidelines: Guidelines | None
    data: Json


def open_page(
    *, public_id: UUID, role: str, assignment: str, worker: str, submit_to: str
) -> OpenedPage:
    """The page of the task as the frame's address opens it. Raises NoSuchTask, BadPage."""
    offered = find_task(public_id)
    if offered is None or offered.task.role != role:
        raise NoSuchTask(f"No task of a {role} has this address.")
    again = offered.is_reoffered and worker
    if again and has_done_before(task=offered.task, worker=worker, assignment=assignment):
        raise BadPage("You have done this task before: please return it, so that others can.")
    project = offered.project
    claim = claim_of_address(task=offered.task, assignment=assignment, worker=worker)
    if claim:
        take_hand(task=offered.task, worker_ref=claim.worker_ref)
    draft = find_draft(claim) if claim else None
    data: Json = {
        "preview": claim is None,
        "token": claim.token() if claim else "",
        "assignment": claim.assignment_ref if claim else "",
        "submitTo": submit_address(submit_to) if claim else "",
        **draft_data(draft),
        "pay": offered.terms,
        "shared": get_scheme(project.scheme).shared_page_data(),
        "items": [item_data(item, draft) for item in offered.items],
    }
    return OpenedPage(project, role, _guidelines(draft, offered), data)


def draft_data(draft: PageDraft | None) -> Json:
    """How far the work is, as the page's scripts read it."""
    return {
        "revision": draft.revision if draft else 0,
        "submitted": bool(draft and draft.submitted_at),
        "activeSeconds": draft.active_seconds if draft else 0,
        "moves": draft.moves if draft else 0,
        "comment": draft.comment if draft else "",
    }


def item_data(item: Item, draft: PageDraft | None) -> Json:
    scheme = get_scheme(item.project.scheme)
    tokens = item.sentence.tokens
    return {
        "id": item.pk,
        "tokens": tokens,
        "target": item.target,
        "data": scheme.page_data(tokens, item.target),
        "content": draft.content.get(str(item.pk)) if draft else None,
    }


def _guidelines(draft: Draft | None, offered: OfferedTask) -> Guidelines | None:
    """The version that the worker began with, else the one that the batch shows."""
    began_with = draft.guidelines_id if draft else None
    shown = began_with or offered.guidelines_id
    return _GUIDELINES.first([shown]) if shown else None


_GUIDELINES = Select(Guidelines, "SELECT {g} FROM annotation_guidelines g WHERE g.id = %s")
