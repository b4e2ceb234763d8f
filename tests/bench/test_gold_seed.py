"""The seed of the benchmarks fits the tables of today."""

import pytest

from consolidation.models import Gold
from tests.bench.gold_seed import seed_gold


@pytest.mark.django_db
@pytest.mark.parametrize("nouns", [False, True])
def test_seed_is_a_finished_campaign(nouns):
    project = seed_gold(5, nouns=nouns)
    gold = Gold.objects.filter(item__project=project).select_related("submission__assignment")
    assert [row.submission.assignment.state for row in gold] == ["submitted"] * 5
