"""Feedback and decisions on several workers of a round at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from qualification.domain.training.conclude import has_unsent_feedback
from qualification.domain.training.decide import Verdict, decide_all
from qualification.domain.training.feedback import deliver, draft_or_new, suggested_notes
from qualification.models import Enrolment, Feedback


@dataclass(frozen=True, slots=True)
class FeedbackPlan:
    """The feedback that would be sent.

    `written` are drafts with a trainer's text, and `automatic` ones get the suggested remarks. The
    workers of `received` have feedback on their newest figures, and those of `unfinished` have none.
    """

    written: list[Feedback]
    automatic: list[Feedback]
    received: list[Enrolment]
    unfinished: list[Enrolment]

    @property
    def feedback(self) -> list[Feedback]:
        return [*self.written, *self.automatic]

    @property
    def remarks(self) -> int:
        """Count the suggested remarks that are sent."""
        notes = (note for feedback in self.automatic for note in feedback.notes.values())
        return sum(len(note.splitlines()) for note in notes)


def plan_feedback(*, enrolments: Sequence[Enrolment]) -> FeedbackPlan:
    """Return what `send_feedback_to_all` would send. Nothing is saved."""
    plan = FeedbackPlan([], [], [], [])
    for enrolment in enrolments:
        feedback = draft_or_new(enrolment)
        if feedback is None or feedback.evaluation.so_far:
            plan.unfinished.append(enrolment)
        elif not has_unsent_feedback(enrolment):
            plan.received.append(enrolment)
        elif feedback.text.strip() or feedback.notes:
            plan.written.append(feedback)
        else:
            feedback.notes = suggested_notes(feedback.evaluation)
            plan.automatic.append(feedback)
    return plan


@transaction.atomic
def send_feedback_to_all(
    *, enrolments: Sequence[Enrolment], trainer: Any, now: datetime, actor: str = ""
) -> list[Feedback]:
    """Send the drafts, and the suggested remarks to workers without one. Return what was sent.

    `actor` is logged, by default the trainer.
    """
    rows = Enrolment.objects.select_for_update(of=("self",)).select_related(
        "round__project", "worker"
    )
    locked = list(rows.filter(pk__in=[row.pk for row in enrolments]).order_by("pk"))
    plan = plan_feedback(enrolments=locked)
    for feedback in plan.feedback:
        if feedback.pk is None:
            feedback.trainer, feedback.written_at = trainer, now
        feedback.save()
        deliver(feedback=feedback, actor=actor, now=now)
    return plan.feedback


@transaction.atomic
def conclude_all(
    *,
    enrolments: Sequence[Enrolment],
    verdict: Verdict,
    reason: str,
    sends: bool,
    trainer: Any,
    now: datetime,
    actor: str = "",
) -> int:
    """Send the feedback if `sends` is True, and apply the verdict to all or none.

    `actor` is logged, by default the trainer. Return how many changed. Raise TransitionNotAllowedError.
    """
    actor = actor or trainer.get_username()
    if sends:
        send_feedback_to_all(enrolments=enrolments, trainer=trainer, actor=actor, now=now)
    return decide_all(enrolments=enrolments, verdict=verdict, reason=reason, actor=actor, now=now)
