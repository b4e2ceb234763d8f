"""Open, save and submit experts' pages.

Experts use the workers' pages with a session instead of a token, and nothing is sent to a
marketplace. The page data does not identify other authors.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.neighbours import neighbours_of_item
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.work.drafts import (
    FormChangedError,
    PageState,
    check_newest,
    keep_state,
    parse_content,
    take_over,
)
from annotation.domain.work.open_page import draft_data, item_data, shared_data
from annotation.enums import SubmissionState
from annotation.models import Item, Submission
from audit.domain.change_state import change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.case_records import REPLACED
from consolidation.domain.experts.expert_queues import open_to
from consolidation.domain.experts.monitor import (
    ReviewError,
    correct_review,
    is_current,
    request_review,
)
from consolidation.domain.gold.merge import contents_of, record_merge
from consolidation.domain.gold.use_as_gold import make_expert_gold
from consolidation.enums import CaseState, ExpertWork, MergeState, ReviewState
from consolidation.models import Dispute, ExpertDraft, ExpertQueue, Gold, Merge, QueuedItem, Review
from projects.domain.create_project import current_guidelines
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Guidelines, Project
from schemes.contract.values import Json

User = AbstractBaseUser | AnonymousUser
# The roles whose guidelines an expert reads, in order of preference.
GUIDELINES = {
    ExpertWork.ANNOTATE: (Role.EXPERT, Role.GENERATOR),
    ExpertWork.MERGE: (Role.EXPERT, Role.CONSOLIDATOR),
}
NOT_YOURS = (
    "You can't work on this item. It has enough experts, the queue is closed, or you have seen one "
    "of its annotations. Open the next item."
)


NEWER_GOLD = "The item has newer gold than yours. Ask a requester to have the newer gold reviewed."


class ExpertWorkError(TouchstoneError):
    """The expert may not work on this item. The message explains why."""


def guidelines_of(*, project: Project, kind: str) -> Guidelines | None:
    versions = (
        current_guidelines(project_id=project.pk, role=role)
        for role in GUIDELINES[ExpertWork(kind)]
    )
    return next((guidelines for guidelines in versions if guidelines), None)


def open_queued(*, queued: QueuedItem, expert: User, now: datetime) -> Json:
    """Return the page's data for its scripts. Raise ExpertWorkError."""
    draft = queued.drafts.filter(author=expert.pk).first()
    if draft is None:
        _check_free(queued, expert, now)
    merge = _merge_of(queued)
    if merge and merge.state == MergeState.MERGED and not (draft and draft.submitted_at):
        raise ExpertWorkError(NOT_YOURS)
    page = _page(queued.item, draft, contents_of(merge) if merge else None)
    if queued.queue.is_for_disputes:
        _show_dispute(page["items"][0], queued.item)
    return page


def _show_dispute(data: Json, item: Item) -> None:
    """Add the disputed annotation, unless the expert has a draft, and what is disputed."""
    disputes = Dispute.objects.filter(case__item=item).exclude(case__state=CaseState.REPLACED)
    dispute = disputes.select_related("source", "case").last()
    if dispute is None:
        return
    source = dispute.case.sources.get().submission
    if source == dispute.source:
        data["disputes"] = dispute.content
    if data["content"] is None:
        data["content"] = source.content


@transaction.atomic
def save_queued(
    *, queued: QueuedItem, expert: AbstractBaseUser, state: PageState, now: datetime
) -> ExpertDraft:
    """Save the page's state. Raise ExpertWorkError, DraftConflictError."""
    draft = _locked(queued, expert, now)
    if not draft.submitted_at:
        keep_state(draft, state, now)
    return draft


@transaction.atomic
def submit_queued(
    *, queued: QueuedItem, expert: AbstractBaseUser, state: PageState, now: datetime
) -> None:
    """Submit an annotation or a merge. A repeated submission changes nothing.

    Raise ExpertWorkError, DraftConflictError, FormChangedError, InvalidContentError.
    """
    draft = _locked(queued, expert, now)
    if draft.submitted_at:
        return
    check_newest(draft, state)
    _check_form(state, queued.item.project)
    if queued.queue.kind == ExpertWork.MERGE:
        _submit_merge(queued, expert, state, now)
    else:
        _submit_annotation(draft, state, now)
    _finish(draft, state, now)


@transaction.atomic
def open_again(*, queued: QueuedItem, expert: AbstractBaseUser, now: datetime) -> Review | None:
    """Open the expert's submitted work on the item again.

    An annotation can be edited on its page. Until it is submitted again, the earlier one counts. The
    gold of a merge is corrected in a review, which is returned. Raise ExpertWorkError if the work was not
    submitted or newer gold replaced it.
    """
    drafts = ExpertDraft.objects.select_for_update(of=("self",))
    draft = drafts.filter(queued=queued, author=expert.pk, submitted_at__isnull=False).first()
    if draft is None:
        raise ExpertWorkError("You haven't submitted this item, or it is open already.")
    if merge := _merge_of(queued):
        assert merge.gold
        try:
            return request_review(gold=merge.gold, actor=str(expert), now=now)
        except ReviewError as error:
            raise ExpertWorkError(NEWER_GOLD) from error
    earlier = _own_annotations(draft).first()
    if earlier is None:
        raise ExpertWorkError("Your annotation of this item is no longer used.")
    _check_gold_of(earlier)
    draft.submitted_at, draft.corrects = None, earlier
    draft.save(update_fields=["submitted_at", "corrects"])
    log_state_change(
        instance=earlier, old=earlier.state, new="opened again", actor=str(expert), now=now
    )
    return None


def _own_annotations(draft: ExpertDraft) -> QuerySet[Submission]:
    assert draft.queued
    return Submission.objects.accepted().filter(
        item=draft.queued.item_id, author=draft.author_id, role=Role.EXPERT
    )


def _check_gold_of(annotation: Submission) -> None:
    """Raise ExpertWorkError if newer gold replaced the gold of this annotation."""
    gold = Gold.objects.filter(submission=annotation).first()
    if gold and not is_current(gold):
        raise ExpertWorkError(NEWER_GOLD)


def _merge_of(queued: QueuedItem) -> Merge | None:
    return Merge.objects.prefetch_related("sources").filter(queued=queued).first()


def _check_free(queued: QueuedItem, expert: User, now: datetime) -> None:
    if not open_to(expert=expert, now=now).filter(pk=queued.pk).exists():
        raise ExpertWorkError(NOT_YOURS)


def _check_form(state: PageState, project: Project) -> None:
    """Raise FormChangedError if the page shows an earlier version of the form."""
    if state.definition not in ("", project.definition_digest):
        raise FormChangedError


def _locked(queued: QueuedItem, expert: AbstractBaseUser, now: datetime) -> ExpertDraft:
    """Return the expert's locked draft. Create it if the item is still available."""
    own = ExpertDraft.objects.select_for_update(of=("self",)).filter(
        queued=queued, author=expert.pk
    )
    if draft := own.first():
        return draft
    # Lock the queue so that no reservation is made twice.
    ExpertQueue.objects.select_for_update().get(pk=queued.queue_id)
    if draft := own.first():  # reserved in another tab in the meantime
        return draft
    _check_free(queued, expert, now)
    return ExpertDraft.objects.create(
        queued=queued, author_id=expert.pk, opened_at=now, saved_at=now
    )


def _submit_annotation(draft: ExpertDraft, state: PageState, now: datetime) -> None:
    assert draft.queued
    item, expert = draft.queued.item, draft.author
    parsed = parse_content(items=[item], content=state.content, parse=parse_generation)
    content = parsed[str(item.pk)]
    makes_gold = draft.queued.queue.makes_gold
    own = Submission.objects.live().filter(item=item, author=expert.pk, role=Role.EXPERT)
    if draft.corrects_id:
        earlier = own.select_for_update(of=("self",)).filter(pk=draft.corrects_id).first()
        if earlier and earlier.content == content:
            return  # nothing was changed
        if earlier:
            makes_gold = _replace(earlier, expert, now) or makes_gold
    if own.exists():
        raise ExpertWorkError("You already annotated this item in another queue.")
    take_over(draft, state, now)
    submission = Submission.objects.create(
        item=item,
        role=Role.EXPERT,
        author_id=expert.pk,
        content=content,
        schema_version=scheme_of(item.project).content.schema_version,
        state=SubmissionState.ACCEPTED,
        opened_at=draft.opened_at,
        submitted_at=now,
        active_seconds=draft.active_seconds,
        moves=draft.moves,
        steps=draft.steps,
        log=draft.log,
        comment=draft.comment,
        guidelines=guidelines_of(project=item.project, kind=ExpertWork.ANNOTATE),
    )
    log_state_change(instance=submission, old="", new=submission.state, actor=str(expert), now=now)
    if makes_gold:
        make_expert_gold(submission=submission, now=now)


def _replace(earlier: Submission, expert: AbstractBaseUser, now: datetime) -> bool:
    """Withdraw the expert's earlier annotation. Return True if it is the item's gold.

    Raise ExpertWorkError if newer gold replaced it.
    """
    _check_gold_of(earlier)
    change_state(
        instance=earlier,
        new=SubmissionState.WITHDRAWN,
        transitions=REPLACED,
        actor=str(expert),
        now=now,
        reason="replaced by a correction",
    )
    return Gold.objects.filter(submission=earlier).exists()


def _submit_merge(
    queued: QueuedItem, expert: AbstractBaseUser, state: PageState, now: datetime
) -> None:
    # Two experts may submit the same merge if the first reservation expired.
    merge = Merge.objects.select_for_update().get(queued=queued)
    if merge.state == MergeState.MERGED:
        raise ExpertWorkError("Another expert has already merged this item.")
    content = _consolidation(queued.item, state, contents_of(merge))
    record_merge(merge=merge, content=content, expert=expert, now=now)


def open_correction(*, review: Review, expert: User) -> Json:
    """Return the page's data with the gold as its only source, initially unchanged.

    Raise ExpertWorkError if the review was already judged.
    """
    _check_drawn(review)
    draft = review.drafts.filter(author=expert.pk).first()
    merging = scheme_of(review.gold.item.project).get_merging()
    source = merging.as_source(review.gold.content)
    page = _page(review.gold.item, draft, [source])
    if page["items"][0]["content"] is None:
        page["items"][0]["content"] = merging.keep_all(source)
    return page


@transaction.atomic
def save_correction(
    *, review: Review, expert: AbstractBaseUser, state: PageState, now: datetime
) -> ExpertDraft:
    """Save the page's state. Raise ExpertWorkError, DraftConflictError."""
    draft = _locked_correction(review, expert, now)
    if not draft.submitted_at:
        keep_state(draft, state, now)
    return draft


@transaction.atomic
def submit_correction(
    *, review: Review, expert: AbstractBaseUser, state: PageState, now: datetime
) -> None:
    """Submit a correction, which becomes the item's next version of gold.

    The page's comment explains what was wrong. A repeated submission changes nothing. Raise
    ExpertWorkError, DraftConflictError, FormChangedError, InvalidContentError.
    """
    draft = _locked_correction(review, expert, now)
    if draft.submitted_at:
        return
    check_newest(draft, state)
    item = review.gold.item
    _check_form(state, item.project)
    sources = [scheme_of(item.project).get_merging().as_source(review.gold.content)]
    content, comment = _consolidation(item, state, sources), state.comment
    try:
        correct_review(
            review=review, expert=expert, consolidation=content, comment=comment, now=now
        )
    except ReviewError as error:
        raise ExpertWorkError(str(error)) from error
    _finish(draft, state, now)


def _check_drawn(review: Review) -> None:
    if review.state != ReviewState.DRAWN:
        raise ExpertWorkError("This item has already been reviewed.")


def _locked_correction(review: Review, expert: AbstractBaseUser, now: datetime) -> ExpertDraft:
    locked = Review.objects.select_for_update(of=("self",)).get(pk=review.pk)
    draft = ExpertDraft.objects.filter(review=review, author=expert.pk).first()
    if draft is None or not draft.submitted_at:
        _check_drawn(locked)
    return draft or ExpertDraft.objects.create(
        review=review, author_id=expert.pk, opened_at=now, saved_at=now
    )


def _page(item: Item, draft: ExpertDraft | None, sources: list[Json] | None) -> Json:
    scheme = scheme_of(item.project)
    role = Role.GENERATOR if sources is None else Role.CONSOLIDATOR
    context = replace(context_of(item), neighbours=neighbours_of_item(item))
    if role == Role.CONSOLIDATOR:
        context = replace(context, allows_context_answers=False)
    data: dict[str, Any] = item_data(item, context, draft, role)
    if sources is not None:
        data["sources"] = sources
        data["layout"] = scheme.get_merging().lay_out(sources, context)
    return {
        "preview": False,
        "token": "",
        "language": item.project.language,
        "definition": item.project.definition_digest,
        **draft_data(draft),
        "pay": None,
        "shared": shared_data(scheme, role, [context]),
        "items": [data],
    }


def _consolidation(item: Item, state: PageState, sources: list[Json]) -> Json:
    """Return the page's consolidation of the sources. Raise InvalidContentError."""
    parsed = parse_content(
        items=[item],
        content=state.content,
        parse=lambda item, content: _parsed(item, content, sources),
    )
    return parsed[str(item.pk)]


def _parsed(item: Item, content: object, sources: list[Json]) -> Json:
    merging = scheme_of(item.project).get_merging()
    return merging.parse(content, context_of(item), sources)


def _finish(draft: ExpertDraft, state: PageState, now: datetime) -> None:
    take_over(draft, state, now)
    draft.submitted_at, draft.corrects = now, None
    draft.save()
