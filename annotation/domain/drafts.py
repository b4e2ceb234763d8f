"""A worker's unfinished work, and the moment it is handed in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation.domain.create_project import current_guidelines
from annotation.domain.worker_page import BadPage, Claim
from annotation.models import Draft, Item, Task
from crowd.domain.sync_hits import hasten_sync
from schemes.base import ContentError, Json

COMMENT_LIMIT = 2000
# (item, content) -> normalised content; raises ContentError
Parse = Callable[[Item, object], Json]


class DraftConflict(Exception):
    """Another page of the same assignment has saved in the meantime; `draft` is what it saved."""

    def __init__(self, draft: Draft) -> None:
        super().__init__("Another tab has newer work on this task.")
        self.draft = draft


class ContentRefused(Exception):
    """The work can't be handed in as it is: for each item id, where and why."""

    def __init__(self, errors: Mapping[int, ContentError]) -> None:
        super().__init__("; ".join(f"{error}" for error in errors.values()))
        self.errors = dict(errors)


@dataclass(frozen=True, slots=True)
class PageState:
    """What a page sends with every save. `content` maps item ids, as text, to their content."""

    revision: int
    content: Mapping[str, Any]
    active_seconds: int = 0
    moves: int = 0
    comment: str = ""


def find_draft(claim: Claim) -> Draft | None:
    return Draft.objects.filter(**_named(claim)).first()


@transaction.atomic
def save_draft(*, claim: Claim, state: PageState, now: datetime) -> Draft:
    """Keep the page's state under the next revision. Raises BadPage, DraftConflict."""
    draft = _locked(claim, now)
    if draft.submitted_at:
        return draft
    if state.revision != draft.revision:
        raise DraftConflict(draft)
    _take_over(draft, state, now)
    draft.save()
    return draft


@transaction.atomic
def submit_draft(*, claim: Claim, state: PageState, parse: Parse, now: datetime) -> str:
    """Take the work in; returns the text that goes to the marketplace as the second copy.

    A repeat is a success: the newest valid content stands until the marketplace's copy is recorded.
    Raises BadPage, ContentRefused (nothing is changed).
    """
    task = _task(claim)
    content = parse_content(task=task, content=state.content, parse=parse)
    draft = _locked(claim, now)
    first = draft.submitted_at is None
    _take_over(draft, state, now)
    draft.content = content
    draft.submitted_at = draft.submitted_at or now
    draft.save()
    if first:
        hasten_sync(hit_id=task.hit_id, now=now)
    return answer_text(content)


def parse_content(*, task: Task, content: Mapping[str, Any], parse: Parse) -> dict[str, Json]:
    """Each item's content, checked by its scheme. Raises ContentRefused."""
    parsed: dict[str, Json] = {}
    errors: dict[int, ContentError] = {}
    for item in items_of(task):
        try:
            parsed[str(item.pk)] = parse(item, content.get(str(item.pk)))
        except ContentError as error:
            errors[item.pk] = error
    if errors:
        raise ContentRefused(errors)
    return parsed


def items_of(task: Task) -> list[Item]:
    """The task's items in their order, with sentence and project."""
    return list(task.items.order_by("task_items__ordinal").select_related("sentence", "project"))


def answer_text(content: Mapping[str, Json]) -> str:
    """The marketplace's copy: compact, and the same text for the same content."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _named(claim: Claim) -> dict[str, str]:
    return {
        "task__public_id": claim.public_id,
        "assignment_ref": claim.assignment_ref,
        "worker_ref": claim.worker_ref,
    }


def _task(claim: Claim) -> Task:
    task = Task.objects.select_related("batch__project").filter(public_id=claim.public_id).first()
    if task is None:
        raise BadPage("This task does not exist (any more).")
    return task


def _locked(claim: Claim, now: datetime) -> Draft:
    """The claim's draft, locked; begun if there is none."""
    draft = Draft.objects.select_for_update(of=("self",)).filter(**_named(claim)).first()
    if draft:
        return draft
    task = _task(claim)
    draft, _ = Draft.objects.get_or_create(
        task=task,
        assignment_ref=claim.assignment_ref,
        worker_ref=claim.worker_ref,
        defaults={
            "opened_at": now,
            "saved_at": now,
            "guidelines": current_guidelines(project=task.batch.project, role=task.role),
        },
    )
    return Draft.objects.select_for_update().get(pk=draft.pk)


def _take_over(draft: Draft, state: PageState, now: datetime) -> None:
    draft.content = dict(state.content)
    draft.comment = state.comment[:COMMENT_LIMIT]
    draft.revision += 1
    draft.saved_at = now
    # The page counts from its own opening; a reload must not shorten what is known.
    draft.active_seconds = max(
        draft.active_seconds, min(state.active_seconds, _open_for(draft, now))
    )
    draft.moves = max(draft.moves, state.moves)


def _open_for(draft: Draft, now: datetime) -> int:
    """Whole seconds since the page was opened; a minute of grace for the first save, which starts it."""
    return int((now - draft.opened_at + timedelta(minutes=1)).total_seconds())
