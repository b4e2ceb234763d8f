"""Verification: several workers verify one annotation, and disputes return to its author.

This is the protocol of SemEval-2019 Task 2. `consolidation.domain.revise` handles the revisions.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction

from annotation.domain.item_context import scheme_of
from annotation.models import Submission
from consolidation.domain.cases import sources_of
from consolidation.domain.dispute import raise_dispute
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case
from consolidation.protocols import validation
from consolidation.protocols.base import CaseProtocol
from jobs.domain.sweep import for_each_row
from projects.enums import Protocol, Role
from projects.models import Project
from schemes.contract.values import Json


def write_due_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Settle up to `limit` fully verified cases. Return the number.

    They get their gold, or a dispute. Empty cases need no verifications.
    """
    settled = 0
    for rows in validation.due_cases(Protocol.VERIFICATION):
        settled += for_each_row(
            sweep="settle verifications",
            rows=rows,
            process=_settle,
            clock=clock,
            limit=limit - settled,
        )
    return settled


@transaction.atomic
def _settle(case: Case, now: datetime) -> bool:
    """Write the case's gold, or store what is disputed. Return False if that was done before."""
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.state not in (CaseState.OPEN, CaseState.OFFERED):
        return False
    verifications = [] if case.is_empty else validation.validations_of(case)
    if disputed := _disputes_of(case, verifications):
        raise_dispute(case=case, content=disputed, verifications=verifications, now=now)
    else:
        validation.settle(case=case, validations=verifications, now=now)
    return True


def _disputes_of(case: Case, verifications: Sequence[Submission]) -> Json:
    """Return what the verifications dispute, which is nothing of an empty case."""
    part = scheme_of(case.item).get_validating()
    if case.is_empty or part.disputes is None:
        return {}
    contents = [verification.content for verification in verifications]
    return part.disputes(sources_of(case), contents, case.item.project.validators_to_agree)


def _describe(project: Project) -> str:
    text = validation.describe(project, "verifiers")
    return f"{text}, after at most {project.revision_limit} revisions"


def _least_workers(project: Project) -> int:
    return project.generators_per_item + project.validators_per_item


VERIFICATION = CaseProtocol(
    name=Protocol.VERIFICATION,
    role=Role.VALIDATOR,
    page="consolidation:validate",
    gold_source=GoldSource.VALIDATED,
    settled=CaseState.VALIDATED,
    has_single_source=True,
    parser=validation.parser,
    is_empty=validation.is_empty,
    write_due_gold=write_due_gold,
    short_cases=lambda project, now: validation.short_cases(
        project, now, protocol=Protocol.VERIFICATION
    ),
    missing=validation.missing,
    also_excluded=validation.also_excluded,
    describe=_describe,
    least_workers=_least_workers,
    counts_experts=True,
)
