"""Lists, with their order, pagination, filters, entity tags and query counts."""

import base64

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Item
from consolidation.models import Gold
from crowd.enums import GrantState
from crowd.models import QualificationType, Worker
from projects.domain.create_project import write_guidelines
from projects.models import Project
from tests.api.conftest import add_definition
from tests.api.training import add_evaluations
from tests.crowd.factories import make_study, make_unknown_settlement
from tests.dashboard.campaign import START, TARGET, Campaign, add_items, make_project
from tests.jobs.factories import make_gold_import, make_import, make_resource_import
from tests.releases.projects import make_release_rows

pytestmark = pytest.mark.django_db
LISTS = (
    "sentences",
    "items",
    "imports",
    "gold_imports",
    "definitions",
    "batches",
    "submissions",
    "cases",
    "gold",
    "rounds",
    "evaluations",
    "workers",
    "ledger",
    "log",
    "releases",
    "studies",
    "sessions",
    "session_payments",
    "guidelines",
    "resource_imports",
)
OTHERS = (
    "resources",
    "pools",
    "groups",
    "funnel",
    "project",
    "costs",
    "exports",
    "jobs",
    "system_evaluations",
)
ALL = (*LISTS, *OTHERS)


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
        make_gold_import(project, actor=str(number))
        make_study(project.budget)
        make_unknown_settlement(project.budget, campaign.workers[0])
        make_resource_import(project, actor=str(number))
        write_guidelines(project=project, role="generator", text=f"# {number}", now=START)
        add_definition(project, 1 + project.resources.count())
    make_release_rows(project, len(campaign.items))


def counts(api) -> dict[str, int]:
    counted = {}
    for name in ALL:
        api.get(at("project"))  # records the token's use, which happens once a minute
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            response = api.get(at(name, limit=200) if name in LISTS else at(name))
        assert response.status_code == 200, name
        counted[name] = len(queries)
    return counted


def test_query_counts_do_not_depend_on_the_number_of_rows(api, project):
    campaign = Campaign(project, 4, workers=3)
    fill(campaign)
    initial = counts(api)
    campaign.add(300, workers=60)
    fill(campaign)
    sizes = {name: len(api.get(at(name, limit=200)).json()["results"]) for name in LISTS}
    assert min(sizes.values()) >= 60
    assert counts(api) == initial
    assert initial.pop("log") <= 40  # a query for each kind of row
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
        ("gold", {"created_after": "2027-01-01T00:00:00Z"}, 0),
        ("gold", {"created_after": "2020-01-01T00:00:00Z"}, 3),
        ("gold", {"item": "wiki:3/2"}, 1),
        ("gold", {"current": "true"}, 3),
        ("cases", {"item": "wiki:3/2"}, 1),
        ("submissions", {"id_after": 2**63 - 1}, 0),
        ("ledger", {"created_after": "2027-01-01T00:00:00Z"}, 0),
        ("ledger", {"created_after": "2020-01-01T00:00:00Z", "kind": "reserve"}, 15),
        ("ledger", {"id_after": 2**63 - 1}, 0),
        ("rounds", {"kind": "screening"}, 0),
        ("log", {"by": "people"}, 0),
        ("log", {"id_after": 2**63 - 1}, 0),
        ("ledger", {"kind": "reserve"}, 15),
        ("ledger", {"first_day": "2027-01-01"}, 0),
        ("studies", {"state": "live"}, 0),
        ("sessions", {"study": 2**63 - 1}, 0),
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
        ("log", "kind=projects.Projekt", "kind"),
        ("log", "first_day=2026-09-02&last_day=2026-09-01", "last_day"),
        ("quality", "source=experts", "source"),
        ("quality", "agains=expert", "agains"),
        ("quality", "against=expert&against=imported", "against"),
        ("forecast", "role=generator", "role"),
        ("evaluations", "round=99999999999999999999999", "round"),
        ("evaluations", "round=abc", "round"),
        ("cases", "attempt=-1", "attempt"),
        ("studies", "state=open", "state"),
        ("sessions", "study=abc", "study"),
        ("ledger", "first_day=yesterday", "first_day"),
        ("submissions", "submitted_after=0000-99-99", "submitted_after"),
        ("submissions", "item=1", "item"),
        ("cases", "item=1", "item"),
        ("gold", "item=wiki:3", "item"),
        ("gold", "item_id=wiki:3", "item_id"),
        ("gold", "include=item", "include"),
        ("gold", "id_after=-1", "id_after"),
        (
            "submissions",
            "submitted_after=2026-09-02T00:00:00Z&submitted_before=2026-09-01T00:00:00Z",
            "submitted_before",
        ),
    ],
)
def test_unknown_filter_is_refused_by_name(name, query, parameter, api, project):
    response = api.get(f"{at(name)}?{query}")
    assert response.status_code == 400
    body = response.json()
    assert body["type"] == "validation_error"
    assert [error["attr"] for error in body["errors"]] == [parameter]


@pytest.mark.parametrize("name", ["submissions", "cases", "gold"])
def test_rows_of_an_item_are_found_by_its_id(name, api, campaign):
    item = campaign.items[3]
    by_id = api.get(at(name, item_id=item.pk, limit=200)).json()["results"]
    assert by_id == api.get(at(name, item=item.key, limit=200)).json()["results"] != []
    assert {row["item"] for row in by_id} == {item.key}
    assert api.get(at(name, item_id=2**63 - 1)).json()["results"] == []


@pytest.mark.parametrize("name", ["submissions", "gold", "ledger"])
def test_rows_since_the_last_one_are_listed(name, api, campaign):
    """A nightly copy asks for rows with a higher id than its last one."""
    rows = api.get(at(name, limit=200)).json()["results"]
    ids = sorted(row["id"] for row in rows)
    newer = api.get(at(name, limit=200, id_after=ids[1])).json()["results"]
    assert sorted(row["id"] for row in newer) == ids[2:]


def test_current_gold_leaves_out_older_versions(api, campaign):
    gold = Gold.objects.order_by("pk").first()
    newer = Gold.objects.create(
        item=gold.item, source=gold.source, version=2, case=gold.case, content=gold.content,
        schema_version=1, provenance=[], created_at=START,
    )  # fmt: skip
    expert = Gold.objects.create(
        item=gold.item, source="expert", version=1, content=gold.content,
        schema_version=1, provenance=[], created_at=START,
    )  # fmt: skip
    everything = {row["id"] for row in api.get(at("gold")).json()["results"]}
    assert {gold.pk, newer.pk, expert.pk} <= everything
    current = {row["id"] for row in api.get(at("gold", current="true")).json()["results"]}
    assert current == everything - {gold.pk}
    rows = api.get(at("gold", current="true", item=gold.item.key)).json()["results"]
    assert {row["id"] for row in rows} == {newer.pk, expert.pk}


def test_gold_includes_its_sentence_on_request(api, campaign):
    [row, *_] = api.get(at("gold")).json()["results"]
    assert row["sentence"] is None
    assert row["target"] == TARGET
    [row, *others] = api.get(at("gold", include="sentence")).json()["results"]
    item = Item.objects.get(pk=row["item_id"])
    [sentence] = api.get(at("sentences", external_id=item.sentence.external_id)).json()["results"]
    assert row["sentence"] == sentence
    with CaptureQueriesContext(connection) as queries:
        api.get(at("gold", include="sentence", limit=1))
    with CaptureQueriesContext(connection) as queries_of_all:
        api.get(at("gold", include="sentence"))
    assert len(queries) == len(queries_of_all)
    assert others


@pytest.mark.parametrize(
    "limit", ["0", "201", "1000", "9" * 5000, "-1", "1.5", "%C2%B2", "many", ""]
)
def test_limit_that_cannot_be_kept_is_refused(limit, api, project):
    response = api.get(f"{at('sentences')}?limit={limit}")
    assert response.status_code == 400
    assert response.json()["errors"] == [
        {"code": "invalid", "detail": "Use a whole number from 1 to 200.", "attr": "limit"}
    ]


@pytest.mark.parametrize(("query", "rows"), [("", 50), ("?limit=1", 1), ("?limit=200", 200)])
def test_limit_is_the_number_of_rows(query, rows, api, project):
    add_items(project, 205)
    assert len(api.get(f"{at('sentences')}{query}").json()["results"]) == rows


def test_limits_are_in_the_schema(api):
    schema = api.get(reverse("api:schema")).json()
    parameters = schema["paths"]["/api/v1/projects/{slug}/items/"]["get"]["parameters"]
    [limit] = [parameter["schema"] for parameter in parameters if parameter["name"] == "limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 200, 50)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ({"first_day": "0001-01-01"}, True),
        ({"last_day": "9999-12-31"}, True),
        ({"first_day": "9999-12-31", "last_day": "9999-12-31"}, False),
        ({"first_day": "0001-01-01", "last_day": "0001-01-01"}, False),
        ({"first_day": "2026-09-01", "last_day": "2026-09-01"}, True),
    ],
)
def test_days_at_the_edges_of_the_calendar_filter(query, rows, api, campaign):
    response = api.get(at("ledger", **query))
    assert response.status_code == 200
    assert bool(response.json()["results"]) == rows


def test_period_that_ends_before_its_start_is_refused(api, project):
    response = api.get(at("ledger", first_day="2026-09-02", last_day="2026-09-01"))
    assert response.status_code == 400
    assert [error["attr"] for error in response.json()["errors"]] == ["last_day"]


def test_pools_are_listed_with_their_workers_and_groups(api, project):
    """Pools of other projects are not."""
    make_project("demo-2")
    for code in (
        "demo-generator",
        "demo-2-generator",
        "demo-generator-round-1",
        "demo-consolidator",
    ):
        QualificationType.objects.create(
            provider="mturk", code=code, name=f"Name of {code}", description="x"
        )
    pool = QualificationType.objects.get(code="demo-generator")
    for state in GrantState.values:
        worker = Worker.objects.create(provider="mturk", external_id=state, first_seen_at=START)
        pool.grants.create(worker=worker, state=state, changed_at=START)
    project.groups.create(number=1, made_at=START)
    project.groups.create(number=2, made_at=START)
    generators, consolidators = api.get(at("pools")).json()["results"]
    assert generators == {
        "id": pool.pk,
        "role": "generator",
        "code": "demo-generator",
        "name": "Name of demo-generator",
        "workers": 2,
        "groups": [1, 2],
    }
    assert (consolidators["role"], consolidators["workers"]) == ("consolidator", 0)
    assert consolidators["groups"] == []


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
    for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control", "Vary"):
        assert head.headers.get(name) == get.headers.get(name) is not None, name
    unchanged = api.head(at("project"), headers={"If-None-Match": get.headers["ETag"]})
    assert unchanged.status_code == 304
