"""Publish rounds to workers, as cohorts of HITs."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from annotation.domain.corpus.fit_content import fit_content
from annotation.domain.publishing.cost_model import expected_seconds
from annotation.domain.publishing.publish import (
    PAGE,
    TaskPlan,
    create_batch,
    log_publication,
    publish_items,
    terms_of,
)
from annotation.domain.publishing.qualification_codes import round_code
from annotation.models import Item, TaskItem
from audit.domain.change_state import change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.cases.open_cases import publish_given_cases
from crowd.domain.hits.plan_study import StudyPreview, preview_study
from crowd.domain.money.hit_reservations import HitTerms, place_cents
from crowd.domain.money.pay_scheme import bonus_cents
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.models import HitType, QualificationType, Worker
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import is_offered
from qualification.domain.rounds.announce_round import announce_cohort
from qualification.domain.rounds.set_up_rounds import complete_references
from qualification.domain.states import TRANSITIONS
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Cohort, Enrolment, Round, RoundItem
from schemes.contract.values import Json

# Lower attempts are for production (see TaskItem). Each cohort uses a new attempt.
FIRST_ATTEMPT = 100
# A grant's value is the cohort's number plus this offset times the block.
BLOCK_VALUE_OFFSET = 10_000


class RoundPublishError(TouchstoneError):
    """The round cannot be published now. The message gives the reason."""


def round_qualification(round: Round) -> QualificationType:
    """Return the qualification that admits its holders to the cohort given by its value."""
    return define_qualification(
        provider=round.project.provider,
        code=round_code(round.project, round.role, round.ordinal),
        name=f"{round.project.title[:60]}: {round.title[:50]}",
        description=f"Invited to {round.title} in the project {round.project.title}.",
        is_requestable=is_offered(round.project),
    )


@transaction.atomic
def invite_workers(
    *, round: Round, workers: Iterable[Worker], actor: str, now: datetime
) -> list[Enrolment]:
    """Enrol the workers in the round, also those whose invitation was withdrawn.

    Other existing enrolments are unchanged.
    """
    invited = []
    for worker in workers:
        enrolment, created = Enrolment.objects.get_or_create(
            round=round, worker=worker, defaults={"enrolled_at": now}
        )
        if created:
            log_state_change(instance=enrolment, old="", new=enrolment.state, actor=actor, now=now)
        elif enrolment.state == EnrolmentState.WITHDRAWN and not enrolment.evaluations.exists():
            enrolment = change_state(
                instance=enrolment,
                new=EnrolmentState.INVITED,
                transitions=TRANSITIONS,
                actor=actor,
                now=now,
                cohort=None,
                block=None,
            )
        invited.append(enrolment)
    return invited


def waiting_for_cohort(round: Round) -> list[Enrolment]:
    """Return the enrolments that the next publication of the round will admit."""
    waiting = Q(state=EnrolmentState.INVITED, cohort=None) | Q(state=EnrolmentState.REPEATING)
    return list(round.enrolments.filter(waiting).select_related("worker").order_by("pk"))


@transaction.atomic
def publish_round(*, round: Round, now: datetime, actor: str, places: int | None = None) -> Cohort:
    """Publish the round's items to its waiting workers, or `places` of an open round.

    Each item is a HIT with an assignment per place (docs/adr/0007). Raise RoundPublishError or
    BudgetExceededError.
    """
    round = Round.objects.select_for_update(of=("self",)).select_related("project").get(pk=round.pk)
    if missing := complete_references(round=round):
        raise RoundPublishError(
            f"{missing} of its items have no expert gold yet. Upload it, or have an expert annotate them."
        )
    waiting = waiting_for_cohort(round)
    is_open = round.entry == RoundEntry.OPEN
    places = places if is_open else len(waiting)
    if not places or places < 1:
        raise RoundPublishError(
            "Enter how many workers may take part."
            if is_open
            else "No workers are waiting for this round. Invite workers first."
        )
    cohort = _create_cohort(round, places, now)
    blocks = split_into_blocks(round=round, places=places)
    items = [round_item.item for block in blocks for round_item in block.items]
    attempt = _free_attempt(items, round.role)
    for block in blocks:
        _publish(cohort, block, attempt, now)
    log_publication(batch=cohort.batch, actor=actor, now=now)
    if not is_open:
        numbers = [block.number for block in blocks for _ in range(block.places)]
        _grant_places(waiting, cohort, numbers, actor, now)
        items_by_block = {block.number: len(block.items) for block in blocks}
        announce_cohort(cohort=cohort, items_by_block=items_by_block, now=now)
    return cohort


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a round's items for some of its workers, or all items if `number` is None."""

    items: Sequence[RoundItem]
    places: int
    number: int | None = None


def split_into_blocks(*, round: Round, places: int) -> list[Block]:
    """Split the items into blocks of at most `items_per_worker`, with almost equal places."""
    items = list(round.round_items.select_related("item").order_by("ordinal"))
    if not round.items_per_worker or round.items_per_worker >= len(items):
        return [Block(items, places)]
    count = ceil(len(items) / round.items_per_worker)
    places_of_block = [len(range(index, places, count)) for index in range(count)]
    return [
        Block(items[index::count], places_of_block[index], index + 1)
        for index in range(count)
        if places_of_block[index]
    ]


def _publish(cohort: Cohort, block: Block, attempt: int, now: datetime) -> None:
    plans = [TaskPlan([round_item.item], attempt, block.number) for round_item in block.items]
    batch = cohort.batch
    terms: dict[str, Any] = {
        "qualifications": [
            *_requirements(cohort.round, cohort_value(cohort, block.number)),
            *batch.project.worker_requirements,
        ],
        "max_assignments": block.places,
    }
    if block.number:
        # Different titles form different groups in the marketplace's list.
        terms["title"] = f"{batch.title} (part {block.number}, do only one part)"[:128]
    if cohort.round.role == Role.CONSOLIDATOR:
        given = [_given(round_item, batch.project) for round_item in block.items]
        publish_given_cases(batch=batch, plans=plans, given=given, now=now, **terms)
    else:
        publish_items(batch=batch, plans=plans, page=PAGE, now=now, **terms)


def _given(round_item: RoundItem, project: Project) -> list[Json]:
    """Return the annotations to merge, which may be older than the scheme's definition."""
    item = round_item.item
    item.project = project
    return [
        fit_content(content, item=item, since=project.created_at) for content in round_item.given
    ]


def cohort_value(cohort: Cohort, block: int | None) -> int:
    """Return the qualification's value that admits a worker to a block of the cohort."""
    return cohort.number + BLOCK_VALUE_OFFSET * (block or 0)


def _create_cohort(round: Round, places: int, now: datetime) -> Cohort:
    number = (round.cohorts.aggregate(last=Max("number"))["last"] or 0) + 1
    texts = scheme_of(round.project).vocabulary.tasks[round.role]
    batch = create_batch(
        project=round.project,
        role=round.role,
        title=f"{round.title}: {texts.title}",
        qualifications=_requirements(round, number),
        now=now,
        own_terms=round.terms,
        for_training=True,
        guidelines=round.guidelines,
    )
    return Cohort.objects.create(
        round=round, number=number, batch=batch, places=places, published_at=now
    )


def _requirements(round: Round, value: int) -> list[dict[str, Any]]:
    """Return the requirements for this value of the round's qualification."""
    if round.entry == RoundEntry.OPEN:
        return list(round.requirements)
    code = round_qualification(round).code
    return [*round.requirements, {"code": code, "comparator": "EqualTo", "integers": [value]}]


def _free_attempt(items: Sequence[Item], role: str) -> int:
    taken = TaskItem.objects.filter(item__in=items, role=role, attempt__gte=FIRST_ATTEMPT)
    last = taken.aggregate(last=Max("attempt"))["last"]
    return FIRST_ATTEMPT if last is None else int(last) + 1


def _grant_places(
    waiting: Sequence[Enrolment],
    cohort: Cohort,
    blocks: Sequence[int | None],
    actor: str,
    now: datetime,
) -> None:
    """Grant the waiting workers their blocks in random order."""
    shuffled = list(blocks)
    random.Random(f"{cohort.round.project.seed}:{cohort.pk}").shuffle(shuffled)  # noqa: S311
    qualification = round_qualification(cohort.round)
    for enrolment, block in zip(waiting, shuffled, strict=True):
        value, new = cohort_value(cohort, block), EnrolmentState.INVITED
        grant_qualification(
            qualification=qualification, worker=enrolment.worker, value=value, now=now
        )
        change_state(instance=enrolment, new=new, transitions=TRANSITIONS, actor=actor, now=now)
        Enrolment.objects.filter(pk=enrolment.pk).update(cohort=cohort, block=block)


def round_cents(*, round: Round, places: int) -> int:
    """Return the most that publishing for `places` workers can cost, in cents with fees."""
    blocks = split_into_blocks(round=round, places=places)
    return sum(_block_cents(round, block) for block in blocks)


def _block_cents(round: Round, block: Block) -> int:
    terms = round.terms or terms_of(round.project, round.role)
    place = place_cents(
        HitType(provider=round.project.provider, reward_cents=terms["reward_cents"]),
        HitTerms(
            max_assignments=block.places,
            lifetime_seconds=0,
            bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        ),
    )
    return sum(place) * block.places * len(block.items)


def preview_round(*, round: Round, places: int) -> list[StudyPreview]:
    """Return the study of each block, or nothing at a provider without sessions."""
    terms = round.terms or terms_of(round.project, round.role)
    studies = [
        preview_study(
            # Without a title: each publication of a round has a study of its own.
            hit_type=HitType(
                provider=round.project.provider,
                reward_cents=terms["reward_cents"],
                qualifications=[],
            ),
            budget=round.project.budget,
            expected_seconds=expected_seconds(round.project, round.role),
            hits=len(block.items),
            assignments=block.places,
            cents=_block_cents(round, block),
        )
        for block in (split_into_blocks(round=round, places=places) if places else [])
        if block.items
    ]
    return [study for study in studies if study]
