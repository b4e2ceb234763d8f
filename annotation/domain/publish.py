"""Items offered to workers: tasks, and the HITs that carry them."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from annotation.domain.create_project import current_guidelines
from annotation.domain.import_corpus import batched
from annotation.enums import Role
from annotation.models import Batch, Guidelines, Item, Project, Task, TaskItem
from crowd.domain.ledger import join_sub_budget, set_cap
from crowd.domain.pay_scheme import Terms, bonus_cents
from crowd.domain.prepare_hits import HitPlan, HitTerms, hit_type_of, prepare_hits, slot_cents
from crowd.domain.qualifications import group_requirement, requirement_for
from crowd.models import Budget, Hit, HitType, QualificationType

CHUNK = 200
AUTO_APPROVAL_SECONDS = 3 * 86400
MOST_AUTO_APPROVAL_SECONDS = 30 * 86400  # MTurk's
REOFFER_LIMIT = 3
PAGE = "annotation:generate"
TITLE = "Write questions and answers about a verb"
DESCRIPTION = (
    "Read one sentence, ask who did what, when and where about one verb, and mark the answers."
)


class NothingToPublish(Exception):
    """Every item has been offered already."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Items for one task, the `place` at which each is offered (see TaskItem), and the hand that the
    task is in, if the batch is dealt in hands."""

    items: Sequence[Item]
    place: int = 0
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class Training:
    """What a qualification round may have for itself; None: as in production."""

    terms: Terms | None = None
    guidelines: Guidelines | None = None


def terms_of(project: Project, role: str) -> Terms:
    terms: Terms = project.pay_scheme[role]
    return terms


def batch_terms(batch: Batch) -> Terms:
    """What the batch's work earns: by terms of its own, else by the project's."""
    return batch.terms or terms_of(batch.project, batch.role)


def batch_guidelines(batch: Batch) -> Guidelines | None:
    """The version that the batch shows, else the newest."""
    return batch.guidelines or current_guidelines(project_id=batch.project_id, role=batch.role)


def create_batch(
    *,
    project: Project,
    role: str,
    title: str,
    description: str,
    qualifications: Sequence[dict[str, Any]],
    now: datetime,
    training: Training | None = None,
) -> Batch:
    """A batch under the project's pay scheme, or under that of a `training` round."""
    own = training.terms if training else None
    terms = own or terms_of(project, role)
    return Batch.objects.create(
        project=project,
        role=role,
        title=title,
        description=description,
        keywords="annotation, questions, reading, language",
        reward_cents=terms["reward_cents"],
        bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        qualifications=[*qualifications, *project.worker_requirements],
        for_training=training is not None,
        terms=own,
        guidelines=training.guidelines if training else None,
        created_at=now,
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
    reoffer_limit: int = REOFFER_LIMIT,
) -> Batch:
    """Offer the project's unoffered items, in shuffled order, for generation.

    Writes the rows and sets the money aside, all or nothing; the HITs are then made by the sweep.
    With a `pool` only its holders may take them, with `groups` only those who hold it with one of
    these values, and only those who meet the `requirements` beside the project's own. With
    `keep_open` only so many HITs are out at a time: the sweep tops them up, until `limit` items are
    offered. `cap_cents` is the batch's own cap, under the project's. What nobody has decided
    `auto_approval_seconds` after it was handed in, the marketplace approves; an item that comes back
    short is offered again by itself up to `reoffer_limit` times. Raises NothingToPublish,
    BudgetExceeded, and ValueError for groups without a pool or a delay that no marketplace takes.
    """
    if not 0 <= auto_approval_seconds <= MOST_AUTO_APPROVAL_SECONDS:
        raise ValueError("Work can be approved by itself after 0 to 30 days.")
    first = min((one for one in (limit, keep_open) if one is not None), default=None)
    items = unoffered_items(project, first)
    if not items:
        raise NothingToPublish(f"Every item of {project.slug} has been offered already.")
    qualifications = [*_membership(pool, groups), *requirements]
    with transaction.atomic():
        batch = create_batch(
            project=project,
            role=Role.GENERATOR,
            title=TITLE,
            description=DESCRIPTION,
            qualifications=qualifications,
            now=now,
        )
        batch.keep_open, batch.item_limit = keep_open, limit
        batch.auto_approval_seconds = auto_approval_seconds
        batch.reoffer_limit = reoffer_limit
        batch.save()
        if cap_cents is not None:
            cap_batch(batch=batch, cap_cents=cap_cents)
        offer_generations(batch=batch, items=items, now=now)
    return batch


def _membership(pool: QualificationType | None, groups: Sequence[int]) -> list[dict[str, Any]]:
    if pool is None:
        if groups:
            raise ValueError("Groups are values of a qualification: name the pool as well.")
        return []
    if groups:
        return [group_requirement(qualification=pool, values=groups)]
    return [requirement_for(qualification=pool)]


def unoffered_items(project: Project, limit: int | None) -> list[Item]:
    """The next items of the shuffled order that no generator has been offered."""
    never = project.items.filter(in_production=True).exclude(task_items__role=Role.GENERATOR)
    return list(never.order_by("position")[:limit])


@transaction.atomic
def offer_generations(*, batch: Batch, items: Sequence[Item], now: datetime) -> None:
    """A HIT for each of the items. Raises as `offer_items` does."""
    for chunk in batched(items, CHUNK):
        offer_items(batch=batch, offers=[Offer([item]) for item in chunk], page=PAGE, now=now)


@transaction.atomic
def cap_batch(*, batch: Batch, cap_cents: int | None) -> None:
    """Let the batch's HITs and bonuses cost at most so much in all, under the project's own cap; None
    lifts it. Raises CapTooLow when more than that is reserved or spent already."""
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
def offer_items(
    *,
    batch: Batch,
    offers: Sequence[Offer],
    page: str,
    now: datetime,
    qualifications: Sequence[dict[str, Any]] | None = None,
    max_assignments: int | None = None,
    title: str | None = None,
) -> list[Task]:
    """A task and a planned HIT for each offer; `page` names the URL that workers open,
    `max_assignments` how many of them may take each HIT (else as many as production asks for), and
    `title` what they read in the marketplace's list (else the batch's).

    Raises BudgetExceeded, and IntegrityError when an item's place has been offered before: both
    leave nothing behind.
    """
    project = batch.project
    tokens = [token_of(project, batch.role, offer) for offer in offers]
    public_ids = [_public_id(token) for token in tokens]
    plans = [
        HitPlan(token, settings.SITE_URL + reverse(page, args=[public_id]))
        for token, public_id in zip(tokens, public_ids, strict=True)
    ]
    hits = prepare_hits(
        plans=plans,
        hit_type=_hit_type(batch, qualifications, title),
        budget=project.budget,
        sub_budget=batch.budget,
        terms=_hit_terms(batch, max_assignments),
        now=now,
    )
    tasks = Task.objects.bulk_create(
        Task(batch=batch, hit=hit, public_id=public_id, role=batch.role, hand=offer.hand)
        for hit, public_id, offer in zip(hits, public_ids, offers, strict=True)
    )
    TaskItem.objects.bulk_create(
        TaskItem(task=task, item=item, ordinal=ordinal, role=batch.role, place=offer.place)
        for task, offer in zip(tasks, offers, strict=True)
        for ordinal, item in enumerate(offer.items)
    )
    return tasks


def cost_of(batch: Batch, count: int, *, assignments: int | None = None) -> int:
    """What `count` HITs of the batch may cost at most, in cents, fees included."""
    terms = _hit_terms(batch, assignments)
    return sum(slot_cents(_hit_type(batch, None), terms)) * terms.max_assignments * count


def token_of(project: Project, role: str, offer: Offer) -> str:
    """The HIT's token: the same for the same offer of the same installation, even after the database
    was restored from a backup that had forgotten it."""
    keys = "\n".join(item.key for item in offer.items)
    told = f"{settings.SITE_URL}\n{project.slug}\n{role}\n{offer.place}\n{keys}"
    return "ts-" + hashlib.sha256(told.encode()).hexdigest()[:48]


def _public_id(token: str) -> uuid.UUID:
    """Derived from the token, so that a HIT found again leads to the same page; and from the secret
    key, so that nobody can guess the page of a HIT they were not shown."""
    told = f"{settings.SECRET_KEY}\n{token}"
    return uuid.UUID(bytes=hashlib.sha256(told.encode()).digest()[:16], version=4)


def _hit_terms(batch: Batch, max_assignments: int | None = None) -> HitTerms:
    return HitTerms(
        max_assignments=max_assignments or batch.project.places(batch.role) or 1,
        lifetime_seconds=batch.lifetime_seconds,
        bonus_allowance_cents=batch.bonus_allowance_cents,
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
