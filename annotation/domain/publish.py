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

from annotation.domain.import_corpus import batched
from annotation.enums import Role
from annotation.models import Batch, Item, Project, Task, TaskItem
from crowd.domain.pay_scheme import Terms, bonus_cents
from crowd.domain.prepare_hits import HitPlan, HitTerms, hit_type_of, prepare_hits, slot_cents
from crowd.domain.qualifications import requirement_for
from crowd.models import HitType, QualificationType

CHUNK = 200
PAGE = "annotation:generate"
TITLE = "Write questions and answers about a verb"
DESCRIPTION = (
    "Read one sentence, ask who did what, when and where about one verb, and mark the answers."
)


class NothingToPublish(Exception):
    """Every item has been offered already."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Items for one task, and the `place` at which each is offered (see TaskItem)."""

    items: Sequence[Item]
    place: int = 0


def terms_of(project: Project, role: str) -> Terms:
    terms: Terms = project.pay_scheme[role]
    return terms


def create_batch(
    *,
    project: Project,
    role: str,
    title: str,
    description: str,
    qualifications: Sequence[dict[str, Any]],
    now: datetime,
) -> Batch:
    """A batch under the project's pay scheme."""
    terms = terms_of(project, role)
    return Batch.objects.create(
        project=project,
        role=role,
        title=title,
        description=description,
        keywords="annotation, questions, reading, language",
        reward_cents=terms["reward_cents"],
        bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        qualifications=list(qualifications),
        created_at=now,
    )


def publish_batch(
    *,
    project: Project,
    now: datetime,
    limit: int | None = None,
    pool: QualificationType | None = None,
) -> Batch:
    """Offer the project's unoffered items, in shuffled order, for generation.

    Writes the rows and sets the money aside, all or nothing; the HITs are then made by the sweep.
    With a `pool` only its holders may take them. Raises NothingToPublish, BudgetExceeded.
    """
    items = list(
        project.items.filter(in_production=True)
        .exclude(task_items__role=Role.GENERATOR)
        .order_by("position")[:limit]
    )
    if not items:
        raise NothingToPublish(f"Every item of {project.slug} has been offered already.")
    qualifications = [requirement_for(qualification=pool)] if pool else []
    with transaction.atomic():
        batch = create_batch(
            project=project,
            role=Role.GENERATOR,
            title=TITLE,
            description=DESCRIPTION,
            qualifications=qualifications,
            now=now,
        )
        for chunk in batched(items, CHUNK):
            offer_items(batch=batch, offers=[Offer([item]) for item in chunk], page=PAGE, now=now)
    return batch


@transaction.atomic
def offer_items(
    *,
    batch: Batch,
    offers: Sequence[Offer],
    page: str,
    now: datetime,
    qualifications: Sequence[dict[str, Any]] | None = None,
    assignments: int | None = None,
) -> list[Task]:
    """A task and a planned HIT for each offer; `page` names the URL that workers open, and
    `assignments` how many of them may take each HIT (else as many as production asks for).

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
        hit_type=_hit_type(batch, qualifications),
        budget=project.budget,
        terms=_hit_terms(batch, assignments),
        now=now,
    )
    tasks = Task.objects.bulk_create(
        Task(batch=batch, hit=hit, public_id=public_id, role=batch.role)
        for hit, public_id in zip(hits, public_ids, strict=True)
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


def _hit_terms(batch: Batch, assignments: int | None) -> HitTerms:
    many = batch.project.generators_per_item if batch.role == Role.GENERATOR else 1
    return HitTerms(
        max_assignments=many if assignments is None else assignments,
        lifetime_seconds=batch.lifetime_seconds,
        bonus_allowance_cents=batch.bonus_allowance_cents,
    )


def _hit_type(batch: Batch, qualifications: Sequence[dict[str, Any]] | None) -> HitType:
    return hit_type_of(
        provider=batch.project.provider,
        title=batch.title,
        description=batch.description,
        keywords=batch.keywords,
        reward_cents=batch.reward_cents,
        assignment_seconds=batch.assignment_seconds,
        auto_approval_seconds=batch.auto_approval_seconds,
        qualifications=batch.qualifications if qualifications is None else qualifications,
    )
