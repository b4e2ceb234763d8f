"""A worker's unfinished work, and the moment it is handed in."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from annotation.domain.find_task import OfferedTask, find_task
from annotation.domain.worker_page import BadPage, Claim
from annotation.models import Draft, Item, PageDraft, Task
from crowd.domain.sync_hits import HASTEN_SYNC, hasten_sync
from database.statements import Select, Statement
from schemes.base import ContentError, Json

COMMENT_LIMIT = 2000
# (item, content) -> normalised content; raises ContentError
Parse = Callable[[Item, object], Json]


class DraftConflict(Exception):
    """Another page of the same work has saved in the meantime; `draft` is what it saved."""

    def __init__(self, draft: PageDraft) -> None:
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


def save_draft(*, claim: Claim, state: PageState, now: datetime) -> Draft:
    """Keep the page's state under the next revision. Raises BadPage, DraftConflict."""

    def keep(draft: Draft) -> bool:
        if draft.submitted_at:
            return False
        check_revision(draft, state)
        take_over(draft, state, now)
        return True

    offered = _task(claim)
    with transaction.atomic():
        return _change(claim, offered, keep, now)


def keep_state(draft: PageDraft, state: PageState, now: datetime) -> None:
    """The page's state under the draft's next revision. The draft's row must be locked. Raises
    DraftConflict."""
    check_revision(draft, state)
    take_over(draft, state, now)
    draft.save()


def check_revision(draft: PageDraft, state: PageState) -> None:
    """Raises DraftConflict if another page has saved since this one did."""
    if state.revision != draft.revision:
        raise DraftConflict(draft)


def submit_draft(*, claim: Claim, state: PageState, parse: Parse, now: datetime) -> str:
    """Take the work in; returns the text that goes to the marketplace as the second copy.

    A repeat is a success: the newest valid content stands until the marketplace's copy is recorded.
    Raises BadPage, ContentRefused (nothing is changed).
    """
    offered = _task(claim)
    content = parse_content(items=offered.items, content=state.content, parse=parse)
    first = False

    def take_in(draft: Draft) -> bool:
        nonlocal first
        first = draft.submitted_at is None
        take_over(draft, state, now)
        draft.content = content
        draft.submitted_at = draft.submitted_at or now
        return True

    if not (state.revision == 0 and _begin_and_end(_new(claim, offered, now), take_in, offered)):
        with transaction.atomic():
            _change(claim, offered, take_in, now)
            if first:
                hasten_sync(hit_id=offered.task.hit_id, now=now)
    return answer_text(content)


def parse_content(
    *, items: Sequence[Item], content: Mapping[str, Any], parse: Parse
) -> dict[str, Json]:
    """Each item's content, checked by its scheme. Raises ContentRefused."""
    parsed: dict[str, Json] = {}
    errors: dict[int, ContentError] = {}
    for item in items:
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


def _task(claim: Claim) -> OfferedTask:
    offered = find_task(UUID(claim.public_id))
    if offered is None:
        raise BadPage("This task does not exist (any more).")
    return offered


_FIND_AND_LOCK = Select(
    Draft,
    """
SELECT {d} FROM annotation_draft d JOIN annotation_task t ON t.id = d.task_id
WHERE d.assignment_ref = %s AND d.worker_ref = %s AND t.public_id = %s
""",
    lock="FOR UPDATE OF d",
)
_INSERT = """
INSERT INTO annotation_draft (content, comment, revision, saved_at, submitted_at, active_seconds, moves,
    opened_at, guidelines_id, task_id, assignment_ref, worker_ref)
VALUES (%(content)s, %(comment)s, %(revision)s, %(saved)s, %(submitted)s, %(active)s, %(moves)s,
    %(opened)s, %(guidelines)s, %(task)s, %(assignment)s, %(worker)s)
ON CONFLICT (assignment_ref, worker_ref, task_id) DO NOTHING
"""
_BEGIN = Statement(_INSERT)
_KEEP = Statement("""
UPDATE annotation_draft SET content = %(content)s, comment = %(comment)s, revision = %(revision)s,
    saved_at = %(saved)s, submitted_at = %(submitted)s, active_seconds = %(active)s, moves = %(moves)s
WHERE id = %(draft)s
""")
# What most hand-ins are, where a statement may stand within another: the first that we hear of the work.
_BEGIN_AND_HASTEN = """
WITH begun AS ({begin} RETURNING id), hastened AS (
    {hasten} AND EXISTS (SELECT 1 FROM begun))
SELECT id FROM begun
"""
_BEGIN_AND_END = Statement(_BEGIN_AND_HASTEN.format(begin=_INSERT, hasten=HASTEN_SYNC))


def _named(claim: Claim) -> Sequence[object]:
    return [claim.assignment_ref, claim.worker_ref, UUID(claim.public_id).hex]


def _change(
    claim: Claim, offered: OfferedTask, change: Callable[[Draft], bool], now: datetime
) -> Draft:
    """Lock the claim's draft, or begin it, and write what `change` makes of it (False: nothing), in the
    caller's transaction."""
    while True:
        draft = _FIND_AND_LOCK.first(_named(claim)) or _new(claim, offered, now)
        # Where another page began the same draft in this moment, its work is looked at first.
        if not change(draft) or _write(draft):
            return draft


def _new(claim: Claim, offered: OfferedTask, now: datetime) -> Draft:
    return Draft(
        task_id=offered.task.pk,
        assignment_ref=claim.assignment_ref,
        worker_ref=claim.worker_ref,
        opened_at=now,
        saved_at=now,
        guidelines_id=offered.guidelines_id,
    )


def _begin_and_end(draft: Draft, change: Callable[[Draft], bool], offered: OfferedTask) -> bool:
    """False where it takes more than one statement, and nothing is done."""
    if connection.vendor != "postgresql":
        return False
    change(draft)
    values = {**_values(draft), "hit": offered.task.hit_id, "now": draft.saved_at}
    return _BEGIN_AND_END.one(values) is not None


def _write(draft: Draft) -> bool:
    """False for a new draft that somebody else has begun."""
    return bool((_KEEP if draft.pk else _BEGIN).run(_values(draft)))


def _values(draft: Draft) -> dict[str, Any]:
    return {
        "draft": draft.pk,
        "content": json.dumps(draft.content),
        "comment": draft.comment,
        "revision": draft.revision,
        "saved": draft.saved_at,
        "submitted": draft.submitted_at,
        "active": draft.active_seconds,
        "moves": draft.moves,
        "opened": draft.opened_at,
        "guidelines": draft.guidelines_id,
        "task": draft.task_id,
        "assignment": draft.assignment_ref,
        "worker": draft.worker_ref,
    }


def take_over(draft: PageDraft, state: PageState, now: datetime) -> None:
    """What the page says, onto the draft, which is not saved yet."""
    draft.content = dict(state.content)
    draft.comment = state.comment[:COMMENT_LIMIT]
    draft.revision += 1
    draft.saved_at = now
    # The page counts from its own opening; a reload must not shorten what is known.
    draft.active_seconds = max(
        draft.active_seconds, min(state.active_seconds, _open_for(draft, now))
    )
    draft.moves = max(draft.moves, state.moves)


def _open_for(draft: PageDraft, now: datetime) -> int:
    """Whole seconds since the page was opened; a minute of grace for the first save, which starts it."""
    return int((now - draft.opened_at + timedelta(minutes=1)).total_seconds())
