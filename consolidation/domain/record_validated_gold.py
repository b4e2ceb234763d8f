"""Write the gold of items whose validations are complete."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Count, F, Q

from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.domain.change_state import change_state
from consolidation.domain.open_cases import NOTHING_ASKED
from consolidation.domain.record_gold import TRANSITIONS, add_gold, sources_of
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Judgment
from jobs.domain.sweep import for_each_row
from projects.enums import Protocol, Role
from schemes.registry import get_scheme


def write_due_validated_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Write the gold of up to `limit` fully validated cases. Return the number written.

    Cases without questions need no validations.
    """
    validated = Count(
        "item__submissions",
        filter=Q(
            item__submissions__role=Role.VALIDATOR,
            item__submissions__state=SubmissionState.ACCEPTED,
        ),
    )
    cases = Case.objects.filter(item__project__protocol=Protocol.VALIDATION).order_by("pk")
    offered = cases.filter(state=CaseState.OFFERED).annotate(validated=validated)
    due = offered.filter(validated__gte=F("item__project__validators_per_item"))
    empty = cases.filter(NOTHING_ASKED, state=CaseState.OPEN)
    written = 0
    for rows in (due, empty):
        written += for_each_row(
            sweep="write validated gold",
            rows=rows,
            process=_write_gold,
            clock=clock,
            limit=limit - written,
        )
    return written


@transaction.atomic
def _write_gold(case: Case, now: datetime) -> bool:
    """Write the case's gold with the origin of each question and answer.

    Return False if the case was already validated.
    """
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.state == CaseState.VALIDATED:
        return False
    item = case.item
    accepted = Submission.objects.accepted().filter(item=item, role=Role.VALIDATOR)
    # Only the first validations, because extra ones would make agreement more likely.
    validations = list(accepted.order_by("pk")[: item.project.validators_per_item])
    content, provenance = get_scheme(item.project.scheme).gold_of_validations(
        sources_of(case),
        [validation.content for validation in validations],
        agree=item.project.validators_to_agree,
    )
    change_state(
        instance=case, new=CaseState.VALIDATED, transitions=TRANSITIONS, actor="automatic", now=now
    )
    gold = add_gold(
        item=item,
        source=GoldSource.VALIDATED,
        content=content,
        provenance=provenance,
        case=case,
        now=now,
    )
    Judgment.objects.bulk_create(
        Judgment(gold=gold, submission=validation, position=position)
        for position, validation in enumerate(validations)
    )
    return True
