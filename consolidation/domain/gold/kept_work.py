"""Count how many paid units of each annotation its item's gold has."""

from collections.abc import Callable
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from annotation.enums import USABLE, SubmissionState
from annotation.models import Submission
from consolidation.domain.gold.accept_certain import RULE as CERTAIN
from consolidation.domain.gold.current_gold import FIRST_CASES
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Dispute, Gold
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import AfterDisputes, Role
from schemes.contract.values import Json


def count_kept_work(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Count the kept units of up to `limit` annotations with new gold. Return how many.

    Only the first gold counts, because bonuses that were decided with it stay as they are. An item that
    is left out after a dispute has what its verifiers supported instead of gold. Where nobody judged the
    annotations, everything counts as kept, and nothing as judged.
    """
    is_resolved = Exists(Case.objects.filter(item=OuterRef("item"), state=CaseState.RESOLVED))
    is_own = Q(source__in=[GoldSource.CONSOLIDATED, GoldSource.VALIDATED]) | Q(
        is_resolved, source=GoldSource.EXPERT
    )
    gold = Gold.objects.filter(FIRST_CASES, is_own, item=OuterRef("item"))
    left_out = Case.objects.filter(
        item=OuterRef("item"),
        attempt=0,
        state=CaseState.DISPUTED,
        item__project__after_disputes=AfterDisputes.LEAVE,
    )
    due = Submission.objects.filter(
        Exists(gold) | Exists(left_out),
        role=Role.GENERATOR,
        worker__isnull=False,
        kept_units=None,
        state__in=[*USABLE, SubmissionState.WITHDRAWN],
    )
    return for_each_row(
        sweep="count kept work",
        rows=due.select_related("item__project").order_by("pk"),
        process=_count,
        clock=clock,
        limit=limit,
    )


def _count(submission: Submission, now: datetime) -> int:
    kept = units = 0
    if submission.is_readable:
        scheme = scheme_of(submission.item.project)
        units = scheme.content.count_units(submission.content, Role.GENERATOR)
        if _is_unjudged(submission):
            kept, units = units, 0
        else:
            reference, count_kept = _reference(submission), scheme.comparison.count_kept
            kept = min(units, count_kept(reference, submission.content))
            if not units and count_kept(reference, reference):
                units = 1
    rows = Submission.objects.filter(pk=submission.pk, kept_units=None)
    return rows.update(kept_units=kept, judged_units=units)


def _is_unjudged(submission: Submission) -> bool:
    """Return True if estimates decided about the item's gold, and not a person."""
    rows = Gold.objects.filter(FIRST_CASES, item=submission.item_id, source=GoldSource.CONSOLIDATED)
    first = rows.order_by("created_at", "pk").values_list("rule", flat=True).first()
    return first == CERTAIN


def _reference(submission: Submission) -> Json:
    """Return the item's newest own gold, or what verifiers supported of an item without gold."""
    sources = [GoldSource.CONSOLIDATED, GoldSource.VALIDATED, GoldSource.EXPERT]
    rows = Gold.objects.filter(FIRST_CASES, item=submission.item_id, source__in=sources)
    gold = rows.order_by("-created_at", "-pk").first()
    if gold is not None:
        return dict(gold.content)
    dispute = Dispute.objects.filter(case__item=submission.item_id).order_by("-round").first()
    assert dispute
    verifications = [row.content for row in dispute.verifications.order_by("pk")]
    project = submission.item.project
    content, _ = (
        scheme_of(submission.item.project)
        .get_validating()
        .gold_of([dispute.source.content], verifications, project.validators_to_agree)
    )
    return content
