"""Gold of items that were validated: written when the last validator is in."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Count, F, Q

from annotation.enums import Protocol, Role, SubmissionState
from annotation.models import Submission
from audit.domain.change_state import change_state
from consolidation.domain.open_cases import NOTHING_ASKED
from consolidation.domain.record_gold import MOVES, add_gold, sources_of
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Judgment
from schemes.registry import get_scheme


def write_due_validated_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Write the gold of up to `limit` cases that have all their accepted validations, or need none
    because nothing was asked; returns how many."""
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
    for found in (due, empty):
        for pk in found.values_list("pk", flat=True)[: limit - written]:
            written += write_validated_gold(case_id=pk, now=clock())
    return written


@transaction.atomic
def write_validated_gold(*, case_id: int, now: datetime) -> bool:
    """The next version of the case's item's gold, with where each question and answer came from; says
    whether it was not settled before."""
    case = Case.objects.select_for_update().get(pk=case_id)
    if case.state == CaseState.VALIDATED:
        return False
    item = case.item
    validations = _validations(case)
    content, provenance = get_scheme(item.project.scheme).gold_of_validations(
        sources_of(case),
        [one.content for one in validations],
        agree=item.project.validators_to_agree,
    )
    change_state(instance=case, new=CaseState.VALIDATED, moves=MOVES, actor="automatic", now=now)
    gold = add_gold(
        item=item,
        source=GoldSource.VALIDATED,
        content=content,
        provenance=provenance,
        case=case,
        now=now,
    )
    Judgment.objects.bulk_create(
        Judgment(gold=gold, submission=one, position=position)
        for position, one in enumerate(validations)
    )
    return True


def _validations(case: Case) -> list[Submission]:
    """The first that were handed in: one too many would make it easier to agree."""
    accepted = Submission.objects.accepted().filter(item=case.item_id, role=Role.VALIDATOR)
    return list(accepted.order_by("pk")[: case.item.project.validators_per_item])
