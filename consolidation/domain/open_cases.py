"""Cases: opened when an item has its accepted generations, offered to someone who wrote none of them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q

from annotation.domain.publish import Offer, create_batch, offer_items
from annotation.domain.qualification_codes import pool_code
from annotation.domain.reoffer import next_place, say_problem
from annotation.enums import BatchState, ExclusionScope, Protocol, Role, SubmissionState
from annotation.models import Batch, Item, Project, Submission, Task
from audit.domain.change_state import log_state_change
from consolidation.enums import CaseState
from consolidation.models import Case, CaseSource
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import requirement_for
from crowd.models import QualificationType, Worker
from schemes.base import Json


@dataclass(frozen=True, slots=True)
class Work:
    """What is asked of those to whom a case is offered: on which `page`, announced in which words."""

    role: Role
    page: str
    title: str
    description: str


WORK = {
    Protocol.CONSOLIDATION: Work(
        Role.CONSOLIDATOR,
        "consolidation:consolidate",
        "Merge people's questions and answers about a verb",
        "See what other people wrote about one verb of a sentence, and make one good set of it.",
    ),
    Protocol.VALIDATION: Work(
        Role.VALIDATOR,
        "consolidation:validate",
        "Answer questions about a verb, or say that they are wrong",
        "Read one sentence and questions about one verb of it; mark the answers, or say which "
        "questions are no good.",
    ),
}
# The generation of a case in which nothing was asked: there is nothing to validate.
NOTHING_ASKED = Q(sources__submission__content__questions=[])


def case_of_task(task: Task) -> Case:
    """The case that the task offers, or offered until it had to be offered anew."""
    cases = Case.objects.select_related("item__sentence", "item__project")
    if task.role == Role.VALIDATOR:
        return cases.get(item__tasks=task, place=0)
    return cases.filter(Q(task=task) | Q(earlier_tasks=task)).distinct().get()


def work_of(project: Project) -> Work:
    return WORK[Protocol(project.protocol)]


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
    accepted = Submission.objects.accepted().filter(item=item, role=Role.GENERATOR).order_by("pk")
    # A second generation, got by more places on the HIT, can be merged but not validated.
    submissions = list(accepted[:1] if item.project.protocol == Protocol.VALIDATION else accepted)
    random.Random(f"{item.project.seed}:{item.key}").shuffle(submissions)  # noqa: S311
    CaseSource.objects.bulk_create(
        CaseSource(case=case, submission=one, position=position)
        for position, one in enumerate(submissions)
    )
    log_state_change(instance=case, old="", new=case.state, actor="automatic", now=now)
    return True


def offer_open_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Publish up to `limit` open cases to consolidators or validators; returns how many. Without room
    under the budget's cap they stay open, and are offered as soon as there is."""
    open_ones = (
        Case.objects.filter(state=CaseState.OPEN)
        .exclude(NOTHING_ASKED, item__project__protocol=Protocol.VALIDATION)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    offered = 0
    for pk in open_ones[:limit]:
        try:
            offered += offer_case(case_id=pk, now=clock())
        except BudgetExceeded as exceeded:
            _say_on_batch(pk, str(exceeded))
    return offered


def _say_on_batch(case_id: int, problem: str) -> None:
    """So that the office sees why cases wait; the first case's batch was not begun."""
    running = Batch.objects.filter(
        project__items__cases=case_id,
        role__in=[Role.CONSOLIDATOR, Role.VALIDATOR],
        state=BatchState.OPEN,
    )
    for batch in running:
        say_problem(batch=batch, problem=problem)


@transaction.atomic
def offer_case(*, case_id: int, now: datetime) -> bool:
    """Plan the case's HIT, closed to those it would be their own work for. Raises BudgetExceeded."""
    case = Case.objects.select_for_update().get(pk=case_id)
    if case.state != CaseState.OPEN:
        return False
    item = Item.objects.select_related("project__budget", "sentence").get(pk=case.item_id)
    batch = case_batch(project=item.project, now=now)
    if batch.state != BatchState.OPEN:
        return False
    task = offer_items(
        batch=batch,
        offers=[Offer([item], next_place(item, batch.role))],
        page=work_of(item.project).page,
        now=now,
        qualifications=requirements_of(batch, excluded_workers(item)),
    )[0]
    case.task, case.state = task, CaseState.OFFERED
    case.save(update_fields=["task", "state"])
    log_state_change(instance=case, old="open", new="offered", actor="automatic", now=now)
    return True


def case_batch(*, project: Project, now: datetime) -> Batch:
    """The project's running batch of consolidations or validations; begun by the first case."""
    work = work_of(project)
    batches = project.batches.filter(role=work.role, for_training=False)
    return batches.order_by("-pk").first() or create_batch(
        project=project,
        role=work.role,
        title=work.title,
        description=work.description,
        qualifications=[],
        now=now,
    )


@transaction.atomic
def offer_given_cases(
    *,
    batch: Batch,
    offers: Sequence[Offer],
    given: Sequence[list[Json]],
    now: datetime,
    **terms: Any,
) -> list[Case]:
    """A case for each offer of a qualification round, with the annotations to merge; for `terms` and
    errors see `offer_items`."""
    page = WORK[Protocol.CONSOLIDATION].page
    tasks = offer_items(batch=batch, offers=offers, page=page, now=now, **terms)
    return Case.objects.bulk_create(
        Case(
            item=offer.items[0],
            place=offer.place,
            state=CaseState.OFFERED,
            task=task,
            given=annotations,
            opened_at=now,
        )
        for offer, annotations, task in zip(offers, given, tasks, strict=True)
    )


def requirements_of(batch: Batch, excluded: list[Worker]) -> list[dict[str, Any]]:
    """The batch's own requirements and, where the project has a pool for the role, membership in it
    under a number that none of the excluded hold."""
    pool = QualificationType.objects.filter(
        provider=batch.project.provider, code=pool_code(batch.project, batch.role)
    ).first()
    if pool is None:
        return list(batch.qualifications)
    return [*batch.qualifications, requirement_for(qualification=pool, without=excluded)]


def excluded_workers(
    item: Item, *, but_assignment: str = "", before: datetime | None = None
) -> list[Worker]:
    """Who may not consolidate or validate the item: whoever generated for it or, if the project says
    so, for its sentence (with `before`, by what was handed in until then); and whoever has
    consolidated it, but for the assignment of that (external) id."""
    scope: dict[str, Any] = (
        {"submissions__item__sentence": item.sentence_id}
        if item.project.exclusion_scope == ExclusionScope.SENTENCE
        else {"submissions__item": item.pk}
    )
    if before is not None:
        scope["submissions__submitted_at__lte"] = before
    generators = Worker.objects.filter(submissions__role=Role.GENERATOR, **scope)
    merged = Submission.objects.filter(item=item, role=Role.CONSOLIDATOR)
    others = merged.exclude(assignment__external_id=but_assignment)
    consolidators = Worker.objects.filter(pk__in=others.values("worker"))
    return list((generators | consolidators).distinct())
