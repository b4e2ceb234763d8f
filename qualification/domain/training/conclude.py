"""The end of a round for one worker: the feedback and the decision, together."""

from datetime import datetime
from typing import Any

from django.db import transaction

from projects.domain.schemes import scheme_of
from qualification.domain.scores.figures import threshold_label, unmet_thresholds
from qualification.domain.training.decide import Verdict, decide, effects_of_pass, following_round
from qualification.domain.training.feedback import (
    NothingToSendError,
    deliver,
    draft_of,
    draft_or_new,
    sent_to,
)
from qualification.models import Enrolment


def unmet_by(enrolment: Enrolment) -> list[str]:
    """Return the labels of the thresholds that the newest figures do not meet."""
    evaluation = enrolment.evaluations.order_by("-pk").first()
    scheme = scheme_of(enrolment.round.project)
    figures = (evaluation.corrected_figures or evaluation.figures) if evaluation else None
    unmet = unmet_thresholds(scheme, figures, enrolment.round.thresholds)
    return [threshold_label(key, scheme) for key in unmet]


def has_unsent_feedback(enrolment: Enrolment) -> bool:
    """Return True if there is a draft, or if no feedback was sent on the newest evaluation."""
    evaluation = enrolment.evaluations.order_by("-pk").first()
    if evaluation is None:
        return False
    sent = sent_to(enrolment)
    return draft_of(enrolment) is not None or not any(
        feedback.evaluation_id == evaluation.pk for feedback in sent
    )


def warnings_before(*, enrolment: Enrolment, verdict: Verdict, sends: bool) -> list[str]:
    """Return what a trainer should confirm before the decision."""
    warnings = []
    unmet = unmet_by(enrolment)
    if verdict == Verdict.PASS and unmet:
        warnings.append(f"Thresholds not met: {', '.join(unmet)}.")
    if verdict == Verdict.DECLINE and not unmet:
        warnings.append("The worker meets every threshold.")
    round = enrolment.round
    if verdict == Verdict.PASS and not round.pool_roles and following_round(round) is None:
        warnings += effects_of_pass(round)
    if verdict in (Verdict.DECLINE, Verdict.WITHDRAW):
        warnings.append("The worker's qualifications for the round are withdrawn.")
    if verdict != Verdict.WITHDRAW and not sends and has_unsent_feedback(enrolment):
        warnings.append("The feedback has not been sent, and the worker will not see it.")
    return warnings


@transaction.atomic
def conclude(
    *, enrolment: Enrolment, verdict: Verdict, reason: str, sends: bool, trainer: Any, now: datetime
) -> None:
    """Send the draft if `sends` is True, and decide. Raise TransitionNotAllowedError.

    Raise NothingToSendError if the worker has not been evaluated.
    """
    if sends:
        feedback = draft_or_new(enrolment)
        if feedback is None:
            raise NothingToSendError("This worker has not finished the round.")
        if feedback.pk is None:
            feedback.trainer, feedback.written_at = trainer, now
        feedback.save()
        deliver(feedback=feedback, now=now)
    decide(
        enrolment=enrolment, verdict=verdict, reason=reason, actor=trainer.get_username(), now=now
    )
