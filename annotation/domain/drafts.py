"""Save and submit a worker's draft."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db import IntegrityError, transaction
from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints

from annotation.domain.find_task import PublishedTask, find_task
from annotation.domain.worker_page import InvalidPageError, PageToken
from annotation.models import Draft, Item, PageDraft, Task
from audit.errors import TouchstoneError
from crowd.domain.sync_hits import request_sync
from database import statements
from schemes.base import ContentError, Json

COMMENT_LIMIT = 2000
STEP_LIMIT = 20
LOG_LIMIT = 2000
LABEL_LIMIT = 200
EFFORT_LIMIT = 10_000_000
_DRAFT = f"""
SELECT {", ".join(field.attname for field in Draft._meta.concrete_fields)}
FROM annotation_draft
WHERE task_id = %s AND assignment_ref = %s AND worker_ref = %s
"""  # noqa: S608 - the columns of the model
# (item, content) -> normalized content. Raise ContentError.
Parse = Callable[[Item, object], Json]


class DraftConflictError(TouchstoneError):
    """Another page of the same work has saved since. `draft` is the newer version."""

    def __init__(self, draft: PageDraft) -> None:
        super().__init__("Another tab has newer work on this task.")
        self.draft = draft


class InvalidContentError(TouchstoneError):
    """The work can't be submitted. `errors` maps item ids to the errors in their content."""

    def __init__(self, errors: Mapping[int, ContentError]) -> None:
        super().__init__("; ".join(f"{error}" for error in errors.values()))
        self.errors = dict(errors)


StepName = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class StepEffort(BaseModel):
    """The active seconds and the moves of a step of the work."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seconds: int = Field(ge=0, le=EFFORT_LIMIT)
    moves: int = Field(ge=0, le=EFFORT_LIMIT)


# JSON has lists for tuples. Their values are checked strictly.
LoggedMove = Annotated[
    tuple[
        Annotated[int, Field(ge=0, le=EFFORT_LIMIT)],
        Annotated[str, StringConstraints(max_length=40)],
        Annotated[str, StringConstraints(max_length=LABEL_LIMIT)],
    ],
    Strict(False),
]


class PageState(BaseModel):
    """The state that a page sends with every save.

    `content` maps item ids (as text) to content. `steps` has the parts of `active_seconds` and
    `moves` by step. `log` has the last moves in order: active second, step and what was done. It
    may repeat moves that were saved before.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    revision: int = Field(ge=0)
    content: dict[str, object] = Field(max_length=200)
    active_seconds: int = Field(default=0, ge=0, le=EFFORT_LIMIT)
    moves: int = Field(default=0, ge=0, le=EFFORT_LIMIT)
    steps: dict[StepName, StepEffort] = Field(default={}, max_length=STEP_LIMIT)
    log: list[LoggedMove] = Field(default=[], max_length=LOG_LIMIT)
    comment: str = Field(default="", max_length=20_000)


def save_draft(*, claim: PageToken, state: PageState, now: datetime) -> Draft:
    """Store the page's state under the next revision. Raise InvalidPageError, DraftConflictError."""

    def change(draft: Draft) -> None:
        if not draft.submitted_at:
            keep_state(draft, state, now)

    return _change_draft(claim, _task(claim), change, now)


def keep_state(draft: PageDraft, state: PageState, now: datetime) -> None:
    """Save the page's state as the draft's next revision. The draft's row must be locked.

    Raise DraftConflictError if another page has saved since this page did.
    """
    if state.revision != draft.revision:
        raise DraftConflictError(draft)
    take_over(draft, state, now)
    draft.save()


def submit_draft(*, claim: PageToken, state: PageState, parse: Parse, now: datetime) -> str:
    """Submit the work. Return the text that goes to the marketplace as the second copy.

    A repeat succeeds. The newest valid content counts until the marketplace's copy is recorded.
    Raise InvalidPageError, or InvalidContentError without any change.
    """
    offered = _task(claim)
    content = parse_content(items=offered.items, content=state.content, parse=parse)

    def change(draft: Draft) -> None:
        if draft.submitted_at is None:
            draft.submitted_at = now
            request_sync(hit_id=offered.task.hit_id, now=now)
        take_over(draft, state, now)
        draft.content = content
        draft.save()

    _change_draft(claim, offered, change, now)
    return answer_text(content)


def parse_content(
    *, items: Sequence[Item], content: Mapping[str, object], parse: Parse
) -> dict[str, Json]:
    """Return each item's content, checked by its scheme. Raise InvalidContentError."""
    parsed: dict[str, Json] = {}
    errors: dict[int, ContentError] = {}
    for item in items:
        try:
            parsed[str(item.pk)] = parse(item, content.get(str(item.pk)))
        except ContentError as error:
            errors[item.pk] = error
    if errors:
        raise InvalidContentError(errors)
    return parsed


def items_of(task: Task) -> list[Item]:
    """Return the task's items in order, with sentence and project."""
    return list(
        task.items.order_by("task_items__ordinal").select_related("sentence__image", "project")
    )


def answer_text(content: Mapping[str, Json]) -> str:
    """Return the marketplace's copy as compact JSON. Equal content gives equal text."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _task(claim: PageToken) -> PublishedTask:
    offered = find_task(claim.public_id)
    if offered is None:
        raise InvalidPageError("This task does not exist.")
    return offered


def find_draft(*, claim: PageToken, task: Task, lock: bool = False) -> Draft | None:
    """Return the claim's draft, or None."""
    statement = _DRAFT + (statements.lock_clause() if lock else "")
    return statements.fetch(Draft, statement, task.pk, claim.assignment_ref, claim.worker_ref)


def _change_draft(
    claim: PageToken, offered: PublishedTask, change: Callable[[Draft], None], now: datetime
) -> Draft:
    """Call `change` with the claim's draft, which is locked or new, to change and save it."""
    while True:
        try:
            with transaction.atomic():
                draft = find_draft(claim=claim, task=offered.task, lock=True)
                if draft is None:
                    draft = Draft(
                        task=offered.task,
                        guidelines_id=offered.guidelines_id,
                        opened_at=now,
                        assignment_ref=claim.assignment_ref,
                        worker_ref=claim.worker_ref,
                    )
                change(draft)
            return draft
        except IntegrityError:
            continue  # another page of the same work created the draft


def take_over(draft: PageDraft, state: PageState, now: datetime) -> None:
    """Copy the page's state to the draft, without saving it."""
    draft.content = state.content
    draft.comment = state.comment[:COMMENT_LIMIT]
    draft.revision += 1
    draft.saved_at = now
    # The seconds since the page was opened, plus a minute of grace for the first save.
    open_for = int((now - draft.opened_at + timedelta(minutes=1)).total_seconds())
    # The page restarts its counter on a reload, which must not lower the stored value.
    draft.active_seconds = max(draft.active_seconds, min(state.active_seconds, open_for))
    draft.log = _longer_log(draft, state)
    draft.moves = max(draft.moves, state.moves)
    draft.steps = _highest_steps(draft.steps, state.steps, open_for)


def _longer_log(draft: PageDraft, state: PageState) -> list[list[int | str]]:
    """Return the draft's log with the moves that it does not have yet. Only the newest remain.

    The last entry of the page's log is its move number `state.moves`.
    """
    count = max(0, state.moves - draft.moves)
    added = [list(move) for move in state.log[-count:]] if count else []
    log: list[Any] = [*draft.log, *added]
    return log[-LOG_LIMIT:]


def _highest_steps(
    stored: Mapping[str, Mapping[str, int]], sent: Mapping[str, StepEffort], most_seconds: int
) -> Json:
    """Return the higher figures of each step. Earlier steps are retained, up to the limit."""
    steps: Json = {name: dict(effort) for name, effort in stored.items()}
    for name, effort in sent.items():
        if name not in steps and len(steps) >= STEP_LIMIT:
            continue
        before = steps.get(name, {"seconds": 0, "moves": 0})
        steps[name] = {
            "seconds": max(before["seconds"], min(effort.seconds, most_seconds)),
            "moves": max(before["moves"], effort.moves),
        }
    return steps
