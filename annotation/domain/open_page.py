"""Everything that a worker's page needs, in one go: it asks for nothing more before it can be used."""

from dataclasses import dataclass
from uuid import UUID

from annotation.domain.find_task import find_opened_task
from annotation.domain.reoffer import has_done_before
from annotation.domain.take_hand import take_hand
from annotation.domain.worker_page import BadPage, claim_of_address, submit_address
from annotation.models import Item, PageDraft, Project
from schemes.base import Json
from schemes.registry import get_scheme


class NoSuchTask(LookupError):
    """No task of this role has the address."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """`guidelines` is Markdown; `data` is what the page's script reads."""

    project: Project
    role: str
    guidelines: str
    data: Json


def open_page(
    *, public_id: UUID, role: str, assignment: str, worker: str, submit_to: str
) -> OpenedPage:
    """The page of the task as the frame's address opens it. Raises NoSuchTask, BadPage."""
    claim = claim_of_address(public_id=public_id, assignment=assignment, worker=worker)
    opened = find_opened_task(public_id, claim)
    if opened is None or opened.offered.task.role != role:
        raise NoSuchTask(f"No task of a {role} has this address.")
    offered, draft = opened.offered, opened.draft
    again = offered.is_reoffered and worker
    if again and has_done_before(task=offered.task, worker=worker, assignment=assignment):
        raise BadPage("You have done this task before: please return it, so that others can.")
    if claim:
        take_hand(task=offered.task, worker_ref=claim.worker_ref)
    project = offered.project
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
    return OpenedPage(project, role, opened.guidelines, data)


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
