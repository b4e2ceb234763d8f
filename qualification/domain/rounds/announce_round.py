"""Tell invited workers that their round was published."""

from collections.abc import Mapping
from datetime import datetime

from annotation.domain.publishing.announce_work import directions_to
from annotation.domain.publishing.publish import batch_terms
from crowd.domain.workers.announce import announce, reachable
from crowd.models import Message, Worker
from projects.domain.schemes import scheme_of
from qualification.models import Cohort, Enrolment
from web.money import dollars

SUBJECT = "Your tasks: {title}"
TEXT = (
    "You are invited to “{title}” of the project “{project}”. It has {items}, {reward} each, "
    "{total} in all{bonus}. {directions}"
)
BONUS = ", and a bonus for each {unit}"
BONUS_AFTER = ", and a bonus for each further {unit} after the first {free} of an item"


def announce_cohort(
    *, cohort: Cohort, items_by_block: Mapping[int | None, int], now: datetime
) -> list[Message]:
    """Message each invited worker of the cohort, with the pay and the number of their items."""
    workers: dict[int, list[int]] = {}
    rows = Enrolment.objects.filter(cohort=cohort).values_list("block", "worker")
    for block, worker in rows:
        workers.setdefault(items_by_block[block], []).append(worker)
    return [
        message
        for items, ids in sorted(workers.items())
        for message in announce(
            budget=cohort.round.project.budget,
            workers=reachable(Worker.objects.filter(pk__in=ids)).order_by("pk"),
            subject=SUBJECT.format(title=cohort.round.title),
            text=_text(cohort, items),
            now=now,
        )
    ]


def _text(cohort: Cohort, items: int) -> str:
    project, terms = cohort.round.project, batch_terms(cohort.batch)
    vocabulary = scheme_of(project).vocabulary
    free = terms["free_units"]
    bonus = (BONUS_AFTER if free else BONUS).format(unit=vocabulary.unit.singular, free=free)
    return TEXT.format(
        title=cohort.round.title,
        project=project.title,
        items="1 item" if items == 1 else f"{items} items",
        reward=dollars(terms["reward_cents"]),
        total=dollars(terms["reward_cents"] * items),
        bonus=bonus if terms["bonus_first_cents"] else "",
        directions=directions_to(project, cohort.batch.title),
    )
