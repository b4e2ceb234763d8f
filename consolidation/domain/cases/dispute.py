"""Disputed annotations: store what is disputed, and settle cases that stay disputed."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Submission
from audit.domain.change_state import change_state
from consolidation.domain.case_records import TRANSITIONS
from consolidation.domain.cases.queue_disputed import queue_disputed_item
from consolidation.enums import CaseState
from consolidation.models import Case, Dispute
from projects.enums import AfterDisputes
from schemes.contract.values import Json

AUTOMATIC = "automatic"


def raise_dispute(
    *, case: Case, content: Json, verifications: Sequence[Submission], now: datetime
) -> None:
    """Store the disputed parts, and return the annotation to its generator if it may be revised.

    The caller must lock the case's row.
    """
    dispute = Dispute.objects.create(
        case=case,
        round=case.round,
        content=content,
        source=case.sources.get().submission,
        found_at=now,
    )
    dispute.verifications.set(verifications)
    if case.round >= case.item.project.revision_limit:
        leave_disputed(case=case, reason="The limit of revisions is reached.", now=now)
        return
    change_state(
        instance=case,
        new=CaseState.REVISING,
        transitions=TRANSITIONS,
        actor=AUTOMATIC,
        now=now,
        task=None,
    )


def leave_disputed(*, case: Case, reason: str, now: datetime) -> None:
    """Settle the case as disputed. An expert annotates the item if the project says so."""
    change_state(
        instance=case,
        new=CaseState.DISPUTED,
        transitions=TRANSITIONS,
        actor=AUTOMATIC,
        now=now,
        reason=reason,
    )
    if case.item.project.after_disputes == AfterDisputes.EXPERTS:
        queue_disputed_item(item=case.item, now=now)
