"""Decisions of trainers that overrule automatic matches. They affect only corrected figures."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Submission
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from datasets.models import Decision
from projects.domain.schemes import scheme_of
from qualification.domain.scores.figures import compare_item, usable
from qualification.domain.training.evaluate import (
    asked_of,
    compute_figures,
    round_items_of,
    submissions_in,
)
from qualification.models import Enrolment, Evaluation
from schemes.contract.comparison import RowDecision
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json


class OverruleError(TouchstoneError):
    """The decision has no matching annotation, or contradicts another decision."""


@transaction.atomic
def overrule(
    *,
    enrolment: Enrolment,
    item_id: int,
    decision: RowDecision,
    by: Any,
    now: datetime,
    reason: str = "",
) -> Evaluation:
    """Record a decision in place of an opposite one about the same sides. Raise OverruleError."""
    evaluation = _locked(enrolment)
    scheme = scheme_of(enrolment.round.project)
    items = [round_item for round_item in asked_of(enrolment) if round_item.item_id == item_id]
    submission = usable(submissions_in(enrolment)).get(item_id)
    kinds = {kind.key for kind in scheme.comparison.decisions}
    if not items or submission is None or decision.kind not in kinds:
        raise OverruleError("There is no annotation of this item to decide on.")
    decisions = Decision.objects.filter(reference=items[0].gold, submission=submission)
    sides = {
        "reference_key": decision.reference or "",
        "predicted_key": decision.predicted,
    }
    same = decisions.filter(**sides)
    for opposite in same.filter(kind__in=_opposites(scheme, decision.kind)):
        _remove(opposite, str(by), now)
    if not same.filter(kind=decision.kind).exists():
        Decision.objects.create(
            reference=items[0].gold,
            submission=submission,
            **sides,
            kind=decision.kind,
            decided_by=by,
            decided_at=now,
            reason=reason,
        )
    try:
        compare_item(items[0], submission, decisions.all())
    except ValueError as error:
        raise OverruleError(f"Nothing was decided: {error}.") from error
    return _recorrect(enrolment, evaluation)


def _opposites(scheme: Scheme, key: str) -> list[str]:
    """Return the other kinds of decisions about the same matter."""
    about = {kind.key: kind.about for kind in scheme.comparison.decisions}
    return [other for other in about if other != key and about[other] == about[key]]


@transaction.atomic
def undo_decision(*, enrolment: Enrolment, decision_id: int, by: Any, now: datetime) -> Evaluation:
    """Remove a decision on the worker's submissions. Raise OverruleError if there is none."""
    evaluation = _locked(enrolment)
    decision = Decision.objects.filter(
        pk=decision_id, submission__in=list(submissions_in(enrolment).values())
    ).first()
    if decision is None:
        raise OverruleError("This decision no longer exists.")
    _remove(decision, str(by), now)
    return _recorrect(enrolment, evaluation)


def decisions_on(enrolment: Enrolment) -> list[Decision]:
    """Return the decisions on the worker's submissions and the current references."""
    references = [round_item.reference_id for round_item in enrolment.round.round_items.all()]
    rows = Decision.objects.filter(
        submission__in=list(submissions_in(enrolment).values()), reference__in=references
    )
    return list(rows.select_related("decided_by", "submission").order_by("pk"))


def corrected_rows(evaluation: Evaluation) -> dict[int, list[Json]]:
    """Return the aligned rows of the items with decisions, as the decisions leave them, by item id."""
    items = {entry["submission"]: entry["item"] for entry in evaluation.alignment}
    by_item: dict[int, list[Decision]] = {}
    for decision in Decision.objects.filter(submission__in=[pk for pk in items if pk]):
        by_item.setdefault(items[decision.submission_id], []).append(decision)
    if not by_item:
        return {}
    submissions = Submission.objects.in_bulk([pk for pk in items if pk])
    by_item_submission = {item: submissions[pk] for pk, item in items.items() if pk in submissions}
    rows = {}
    for round_item in round_items_of(evaluation.enrolment.round):
        own = [
            decision
            for decision in by_item.get(round_item.item_id, [])
            if decision.reference_id == round_item.reference_id
        ]
        if own:
            compared = compare_item(round_item, by_item_submission[round_item.item_id], own)
            rows[round_item.item_id] = [asdict(row) for row in compared.rows]
    return rows


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
