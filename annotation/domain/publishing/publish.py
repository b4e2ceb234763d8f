"""Publish items to workers as tasks, each on a HIT."""

import hashlib
import hmac
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.urls import reverse

from annotation.domain.publishing.announce_work import announce_work
from annotation.domain.publishing.arms import ArmPlan, assign_arms, check_arms, create_arms
from annotation.domain.publishing.cost_model import expected_seconds
from annotation.domain.publishing.redundancy import plan_people
from annotation.enums import BatchState
from annotation.models import Batch, Item, Task, TaskItem
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.hits.plan_study import check_hourly_pay
from crowd.domain.hits.prepare_hits import HitPlan, hit_type_of, prepare_hits
from crowd.domain.money.hit_reservations import HitTerms, place_cents
from crowd.domain.money.ledger import check_left, join_sub_budget, set_cap
from crowd.domain.money.pay_scheme import Terms, bonus_cents
from crowd.domain.provider.providers import capabilities_of
from crowd.domain.provider.site_key import site_key
from crowd.domain.workers.qualifications import group_requirement, requirement_for
from crowd.enums import LedgerKind
from crowd.models import Budget, Hit, HitType, LedgerEntry, QualificationType
from jobs.domain.queue_job import queue_job
from projects.domain.create_project import current_guidelines
from projects.domain.schemes import scheme_of
from projects.enums import Role, page_role
from projects.models import Guidelines, Project
from schemes.contract.values import Noun
from web.money import dollars

# Items per transaction. All other writers of a SQLite database wait for it.
AT_A_TIME = 200
# The kind of the jobs that publish what is left of a batch.
PUBLICATION = "publication"
AUTO_APPROVAL_SECONDS = 3 * 86400
REPUBLISH_LIMIT = 3
PAGE = "annotation:generate"


class NothingToPublishError(TouchstoneError):
    """Every item has already been published."""


class PublicationRunningError(TouchstoneError):
    """A job is still publishing another batch of the project."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task to publish, with its items.

    `attempt` is that of each item (see TaskItem). `block` is the task's block in a batch that is
    divided into blocks.
    """

    items: Sequence[Item]
    attempt: int = 0
    block: int | None = None


def terms_of(project: Project, role: str) -> Terms:
    terms: Terms = project.pay_scheme[role]
    return terms


def batch_terms(batch: Batch) -> Terms:
    """Return the batch's own terms, or those of the project."""
    return batch.terms or terms_of(batch.project, batch.role)


def batch_guidelines(batch: Batch) -> Guidelines | None:
    """Return the version that the batch shows, or the newest."""
    role = page_role(batch.role)
    return batch.guidelines or current_guidelines(project_id=batch.project_id, role=role)


def create_batch(
    *,
    project: Project,
    role: str,
    qualifications: Sequence[dict[str, Any]],
    now: datetime,
    own_terms: Terms | None = None,
    **fields: Any,
) -> Batch:
    """Create a batch under its own terms, or those of the project.

    The title and description are the scheme's. `fields` are the batch's other fields.
    """
    terms = own_terms or terms_of(project, role)
    vocabulary = scheme_of(project).vocabulary
    texts = vocabulary.tasks.get(role) or vocabulary.tasks[page_role(role)]
    fields = {**asdict(texts), "keywords": vocabulary.keywords} | fields
    return Batch.objects.create(
        project=project,
        role=role,
        reward_cents=terms["reward_cents"],
        bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        qualifications=[*qualifications, *project.worker_requirements],
        terms=own_terms,
        created_at=now,
        **fields,
    )


def publish_batch(
    *,
    project: Project,
    now: datetime,
    limit: int | None = None,
    pool: QualificationType | None = None,
    keep_open: int | None = None,
    groups: Sequence[int] = (),
    requirements: Sequence[dict[str, Any]] = (),
    cap_cents: int | None = None,
    auto_approval_seconds: int = AUTO_APPROVAL_SECONDS,
    republish_limit: int = REPUBLISH_LIMIT,
    arms: Sequence[ArmPlan] = (),
    assists_test_items: bool = False,
    actor: str = "automatic",
) -> Batch:
    """Publish the project's unpublished items for generation, in shuffled order.

    Store the rows of up to AT_A_TIME items and reserve their budget, or do nothing at all. A job
    publishes the others, and the batch is PUBLISHING until then. The sweep creates the HITs.
    `pool` limits the work to holders of the qualification, and `groups` to holders with one of
    these values. `requirements` are added to those of the project.

    With `keep_open`, the sweep keeps that number of HITs open until `limit` items are published.
    `cap_cents` caps the batch's cost, below the project's cap. The marketplace approves undecided
    work `auto_approval_seconds` after its submission. An item that lacks submissions is republished
    automatically, up to `republish_limit` times. Items are assigned to `arms` at random, those of the
    test partition only with `assists_test_items`.

    Raise NothingToPublishError, PublicationRunningError, BudgetExceededError, also if the budget
    is too low for all the items, PayTooLowError, ArmsError, and ValueError for groups without a pool
    or an invalid delay.
    """
    check_arms(project, arms)
    check_auto_approval(project, auto_approval_seconds)
    check_pay(project)
    total = unpublished(project).count()
    total = min(value for value in (total, limit, keep_open) if value is not None)
    items = unpublished_items(project, min(total, AT_A_TIME))
    if not items:
        raise NothingToPublishError(nothing_to_publish(project))
    qualifications = [*membership_requirements(pool, groups), *requirements]
    with transaction.atomic():
        batch = create_batch(
            project=project,
            role=Role.GENERATOR,
            qualifications=qualifications,
            now=now,
            keep_open=keep_open,
            item_limit=limit,
            auto_approval_seconds=auto_approval_seconds,
            republish_limit=republish_limit,
            assists_test_items=assists_test_items,
        )
        create_arms(batch=batch, plans=arms)
        if cap_cents is not None:
            cap_batch(batch=batch, cap_cents=cap_cents)
        _check_is_alone(batch)
        if total > len(items):
            check_fits(batch=batch, items=total)
        publish_generations(batch=batch, items=items, now=now)
        if total > len(items):
            _begin_publication(batch, total, actor, now)
        else:
            log_publication(batch=batch, actor=actor, now=now)
        announce_work(batch=batch, pool=pool, groups=groups, now=now)
    return batch


def check_auto_approval(project: Project, seconds: int) -> None:
    """Raise ValueError if the provider can't approve work after this time."""
    max_days = capabilities_of(project.provider).max_approval_days
    if not 0 <= seconds <= max_days * 86400:
        raise ValueError(f"Automatic approval is possible after 0 to {max_days} days.")


def nothing_to_publish(project: Project) -> str:
    """Return why no item of the project can be published."""
    if project.items.filter(in_production=True).exists():
        return f"Every item of {project.slug} has already been published."
    return f"{project.slug} has no items yet. Import a corpus first."


def _check_is_alone(batch: Batch) -> None:
    """Raise PublicationRunningError if another batch of the project is being published."""
    others = batch.project.batches.filter(state=BatchState.PUBLISHING).exclude(pk=batch.pk)
    if other := others.first():
        raise PublicationRunningError(
            f"{other.name} is still being published. Wait until it is complete, or stop it."
        )


def check_fits(*, batch: Batch, items: int) -> None:
    """Raise BudgetExceededError if the batch's budgets are too low for this number of items."""
    for budget in filter(None, (batch.project.budget, batch.budget)):
        check_left(budget=budget, cents=cost_of(batch, items))


def _begin_publication(batch: Batch, total: int, actor: str, now: datetime) -> None:
    queue_publication(batch=batch, total=total, actor=actor, now=now)
    items, most = Noun("item", "items").count(total), dollars(cost_of(batch, total))
    log_state_change(
        instance=batch,
        old="",
        new=batch.state,
        actor=actor,
        now=now,
        reason=f"{items} for at most {most}",
    )


def queue_publication(*, batch: Batch, total: int, actor: str, now: datetime) -> None:
    """Queue a job that publishes the batch until `total` of its items are published."""
    batch.publication = queue_job(
        kind=PUBLICATION,
        scope=batch.project.slug,
        parameters={"batch": batch.pk, "name": batch.name},
        actor=actor,
        now=now,
        total=total,
    )
    batch.state, batch.to_publish = BatchState.PUBLISHING, total
    batch.save(update_fields=["publication", "state", "to_publish"])


def log_publication(*, batch: Batch, actor: str, now: datetime) -> None:
    """Log that the batch was published, with its number of HITs and the reserved cost."""
    log_state_change(
        instance=batch, old="", new="published", actor=actor, now=now, reason=published_text(batch)
    )


def published_text(batch: Batch) -> str:
    """Return the number of the batch's HITs and the cost that was reserved for them."""
    reserved = LedgerEntry.objects.filter(hit__task__batch=batch, kind=LedgerKind.RESERVE)
    cents = reserved.aggregate(cents=Sum(F("amount_cents") + F("fee_cents")))["cents"] or 0
    return f"{batch.project.hits_noun.count(batch.tasks.count())}, {dollars(cents)}"


def membership_requirements(
    pool: QualificationType | None, groups: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the requirement of the qualification. Raise ValueError for groups without one."""
    if pool is None:
        if groups:
            raise ValueError("Groups are values of a qualification. Choose a pool as well.")
        return []
    if groups:
        return [group_requirement(qualification=pool, values=groups)]
    return [requirement_for(qualification=pool)]


def unpublished(project: Project) -> QuerySet[Item]:
    """Return the items that were not published to generators."""
    return project.items.filter(in_production=True).exclude(task_items__role=Role.GENERATOR)


def unpublished_items(project: Project, limit: int | None) -> list[Item]:
    """Return the next items in shuffled order that were not published to generators."""
    rows = unpublished(project).select_related("sentence__image").order_by("position")
    return list(rows[:limit])


def publish_generations(*, batch: Batch, items: Sequence[Item], now: datetime) -> None:
    """Publish a HIT for each item, for one person less if a model annotates it as well.

    With adaptive redundancy, most items begin with one person, but those of a model have the protocol's
    number: their batch can be older than the setting. Raise the same errors as `publish_items`.
    """
    with transaction.atomic():
        beside_model = {item.pk for item in assign_arms(batch=batch, items=items, now=now)}
        planned = [item for item in items if item.pk not in beside_model]
        people = dict.fromkeys(beside_model, batch.project.generators_per_item - 1)
        people |= plan_people(project=batch.project, items=planned)
        for number in sorted(set(people.values()), reverse=True):
            plans = [TaskPlan([item]) for item in items if people[item.pk] == number]
            publish_items(batch=batch, plans=plans, page=PAGE, now=now, max_assignments=number)


@transaction.atomic
def cap_batch(*, batch: Batch, cap_cents: int | None) -> None:
    """Cap the total cost of the batch's HITs and bonuses, or lift the cap with None.

    The project's cap still applies. Raise CapTooLowError if more is already reserved or spent.
    """
    if batch.budget is None:
        batch.budget = Budget.objects.create(key=f"batch:{batch.pk}")
        batch.save(update_fields=["budget"])
        join_sub_budget(
            hits=Hit.objects.filter(task__batch=batch),
            budget=batch.project.budget,
            sub_budget=batch.budget,
        )
    set_cap(budget=batch.budget, cap_cents=cap_cents)


@transaction.atomic
def publish_items(
    *,
    batch: Batch,
    plans: Sequence[TaskPlan],
    page: str,
    now: datetime,
    qualifications: Sequence[dict[str, Any]] | None = None,
    max_assignments: int | None = None,
    title: str | None = None,
    round: int = 0,
) -> list[Task]:
    """Create the planned tasks, each with a planned HIT.

    `page` is the view name of the workers' page. `max_assignments` limits the workers per HIT (by
    default, the protocol's number). `title` replaces the batch's title in the marketplace's list.
    `round` is that of the tasks (see Task).

    Raise BudgetExceededError, and IntegrityError if an item's attempt was published before. Neither
    leaves any rows.
    """
    project = batch.project
    tokens = [token_of(project, batch.role, plan) for plan in plans]
    key = site_key()
    public_ids = [public_id_of(token, key=key) for token in tokens]
    hit_plans = [
        HitPlan(token, settings.SITE_URL + reverse(page, args=[public_id]))
        for token, public_id in zip(tokens, public_ids, strict=True)
    ]
    hits = prepare_hits(
        plans=hit_plans,
        hit_type=_hit_type(batch, qualifications, title),
        budget=project.budget,
        sub_budget=batch.budget,
        terms=_hit_terms(batch, max_assignments),
        now=now,
    )
    tasks = Task.objects.bulk_create(
        Task(
            batch=batch,
            hit=hit,
            public_id=public_id,
            role=batch.role,
            round=round,
            block=plan.block,
        )
        for hit, public_id, plan in zip(hits, public_ids, plans, strict=True)
    )
    TaskItem.objects.bulk_create(
        TaskItem(task=task, item=item, ordinal=ordinal, role=batch.role, attempt=plan.attempt)
        for task, plan in zip(tasks, plans, strict=True)
        for ordinal, item in enumerate(plan.items)
    )
    return tasks


def cost_of(batch: Batch, count: int, *, assignments: int | None = None) -> int:
    """Return the maximum cost of `count` HITs of the batch, in cents with fees."""
    terms = _hit_terms(batch, assignments)
    return sum(place_cents(_hit_type(batch, None), terms)) * terms.max_assignments * count


def token_of(project: Project, role: str, plan: TaskPlan) -> str:
    """Return the HIT's token, which is always the same for the same task.

    A database restored from a backup can thus recognize HITs that it does not contain.
    """
    keys = "\n".join(item.key for item in plan.items)
    text = f"{settings.SITE_URL}\n{project.slug}\n{role}\n{plan.attempt}\n{keys}"
    return "ts-" + hashlib.sha256(text.encode()).hexdigest()[:48]


def public_id_of(token: str, *, key: bytes) -> uuid.UUID:
    """Return the id in the address of the HIT with this token.

    The token makes it reproducible for a recovered HIT. `key` is the site's key and prevents guessing.
    """
    digest = hmac.new(key, token.encode(), hashlib.sha256).digest()
    return uuid.UUID(bytes=digest[:16], version=4)


def _hit_terms(batch: Batch, max_assignments: int | None = None) -> HitTerms:
    terms = HitTerms(
        max_assignments=max_assignments or batch.project.redundancy(batch.role) or 1,
        lifetime_seconds=batch.lifetime_seconds,
        bonus_allowance_cents=batch.bonus_allowance_cents,
    )
    if not capabilities_of(batch.project.provider).has_sessions:
        return terms
    terms = replace(terms, study_settings=batch.project.study_settings)
    # Sessions are sized by the time that an item takes. Work on cases is published case by case.
    seconds = expected_seconds(batch.project, batch.role)
    if batch.for_training or batch.role == Role.GENERATOR:
        return replace(terms, expected_seconds=seconds)
    items = batch.project.items.filter(in_production=True).count()
    return replace(terms, expected_seconds=seconds, max_per_session=max(1, items), is_gradual=True)


def check_pay(project: Project) -> None:
    """Raise PayTooLowError if a role of the protocol earns less than the provider's minimum."""
    if not capabilities_of(project.provider).has_sessions:
        return
    for role, terms in project.pay_scheme.items():
        if project.redundancy(role):
            check_hourly_pay(
                provider=project.provider,
                reward_cents=terms["reward_cents"],
                expected_seconds=expected_seconds(project, role),
                work=f"A task for {Role(role).label.lower()}s",
            )


def _hit_type(
    batch: Batch, qualifications: Sequence[dict[str, Any]] | None, title: str | None = None
) -> HitType:
    return hit_type_of(
        provider=batch.project.provider,
        title=title or batch.title,
        description=batch.description,
        keywords=batch.keywords,
        reward_cents=batch.reward_cents,
        assignment_seconds=batch.assignment_seconds,
        auto_approval_seconds=batch.auto_approval_seconds,
        qualifications=batch.qualifications if qualifications is None else qualifications,
    )
