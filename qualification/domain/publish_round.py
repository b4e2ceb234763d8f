"""A round offered to workers: invitations, seats, and the HITs behind them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from annotation.domain.publish import (
    DESCRIPTION,
    PAGE,
    Offer,
    create_batch,
    offer_items,
    terms_of,
)
from annotation.models import Item, TaskItem
from audit.domain.change_state import change_state, log_state_change
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.domain.qualifications import define_qualification, grant_qualification
from crowd.models import HitType, QualificationType, Worker
from qualification.domain.states import MOVES
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Intake, Round

# Places below are production's (see TaskItem); an item of a round is offered once per intake.
FIRST_PLACE = 100


class RoundNotPublished(Exception):
    """The round can't be published now; the message says why."""


def round_qualification(one: Round) -> QualificationType:
    """Its holders may enter the round: the intake whose number is the value of their grant."""
    return define_qualification(
        provider=one.project.provider,
        code=f"{one.project.slug}-{one.role}-round-{one.ordinal}",
        name=f"{one.project.title} ({one.project.slug}): {one.title}, {one.role}",
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
    items = [one.item for one in round.round_items.select_related("item").order_by("ordinal")]
    place = _free_place(items, round.role)
    offer_items(
        batch=intake.batch,
        offers=[Offer([item], place) for item in items],
        page=PAGE,
        now=now,
        max_assignments=seats,
    )
    _seat(waiting, intake, actor, now)
    return intake


def _make_intake(one: Round, seats: int, now: datetime) -> Intake:
    number = (one.intakes.aggregate(last=Max("number"))["last"] or 0) + 1
    batch = create_batch(
        project=one.project,
        role=one.role,
        title=f"{one.title}: write questions and answers about a verb",
        description=DESCRIPTION,
        qualifications=_requirements(one, number),
        now=now,
    )
    return Intake.objects.create(
        round=one, number=number, batch=batch, seats=seats, published_at=now
    )


def _requirements(one: Round, number: int) -> list[dict[str, Any]]:
    if one.entry == RoundEntry.OPEN:
        return list(one.requirements)
    code = round_qualification(one).code
    return [*one.requirements, {"code": code, "comparator": "EqualTo", "integers": [number]}]


def _free_place(items: Sequence[Item], role: str) -> int:
    taken = TaskItem.objects.filter(item__in=items, role=role, place__gte=FIRST_PLACE)
    last = taken.aggregate(last=Max("place"))["last"]
    return FIRST_PLACE if last is None else int(last) + 1


def _seat(waiting: Sequence[Enrolment], intake: Intake, actor: str, now: datetime) -> None:
    if intake.round.entry == RoundEntry.OPEN:
        return
    qualification = round_qualification(intake.round)
    for enrolment in waiting:
        grant_qualification(
            qualification=qualification, worker=enrolment.worker, value=intake.number, now=now
        )
        change_state(
            instance=enrolment, new=EnrolmentState.INVITED, moves=MOVES, actor=actor, now=now
        )
        Enrolment.objects.filter(pk=enrolment.pk).update(intake=intake)


def round_cents(*, round: Round, seats: int) -> int:
    """What publishing the round for `seats` workers sets aside at most, in cents, fees included."""
    terms = terms_of(round.project, round.role)
    slot = slot_cents(
        HitType(reward_cents=terms["reward_cents"]),
        HitTerms(
            max_assignments=seats,
            lifetime_seconds=0,
            bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        ),
    )
    return sum(slot) * seats * round.round_items.count()
