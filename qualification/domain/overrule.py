"""Decisions of trainers that overrule automatic matches. They affect only corrected figures."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.enums import DecisionKind
from datasets.models import Decision
from qualification.domain.evaluate import asked_of, compute_figures, submissions_in
from qualification.domain.figures import compare_item, usable
from qualification.models import Enrolment, Evaluation

OPPOSITE = {
    DecisionKind.PAIR_ACCEPTED: DecisionKind.PAIR_REFUSED,
    DecisionKind.PAIR_REFUSED: DecisionKind.PAIR_ACCEPTED,
    DecisionKind.LABEL_ACCEPTED: DecisionKind.LABEL_REFUSED,
    DecisionKind.LABEL_REFUSED: DecisionKind.LABEL_ACCEPTED,
}


class OverruleError(TouchstoneError):
    """The decision has no matching annotation, or contradicts another decision."""


@transaction.atomic
def overrule(
    *,
    enrolment: Enrolment,
    item_id: int,
    kind: str,
    reference_span: list[int] | None,
    predicted_span: list[int],
    by: Any,
    now: datetime,
    reason: str = "",
) -> Evaluation:
    """Record a decision in place of an opposite one about the same spans. Raise OverruleError."""
    evaluation = _locked(enrolment)
    items = [round_item for round_item in asked_of(enrolment) if round_item.item_id == item_id]
    submission = usable(submissions_in(enrolment)).get(item_id)
    if not items or submission is None or kind not in DecisionKind.values:
        raise OverruleError("There is no annotation of this item to decide on.")
    if (reference_span is None) != (kind == DecisionKind.ANSWER_ACCEPTED):
        raise OverruleError("Only an extra answer is accepted without a reference answer.")
    decisions = Decision.objects.filter(reference=items[0].reference, submission=submission)
    same = decisions.filter(predicted_span=predicted_span).filter(
        Q(reference_span__isnull=True)
        if reference_span is None
        else Q(reference_span=reference_span)
    )
    for opposite in same.filter(kind=OPPOSITE.get(DecisionKind(kind))):
        _remove(opposite, str(by), now)
    if not same.filter(kind=kind).exists():
        Decision.objects.create(
            reference=items[0].reference,
            submission=submission,
            reference_span=reference_span,
            predicted_span=predicted_span,
            kind=kind,
            decided_by=by,
            decided_at=now,
            reason=reason,
        )
    try:
        compare_item(items[0], submission, decisions.all())
    except ValueError as error:
        raise OverruleError(f"Nothing was decided: {error}.") from error
    return _recorrect(enrolment, evaluation)


@transaction.atomic
def undo_decision(*, enrolment: Enrolment, decision_id: int, by: Any, now: datetime) -> Evaluation:
    """Remove a decision on the worker's submissions. Raise OverruleError if there is none."""
    evaluation = _locked(enrolment)
    decision = Decision.objects.filter(
        pk=decision_id, submission__in=list(submissions_in(enrolment).values())
    ).first()
    if decision is None:
        raise OverruleError("This decision does not exist any more.")
    _remove(decision, str(by), now)
    return _recorrect(enrolment, evaluation)


def decisions_on(enrolment: Enrolment) -> list[Decision]:
    """Return the decisions on the worker's submissions and the current references."""
    references = [round_item.reference_id for round_item in enrolment.round.round_items.all()]
    rows = Decision.objects.filter(
        submission__in=list(submissions_in(enrolment).values()), reference__in=references
    )
    return list(rows.select_related("decided_by", "submission").order_by("pk"))


def _locked(enrolment: Enrolment) -> Evaluation:
    Enrolment.objects.select_for_update().get(pk=enrolment.pk)
    evaluation = enrolment.evaluations.order_by("-pk").first()
    if evaluation is None:
        raise OverruleError("This worker has not been evaluated yet.")
    return evaluation


def _remove(decision: Decision, actor: str, now: datetime) -> None:
    log_state_change(instance=decision, old=decision.kind, new="undone", actor=actor, now=now)
    decision.delete()


def _recorrect(enrolment: Enrolment, evaluation: Evaluation) -> Evaluation:
    """Update the evaluation's corrected figures. The automatic figures never change."""
    figures = compute_figures(enrolment, so_far=evaluation.so_far)
    evaluation.corrected_figures = figures.corrected
    evaluation.computed_from["decisions"] = [decision.pk for decision in decisions_on(enrolment)]
    evaluation.save(update_fields=["corrected_figures", "computed_from"])
    return evaluation
