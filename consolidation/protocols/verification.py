"""Verification: several workers verify one annotation, and disputes return to its author.

This is the protocol of SemEval-2019 Task 2. `consolidation.domain.cases.revise` handles the revisions.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from annotation.models import Submission
from consolidation.domain.case_records import sources_of
from consolidation.domain.cases.dispute import raise_dispute
from consolidation.enums import CaseState
from consolidation.models import Case
from consolidation.protocols.validation import Validation, settle, validations_of
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Protocol
from projects.models import Project
from schemes.contract.values import Json


@transaction.atomic
def _settle(case: Case, now: datetime) -> bool:
    """Write the case's gold, or store what is disputed. Return False if that was done before."""
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.state not in (CaseState.OPEN, CaseState.OFFERED):
        return False
    verifications = [] if case.is_empty else validations_of(case)
    if disputed := _disputes_of(case, verifications):
        raise_dispute(case=case, content=disputed, verifications=verifications, now=now)
    else:
        settle(case=case, validations=verifications, now=now)
    return True


def _disputes_of(case: Case, verifications: Sequence[Submission]) -> Json:
    """Return the disputed parts. Empty cases have none."""
    part = scheme_of(case.item.project).get_validating()
    if case.is_empty or part.disputes is None:
        return {}
    contents = [verification.content for verification in verifications]
    return part.disputes(sources_of(case), contents, case.item.project.validators_to_agree)


class Verification(Validation):
    """Validation in several rounds, between which disputes return to the annotation's author."""

    name = Protocol.VERIFICATION
    counts_experts = True

    def write_due_gold(self, *, clock: Callable[[], datetime], limit: int = 50) -> int:
        """Settle up to `limit` fully verified cases. Return the number.

        They get their gold, or a dispute. Empty cases need no verifications.
        """
        settled = 0
        for rows in self.due_cases():
            settled += for_each_row(
                sweep="settle verifications",
                rows=rows,
                process=_settle,
                clock=clock,
                limit=limit - settled,
            )
        return settled

    def describe(self, project: Project) -> str:
        return f"{super().describe(project)}, after at most {project.revision_limit} revisions"

    def min_workers(self, project: Project) -> int:
        return project.generators_per_item + project.validators_per_item

    def _usable(self, *states: str) -> Q:
        """Match verifications of a case's item in these states, in the case's round."""
        usable = super()._usable(*states)
        return usable & Q(item__submissions__assignment__hit__task__round=F("round"))


VERIFICATION = Verification()
