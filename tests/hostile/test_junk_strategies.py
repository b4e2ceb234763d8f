"""Junk earns less per minute than honest work, in each scheme and at any plausible speed.

The gold is an expert's, as if consolidators made no errors, and is there before the marketplace
approves anything by itself. Only what the site pays without a person counts. Work of which too little
was kept goes to a person, who rejects junk.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.db.models import Sum

from annotation.domain.corpus.item_context import context_of
from annotation.domain.decisions.bonus_timing import RECORD_ITEMS
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Item
from consolidation.domain.cases.open_cases import open_case
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.kept_work import count_kept_work
from consolidation.domain.reviews.decide_waiting import decide_waiting_bonuses, decide_waiting_work
from consolidation.models import Case
from consolidation.protocols import protocol_of
from crowd.enums import HitState, PaymentState
from crowd.models import Assignment, Hit, Payment, Worker
from projects.models import Project
from rehearsal.domain.demo import sample_project
from rehearsal.domain.scenario import Reference, references_of
from rehearsal.domain.simulated_crowd import SimulatedCrowd, SimulatedItem
from schemes.contract.values import Json
from schemes.registry import get_scheme
from tests.crowd.factories import make_worker
from tests.hostile.junk_strategies import STRATEGIES

SKILL = 0.85
# Forecasts assume as long for an item.
HONEST_SECONDS = 90
# From acceptance to submission. Slower junk is paid as much per item.
JUNK_SECONDS = 25
SLOW_SECONDS = 600
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
UNPAID = [PaymentState.REVIEW, PaymentState.DECLINED]


def clock() -> datetime:
    return NOW


@dataclass(frozen=True)
class Earner:
    """A worker who writes the content of simulated items, and takes `seconds` for an item."""

    worker: Worker
    write: Callable[[SimulatedItem], Json]
    seconds: int

    def submit(self, hit: Hit, item: Item, simulated: SimulatedItem) -> None:
        content = json.dumps({str(item.pk): self.write(simulated)})
        Assignment.objects.create(
            hit=hit,
            worker=self.worker,
            external_id=f"{self.worker.external_id}-{item.pk}",
            accepted_at=NOW - timedelta(seconds=self.seconds),
            submitted_at=NOW,
            answer={"content": content},
        )

    def cents(self) -> int:
        """Return what is paid without a person."""
        payments = Payment.objects.filter(assignment__worker=self.worker)
        paid = payments.exclude(state__in=UNPAID).aggregate(cents=Sum("amount_cents", default=0))
        return int(paid["cents"])

    def cents_per_minute(self, seconds: int) -> float:
        return self.cents() * 60 / (seconds * RECORD_ITEMS)


def publish_sample(name: str) -> tuple[Project, dict[int, Reference], list[Item]]:
    scheme = get_scheme(name)
    assert scheme.sample
    project = sample_project("junk", "Junk", scheme, scheme.sample, NOW)
    references = references_of(project)
    rows = Item.objects.filter(pk__in=references).order_by("position", "pk")
    items = list(rows.select_related("sentence__image", "project")[:RECORD_ITEMS])
    project.items.exclude(pk__in=[item.pk for item in items]).update(in_production=False)
    publish_batch(project=project, now=NOW)
    for hit in Hit.objects.filter(budget=project.budget_id):
        Hit.objects.filter(pk=hit.pk).update(
            state=HitState.LIVE, external_id=f"HIT{hit.pk}", created_at=NOW
        )
    return project, references, items


def make_gold(project: Project, item: Item, reference: Json) -> None:
    protocol = protocol_of(project)
    case = Case.objects.get(item=item)
    Case.objects.filter(pk=case.pk).update(state=protocol.settled)
    add_gold(
        item=item,
        source=protocol.gold_source,
        content=reference,
        provenance=[],
        case=case,
        now=NOW,
    )


def junk_earners(name: str) -> dict[str, Earner]:
    def writer(strategy) -> Callable[[SimulatedItem], Json]:
        dice, previous = Random(7), list[Json]()

        def write(simulated: SimulatedItem) -> Json:
            previous.append(strategy(simulated.context, dice, previous))
            return previous[-1]

        return write

    return {
        strategy.__name__: Earner(make_worker(), writer(strategy), JUNK_SECONDS)
        for strategy in STRATEGIES[name]
    }


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("name", STRATEGIES)
def test_junk_earns_less_per_minute_than_honest_work(name):
    junk = junk_earners(name)
    project, references, items = publish_sample(name)
    terms = project.pay_scheme["generator"]
    crowd = SimulatedCrowd(
        simulation=get_scheme(name).get_simulation(), skill=SKILL, seed=1, skills={}
    )

    def write_honestly(simulated: SimulatedItem) -> Json:
        return crowd.generation(references[int(simulated.key)].content, simulated, "honest")

    honest = Earner(make_worker(), write_honestly, HONEST_SECONDS)
    for item in items:
        simulated = SimulatedItem(str(item.pk), context_of(item))
        hit = Hit.objects.get(task__items=item)
        for earner in (honest, *junk.values()):
            earner.submit(hit, item, simulated)
        record_new_generations(clock=clock, limit=100)
        assert open_case(item=item, now=NOW)
        make_gold(project, item, references[item.pk].content)
        count_kept_work(clock=clock)
        decide_waiting_work(clock=clock, limit=100)
        decide_waiting_bonuses(clock=clock, limit=100)
    assert len(junk) == 8
    assert honest.cents() >= RECORD_ITEMS * terms["reward_cents"]
    rate = honest.cents_per_minute(HONEST_SECONDS)
    better = {
        (strategy, seconds): earner.cents_per_minute(seconds)
        for strategy, earner in junk.items()
        for seconds in (terms["least_seconds"], JUNK_SECONDS, SLOW_SECONDS)
        if earner.cents_per_minute(seconds) >= rate
    }
    assert better == {}
