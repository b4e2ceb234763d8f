"""The gold keeps little of junk, so that most of a bonus after consolidation pays for work."""

from datetime import UTC, datetime
from random import Random
from statistics import fmean

import pytest

from annotation.domain.item_context import context_of
from annotation.models import Item
from crowd.domain.pay_scheme import bonus_cents
from rehearsal.domain.demo import sample_project
from rehearsal.domain.scenario import references_of
from rehearsal.domain.simulated_crowd import Place, SimulatedCrowd
from schemes.contract.values import Json
from schemes.registry import get_scheme
from tests.hostile.junk_strategies import STRATEGIES

SKILL = 0.85


@pytest.mark.django_db
@pytest.mark.parametrize("name", STRATEGIES)
def test_kept_units_of_junk_earn_less_than_half_of_the_honest_bonus(name):
    """The gold is an expert's, as if consolidators made no errors."""
    scheme = get_scheme(name)
    assert scheme.sample
    project = sample_project("junk", "Junk", scheme, scheme.sample, datetime.now(UTC))
    references = references_of(project)
    items = Item.objects.filter(pk__in=references).select_related("sentence__image", "project")
    terms = project.pay_scheme["generator"]

    def bonus(item: Item, content: Json) -> int:
        kept = scheme.comparison.count_kept(references[item.pk].content, content)
        return bonus_cents(terms, kept)

    crowd = SimulatedCrowd(simulation=scheme.get_simulation(), skill=SKILL, seed=1, skills={})
    places = {item: Place(str(item.pk), context_of(item)) for item in items.order_by("pk")}
    honest = fmean(
        bonus(item, crowd.generation(references[item.pk].content, place, "honest"))
        for item, place in places.items()
    )
    earned = {}
    for strategy in STRATEGIES[name]:
        dice, previous, cents = Random(7), list[Json](), list[int]()
        for item, place in places.items():
            previous.append(strategy(place.context, dice, previous))
            cents.append(bonus(item, previous[-1]))
        earned[strategy.__name__] = fmean(cents)
    assert len(earned) == 8
    assert {name: cents for name, cents in earned.items() if cents >= honest / 2} == {}
