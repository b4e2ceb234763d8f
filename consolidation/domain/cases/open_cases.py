"""Open cases when items have their generations, and offer them to other workers."""

import random
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.domain.publishing.announce_work import announce_work
from annotation.domain.publishing.arms import generators_needed
from annotation.domain.publishing.publish import TaskPlan, create_batch, publish_items
from annotation.domain.publishing.qualification_codes import pool_of
from annotation.domain.publishing.republish import (
    Republished,
    next_attempt,
    republish_on_hit,
    republish_on_new_hit,
    store_problem,
)
from annotation.enums import USABLE, BatchState, RedundancyDecision
from annotation.models import Batch, Item, Submission, TaskItem
from audit.domain.change_state import change_state, log_state_change
from consolidation.domain.case_records import TRANSITIONS, link_task
from consolidation.domain.gold.accept_certain import accept_certain
from consolidation.domain.gold.accept_identical import accept_identical
from consolidation.enums import CaseState
from consolidation.models import Case, CaseSource, CaseTask
from consolidation.protocols import CASE_ROLES, protocol_of, protocol_of_role
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.workers.qualifications import requirement_for
from crowd.models import Worker
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import ExclusionScope, Role
from projects.models import Project
from schemes.contract.values import Json


def open_due_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Open up to `limit` cases of items with all usable generations. Return the number.

    With adaptive redundancy, an item must also need no more annotators.
    Some of them may wait for the case's gold before they are accepted. Work in a qualification round is
    compared with a reference and never merged.
    """
    usable = Count(
        "submissions",
        filter=Q(submissions__role=Role.GENERATOR, submissions__state__in=USABLE),
    )
    due = (
        Item.objects.filter(
            ~Q(Exists(_present_cases())),
            Q(redundancy=None) | ~Q(redundancy__decision=RedundancyDecision.UNDECIDED),
            in_production=True,
            submissions__state__in=USABLE,
        )
        .annotate(usable=usable)
        .filter(usable__gte=generators_needed())
        .order_by("pk")
    )
    return for_each_row(
        sweep="open cases",
        rows=due,
        process=lambda item, now: open_case(item=item, now=now),
        clock=clock,
        limit=limit,
    )


def _present_cases() -> QuerySet[Case]:
    """Return an item's cases, without those that new annotations replace, for a subquery."""
    given_up = [CaseState.REOPENED, CaseState.REPLACED]
    return Case.objects.filter(item=OuterRef("pk")).exclude(state__in=given_up)


@transaction.atomic
def open_case(*, item: Item, now: datetime) -> bool:
    """Open the item's first case with its sources in random order. Return False if it exists.

    It replaces a case that was reopened for new annotations.
    """
    for reopened in item.cases.select_for_update().filter(state=CaseState.REOPENED):
        change_state(
            instance=reopened,
            new=CaseState.REPLACED,
            transitions=TRANSITIONS,
            actor="automatic",
            now=now,
        )
    cases = Case.objects.exclude(state=CaseState.REPLACED)
    case, created = cases.get_or_create(item=item, attempt=0, defaults={"opened_at": now})
    if not created:
        return False
    protocol = protocol_of(item.project)
    roles = [Role.GENERATOR] if protocol.has_single_source else [Role.GENERATOR, Role.MODEL]
    usable = Submission.objects.usable().filter(item=item, role__in=roles).order_by("pk")
    submissions = list(usable[:1] if protocol.has_single_source else usable)
    contents = [submission.content for submission in submissions]
    if protocol.is_empty(scheme_of(item.project), contents):
        case.is_empty = True
        case.save(update_fields=["is_empty"])
    add_sources(case=case, submissions=submissions, seed=f"{item.project.seed}:{item.key}", now=now)
    return True


def add_sources(*, case: Case, submissions: list[Submission], seed: str, now: datetime) -> None:
    """Add the submissions to a new case in random order, and log the case."""
    random.Random(seed).shuffle(submissions)  # noqa: S311
    CaseSource.objects.bulk_create(
        CaseSource(case=case, submission=submission, position=position)
        for position, submission in enumerate(submissions)
    )
    log_state_change(instance=case, old="", new=case.state, actor="automatic", now=now)


def publish_open_cases(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Publish up to `limit` open cases to workers. Return the number published.

    Cases that exceed the budget stay open and are published later.
    """
    open_cases = Case.objects.filter(
        state=CaseState.OPEN,
        is_empty=False,
        item__withdrawn_at=None,
        item__project__archived_at=None,
    )
    return for_each_row(
        sweep="offer cases",
        rows=open_cases.only("pk").order_by("pk"),
        process=_publish,
        clock=clock,
        limit=limit,
    )


def _publish(case: Case, now: datetime) -> bool:
    try:
        return publish_case(case_id=case.pk, now=now)
    except BudgetExceededError as exceeded:
        store_problem_of(case.pk, str(exceeded))
        return False


def store_problem_of(case_id: int, problem: str) -> None:
    """Store the problem on the running batches of the case's project."""
    running = Batch.objects.filter(
        project__items__cases=case_id,
        role__in=CASE_ROLES,
        state=BatchState.OPEN,
    )
    for batch in running:
        store_problem(batch=batch, problem=problem)


@transaction.atomic
def publish_case(*, case_id: int, now: datetime) -> bool:
    """Plan the case's HIT and exclude its authors. Raise BudgetExceededError.

    A case gets its gold instead if one of its annotations is certain enough, or if they are identical and
    the project accepts that.
    """
    case = Case.objects.select_for_update().get(pk=case_id)
    if case.state != CaseState.OPEN:
        return False
    if accept_certain(case=case, now=now) or accept_identical(case=case, now=now):
        return True
    item = Item.objects.select_related("project__budget", "sentence").get(pk=case.item_id)
    protocol = protocol_of(item.project)
    batch = case_batch(project=item.project, role=protocol.role, now=now)
    if batch.state != BatchState.OPEN:
        return False
    task = publish_items(
        batch=batch,
        plans=[TaskPlan([item], next_attempt(item, batch.role))],
        page=protocol.page,
        now=now,
        qualifications=requirements_of(batch, excluded_workers(item)),
        round=case.round,
    )[0]
    link_task(case=case, task=task)
    announce_work(batch=batch, pool=pool_of(project=item.project, role=batch.role), now=now)
    case.state = CaseState.OFFERED
    case.save(update_fields=["task", "state"])
    log_state_change(instance=case, old="open", new="offered", actor="automatic", now=now)
    return True


def offer_case_again(
    *,
    case: Case,
    number: int,
    page: str,
    requirements: Callable[[Batch], list[dict[str, Any]]],
    now: datetime,
) -> Republished:
    """Offer the case to `number` more workers on its HIT or on a new one.

    A new HIT has this page and the requirements returned for its batch. The caller must lock the
    batch's row. Raise BudgetExceededError.
    """
    assert case.task
    attempt = case.task.task_items.select_related(
        "item__project", "task__batch__project__budget", "task__batch__budget"
    ).get()
    if republish_on_hit(task=case.task, number=number, now=now):
        TaskItem.objects.filter(pk=attempt.pk).update(republications=F("republications") + 1)
        return Republished(raised=1)
    task = republish_on_new_hit(
        earlier=attempt,
        page=page,
        qualifications=requirements(attempt.task.batch),
        number=number,
        now=now,
    )
    link_task(case=case, task=task)
    case.save(update_fields=["task"])
    return Republished(new_hits=1)


def case_batch(*, project: Project, role: str, now: datetime) -> Batch:
    """Return the project's batch of the role's work on cases. Create it if necessary."""
    batches = project.batches.filter(role=role, for_training=False)
    return batches.order_by("-pk").first() or create_batch(
        project=project,
        role=role,
        qualifications=[],
        now=now,
    )


@transaction.atomic
def publish_given_cases(
    *,
    batch: Batch,
    plans: Sequence[TaskPlan],
    given: Sequence[list[Json]],
    now: datetime,
    **terms: Any,
) -> None:
    """Publish a case with given annotations for each planned task of a qualification round.

    See `publish_items` for `terms` and errors.
    """
    page = protocol_of_role(batch.role, batch.project).page
    tasks = publish_items(batch=batch, plans=plans, page=page, now=now, **terms)
    cases = Case.objects.bulk_create(
        Case(
            item=plan.items[0],
            attempt=plan.attempt,
            state=CaseState.OFFERED,
            task=task,
            given=annotations,
            opened_at=now,
        )
        for plan, annotations, task in zip(plans, given, tasks, strict=True)
    )
    CaseTask.objects.bulk_create(CaseTask(case=case, task=case.task) for case in cases)


def requirements_of(batch: Batch, excluded: Sequence[Worker]) -> list[dict[str, Any]]:
    """Return the batch's requirements, plus membership of the role's pool if there is one.

    The pool requirement rejects the excluded workers by the values of their qualification.
    """
    pool = pool_of(project=batch.project, role=batch.role)
    if pool is None:
        return list(batch.qualifications)
    return [*batch.qualifications, requirement_for(qualification=pool, without=excluded)]


def excluded_workers(
    item: Item, *, but_assignment: str = "", before: datetime | None = None
) -> list[Worker]:
    """Return the workers who may not consolidate or validate the item.

    These are the generators of the item, its sentence, or its document or image, depending on the
    project's exclusion scope. A sentence without a document or image is its own scope. With `before`,
    only work submitted by then counts. Consolidators of the item are excluded too, except for the
    assignment with the external id `but_assignment`.
    """
    scope: dict[str, Any] = {"submissions__item": item.pk}
    if item.project.exclusion_scope == ExclusionScope.GROUP and item.sentence.group:
        scope = {
            "submissions__item__project": item.project_id,
            "submissions__item__sentence__group": item.sentence.group,
        }
    elif item.project.exclusion_scope != ExclusionScope.ITEM:
        scope = {"submissions__item__sentence": item.sentence_id}
    if before is not None:
        scope["submissions__submitted_at__lte"] = before
    authors = [Role.GENERATOR, Role.REVISER]
    generators = Worker.objects.filter(submissions__role__in=authors, **scope)
    merged = Submission.objects.filter(item=item, role=Role.CONSOLIDATOR)
    others = merged.exclude(assignment__external_id=but_assignment)
    consolidators = Worker.objects.filter(pk__in=others.values("worker"))
    return list((generators | consolidators).distinct())
