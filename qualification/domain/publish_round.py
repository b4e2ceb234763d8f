"""A round offered to workers: invitations, seats, and the HITs behind them."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from annotation.domain.publish import (
    DESCRIPTION,
    PAGE,
    Offer,
    Training,
    create_batch,
    offer_items,
    terms_of,
)
from annotation.domain.qualification_codes import round_code
from annotation.enums import Protocol, Role
from annotation.models import Item, TaskItem
from audit.domain.change_state import change_state, log_state_change
from consolidation.domain.open_cases import WORK as CASE_WORK
from consolidation.domain.open_cases import offer_given_cases
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.domain.qualifications import define_qualification, grant_qualification
from crowd.models import HitType, QualificationType, Worker
from qualification.domain.states import MOVES
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Intake, Round, RoundItem

# Places below are production's (see TaskItem); an item of a round is offered once per intake.
FIRST_PLACE = 100
# Below are the numbers of intakes; from here on a grant's value tells the hand as well.
HANDS_FROM = 10_000
WORK: dict[str, str] = {
    Role.GENERATOR: "write questions and answers about a verb",
    Role.CONSOLIDATOR: "merge people's questions and answers about a verb",
}


class RoundNotPublished(Exception):
    """The round can't be published now; the message says why."""


def round_qualification(one: Round) -> QualificationType:
    """Its holders may enter the round: the intake whose number is the value of their grant."""
    return define_qualification(
        provider=one.project.provider,
        code=round_code(one.project, one.role, one.ordinal),
        name=f"{one.project.title[:60]} ({one.project.slug}): {one.title[:50]}, {one.role}",
        description=f"Invited to {one.title} of the project {one.project.title}.",
    )


@transaction.atomic
def invite_workers(
    *, round: Round, workers: Iterable[Worker], actor: str, now: datetime
) -> list[Enrolment]:
    """A place in the round for each worker; those who have one keep it as it is."""
    invited = []
    for worker in workers:
        enrolment, created = Enrolment.objects.get_or_create(
            round=round, worker=worker, defaults={"enrolled_at": now}
        )
        if created:
            log_state_change(instance=enrolment, old="", new=enrolment.state, actor=actor, now=now)
        invited.append(enrolment)
    return invited


def waiting_for_intake(one: Round) -> list[Enrolment]:
    """Who would be seated by the next publication of the round."""
    waiting = Q(state=EnrolmentState.INVITED, intake=None) | Q(state=EnrolmentState.REPEATING)
    return list(one.enrolments.filter(waiting).select_related("worker").order_by("pk"))


@transaction.atomic
def publish_round(*, round: Round, now: datetime, actor: str, seats: int | None = None) -> Intake:
    """Offer the round's items to everyone who waits for it; an open round to `seats` comers.

    One HIT per item, with an assignment per seat (docs/adr/0007). Raises RoundNotPublished,
    BudgetExceeded.
    """
    round = Round.objects.select_for_update(of=("self",)).select_related("project").get(pk=round.pk)
    waiting = waiting_for_intake(round)
    is_open = round.entry == RoundEntry.OPEN
    seats = seats if is_open else len(waiting)
    if not seats or seats < 1:
        raise RoundNotPublished(
            "Say how many workers may take part."
            if is_open
            else "Nobody waits for this round: invite workers first."
        )
    intake = _make_intake(round, seats, now)
    hands = deal_hands(round=round, seats=seats)
    place = _free_place([one.item for hand in hands for one in hand.items], round.role)
    for hand in hands:
        _offer(intake, hand, place, now)
    _seat(waiting, intake, [hand.number for hand in hands for _ in range(hand.seats)], actor, now)
    return intake


@dataclass(frozen=True, slots=True)
class Hand:
    """Some of a round's items for some of its workers; without a number, all of them for everyone."""

    items: Sequence[RoundItem]
    seats: int
    number: int | None = None


def deal_hands(*, round: Round, seats: int) -> list[Hand]:
    """The round's items in hands of at most `items_per_worker`, with the seats dealt over them: no two
    items are asked of numbers of workers that differ by more than one."""
    items = list(round.round_items.select_related("item").order_by("ordinal"))
    if not round.items_per_worker or round.items_per_worker >= len(items):
        return [Hand(items, seats)]
    count = ceil(len(items) / round.items_per_worker)
    dealt = [len(range(place, seats, count)) for place in range(count)]
    return [
        Hand(items[place::count], dealt[place], place + 1) for place in range(count) if dealt[place]
    ]


def _offer(intake: Intake, hand: Hand, place: int, now: datetime) -> None:
    offers = [Offer([one.item], place, hand.number) for one in hand.items]
    batch = intake.batch
    terms: dict[str, Any] = {
        "qualifications": [
            *_requirements(intake.round, seat_value(intake, hand.number)),
            *batch.project.worker_requirements,
        ],
        "max_assignments": hand.seats,
    }
    if hand.number:
        # A title of its own makes it a group of its own in the marketplace's list.
        terms["title"] = f"{batch.title} (part {hand.number}; do one part only)"[:128]
    if intake.round.role == Role.CONSOLIDATOR:
        given = [one.given for one in hand.items]
        offer_given_cases(batch=batch, offers=offers, given=given, now=now, **terms)
    else:
        offer_items(batch=batch, offers=offers, page=PAGE, now=now, **terms)


def seat_value(intake: Intake, hand: int | None) -> int:
    """The value of the round's qualification that lets a worker into a hand of the intake."""
    return intake.number + HANDS_FROM * (hand or 0)


def _make_intake(one: Round, seats: int, now: datetime) -> Intake:
    number = (one.intakes.aggregate(last=Max("number"))["last"] or 0) + 1
    batch = create_batch(
        project=one.project,
        role=one.role,
        title=f"{one.title}: {WORK[one.role]}",
        description=CASE_WORK[Protocol.CONSOLIDATION].description
        if one.role == Role.CONSOLIDATOR
        else DESCRIPTION,
        qualifications=_requirements(one, number),
        now=now,
        training=Training(terms=one.terms, guidelines=one.guidelines),
    )
    return Intake.objects.create(
        round=one, number=number, batch=batch, seats=seats, published_at=now
    )


def _requirements(one: Round, value: int) -> list[dict[str, Any]]:
    """Who may enter with this value of the round's qualification, where one is asked for."""
    if one.entry == RoundEntry.OPEN:
        return list(one.requirements)
    code = round_qualification(one).code
    return [*one.requirements, {"code": code, "comparator": "EqualTo", "integers": [value]}]


def _free_place(items: Sequence[Item], role: str) -> int:
    taken = TaskItem.objects.filter(item__in=items, role=role, place__gte=FIRST_PLACE)
    last = taken.aggregate(last=Max("place"))["last"]
    return FIRST_PLACE if last is None else int(last) + 1


def _seat(
    waiting: Sequence[Enrolment],
    intake: Intake,
    hands: Sequence[int | None],
    actor: str,
    now: datetime,
) -> None:
    """The waiting workers in the hands dealt, in an order that nobody chose."""
    if intake.round.entry == RoundEntry.OPEN:
        return
    shuffled = list(hands)
    random.Random(f"{intake.round.project.seed}:{intake.pk}").shuffle(shuffled)  # noqa: S311
    qualification = round_qualification(intake.round)
    for enrolment, hand in zip(waiting, shuffled, strict=True):
        grant_qualification(
            qualification=qualification,
            worker=enrolment.worker,
            value=seat_value(intake, hand),
            now=now,
        )
        change_state(
            instance=enrolment, new=EnrolmentState.INVITED, moves=MOVES, actor=actor, now=now
        )
        Enrolment.objects.filter(pk=enrolment.pk).update(intake=intake, hand=hand)


def round_cents(*, round: Round, seats: int) -> int:
    """What publishing the round for `seats` workers sets aside at most, in cents, fees included."""
    terms = round.terms or terms_of(round.project, round.role)
    cents = 0
    for hand in deal_hands(round=round, seats=seats):
        slot = slot_cents(
            HitType(reward_cents=terms["reward_cents"]),
            HitTerms(
                max_assignments=hand.seats,
                lifetime_seconds=0,
                bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
            ),
        )
        cents += sum(slot) * hand.seats * len(hand.items)
    return cents
