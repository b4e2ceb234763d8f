"""A trainer's word over automatic matches. It moves the corrected figures and leaves the others."""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.domain.change_state import log_state_change
from consolidation.enums import DecisionKind
from consolidation.models import Decision
from qualification.domain.evaluate import asked_of, compute_figures, submissions_in
from qualification.domain.figures import compare_item, usable
from qualification.models import Enrolment, Evaluation

OPPOSITE = {
    DecisionKind.PAIR_ACCEPTED: DecisionKind.PAIR_REFUSED,
    DecisionKind.PAIR_REFUSED: DecisionKind.PAIR_ACCEPTED,
    DecisionKind.LABEL_ACCEPTED: DecisionKind.LABEL_REFUSED,
    DecisionKind.LABEL_REFUSED: DecisionKind.LABEL_ACCEPTED,
}


class OverruleRefused(Exception):
    """The decision is about nothing that is there, or contradicts another one."""


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
    """Record the decision in place of an opposite one about the same spans; one without a reference
    span accepts an extra answer. Raises OverruleRefused."""
    evaluation = _locked(enrolment)
    found = [one for one in asked_of(enrolment) if one.item_id == item_id]
    submission = usable(submissions_in(enrolment)).get(item_id)
    if not found or submission is None or kind not in DecisionKind.values:
        raise OverruleRefused("There is no annotation of this item to decide about.")
    if (reference_span is None) != (kind == DecisionKind.ANSWER_ACCEPTED):
        raise OverruleRefused(
            "An answer is accepted by itself; other decisions are on two answers."
        )
    spans = {"reference_span": reference_span, "predicted_span": predicted_span}
    same = Decision.objects.filter(
        reference=found[0].reference, submission=submission, predicted_span=predicted_span
    )
    same = (
        same.filter(reference_span__isnull=True)
        if reference_span is None
        else same.filter(reference_span=reference_span)
    )
    for opposite in same.filter(kind=OPPOSITE.get(DecisionKind(kind))):
        _remove(opposite, str(by), now)
    if not same.filter(kind=kind).exists():
        Decision.objects.create(
            reference=found[0].reference,
            submission=submission,
            kind=kind,
            decided_by=by,
            decided_at=now,
            reason=reason,
            **spans,
        )
    try:
        every = Decision.objects.filter(reference=found[0].reference, submission=submission)
        compare_item(found[0], submission, every)
    except ValueError as error:
        raise OverruleRefused(f"Nothing was decided: {error}.") from error
    return _recorrect(enrolment, evaluation)


@transaction.atomic
def take_back(*, enrolment: Enrolment, decision_id: int, by: Any, now: datetime) -> Evaluation:
    """Let the automatic decision stand again. Raises OverruleRefused for a decision on other work."""
    evaluation = _locked(enrolment)
    decision = Decision.objects.filter(
        pk=decision_id, submission__in=list(submissions_in(enrolment).values())
    ).first()
    if decision is None:
        raise OverruleRefused("This decision is not there any more.")
    _remove(decision, str(by), now)
    return _recorrect(enrolment, evaluation)


def decisions_on(enrolment: Enrolment) -> list[Decision]:
    """Those that count: about the present references."""
    references = [one.reference_id for one in enrolment.round.round_items.all()]
    rows = Decision.objects.filter(
        submission__in=list(submissions_in(enrolment).values()), reference__in=references
    )
    return list(rows.select_related("decided_by", "submission").order_by("pk"))


def _locked(enrolment: Enrolment) -> Evaluation:
    Enrolment.objects.select_for_update().get(pk=enrolment.pk)
    evaluation = enrolment.evaluations.order_by("-pk").first()
    if evaluation is None:
        raise OverruleRefused("This worker has not been evaluated yet.")
    return evaluation


def _remove(decision: Decision, actor: str, now: datetime) -> None:
    log_state_change(instance=decision, old=decision.kind, new="taken back", actor=actor, now=now)
    decision.delete()


def _recorrect(enrolment: Enrolment, evaluation: Evaluation) -> Evaluation:
    """The corrected figures of the evaluation that stands; its automatic ones are never touched."""
    figures = compute_figures(enrolment, so_far=evaluation.so_far)
    evaluation.corrected_figures = figures.corrected
    evaluation.computed_from["decisions"] = [one.pk for one in decisions_on(enrolment)]
    evaluation.save(update_fields=["corrected_figures", "computed_from"])
    return evaluation
