"""A trainer's feedback on a worker's production work."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from consolidation.enums import ReviewState
from consolidation.models import Review
from crowd.models import Worker
from projects.models import Project
from qualification.domain.scores.figures import alignment_of, compare_item
from qualification.domain.scores.gold_comparisons import gold_comparisons_of, main_figure
from qualification.domain.training.feedback import Notes, NothingToSendError, deliver, save_notes
from qualification.models import GoldComparison, PoolFeedback, RoundItem
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

# Feedback shows the ITEMS most instructive of the RECENT newest items.
RECENT, ITEMS = 60, 10


def instructive_items(*, project: Project, worker: Worker) -> list[Json]:
    """Return the alignment of recent items that differ from gold, corrected and worst ones first."""
    recent = list(
        gold_comparisons_of(project=project, worker=worker)
        .select_related("submission__item__project", "submission__item__sentence__image", "gold")
        .reverse()[:RECENT]
    )
    reviews = Review.objects.filter(
        gold__item__in=[comparison.submission.item_id for comparison in recent],
        state__in=[ReviewState.CORRECTED, ReviewState.RETURNED],
    )
    corrected = set(reviews.values_list("gold__item", flat=True))

    figure = main_figure(project)
    best = 1.0 if figure.higher_is_better else 0.0

    def rank(comparison: GoldComparison) -> tuple[bool, float]:
        value = figure.value([comparison.measures[figure.key]])
        distance = abs(best - (value or 0.0))
        return comparison.submission.item_id not in corrected, -distance

    chosen = sorted((row for row in recent if rank(row) != (True, 0)), key=rank)[:ITEMS]
    return [_alignment(comparison) for comparison in chosen]


def _alignment(comparison: GoldComparison) -> Json:
    submission = comparison.submission
    pair = RoundItem(item=submission.item, reference=comparison.gold)
    return alignment_of(pair, submission, compare_item(pair, submission))


def figures_of_entries(scheme: Scheme, alignment: list[Json]) -> Json:
    """Return the totals over the entries, by figure."""
    return {
        figure.key: figure.total([entry["figures"][figure.key] for entry in alignment])
        for figure in scheme.comparison.figures
    }


def pool_draft_of(project: Project, worker: Worker) -> PoolFeedback | None:
    return PoolFeedback.objects.filter(project=project, worker=worker, sent_at=None).first()


def pool_feedback_sent(project: Project, worker: Worker) -> list[PoolFeedback]:
    """Return the feedback sent to the worker, newest first."""
    rows = PoolFeedback.objects.filter(project=project, worker=worker, sent_at__isnull=False)
    return list(rows.select_related("trainer", "message__mail").order_by("-pk"))


def pool_draft_or_new(project: Project, worker: Worker) -> PoolFeedback:
    """Return the draft, or an unsaved one with the currently most instructive items."""
    draft = pool_draft_of(project, worker)
    if draft is None:
        alignment = instructive_items(project=project, worker=worker)
        draft = PoolFeedback(project=project, worker=worker, alignment=alignment)
    return draft


@transaction.atomic
def save_pool_feedback(
    *, project: Project, worker: Worker, trainer: Any, notes: Notes, now: datetime
) -> PoolFeedback:
    """Save a draft, whose items are chosen on the first save. Raise NothingToSendError."""
    Worker.objects.select_for_update().get(pk=worker.pk)
    feedback = pool_draft_or_new(project, worker)
    if feedback.pk is None and not feedback.alignment and not notes.text.strip():
        raise NothingToSendError("There are no items to show. Write at least an overall comment.")
    shown = {str(entry["item"]) for entry in feedback.alignment}
    by_item = {item: note for item, note in notes.by_item.items() if item in shown}
    save_notes(feedback=feedback, trainer=trainer, notes=replace(notes, by_item=by_item), now=now)
    return feedback


@transaction.atomic
def send_pool_feedback(
    *, project: Project, worker: Worker, trainer: Any, notes: Notes, now: datetime
) -> PoolFeedback:
    """Send the feedback as a message with a link. Raise NothingToSendError."""
    feedback = save_pool_feedback(
        project=project, worker=worker, trainer=trainer, notes=notes, now=now
    )
    deliver(feedback=feedback, now=now)
    return feedback
