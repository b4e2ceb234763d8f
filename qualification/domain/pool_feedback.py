"""What a trainer writes to a worker of the pool about their work in production."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from annotation.models import Project, Submission
from audit.domain.change_state import log_state_change
from consolidation.enums import ReviewState
from consolidation.models import Gold, Review
from crowd.domain.write_mail import also_by_mail
from crowd.models import Message, Worker
from metrics.counts import Counts, micro_sum
from qualification.domain.feedback import LINK_LIFE, MOST_SECONDS_A_SAVE, BadLink, Notes
from qualification.domain.figures import alignment_of, compare_item
from qualification.domain.outcomes import outcomes_of, ua_of
from qualification.models import PoolFeedback, RoundItem
from schemes.base import Json

SALT = "qualification.pool-feedback"
# Of the newest RECENT items, the ITEMS that teach most: those that an expert corrected, then the worst.
RECENT, ITEMS = 60, 10

MESSAGE = """Hello,

thank you for your work on “{title}”. Your trainer has looked at some of it: each of your questions and \
answers stands beside what became of it, with notes.

{url}

The link is yours alone and works for {days} days, without signing in. On the page you can tell us \
that you have read it, and ask back.
"""


class NothingToTell(Exception):
    """None of the worker's items has become gold yet."""


def instructive_items(*, project: Project, worker: Worker) -> list[Json]:
    """Entries as in `Evaluation.alignment`: what an expert corrected first, then where the worker and
    the gold differ most; items without a difference are left out."""
    recent = list(
        outcomes_of(project=project, worker=worker)
        .select_related("submission__item__project", "submission__item__sentence", "gold")
        .reverse()[:RECENT]
    )
    corrected = _corrected_items([one.submission.item_id for one in recent])
    scored = [
        (one.submission.item_id not in corrected, ua_of(one.counts).f1 or 0.0, place, one)
        for place, one in enumerate(recent)
        if one.submission.item_id in corrected or ua_of(one.counts).f1 != 1
    ]
    chosen = [one for *_, one in sorted(scored, key=lambda row: row[:3])[:ITEMS]]
    return [_entry(one.submission, one.gold) for one in chosen]


def _corrected_items(items: list[int]) -> set[int]:
    reviews = Review.objects.filter(
        gold__item__in=items, state__in=[ReviewState.CORRECTED, ReviewState.RETURNED]
    )
    return set(reviews.values_list("gold__item", flat=True))


def _entry(submission: Submission, gold: Gold) -> Json:
    pair = RoundItem(item=submission.item, reference=gold)
    return alignment_of(pair, submission, compare_item(pair, submission))


def figures_of_entries(alignment: list[Json]) -> Json:
    """The figures of the items shown, as the feedback page names them."""
    totals = {
        name: micro_sum(Counts(**one["figures"][name]) for one in alignment)
        for name in ("UA", "LA")
    }
    return {name: {"tp": one.tp, "fp": one.fp, "fn": one.fn} for name, one in totals.items()}


def pool_draft_of(project: Project, worker: Worker) -> PoolFeedback | None:
    return PoolFeedback.objects.filter(project=project, worker=worker, sent_at=None).first()


def pool_feedback_sent(project: Project, worker: Worker) -> list[PoolFeedback]:
    """The newest first."""
    rows = PoolFeedback.objects.filter(
        Q(sent_at__isnull=False), project=project, worker=worker
    ).select_related("trainer", "message__mail")
    return list(rows.order_by("-pk"))


@transaction.atomic
def save_pool_feedback(
    *, project: Project, worker: Worker, trainer: Any, notes: Notes, now: datetime
) -> PoolFeedback:
    """Keep what is written so far; the items stay those of the first time. Raises NothingToTell."""
    Worker.objects.select_for_update().get(pk=worker.pk)
    feedback = pool_draft_of(project, worker)
    if feedback is None:
        alignment = instructive_items(project=project, worker=worker)
        if not alignment and not notes.text.strip():
            raise NothingToTell("There is nothing to show: write at least an overall comment.")
        feedback = PoolFeedback(project=project, worker=worker, alignment=alignment)
    feedback.trainer, feedback.text = trainer, notes.text
    feedback.notes = _of_items(notes.by_item, feedback.alignment)
    feedback.trainer_seconds += min(max(notes.seconds, 0), MOST_SECONDS_A_SAVE)
    feedback.written_at = now
    feedback.save()
    return feedback


def _of_items(notes: Mapping[str, str], alignment: list[Json]) -> dict[str, str]:
    shown = {str(one["item"]) for one in alignment}
    return {item: note for item, note in notes.items() if note.strip() and item in shown}


@transaction.atomic
def send_pool_feedback(
    *, project: Project, worker: Worker, trainer: Any, notes: Notes, now: datetime
) -> PoolFeedback:
    """Save it and leave a message with its link for the worker. Raises NothingToTell."""
    feedback = save_pool_feedback(
        project=project, worker=worker, trainer=trainer, notes=notes, now=now
    )
    feedback.message = Message.objects.create(
        worker=worker,
        budget=project.budget,
        subject=f"Your feedback on {project.title}"[:200],
        text=MESSAGE.format(title=project.title, url=pool_link_of(feedback), days=LINK_LIFE.days),
        written_at=now,
    )
    also_by_mail(message=feedback.message)
    feedback.sent_at = now
    feedback.save(update_fields=["message", "sent_at"])
    log_state_change(instance=feedback, old="draft", new="sent", actor=str(trainer), now=now)
    return feedback


def pool_link_of(feedback: PoolFeedback) -> str:
    """The address that opens this feedback and nothing else, with no login."""
    token = signing.dumps(feedback.pk, salt=SALT)
    return settings.SITE_URL + reverse("qualification:pool_feedback", args=[token])


def pool_feedback_of_token(token: str) -> PoolFeedback:
    """Raises BadLink for a token that was altered, is too old or leads to nothing."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=LINK_LIFE)
    except signing.BadSignature:
        raise BadLink("This link is not valid (any more).") from None
    feedback = PoolFeedback.objects.filter(pk=pk, sent_at__isnull=False)
    found = feedback.select_related("project", "worker").first()
    if found is None:
        raise BadLink("This link leads to nothing (any more).")
    return found
