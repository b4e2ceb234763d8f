"""Collect the data of a worker's page, so that the page needs no further request."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from annotation.domain.corpus.fit_content import fit_content
from annotation.domain.corpus.item_context import (
    context_of,
    page_neighbours,
    page_tokens,
    suggestions_of,
)
from annotation.domain.corpus.neighbours import neighbours_of
from annotation.domain.decisions.bonus_timing import stated_timing
from annotation.domain.decisions.hold_bonus import stated_terms
from annotation.domain.publishing.republish import has_done_before
from annotation.domain.work.confirm_claim import (
    check_confirmed,
    check_preview,
    check_readable,
    confirm_claim,
)
from annotation.domain.work.drafts import check_owner, find_draft
from annotation.domain.work.find_task import PublishedTask, find_task
from annotation.domain.work.onboarding.steps import AskedFirst, asked_first, check_onboarding
from annotation.domain.work.tutorial import offers_tutorial
from annotation.domain.work.worker_page import NotForWorkerError, PageToken, page_token_of_arrival
from annotation.enums import ModelUse
from annotation.models import BlockAssignment, Draft, Item, PageDraft, Task
from audit.errors import TouchstoneError
from crowd.domain.money.pay_scheme import page_pay
from crowd.domain.sessions.arrivals import Arrival
from database import statements
from projects.domain.schemes import scheme_of
from projects.enums import InputSignals, Role, page_role, writes_units
from projects.models import Guidelines, Project
from schemes.contract.items import ItemContext, Neighbours
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

OTHER_BLOCK = gettext_lazy(
    "You're working on part {block}, and this task belongs to another part. Return it and continue "
    "with your part."
)


class TaskNotFoundError(TouchstoneError, LookupError):
    """No task of this role has the address."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """The content of a page. `data` is for the page's script.

    `hides_work` means that the page must not show what other workers did. With `is_preannotated`, the
    worker starts from a model's annotation.
    """

    project: Project
    role: str
    guidelines: Guidelines | None
    data: Json
    asked_first: AskedFirst
    hides_work: bool
    is_preannotated: bool


def open_page(
    *,
    public_id: UUID,
    role: str,
    arrival: Arrival,
    now: datetime,
    address: str = "",
    is_member: bool = False,
) -> OpenedPage:
    """Return the task's page for the worker who arrived from the network address.

    A member of the project previews everything. A worker sees others' work only after the marketplace
    confirmed that they accepted the task, so do not call it in a transaction. Raise TaskNotFoundError,
    InvalidPageError, OnboardingRequiredError.
    """
    claim = page_token_of_arrival(public_id=public_id, arrival=arrival)
    published = find_task(public_id)
    if published is None or published.task.role != role:
        raise TaskNotFoundError(f"This {role} task doesn't exist. Return it.")
    task = published.task
    if claim:
        claim = confirm_claim(claim=claim, task=task, now=now)
        _check_admitted(published, claim)
        check_onboarding(published=published, claim=claim, address=address)
        if claim.is_confirmed:
            assign_block(task=task, worker_ref=claim.worker_ref, now=now)
    elif not is_member:
        check_preview(task)
    project = task.batch.project
    draft = find_draft(claim=claim, task=task) if claim else None
    if claim and draft:
        check_owner(draft=draft, claim=claim, task=task)
    guidelines_id = (draft and draft.guidelines_id) or published.guidelines_id
    contexts = _contexts(project, published, role)
    known = claim.worker_ref if claim and claim.is_confirmed else ""
    terms = stated_terms(task=task)
    data: Json = {
        "preview": claim is None,
        "token": claim.token() if claim else "",
        "assignment": claim.assignment_ref if claim else "",
        "submitTo": arrival.submit_to,
        "language": project.language,
        "definition": project.definition_digest,
        **draft_data(draft),
        **_inputs_of(claim, draft, project),
        "tutorial": claim is not None
        and claim.is_confirmed
        and draft is None
        and offers_tutorial(project=project, role=role, worker_ref=claim.worker_ref),
        "pay": page_pay(terms) if terms else None,
        "bonus_timing": stated_timing(batch=task.batch, worker_ref=known),
        "shared": shared_data(scheme_of(project), role, contexts),
        "items": [
            item_data(item, context, draft, role)
            for item, context in zip(published.items, contexts, strict=True)
        ],
    }
    given = _preannotations(published) if claim and role == Role.GENERATOR else {}
    if draft is None:
        for item in data["items"]:
            item["content"] = given.get(item["id"])
    return OpenedPage(
        project=project,
        role=role,
        guidelines=_guidelines(guidelines_id),
        data=data,
        asked_first=asked_first(published),
        hides_work=claim is None and not is_member,
        is_preannotated=bool(given),
    )


def _preannotations(published: PublishedTask) -> dict[int, Json]:
    """Return the annotations that generators edit, by item id, in the form of the current definition."""
    return {
        item.pk: fit_content(help.content, item=item, since=help.assigned_at)
        for item, help in zip(published.items, published.helps, strict=True)
        if help.use == ModelUse.PREANNOTATION and help.content and help.assigned_at
    }


def _inputs_of(claim: PageToken | None, draft: Draft | None, project: Project) -> Json:
    """Return the records of inputs for the page to continue, or {} if it records nothing."""
    if claim is None or project.input_signals == InputSignals.OFF:
        return {}
    return {"inputs": draft.inputs if draft else {}}


def _check_admitted(published: PublishedTask, claim: PageToken) -> None:
    """Raise InvalidPageError if the worker may not do the task.

    The page of a task with others' work, or in a block, opens only for a confirmed claim.
    """
    task = published.task
    if task.block is not None or task.role != Role.GENERATOR:
        check_confirmed(claim=claim, task=task)
    if not claim.is_confirmed:
        return
    check_readable(claim=claim, task=task)
    if published.is_republished and has_done_before(
        task=task, worker=claim.worker_ref, assignment=claim.assignment_ref
    ):
        raise NotForWorkerError(
            gettext("You already did this task. Return it so that others can do it.")
        )


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


def _guidelines(guidelines_id: int | None) -> Guidelines | None:
    found: Guidelines | None = statements.fetch(
        Guidelines, "SELECT * FROM projects_guidelines WHERE id = %s", guidelines_id
    )
    return found


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


def _contexts(project: Project, published: PublishedTask, role: str) -> list[ItemContext]:
    """Return the contexts of the items, with the suggestions of their arms.

    Annotators are not asked what is only implied, and only they mark answers in the neighbours.
    """
    sentences = [item.sentence for item in published.items]
    neighbours = neighbours_of(project=project, sentences=sentences)
    contexts = [
        replace(
            context_of(item),
            neighbours=neighbours.get(item.sentence_id, Neighbours()),
            suggestions=suggestions_of(project, item.sentence.partition, help.suggestions),
        )
        for item, help in zip(published.items, published.helps, strict=True)
    ]
    if page_role(role) != Role.GENERATOR:
        return [replace(context, allows_context_answers=False) for context in contexts]
    return [replace(context, asks_implied=False) for context in contexts]


def shared_data(scheme: Scheme, role: str, contexts: Sequence[ItemContext]) -> Json:
    return scheme.pages.shared(contexts) if page_role(role) in scheme.pages.roles else {}


def item_data(item: Item, context: ItemContext, draft: PageDraft | None, role: str) -> Json:
    pages = scheme_of(item.project).pages
    content = None
    if draft and _is_readable(draft, item, role):
        content = fit_content(
            draft.content.get(str(item.pk)),
            item=item,
            since=draft.opened_at,
            digest=draft.definition_digest,
        )
    return {
        "id": item.pk,
        **page_tokens(item.sentence.tokens, item.sentence.text, item.sentence.offsets),
        **page_neighbours(context),
        "target": item.target,
        "freeForm": item.project.allow_free_form,
        "data": pages.item(context) if page_role(role) in pages.roles else {},
        "content": content,
    }


def _is_readable(draft: PageDraft, item: Item, role: str) -> bool:
    """Return False for consolidations and judgments of annotations that had another form."""
    is_current = draft.definition_digest in ("", item.project.definition_digest)
    return is_current or writes_units(role)
