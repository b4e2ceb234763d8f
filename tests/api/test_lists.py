"""Lists, with their order, pagination, filters, entity tags and query counts."""

import base64

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Project
from tests.api.training import add_evaluations
from tests.dashboard.campaign import START, Campaign, add_items
from tests.jobs.factories import make_import

pytestmark = pytest.mark.django_db
LISTS = (
    "sentences",
    "items",
    "imports",
    "batches",
    "submissions",
    "cases",
    "gold",
    "rounds",
    "evaluations",
    "workers",
    "ledger",
)
ALL = (*LISTS, "project", "costs", "exports", "jobs")


def at(name, *arguments, **query):
    url = reverse(f"api:{name}", args=["demo", *arguments])
    return url + (
        "?" + "&".join(f"{parameter}={value}" for parameter, value in query.items())
        if query
        else ""
    )


def fill(campaign: Campaign) -> None:
    """Add rows of the kinds that the campaign has few of."""
    project = campaign.project
    for number in range(len(campaign.items) // 4):
        add_evaluations(project, campaign.workers[-1:])
        project.batches.create(role="generator", reward_cents=5, created_at=START)
        make_import(project, actor=str(number))


def counts(api) -> dict[str, int]:
    counted = {}
    for name in ALL:
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            response = api.get(at(name, limit=200) if name in LISTS else at(name))
        assert response.status_code == 200, name
        counted[name] = len(queries)
    return counted


def test_query_counts_do_not_depend_on_the_number_of_rows(api, project):
    campaign = Campaign(project, 4, workers=3)
    fill(campaign)
    api.get(at("project"))  # records the token's use
    initial = counts(api)
    campaign.add(300, workers=60)
    fill(campaign)
    sizes = {name: len(api.get(at(name, limit=200)).json()["results"]) for name in LISTS}
    assert min(sizes.values()) >= 60
    assert counts(api) == initial
    assert max(initial.values()) <= 20


@pytest.mark.parametrize("name", LISTS)
def test_pages_have_every_row_once_in_order(name, api, campaign):
    fill(campaign)
    full_list = api.get(at(name, limit=200)).json()
    assert full_list["next"] is full_list["previous"] is None
    url, results, previous_url = at(name, limit=2), [], None
    while url:
        page = api.get(url).json()
        assert len(page["results"]) <= 2
        results += page["results"]
        url, previous_url = page["next"], page["previous"]
    assert results == full_list["results"]
    if len(results) > 2:
        [before] = [api.get(previous_url).json()["results"]]
        assert before == results[len(results) - len(page["results"]) - 2 : -len(page["results"])]


def test_rows_added_while_paging_neither_repeat_nor_displace_others(api, project):
    add_items(project, 6)
    first = api.get(at("sentences", limit=3)).json()
    add_items(project, 3)
    second = api.get(first["next"]).json()
    ids = [row["external_id"] for row in first["results"] + second["results"]]
    assert ids == [f"wiki:{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("name", "filters", "expected"),
    [
        ("sentences", {"partition": "dev"}, 6),
        ("sentences", {"external_id": "wiki:3"}, 1),
        ("items", {"state": "consolidated"}, 3),
        ("items", {"text": "number5"}, 1),
        ("items", {"domain": "wikinews", "state": "not-published"}, 3),
        ("batches", {"role": "consolidator"}, 1),
        ("submissions", {"state": "submitted"}, 3),
        ("submissions", {"item": "wiki:1/2"}, 2),
        ("submissions", {"submitted_after": "2027-01-01T00:00:00Z"}, 0),
        ("cases", {"state": "consolidated"}, 3),
        ("gold", {"source": "consolidated"}, 3),
        ("gold", {"source": "expert"}, 0),
        ("rounds", {"kind": "screening"}, 0),
        ("ledger", {"kind": "reserve"}, 15),
        ("ledger", {"first_day": "2027-01-01"}, 0),
    ],
)
def test_filters_narrow_the_list(name, filters, expected, api, campaign):
    response = api.get(at(name, limit=200, **filters))
    assert response.status_code == 200
    assert len(response.json()["results"]) == expected


def test_worker_filter_matches_the_pseudonym(api, campaign):
    worker = campaign.workers[0]
    rows = api.get(at("submissions", worker=worker.pseudonym, limit=200)).json()["results"]
    assert {row["worker"] for row in rows} == {worker.pseudonym}
    assert len(rows) == worker.submissions.count()


def test_submissions_have_the_effort_of_each_step(api, campaign):
    submission = campaign.workers[0].submissions.first()
    submission.steps = {"choice": {"seconds": 12, "moves": 3}}
    submission.save(update_fields=["steps"])
    rows = api.get(at("submissions", limit=200)).json()["results"]
    steps = {row["id"]: row["steps"] for row in rows}
    assert steps.pop(submission.pk) == {"choice": {"seconds": 12, "moves": 3}}
    assert set(map(str, steps.values())) == {"{}"}


@pytest.mark.parametrize(
    ("name", "query", "parameter"),
    [
        ("items", "sate=consolidated", "sate"),
        ("items", "state=consolidate", "state"),
        ("items", "text=%00", "text"),
        ("project", "limit=2", "limit"),
        ("evaluations", "round=99999999999999999999999", "round"),
        ("evaluations", "round=abc", "round"),
        ("cases", "attempt=-1", "attempt"),
        ("ledger", "first_day=yesterday", "first_day"),
        ("submissions", "submitted_after=0000-99-99", "submitted_after"),
    ],
)
def test_unknown_filter_is_refused_by_name(name, query, parameter, api, project):
    response = api.get(f"{at(name)}?{query}")
    assert response.status_code == 400
    body = response.json()
    assert body["type"] == "validation_error"
    assert [error["attr"] for error in body["errors"]] == [parameter]


@pytest.mark.parametrize(
    ("limit", "rows"),
    [("201", 200), ("9999999999999999999999", 200), ("0", 50), ("%C2%B2", 50), ("many", 50)],
)
def test_limit_is_capped(limit, rows, api, project):
    add_items(project, 205)
    assert len(api.get(f"{at('sentences')}?limit={limit}").json()["results"]) == rows


@pytest.mark.parametrize("position", ["x", "1e5", "9" * 40, "\0"])
def test_forged_cursor_is_handled(position, api, project):
    made_up = base64.b64encode(f"p={position}".encode()).decode()
    assert api.get(at("items"), {"cursor": made_up}).status_code in (200, 404)


def test_invalid_cursor_is_refused(api, project):
    assert api.get(at("items"), {"cursor": "nonsense"}).status_code == 404


def test_round_filter_accepts_numbers_of_any_size(api, project):
    assert api.get(at("evaluations", round=2**63 - 1)).json()["results"] == []
    assert api.get(f"/api/v1/projects/demo/items/{10**30}/").status_code == 404


@pytest.mark.parametrize("name", ALL)
def test_unchanged_list_is_not_sent_again(name, api, campaign):
    first = api.get(at(name))
    repeat = api.get(at(name), headers={"If-None-Match": first.headers["ETag"]})
    assert (repeat.status_code, repeat.content) == (304, b"")
    assert repeat.headers["ETag"] == first.headers["ETag"]
    other = api.get(at(name), headers={"If-None-Match": '"other", W/"another"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_change_changes_the_entity_tag(api, project):
    tag = api.get(at("project")).headers["ETag"]
    Project.objects.update(title="Another")
    response = api.get(at("project"), headers={"If-None-Match": tag})
    assert response.status_code == 200
    assert response.json()["title"] == "Another"


def test_responses_are_private(api, project):
    headers = api.get(at("project")).headers
    assert {"private", "no-cache"} <= set(headers["Cache-Control"].split(", "))
    assert {"Authorization", "Cookie"} <= set(headers["Vary"].split(", "))


def test_head_has_the_headers_of_get(api, project):
    head, get = api.head(at("project")), api.get(at("project"))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Type"] == get.headers["Content-Type"]
