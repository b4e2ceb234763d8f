"""Decide the matches of an item's gold with a reference."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Item
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.enums import DecisionKind
from consolidation.models import Gold
from datasets.models import Decision as DecisionRow
from metrics.corrections import Decision, Verdict
from metrics.spans import Span
from schemes.base import Comparison
from schemes.registry import get_scheme


class DecisionError(TouchstoneError):
    """The decision concerns an unknown pair, or contradicts another decision."""


@transaction.atomic
def decide_match(
    *,
    reference: Gold,
    predicted: Gold,
    kind: str,
    reference_span: Span,
    predicted_span: Span,
    by: Any,
    now: datetime,
    reason: str = "",
) -> DecisionRow:
    """Record a decision, which replaces earlier ones on the pair of spans.

    Raise DecisionError.
    """
    if reference.item_id != predicted.item_id or kind not in DecisionKind.values:
        raise DecisionError("This pair of annotations does not exist.")
    Item.objects.select_for_update(of=("self",)).get(pk=reference.item_id)
    decision = DecisionRow.objects.create(
        reference=reference,
        predicted=predicted,
        kind=kind,
        reference_span=list(reference_span),
        predicted_span=list(predicted_span),
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
def undo_decision(*, decision: DecisionRow, by: Any, now: datetime) -> None:
    """Delete all decisions on this pair of spans, so that the automatic match applies again."""
    about = decision.kind.partition("-")[0]
    same = DecisionRow.objects.filter(
        reference=decision.reference_id,
        predicted=decision.predicted_id,
        reference_span=decision.reference_span,
        predicted_span=decision.predicted_span,
        kind__startswith=f"{about}-",
    )
    for row in same.order_by("pk"):
        log_state_change(instance=row, old=row.kind, new="undone", actor=str(by), now=now)
        row.delete()


def compare_gold(*, reference: Gold, predicted: Gold) -> Comparison:
    """Compare gold with a reference and apply the decisions.

    Raise ValueError if a decision does not fit.
    """
    item = reference.item
    return get_scheme(item.project.scheme).compare(
        reference=reference.content,
        predicted=predicted.content,
        tokens=item.sentence.tokens,
        target=item.target,
        decisions=standing_decisions(decisions_between(reference=reference, predicted=predicted)),
    )


def decisions_between(*, reference: Gold, predicted: Gold) -> list[DecisionRow]:
    """Return the latest decision on each pair of spans, oldest first."""
    rows = DecisionRow.objects.filter(reference=reference, predicted=predicted).order_by("pk")
    return last_words(rows.select_related("decided_by"))


def last_words(rows: Iterable[DecisionRow]) -> list[DecisionRow]:
    """Return the latest decision on each pair of spans.

    The rows are decisions between the same two annotations, oldest first.
    """
    last: dict[tuple[object, ...], DecisionRow] = {}
    for row in rows:
        if row.reference_span is not None and row.predicted_span is not None:
            about = row.kind.partition("-")[0]
            key = (about, *row.reference_span, *row.predicted_span)
            last.pop(key, None)
            last[key] = row
    return list(last.values())


def standing_decisions(rows: Iterable[DecisionRow]) -> list[Decision]:
    """Convert the rows of `last_words` to decisions for the metrics."""
    return [
        Decision(_span(row.reference_span), _span(row.predicted_span), Verdict(row.kind))
        for row in rows
    ]


def _span(stored: Any) -> Span:
    start, end = stored
    return start, end
