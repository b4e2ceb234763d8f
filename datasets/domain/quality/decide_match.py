"""Decide the matches of an item's gold with a reference."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.models import Gold
from datasets.models import Decision
from projects.domain.schemes import scheme_of
from schemes.contract.comparison import Compared, RowDecision
from schemes.contract.scheme import Scheme


class DecisionError(TouchstoneError):
    """The decision concerns an unknown pair, or contradicts another decision."""


@transaction.atomic
def decide_match(
    *,
    reference: Gold,
    predicted: Gold,
    kind: str,
    reference_key: str,
    predicted_key: str,
    by: Any,
    now: datetime,
    reason: str = "",
) -> Decision:
    """Record a decision, which replaces earlier ones about the same sides.

    The keys are those of row sides. The reference key is empty for a decision on the prediction
    alone. Raise DecisionError.
    """
    known_kinds = [known.key for known in scheme_of(reference.item.project).comparison.decisions]
    if reference.item_id != predicted.item_id or kind not in known_kinds:
        raise DecisionError("This pair of annotations does not exist.")
    Item.objects.select_for_update(of=("self",)).get(pk=reference.item_id)
    decision = Decision.objects.create(
        reference=reference,
        predicted=predicted,
        kind=kind,
        reference_key=reference_key,
        predicted_key=predicted_key,
        decided_by=by,
        decided_at=now,
        reason=reason,
    )
    try:
        compare_gold(reference=reference, predicted=predicted)
    except ValueError as error:
        raise DecisionError(f"Nothing was decided: {error}.") from error
    log_state_change(instance=decision, old="", new=kind, actor=str(by), now=now, reason=reason)
    return decision


@transaction.atomic
def undo_decision(*, decision: Decision, by: Any, now: datetime) -> None:
    """Delete all decisions like this one, so that the automatic match applies again."""
    scheme = scheme_of(decision.reference.item.project)
    same = Decision.objects.filter(
        reference=decision.reference_id,
        predicted=decision.predicted_id,
        reference_key=decision.reference_key,
        predicted_key=decision.predicted_key,
    )
    about = _about(scheme, decision)
    for row in same.order_by("pk"):
        if _about(scheme, row) == about:
            log_state_change(instance=row, old=row.kind, new="undone", actor=str(by), now=now)
            row.delete()


def compare_gold(*, reference: Gold, predicted: Gold) -> Compared:
    """Compare gold with a reference and apply the decisions.

    Raise ValueError if a decision does not fit.
    """
    item = reference.item
    decisions = decisions_between(reference=reference, predicted=predicted)
    return scheme_of(item.project).comparison.compare(
        reference.content, predicted.content, context_of(item), row_decisions(decisions)
    )


def decisions_between(*, reference: Gold, predicted: Gold) -> list[Decision]:
    """Return the latest decision about each pair of sides, oldest first."""
    rows = Decision.objects.filter(reference=reference, predicted=predicted).order_by("pk")
    return latest_decisions(scheme_of(reference.item.project), rows.select_related("decided_by"))


def latest_decisions(scheme: Scheme, rows: Iterable[Decision]) -> list[Decision]:
    """Return the latest decision about each pair of sides.

    The rows are decisions between the same two annotations, oldest first.
    """
    latest: dict[tuple[str, ...], Decision] = {}
    for row in rows:
        key = (_about(scheme, row), row.reference_key, row.predicted_key)
        latest.pop(key, None)
        latest[key] = row
    return list(latest.values())


def fitting(
    compare: Callable[[Sequence[RowDecision]], object], decisions: Sequence[RowDecision]
) -> list[RowDecision]:
    """Return the decisions that a comparison accepts.

    A new version of the scheme's definition may have changed the parts of a submission, to which
    earlier decisions then no longer apply.
    """
    kept: list[RowDecision] = []
    for decision in decisions:
        try:
            compare([*kept, decision])
        except ValueError:
            continue
        kept.append(decision)
    return kept


def row_decisions(rows: Iterable[Decision]) -> list[RowDecision]:
    """Convert stored decisions to those of schemes."""
    return [RowDecision(row.kind, row.reference_key or None, row.predicted_key) for row in rows]


def _about(scheme: Scheme, decision: Decision) -> str:
    """Return the group of kinds that replace each other."""
    groups = {kind.key: kind.about for kind in scheme.comparison.decisions}
    return groups.get(decision.kind, decision.kind)
