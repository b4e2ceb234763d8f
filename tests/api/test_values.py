"""Values in API responses."""

from io import BytesIO

import pytest
from django.urls import reverse
from rest_framework.exceptions import ParseError

from consolidation.domain.cases.queries import finished_costs
from crowd.domain.hits.queries import LedgerFilter, ledger_of, sums_of
from tests.dashboard.campaign import CONTENT, TARGET, WORDS
from web.parsers import TextJson

pytestmark = pytest.mark.django_db


def get(api, name, *arguments):
    response = api.get(reverse(f"api:{name}", args=["demo", *arguments]))
    assert response.status_code == 200
    return response.json()


def test_project(api, project):
    data = get(api, "project")
    assert data["pay_scheme"]["generator"]["reward_cents"] == 5
    del data["pay_scheme"]
    assert data == {
        "slug": "demo",
        "title": "Project demo",
        "scheme": "qasrl",
        "provider": "mturk",
        "pay_warnings": [],
        "cap_cents": project.budget.cap_cents,
        "minimum_hourly_cents": None,
        "protocol": "consolidation",
        "generators_per_item": 2,
        "validators_per_item": 2,
        "validators_to_agree": 2,
        "revision_limit": 1,
        "after_disputes": "experts",
        "exclusion_scope": "item",
        "bonus_timing": "by-trust",
        "input_signals": "shown",
        "suggestions": "by-partition",
        "language": "en",
        "shown_context": "none",
        "seed": 1,
        "created_at": "2026-09-01T09:00:00Z",
        "archived_at": None,
    }


def test_sentence_and_item(api, campaign):
    item = campaign.items[3]
    assert get(api, "sentences")["results"][3] == {
        "id": item.sentence_id,
        "external_id": "wiki:3",
        "tokens": [*WORDS[:-1], "number3", "."],
        "text": "",
        "offsets": [],
        "domain": "wikipedia",
        "partition": "test",
        "group": "",
        "metadata": {},
    }
    assert get(api, "item", item.pk) == {
        "id": item.pk,
        "key": "wiki:3/2",
        "sentence": "wiki:3",
        "domain": "wikipedia",
        "partition": "test",
        "target": TARGET,
        "headline": get(api, "items")["results"][3]["headline"],
        "position": item.position,
        "in_production": True,
        "state": "consolidated",
        "generations": 2,
        "golds": 1,
    }


def test_submission_case_and_gold_refer_to_one_another(api, campaign):
    item = campaign.items[3]
    [case] = [entry for entry in get(api, "cases")["results"] if entry["item"] == item.key]
    assert (case["state"], case["attempt"], len(case["sources"])) == ("consolidated", 0, 2)
    source = get(api, "submission", case["sources"][0]["submission"])
    assert (source["item_id"], source["content"]) == (item.pk, CONTENT)
    assert source["worker"] in {worker.pseudonym for worker in campaign.workers}
    [gold] = [entry for entry in get(api, "gold")["results"] if entry["item"] == item.key]
    assert (gold["case"], gold["version"], gold["source"]) == (case["id"], 1, "consolidated")


def test_costs(api, campaign):
    costs_data = get(api, "costs")
    budget = campaign.project.budget
    budget.refresh_from_db()
    assert costs_data["budget"] == {
        "cap_cents": budget.cap_cents,
        "reserved_cents": budget.reserved_cents,
        "spent_cents": budget.spent_cents,
        "left_cents": budget.left_cents,
    }
    sums = sums_of(entries=ledger_of(budget=budget, wanted=LedgerFilter()))
    assert costs_data["ledger"] == {"release": 0, "model": 0, **sums}
    assert costs_data["total"]["total_cents"] == sums["settle"]
    assert (
        sum(role_costs["total_cents"] for role_costs in costs_data["by_role"].values())
        == sums["settle"]
    )
    costs = [item_costs.total_cents for item_costs in finished_costs(project=campaign.project)]
    assert costs_data["mean_finished_item_cents"] == pytest.approx(sum(costs) / len(costs))


def test_worker(api, campaign):
    worker = campaign.workers[0]
    data = get(api, "worker", worker.pseudonym)
    assert data in get(api, "workers")["results"]
    assert data["production"]["submissions"] == worker.submissions.count()
    assert data["production"]["earned_cents"] > 0
    assert data["training"]["submissions"] == 0


def test_batch_and_its_progress(api, campaign):
    batch = campaign.batches["generator"]
    assert get(api, "batch", batch.pk)["state"] == "open"
    assert get(api, "batch_progress", batch.pk) == {
        "hits": {"live": 9},
        "submissions": {"accepted": 15, "submitted": 3},
    }


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(number):
    with pytest.raises(ParseError):
        TextJson().parse(BytesIO(f'{{"value": {number}}}'.encode()))
