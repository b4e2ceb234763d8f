"""Save and submit a worker's draft."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints

from annotation.domain.corpus.fit_content import EarlierContent, parse_earlier
from annotation.domain.publishing.publish import batch_terms
from annotation.domain.work.confirm_claim import check_confirmed, confirm_claim
from annotation.domain.work.find_task import PublishedTask, find_task
from annotation.domain.work.input_records import bounded_records
from annotation.domain.work.unconfirmed_drafts import check_room, digest_of
from annotation.domain.work.worker_page import InvalidPageError, PageToken, TaskOverError
from annotation.models import Draft, Item, PageDraft, Task
from audit.errors import TouchstoneError
from crowd.domain.hits.sync_hits import request_sync
from crowd.domain.workers.confirm_claim import can_be_asked
from crowd.domain.workers.languages import page_language
from database import statements
from projects.domain.schemes import scheme_of
from projects.enums import InputSignals, page_role, writes_units
from schemes.contract.errors import ContentError
from schemes.contract.texts import Translatable
from schemes.contract.values import Json

COMMENT_LIMIT = 2000
STEP_LIMIT = 20
LOG_LIMIT = 2000
LABEL_LIMIT = 200
UNANSWERED_LIMIT = 50
EFFORT_LIMIT = 10_000_000
# Workers can ask for more time, and submitted work can arrive late.
LATE = timedelta(days=1)
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
        super().__init__(gettext("This task was changed in another tab. Reload to continue."))
        self.draft = draft


class FormChangedError(InvalidPageError):
    """The page shows another version of the scheme's definition than its work needs."""

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "The form of this task has changed since you opened this page. Reload the page to "
                "continue in the new form."
            )
        )


class InvalidContentError(TouchstoneError):
    """The work can't be submitted. `errors` maps item ids to the errors in their content."""

    def __init__(self, errors: Mapping[int, ContentError]) -> None:
        super().__init__("; ".join(f"{error}" for error in errors.values()))
        self.errors = dict(errors)


SaveId = Annotated[str, StringConstraints(max_length=40)]
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
    may repeat moves that were saved before. `revision` is the newest revision that the page knows.
    `definition` is the digest of the definition whose form the page shows, or "".
    `save_id` is a random id of this message, and `unanswered` has those of earlier messages whose
    answers the page did not receive. `inputs` has the records of how the answers were entered.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    revision: int = Field(ge=0)
    save_id: SaveId = ""
    definition: str = Field(default="", max_length=64)
    unanswered: list[SaveId] = Field(default=[], max_length=UNANSWERED_LIMIT)
    content: dict[str, object] = Field(max_length=200)
    active_seconds: int = Field(default=0, ge=0, le=EFFORT_LIMIT)
    moves: int = Field(default=0, ge=0, le=EFFORT_LIMIT)
    steps: dict[StepName, StepEffort] = Field(default={}, max_length=STEP_LIMIT)
    log: list[LoggedMove] = Field(default=[], max_length=LOG_LIMIT)
    comment: str = Field(default="", max_length=20_000)
    inputs: Any = None


def save_draft(*, claim: PageToken, state: PageState, now: datetime, address: str = "") -> Draft:
    """Store the page's state under the next revision.

    `address` is the network address of the page. Raise InvalidPageError, DraftConflictError,
    TooManyDraftsError, TaskOverError. It may call the marketplace, so do not call it in a transaction.
    """
    published = _task(claim)

    def change(draft: Draft, has_log: bool) -> None:
        if draft.submitted_at:
            check_newest(draft, state)
        else:
            _keep_inputs(draft, state, published)
            keep_state(draft, state, now, has_log=has_log)

    return _change_draft(
        claim, published, change, now, address=address, active_seconds=state.active_seconds
    )


def keep_state(draft: PageDraft, state: PageState, now: datetime, *, has_log: bool = True) -> None:
    """Save the page's state as the draft's next revision. The draft's row must be locked.

    A repeated message changes nothing. Raise DraftConflictError if another page has saved since this
    page did.
    """
    if is_stored(draft, state):
        return
    check_newest(draft, state)
    take_over(draft, state, now, has_log=has_log)
    draft.save()


def is_stored(draft: PageDraft, state: PageState) -> bool:
    """Return whether this message was the last one saved.

    Browsers repeat a request if the connection breaks. A new revision for the repeat would look like
    the work of another tab, because the page no longer remembers a message that was answered.
    """
    return bool(state.save_id) and draft.save_id == state.save_id


def check_newest(draft: PageDraft, state: PageState) -> None:
    """Raise DraftConflictError if the draft has newer work than the page knows.

    Work that the page itself saved is not newer, even if the page did not receive the answer. The
    same work is not newer either: a page that is reloaded can be older than its own last save. Raise
    FormChangedError for newer work in another form, which the page can't show.
    """
    if draft.revision <= state.revision:
        return
    is_own = draft.save_id and draft.save_id in (state.save_id, *state.unanswered)
    is_same = draft.content == state.content and draft.comment == state.comment[:COMMENT_LIMIT]
    if is_own or is_same:
        return
    if draft.definition_digest != state.definition:
        raise FormChangedError
    raise DraftConflictError(draft)


def submit_draft(
    *, claim: PageToken, state: PageState, parse: Parse, now: datetime, address: str = ""
) -> str:
    """Submit the work. Return the text that goes to the marketplace as the second copy.

    A repeat succeeds. The newest valid content counts until the marketplace's copy is recorded.
    Content is read in the form that the page states. Without that, it may fit a version of the scheme's
    definition that was current when the page was opened. Raise FormChangedError if consolidations or
    judgments are about annotations in another form.
    Raise InvalidPageError, TooManyDraftsError, DraftConflictError, or InvalidContentError without any
    change. It may call the marketplace, so do not call it in a transaction.
    """
    published = _task(claim)
    opened_at = now - timedelta(seconds=state.active_seconds)
    reader = _Reader(parse, claim, published, opened_at, digest=state.definition)
    content = parse_content(items=published.items, content=state.content, parse=reader.parse)
    _check_unit_limit(published, {**content, **reader.mapped})

    def change(draft: Draft, has_log: bool) -> None:
        if draft.submitted_at and is_stored(draft, state):
            return
        check_newest(draft, state)
        if draft.submitted_at is None:
            draft.submitted_at = now
            request_sync(hit_id=published.task.hit_id, now=now)
        take_over(draft, state, now, has_log=has_log)
        _keep_inputs(draft, state, published)
        draft.content = content
        draft.save()

    _change_draft(
        claim, published, change, now, address=address, active_seconds=state.active_seconds
    )
    return answer_text(content)


class _Reader:
    """A parser that also reads content of versions that were current since the page was opened.

    A draft states when that was. `opened_at` is for pages that have none. With a `digest`, content is
    read in the form of the definition that has it. `mapped` has the content of earlier versions in the
    form of the current one.
    """

    def __init__(
        self,
        parse: Parse,
        claim: PageToken,
        published: PublishedTask,
        opened_at: datetime,
        *,
        digest: str,
    ) -> None:
        self._parse, self._claim, self._task = parse, claim, published.task
        self._opened_at = opened_at
        self._digest = digest
        self._is_old = digest not in ("", published.task.batch.project.definition_digest)
        self.mapped: dict[str, Json] = {}
        if self._is_old and not writes_units(published.task.role):
            raise FormChangedError

    def parse(self, item: Item, content: object) -> Json:
        """Return the normalised content. Raise ContentError, or FormChangedError."""
        if not self._is_old:
            try:
                return self._parse(item, content)
            except ContentError:
                if self._digest:
                    raise
                earlier = self._earlier(item, content)
                if earlier is None:
                    raise
        elif (earlier := self._earlier(item, content)) is None:
            raise FormChangedError
        self.mapped[str(item.pk)] = earlier.mapped
        return earlier.content

    def _earlier(self, item: Item, content: object) -> EarlierContent | None:
        draft = find_draft(claim=self._claim, task=self._task)
        since = draft.opened_at if draft else self._opened_at
        return parse_earlier(item, content, parse=self._parse, since=since, digest=self._digest)


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


def _check_unit_limit(published: PublishedTask, content: Mapping[str, Json]) -> None:
    """Raise InvalidContentError if an item has more units than its pay terms allow.

    People who judge the units of others can't choose their number. Only their pay is limited.
    """
    task = published.task
    if not writes_units(task.role):
        return
    most = batch_terms(task.batch).get("max_units", 0)
    scheme = scheme_of(task.batch.project)
    errors = {}
    for item in published.items:
        units = scheme.content.count_units(content[str(item.pk)], page_role(task.role))
        if most and units > most:
            unit = scheme.vocabulary.unit
            errors[item.pk] = ContentError(
                "",
                "At most %(limit)s can be submitted for one %(item)s. You have %(units)s.",
                limit=unit.count(most),
                item=Translatable(scheme.vocabulary.item.singular),
                units=unit.count(units),
            )
    if errors:
        raise InvalidContentError(errors)


def items_of(task: Task) -> list[Item]:
    """Return the task's items in order, with sentence and project."""
    return list(
        task.items.order_by("task_items__ordinal").select_related("sentence__image", "project")
    )


def answer_text(content: Mapping[str, Json]) -> str:
    """Return the marketplace's copy as compact JSON. Equal content gives equal text."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _task(claim: PageToken) -> PublishedTask:
    published = find_task(claim.public_id)
    if published is None:
        raise InvalidPageError(gettext("This task doesn't exist."))
    return published


def find_draft(*, claim: PageToken, task: Task, lock: bool = False) -> Draft | None:
    """Return the claim's draft, or None."""
    statement = _DRAFT + (statements.lock_clause() if lock else "")
    return statements.fetch(Draft, statement, task.pk, claim.assignment_ref, claim.worker_ref)


def _change_draft(
    claim: PageToken,
    published: PublishedTask,
    change: Callable[[Draft, bool], None],
    now: datetime,
    *,
    address: str,
    active_seconds: int,
) -> Draft:
    """Call `change` with the claim's draft, which is locked or new, to change and save it.

    A new draft was opened as long ago as its page was active, at most the time of an assignment. The
    second argument of `change` is True if the draft may store the log.
    """
    task = published.task
    claim = confirm_claim(claim=claim, task=task, now=now)
    # Somebody is working on the task, and perhaps not the worker of the claim.
    is_certain = claim.is_confirmed and not can_be_asked(task.hit.hit_type.provider)
    longest = task.hit.hit_type.assignment_seconds
    address_digest = digest_of(address)
    while True:
        try:
            with transaction.atomic():
                draft = find_draft(claim=claim, task=task, lock=True)
                if draft is None:
                    if not is_certain:
                        check_room(task=task, address_digest=address_digest)
                    draft = Draft(
                        task=task,
                        guidelines_id=published.guidelines_id,
                        opened_at=now - timedelta(seconds=min(active_seconds, longest)),
                        assignment_ref=claim.assignment_ref,
                        worker_ref=claim.worker_ref,
                        address_digest=address_digest,
                    )
                check_owner(draft=draft, claim=claim, task=task)
                _check_time(draft, task, now)
                draft.is_confirmed = draft.is_confirmed or is_certain
                draft.language = page_language()
                change(draft, claim.is_confirmed or draft.is_confirmed)
            return draft
        except IntegrityError:
            continue  # another page of the same work created the draft


def check_owner(*, draft: Draft, claim: PageToken, task: Task) -> None:
    """Raise UnconfirmedClaimError for the draft of a confirmed claim if this claim is not confirmed."""
    if not draft.is_confirmed or claim.is_confirmed:
        return
    check_confirmed(claim=claim, task=task)


def _check_time(draft: Draft, task: Task, now: datetime) -> None:
    """Raise TaskOverError long after the assignment ended. It began before the draft."""
    seconds = task.hit.hit_type.assignment_seconds
    ended_at = draft.submitted_at or draft.opened_at + timedelta(seconds=seconds)
    if now > ended_at + LATE:
        raise TaskOverError


def take_over(draft: PageDraft, state: PageState, now: datetime, *, has_log: bool = True) -> None:
    """Copy the page's state to the draft as its next revision, without saving it.

    Without the log, the number of moves stays as it is, so that the page sends them again.
    """
    draft.content = state.content
    draft.comment = state.comment[:COMMENT_LIMIT]
    draft.revision += 1
    draft.save_id = state.save_id
    draft.definition_digest = state.definition
    draft.saved_at = now
    # The seconds since the page was opened, plus a minute of grace.
    open_for = int((now - draft.opened_at + timedelta(minutes=1)).total_seconds())
    # The page restarts its counter on a reload, which must not lower the stored value.
    draft.active_seconds = max(draft.active_seconds, min(state.active_seconds, open_for))
    if has_log:
        draft.log = _longer_log(draft, state)
        draft.moves = max(draft.moves, state.moves)
    draft.steps = _highest_steps(draft.steps, state.steps, open_for)


def _keep_inputs(draft: Draft, state: PageState, published: PublishedTask) -> None:
    """Copy the records of inputs that the page sent to the draft, unless the project records none."""
    if published.task.batch.project.input_signals != InputSignals.OFF and state.inputs:
        draft.inputs = bounded_records(state.inputs)


def _longer_log(draft: PageDraft, state: PageState) -> list[list[int | str]]:
    """Return the draft's log with the moves that it does not have yet. Only the newest remain.

    The last entry of the page's log is its move number `state.moves`.
    """
    count = max(0, state.moves - draft.moves)
    added = [list(move) for move in state.log[-count:]] if count else []
    log: list[Any] = [*draft.log, *added]
    return log[-LOG_LIMIT:]


def _highest_steps(
    stored: Mapping[str, Mapping[str, int]], sent: Mapping[str, StepEffort], max_seconds: int
) -> Json:
    """Return the higher figures of each step. Earlier steps are retained, up to the limit."""
    steps: Json = {name: dict(effort) for name, effort in stored.items()}
    for name, effort in sent.items():
        if name not in steps and len(steps) >= STEP_LIMIT:
            continue
        before = steps.get(name, {"seconds": 0, "moves": 0})
        steps[name] = {
            "seconds": max(before["seconds"], min(effort.seconds, max_seconds)),
            "moves": max(before["moves"], effort.moves),
        }
    return steps
