"""An expert's page on the site: what it shows, what it saves, what comes of it when it is handed in.

The pages are the workers' own; only how they are authorised differs (a session instead of a token),
and that nothing goes to a marketplace. What a page is given tells nothing about anybody else.
"""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction

from annotation.domain.create_project import current_guidelines
from annotation.domain.drafts import PageState, keep_state, parse_content, take_over
from annotation.domain.open_page import draft_data, item_data
from annotation.domain.record_generations import parse_generation
from annotation.enums import Role, SubmissionState
from annotation.models import Guidelines, Item, Project, Submission
from audit.domain.change_state import log_state_change
from consolidation.domain.expert_queues import open_to
from consolidation.domain.merge import contents_of, record_merge
from consolidation.domain.monitor import ReviewRefused, correct_review_on_page
from consolidation.domain.record_gold import add_gold
from consolidation.enums import ExpertWork, GoldSource, MergeState, ReviewState
from consolidation.models import ExpertDraft, ExpertQueue, Merge, QueuedItem, Review
from schemes.base import Json
from schemes.registry import get_scheme

User = AbstractBaseUser | AnonymousUser
# The guidelines an expert reads: an expert's own where the project has some.
GUIDELINES = {
    ExpertWork.ANNOTATE: (Role.EXPERT, Role.GENERATOR),
    ExpertWork.MERGE: (Role.EXPERT, Role.CONSOLIDATOR),
}
NOT_YOURS = (
    "This item is not for you (any more): it has its experts, the queue is closed, or you know one "
    "of its annotations. Take the next one."
)


class WorkRefused(Exception):
    """The expert may not work on this, or not any more; the message says why."""


def queued_of(*, project: Project, pk: int) -> QueuedItem | None:
    rows = QueuedItem.objects.filter(queue__project=project)
    return rows.select_related("queue", "item__sentence", "item__project").filter(pk=pk).first()


def guidelines_of(*, project: Project, kind: str) -> Guidelines | None:
    found = (
        current_guidelines(project_id=project.pk, role=role)
        for role in GUIDELINES[ExpertWork(kind)]
    )
    return next((one for one in found if one), None)


# --- a queued item -------------------------------------------------------------------------------


def open_queued(*, queued: QueuedItem, expert: User, now: datetime) -> Json:
    """The page's data, as its scripts read it. Raises WorkRefused."""
    draft = queued.drafts.filter(author=expert.pk).first()
    if draft is None:
        _check_free(queued, expert, now)
    merge = _merge_of(queued)
    if merge and merge.state == MergeState.MERGED and not (draft and draft.submitted_at):
        raise WorkRefused(NOT_YOURS)
    return _page(queued.item, draft, contents_of(merge) if merge else None)


@transaction.atomic
def save_queued(
    *, queued: QueuedItem, expert: AbstractBaseUser, state: PageState, now: datetime
) -> ExpertDraft:
    """Keep the page's state. Raises WorkRefused, DraftConflict."""
    draft = _locked(queued, expert, now)
    if not draft.submitted_at:
        keep_state(draft, state, now)
    return draft


@transaction.atomic
def hand_in_queued(
    *, queued: QueuedItem, expert: AbstractBaseUser, state: PageState, now: datetime
) -> ExpertDraft:
    """Take the finished work in: an annotation of the expert's own, or the merge. A repeat changes
    nothing. Raises WorkRefused, ContentRefused."""
    draft = _locked(queued, expert, now)
    if draft.submitted_at:
        return draft
    if queued.queue.kind == ExpertWork.MERGE:
        _hand_in_merge(queued, expert, state, now)
    else:
        _hand_in_annotation(queued, expert, state, draft, now)
    _finish(draft, state, now)
    return draft


def _merge_of(queued: QueuedItem) -> Merge | None:
    return Merge.objects.prefetch_related("sources").filter(queued=queued).first()


def _check_free(queued: QueuedItem, expert: User, now: datetime) -> None:
    if not open_to(expert=expert, now=now).filter(pk=queued.pk).exists():
        raise WorkRefused(NOT_YOURS)


def _locked(queued: QueuedItem, expert: AbstractBaseUser, now: datetime) -> ExpertDraft:
    """The expert's draft, locked; begun, that is a seat taken, if there is none and one is free."""
    own = ExpertDraft.objects.select_for_update(of=("self",)).filter(
        queued=queued, author=expert.pk
    )
    if draft := own.first():
        return draft
    # Whoever takes a seat holds the queue, so that no seat is given twice.
    ExpertQueue.objects.select_for_update().get(pk=queued.queue_id)
    if draft := own.first():  # taken in another tab in the meantime
        return draft
    _check_free(queued, expert, now)
    return ExpertDraft.objects.create(
        queued=queued, author_id=expert.pk, opened_at=now, saved_at=now
    )


def _hand_in_annotation(
    queued: QueuedItem,
    expert: AbstractBaseUser,
    state: PageState,
    draft: ExpertDraft,
    now: datetime,
) -> None:
    item = queued.item
    parsed = parse_content(items=[item], content=state.content, parse=parse_generation)
    content = parsed[str(item.pk)]
    if Submission.objects.live().filter(item=item, author=expert.pk, role=Role.EXPERT).exists():
        raise WorkRefused("You have annotated this item in another queue: it is done.")
    take_over(draft, state, now)
    scheme = get_scheme(item.project.scheme)
    submission = Submission.objects.create(
        item=item,
        role=Role.EXPERT,
        author_id=expert.pk,
        content=content,
        schema_version=scheme.schema_version,
        state=SubmissionState.ACCEPTED,
        opened_at=draft.opened_at,
        submitted_at=now,
        active_seconds=draft.active_seconds,
        moves=draft.moves,
        comment=draft.comment,
        guidelines=guidelines_of(project=item.project, kind=ExpertWork.ANNOTATE),
    )
    log_state_change(instance=submission, old="", new=submission.state, actor=str(expert), now=now)
    if queued.queue.makes_gold:
        _make_gold(submission, now)


def _make_gold(submission: Submission, now: datetime) -> None:
    item = submission.item
    scheme = get_scheme(item.project.scheme)
    source = scheme.as_source(submission.content)
    consolidation = _parsed(item, scheme.keep_all(source), [source])
    content, _ = scheme.gold_of(consolidation, [source])
    add_gold(
        item=item,
        source=GoldSource.EXPERT,
        content=content,
        provenance=scheme.trace(consolidation, [source]).provenance,
        submission=submission,
        now=now,
    )


def _hand_in_merge(
    queued: QueuedItem, expert: AbstractBaseUser, state: PageState, now: datetime
) -> None:
    # Two experts may hand in at once where the first one's seat had been given away.
    merge = Merge.objects.select_for_update().get(queued=queued)
    if merge.state == MergeState.MERGED:
        raise WorkRefused("Somebody else has merged this item in the meantime.")
    sources = contents_of(merge)
    parsed = parse_content(
        items=[queued.item],
        content=state.content,
        parse=lambda item, content: _parsed(item, content, sources),
    )
    record_merge(merge=merge, content=parsed[str(queued.item_id)], expert=expert, now=now)


# --- the correction of a review ------------------------------------------------------------------


def open_correction(*, review: Review, expert: User) -> Json:
    """The page's data: the gold as the one source, every question of it kept to begin with. Raises
    WorkRefused when the review was judged already."""
    _check_drawn(review)
    draft = review.drafts.filter(author=expert.pk).first()
    scheme = get_scheme(review.gold.item.project.scheme)
    source = scheme.as_source(review.gold.content)
    page = _page(review.gold.item, draft, [source])
    if page["items"][0]["content"] is None:
        page["items"][0]["content"] = scheme.keep_all(source)
    return page


@transaction.atomic
def save_correction(
    *, review: Review, expert: AbstractBaseUser, state: PageState, now: datetime
) -> ExpertDraft:
    """Keep the page's state. Raises WorkRefused, DraftConflict."""
    draft = _locked_correction(review, expert, now)
    if not draft.submitted_at:
        keep_state(draft, state, now)
    return draft


@transaction.atomic
def hand_in_correction(
    *, review: Review, expert: AbstractBaseUser, state: PageState, now: datetime
) -> ExpertDraft:
    """The corrected gold is the item's next version; the page's comment says what was wrong. A repeat
    changes nothing. Raises WorkRefused, ContentRefused."""
    draft = _locked_correction(review, expert, now)
    if draft.submitted_at:
        return draft
    sources = [get_scheme(review.gold.item.project.scheme).as_source(review.gold.content)]
    parsed = parse_content(
        items=[review.gold.item],
        content=state.content,
        parse=lambda item, content: _parsed(item, content, sources),
    )
    try:
        correct_review_on_page(
            review=review,
            expert=expert,
            consolidation=parsed[str(review.gold.item_id)],
            comment=state.comment,
            now=now,
        )
    except ReviewRefused as error:
        raise WorkRefused(str(error)) from error
    _finish(draft, state, now)
    return draft


def _check_drawn(review: Review) -> None:
    if review.state != ReviewState.DRAWN:
        raise WorkRefused("This review has been judged already.")


def _locked_correction(review: Review, expert: AbstractBaseUser, now: datetime) -> ExpertDraft:
    locked = Review.objects.select_for_update(of=("self",)).get(pk=review.pk)
    draft = ExpertDraft.objects.filter(review=review, author=expert.pk).first()
    if draft is None or not draft.submitted_at:
        _check_drawn(locked)
    return draft or ExpertDraft.objects.create(
        review=review, author_id=expert.pk, opened_at=now, saved_at=now
    )


# --- what both have ------------------------------------------------------------------------------


def _page(item: Item, draft: ExpertDraft | None, sources: list[Json] | None) -> Json:
    scheme = get_scheme(item.project.scheme)
    data: dict[str, Any] = item_data(item, draft)
    if sources is not None:
        data["sources"] = sources
        data["layout"] = scheme.lay_out(sources, tokens=item.sentence.tokens, target=item.target)
    return {
        "preview": False,
        "token": "",
        **draft_data(draft),
        "pay": None,
        "shared": scheme.shared_page_data(),
        "items": [data],
    }


def _parsed(item: Item, content: object, sources: list[Json]) -> Json:
    return get_scheme(item.project.scheme).parse_consolidation(
        content, tokens=item.sentence.tokens, target=item.target, sources=sources
    )


def _finish(draft: ExpertDraft, state: PageState, now: datetime) -> None:
    take_over(draft, state, now)
    draft.submitted_at = now
    draft.save()
