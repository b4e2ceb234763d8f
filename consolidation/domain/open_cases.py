"""Cases: opened when an item has its accepted generations, offered to someone who wrote none of them."""

import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q

from annotation.domain.publish import Offer, create_batch, offer_items
from annotation.enums import BatchState, ExclusionScope, Role, SubmissionState
from annotation.models import Batch, Item, Project, Submission
from audit.domain.change_state import log_state_change
from consolidation.enums import CaseState
from consolidation.models import Case, CaseSource
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import requirement_for
from crowd.models import QualificationType, Worker

PAGE = "consolidation:consolidate"
TITLE = "Merge people's questions and answers about a verb"
DESCRIPTION = (
    "See what other people wrote about one verb of a sentence, and make one good set of it."
)


def pool_code(project: Project, role: str) -> str:
    """The code of the qualification that holds the project's trained pool for a role."""
    return f"{project.slug}-{role}"


def open_due_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Open a case for up to `limit` items that have all their accepted generations and none yet.
    What trainees write in a qualification round is compared with a reference, never merged."""
    accepted = Count(
        "submissions",
        filter=Q(submissions__role=Role.GENERATOR, submissions__state=SubmissionState.ACCEPTED),
    )
    due = (
        Item.objects.filter(
            in_production=True, cases=None, submissions__state=SubmissionState.ACCEPTED
        )
        .annotate(accepted=accepted)
        .filter(accepted__gte=F("project__generators_per_item"))
        .order_by("pk")
    )
    opened = 0
    for item in due[:limit]:
        opened += open_case(item=item, now=clock())
    return opened


@transaction.atomic
def open_case(*, item: Item, now: datetime) -> bool:
    """Open the item's first case with its sources in a random order; says whether it was not open."""
    case, created = Case.objects.get_or_create(item=item, place=0, defaults={"opened_at": now})
    if not created:
        return False
    submissions = list(
        Submission.objects.accepted().filter(item=item, role=Role.GENERATOR).order_by("pk")
    )
    random.Random(f"{item.project.seed}:{item.key}").shuffle(submissions)  # noqa: S311
    CaseSource.objects.bulk_create(
        CaseSource(case=case, submission=one, position=position)
        for position, one in enumerate(submissions)
    )
    log_state_change(instance=case, old="", new=case.state, actor="automatic", now=now)
    return True


def offer_open_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Publish up to `limit` open cases to consolidators; returns how many. Without room under the
    budget's cap they stay open, and are offered as soon as there is."""
    open_ones = (
        Case.objects.filter(state=CaseState.OPEN).order_by("pk").values_list("pk", flat=True)
    )
    offered = 0
    for pk in open_ones[:limit]:
        try:
            offered += offer_case(case_id=pk, now=clock())
        except BudgetExceeded:
            continue
    return offered


@transaction.atomic
def offer_case(*, case_id: int, now: datetime) -> bool:
    """Plan the case's HIT, closed to those it would be their own work for. Raises BudgetExceeded."""
    case = Case.objects.select_for_update().get(pk=case_id)
    if case.state != CaseState.OPEN:
        return False
    item = Item.objects.select_related("project__budget", "sentence").get(pk=case.item_id)
    batch = consolidation_batch(project=item.project, now=now)
    if batch.state != BatchState.OPEN:
        return False
    task = offer_items(
        batch=batch,
        offers=[Offer([item], case.place)],
        page=PAGE,
        now=now,
        qualifications=_requirements(batch, item),
    )[0]
    case.task, case.state = task, CaseState.OFFERED
    case.save(update_fields=["task", "state"])
    log_state_change(instance=case, old="open", new="offered", actor="automatic", now=now)
    return True


def consolidation_batch(*, project: Project, now: datetime) -> Batch:
    """The project's running batch of consolidations; begun by the first case."""
    batch = project.batches.filter(role=Role.CONSOLIDATOR).order_by("-pk").first()
    return batch or create_batch(
        project=project,
        role=Role.CONSOLIDATOR,
        title=TITLE,
        description=DESCRIPTION,
        qualifications=[],
        now=now,
    )


def _requirements(batch: Batch, item: Item) -> list[dict[str, Any]]:
    """The batch's own requirements and, where the project has a pool of consolidators, membership in
    it under a number that none of the excluded hold."""
    pool = QualificationType.objects.filter(
        provider=item.project.provider, code=pool_code(item.project, Role.CONSOLIDATOR)
    ).first()
    if pool is None:
        return list(batch.qualifications)
    return [
        *batch.qualifications,
        requirement_for(qualification=pool, without=excluded_workers(item)),
    ]


def excluded_workers(item: Item) -> list[Worker]:
    """Who may not consolidate the item: whoever generated for it or, if the project says so, for its
    sentence."""
    scope = (
        {"submissions__item__sentence": item.sentence_id}
        if item.project.exclusion_scope == ExclusionScope.SENTENCE
        else {"submissions__item": item.pk}
    )
    return list(Worker.objects.filter(submissions__role=Role.GENERATOR, **scope).distinct())
