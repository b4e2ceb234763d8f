"""Everything that a worker's page needs, in one go: it asks for nothing more before it can be used."""

from typing import Any

from annotation.domain.create_project import current_guidelines
from annotation.domain.drafts import find_draft, items_of
from annotation.domain.publish import terms_of
from annotation.domain.worker_page import Claim, claim_of_address, submit_address
from annotation.models import Draft, Guidelines, Item, Task
from schemes.base import Json
from schemes.registry import get_scheme


def open_page(*, task: Task, assignment: str, worker: str, submit_to: str) -> Json:
    """The page's data, as its script reads it. Raises BadPage."""
    claim = claim_of_address(task=task, assignment=assignment, worker=worker)
    draft = find_draft(claim) if claim else None
    return {
        "preview": claim is None,
        "token": claim.token() if claim else "",
        "assignment": claim.assignment_ref if claim else "",
        "submitTo": submit_address(submit_to) if claim else "",
        "revision": draft.revision if draft else 0,
        "submitted": bool(draft and draft.submitted_at),
        "activeSeconds": draft.active_seconds if draft else 0,
        "moves": draft.moves if draft else 0,
        "comment": draft.comment if draft else "",
        "pay": terms_of(task.batch.project, task.role),
        "shared": get_scheme(task.batch.project.scheme).shared_page_data(),
        "items": [item_data(item, draft) for item in items_of(task)],
    }


def item_data(item: Item, draft: Draft | None) -> Json:
    scheme = get_scheme(item.project.scheme)
    tokens = item.sentence.tokens
    return {
        "id": item.pk,
        "tokens": tokens,
        "target": item.target,
        "data": scheme.page_data(tokens, item.target),
        "content": draft.content.get(str(item.pk)) if draft else None,
    }


def guidelines_for(*, task: Task, claim: Claim | None) -> Guidelines | None:
    """The version that the worker began with, else the newest."""
    draft: Any = find_draft(claim) if claim else None
    if draft and draft.guidelines:
        return draft.guidelines  # type: ignore[no-any-return]
    return current_guidelines(project=task.batch.project, role=task.role)
