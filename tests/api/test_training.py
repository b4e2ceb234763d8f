"""Rounds, trainees and pools by API, from the set-up to the trained pool."""

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.models import StateChange
from consolidation.models import Gold
from crowd.models import Message, QualificationGrant
from projects.enums import MemberRole
from qualification.domain.pool.admit import pool_of
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Feedback, Round
from tests.api.conftest import calling
from tests.consolidation.factories import make_item, make_project
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    CONTAIN,
    EXPERT,
    SURVEY,
    make_items,
    make_rounds,
    open_round,
    work_through,
)

pytestmark = pytest.mark.django_db


class Caller:
    """A client of a project's member, who sends JSON."""

    def __init__(self, project, role=MemberRole.REQUESTER, **token) -> None:
        self.slug = project.slug
        self.client = calling(make_user(f"{role}-{project.slug}", project, role), **token)

    def url(self, name, *arguments, query=""):
        return reverse(f"api:{name}", args=[self.slug, *arguments]) + query

    def get(self, name, *arguments, query=""):
        response = self.client.get(self.url(name, *arguments, query=query))
        assert response.status_code == 200, response.content
        return response.json()

    def send(self, name, *arguments, body=None, method="POST", query="", **headers):
        headers = {"Idempotency-Key": str(uuid4()), **headers}
        return self.client.generic(
            method,
            self.url(name, *arguments, query=query),
            json.dumps(body or {}),
            content_type="application/json",
            headers=headers,
        )

    def do(self, name, *arguments, body=None, method="POST", query="", status=200):
        response = self.send(name, *arguments, body=body, method=method, query=query)
        assert response.status_code == status, response.content
        return response.json()


def errors_of(response) -> list[tuple[str, str | None]]:
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def api(project):
    return Caller(project)


@pytest.fixture
def finished(project):
    """Return the enrolments of three workers who finished the first of two rounds."""
    [training_round, _] = make_rounds(project)
    workers = [make_worker() for _ in range(3)]
    cohort = open_round(training_round, workers)
    for worker in workers:
        work_through(cohort, worker)
    return list(training_round.enrolments.order_by("pk"))


# --- rounds --------------------------------------------------------------------------------------


def test_campaign_is_run_from_the_first_round_to_the_pool(project, api):
    """A screening is added, published, worked on, decided, and its worker admitted."""
    keys = [item.key for item in make_items(project)]
    made = api.do("rounds", body={"items": keys, "is_screening": True}, status=201)
    assert (made["title"], made["kind"], made["entry"]) == ("Screening", "screening", "open")
    assert (made["item_keys"], made["items_without_gold"], made["publications"]) == (keys, 0, 0)
    preview = api.do("publish_round", made["id"], body={"slots": 2}, query="?dry_run=true")
    assert (preview["items"], preview["workers"]) == (2, 2)
    assert not Round.objects.get().cohorts.exists()
    published = api.do("publish_round", made["id"], body={"slots": 2}, status=201)
    assert published["publications"] == 1
    project.budget.refresh_from_db()
    assert project.budget.reserved_cents == preview["most_cents"] > 0

    worker = make_worker()
    work_through(Round.objects.get().cohorts.get(), worker, EXPERT)
    [trainee] = api.get("trainees", made["id"])["results"]
    assert (trainee["worker"], trainee["state"]) == (worker.pseudonym, "to-decide")
    assert (trainee["suggestion"], trainee["unmet"], trainee["is_finished"]) == ("pass", [], True)
    decision = {"id": trainee["id"], "verdict": "pass"}
    [result] = api.do("decide_trainees", made["id"], body={"decisions": [decision]})["results"]
    assert result == {"id": trainee["id"], "state": "passed", "problem": ""}

    body = {"role": "generator", "workers": [worker.pseudonym, "W-NOBODY"]}
    admitted, unknown = api.do("admit_workers", body=body)["results"]
    assert admitted == {"worker": worker.pseudonym, "changed": True, "problem": ""}
    assert unknown["problem"] == "The project has no worker with this pseudonym."
    [pool] = [row for row in api.get("pools")["results"] if row["role"] == "generator"]
    [holder] = api.get("pool_workers", pool["id"])["results"]
    assert (holder["worker"], holder["state"], holder["group"]) == (
        worker.pseudonym,
        "pending",
        None,
    )
    actors = set(StateChange.objects.filter(actor__contains="by token").values_list("aggregate"))
    assert {("qualification.Round",), ("qualification.Enrolment",)} <= actors


def test_items_are_sampled_or_named(project, api):
    keys = [item.key for item in make_items(project, 3)]
    made = api.do("rounds", body={"sample": {"count": 2}, "title": "First"}, status=201)
    assert (len(made["item_keys"]), made["title"]) == (2, "First")
    free = sorted(set(keys) - set(made["item_keys"]))
    changed = api.do("round_items", made["id"], body={"items": free})
    assert changed["item_keys"] == free
    again = api.do("round_items", made["id"], body={"sample": {"count": 6, "method": "rich"}})
    assert sorted(again["item_keys"]) == sorted(keys)
    removed = api.do("remove_round", made["id"])
    assert removed["id"] == made["id"]
    assert not Round.objects.exists()
    assert project.items.filter(in_production=True).count() == 6


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, [("invalid", "non_field_errors")]),
        ({"items": ["a"], "sample": {"count": 1}}, [("invalid", "non_field_errors")]),
        ({"items": ["nothing:1"]}, [("invalid", "items")]),
        ({"sample": {"count": 1, "metod": "rich"}}, [("unknown_field", "sample.metod")]),
        ({"items": []}, [("invalid_state", None)]),
        ({"sample": {"count": 1}, "role": "validator"}, [("invalid_choice", "role")]),
    ],
)
def test_unclear_rounds_are_refused(project, api, body, errors):
    make_items(project)
    response = api.send("rounds", body=body)
    assert response.status_code in (400, 409)
    assert errors_of(response) == errors
    assert not Round.objects.exists()


def test_published_items_and_rounds_stay(finished, api, project):
    published = finished[0].round
    keys = [item.key for item in make_items(project)]
    for name, body in (("round_items", {"items": keys}), ("remove_round", {})):
        response = api.send(name, published.pk, body=body)
        assert (response.status_code, errors_of(response)) == (409, [("invalid_state", None)])


def test_round_without_gold_is_not_published(project, api):
    item = make_item(SURVEY, CONTAIN, project)
    made = api.do("rounds", body={"items": [item.key], "is_screening": True}, status=201)
    assert made["items_without_gold"] == 1
    response = api.send("publish_round", made["id"], body={"slots": 1})
    assert errors_of(response) == [("invalid_state", None)]
    assert not Gold.objects.exists()


def test_round_is_changed(project, api):
    [training_round, _] = make_rounds(project)
    before = api.get("round", training_round.pk)
    body = {
        "title": "Renamed",
        "thresholds": {"UA": 0.5, "units_per_item": 1.5},
        "after_passing": "production",
        "approval_rate": 95,
        "locales": ["GB", "US"],
    }
    after = api.do("round", training_round.pk, body=body, method="PATCH")
    assert (after["title"], after["thresholds"]) == ("Renamed", body["thresholds"])
    assert "generator" in after["pool_roles"]
    assert [row["system"] for row in after["requirements"]] == ["approval-rate", "locale"]
    for name in ("entry", "items_per_worker", "item_keys", "role"):
        assert after[name] == before[name]
    only_title = api.do("round", training_round.pk, body={"title": "Again"}, method="PATCH")
    assert only_title == {**after, "title": "Again"}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"thresholds": {"UAA": 0.5}}, ("invalid", "thresholds")),
        ({"thresholds": {"UA": 50}}, ("invalid", "thresholds")),
        ({"locales": ["gb"]}, ("invalid", "locales.0")),
        ({"ordinal": 3}, ("unknown_field", "ordinal")),
        ({"entry": "passed"}, ("invalid_state", None)),
        ({"items_per_worker": 500}, ("invalid_state", None)),
    ],
)
def test_unclear_changes_are_refused(project, api, body, error):
    [training_round, _] = make_rounds(project)
    response = api.send("round", training_round.pk, body=body, method="PATCH")
    assert errors_of(response) == [error]


def test_entry_of_passed_workers_invites_them(project, api):
    [first, second] = make_rounds(project)
    Round.objects.filter(pk=second.pk).update(entry="invited")
    worker = make_worker()
    work_through(open_round(first, [worker]), worker, EXPERT)
    Enrolment.objects.update(state=EnrolmentState.PASSED)
    api.do("round", second.pk, body={"entry": "passed"}, method="PATCH")
    assert second.enrolments.get().worker == worker


def test_workers_are_invited_by_pseudonym(finished, api, project):
    [declined, other, _] = finished
    declined.state = EnrolmentState.DECLINED
    declined.save()
    following = Round.objects.exclude(pk=declined.round_id).get()
    names = [declined.worker.pseudonym, other.worker.pseudonym, "W-NOBODY"]
    results = api.do("invite_workers", following.pk, body={"workers": names})["results"]
    assert [row["changed"] for row in results] == [False, True, False]
    assert "was declined in Training 1. Send again=true" in results[0]["problem"]
    body = {"workers": names[:1], "again": True}
    [result] = api.do("invite_workers", following.pk, body=body)["results"]
    assert result["changed"]
    assert {row.worker for row in following.enrolments.all()} == {declined.worker, other.worker}
    assert api.get("round", following.pk)["waiting"] == 2


def test_slots_are_for_open_rounds(project, api):
    [training_round, _] = make_rounds(project)
    response = api.send("publish_round", training_round.pk, body={"slots": 3})
    assert errors_of(response) == [("invalid", "slots")]
    response = api.send("publish_round", training_round.pk)
    assert errors_of(response) == [("invalid_state", None)]


def test_publishing_a_round_needs_a_key_and_happens_once(project, api):
    [training_round, _] = make_rounds(project)
    workers = [make_worker()]
    api.do("invite_workers", training_round.pk, body={"workers": [workers[0].pseudonym]})
    url = api.url("publish_round", training_round.pk)
    response = api.client.post(url, "{}", content_type="application/json")
    assert errors_of(response) == [("required", "Idempotency-Key")]
    for _ in range(2):
        response = api.send("publish_round", training_round.pk, **{"Idempotency-Key": "one"})
        assert response.status_code == 201
    assert training_round.cohorts.count() == 1


# --- trainees ------------------------------------------------------------------------------------


def test_each_decision_has_its_result(finished, api):
    first, second, third = finished
    decisions = [
        {"id": first.pk, "verdict": "pass", "reason": "good"},
        {"id": second.pk, "verdict": "decline"},
        {"id": third.pk, "verdict": "repeat"},
        {"id": 10**12, "verdict": "pass"},
    ]
    results = api.do("decide_trainees", first.round_id, body={"decisions": decisions})["results"]
    assert [(row["id"], row["state"]) for row in results] == [
        (first.pk, "passed"),
        (second.pk, "declined"),
        (third.pk, "repeating"),
        (10**12, None),
    ]
    assert [row["problem"] for row in results] == [
        "",
        "",
        "",
        "The round has no worker with this id.",
    ]
    [again] = api.do(
        "decide_trainees",
        first.round_id,
        body={"decisions": [{"id": second.pk, "verdict": "withdraw"}]},
    )["results"]
    assert (again["state"], again["problem"]) == (
        "declined",
        "This is not possible for a worker who is declined.",
    )
    rows = StateChange.objects.filter(aggregate="qualification.Enrolment", new="passed")
    change = rows.get(object_id=first.pk)
    assert change.actor.startswith(f"requester-{api.slug} by token ts_")
    assert not Feedback.objects.exists()


def test_feedback_is_sent_with_a_decision_or_alone(finished, project):
    first, second, third = finished
    trainer = Caller(project, MemberRole.TRAINER)
    decisions = [{"id": first.pk, "verdict": "pass"}]
    body = {"decisions": decisions, "send_feedback": True}
    trainer.do("decide_trainees", first.round_id, body=body)
    item = first.round.round_items.first().item
    feedback = [
        {"id": second.pk, "text": "Well done.", "notes": {item.key: "Two names."}},
        {"id": third.pk},
        {"id": first.pk},
    ]
    results = trainer.do("send_feedback", first.round_id, body={"feedback": feedback})["results"]
    assert [row["problem"] for row in results] == [
        "",
        "",
        "The worker has not finished the round, or got feedback before.",
    ]
    by_trainee = {row.evaluation.enrolment_id: row for row in Feedback.objects.all()}
    written = by_trainee[second.pk]
    assert (written.text, written.notes) == ("Well done.", {str(item.pk): "Two names."})
    assert by_trainee[third.pk].notes
    assert all(
        row.sent_at and row.trainer.username.startswith("trainer") for row in by_trainee.values()
    )
    rows = trainer.get("trainees", first.round_id)["results"]
    assert [row["feedback"] for row in rows] == ["sent"] * 3
    sent = StateChange.objects.filter(new="sent")
    assert {"by token" in change.actor for change in sent} == {True}
    assert Message.objects.count() == 4


@pytest.mark.parametrize(
    ("name", "body", "attr"),
    [
        ("decide_trainees", {}, "decisions"),
        ("decide_trainees", {"decisions": []}, "decisions"),
        ("decide_trainees", {"decisions": [{"id": 1}]}, "decisions.0.verdict"),
        ("decide_trainees", {"decisions": [{"id": 1, "verdict": "passed"}]}, "decisions.0.verdict"),
        ("decide_trainees", {"decisions": [{"id": 1, "verdict": "pass"}] * 2}, "decisions"),
        ("send_feedback", {"feedback": [{"id": 1, "txt": "x"}]}, "feedback.0.txt"),
        ("send_feedback", {"feedback": [{"id": 1, "notes": {"x": "y"}}]}, "feedback"),
    ],
)
def test_unclear_decisions_and_feedback_are_refused(finished, api, name, body, attr):
    response = api.send(name, finished[0].round_id, body=body)
    assert response.status_code == 400
    assert attr in {
        error["attr"].removesuffix(".non_field_errors") for error in response.json()["errors"]
    }
    assert not Message.objects.exists()


def test_trainees_are_filtered_and_their_queries_do_not_grow(finished, api):
    pk = finished[0].round_id
    assert len(api.get("trainees", pk, query="?state=to-decide")["results"]) == 3
    assert api.get("trainees", pk, query="?state=passed")["results"] == []

    def queries(limit: int) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert len(api.get("trainees", pk, query=f"?limit={limit}")["results"]) == limit
        return len(captured)

    queries(1)
    assert queries(1) == queries(3)


def test_trainees_of_another_project_are_not_found(finished):
    other = Caller(make_project())
    pk = finished[0].round_id
    for name in ("round", "trainees"):
        assert other.client.get(other.url(name, pk)).status_code == 404
    body = {"decisions": [{"id": finished[0].pk, "verdict": "pass"}]}
    assert other.send("decide_trainees", pk, body=body).status_code == 404
    finished[0].refresh_from_db()
    assert finished[0].state == EnrolmentState.FINISHED


# --- pools ---------------------------------------------------------------------------------------


def members(project, count):
    pool = pool_of(project, "generator")
    workers = [make_worker() for _ in range(count)]
    for worker in workers:
        pool.grants.create(worker=worker, state="held", value=0, changed_at=project.created_at)
    return workers


def test_pool_is_divided_into_groups(project, api):
    workers = members(project, 4)
    assert api.get("groups")["results"] == []
    divided = api.do("divide_pool", body={"count": 2, "seed": 1})["results"]
    assert [(row["number"], row["workers"]) for row in divided] == [(1, 2), (2, 2)]
    body = {"count": 2, "workers": {worker.pseudonym: 1 for worker in workers[:3]}}
    body["workers"][workers[3].pseudonym] = None
    groups = api.do("groups", body=body)["results"]
    assert [(row["number"], row["workers"]) for row in groups] == [(1, 3), (2, 0)]
    assert api.get("groups")["results"] == groups
    [pool] = api.get("pools")["results"]
    rows = api.get("pool_workers", pool["id"])["results"]
    assert [row["group"] for row in rows] == [1, 1, 1, None]


@pytest.mark.parametrize(
    ("name", "body", "error"),
    [
        ("divide_pool", {"count": 5}, ("invalid_state", None)),
        ("divide_pool", {"count": 0}, ("min_value", "count")),
        ("groups", {"count": 1, "workers": {"W-NOBODY": 1}}, ("invalid", "workers")),
        ("groups", {"workers": {}}, ("required", "count")),
        ("admit_workers", {"workers": ["x"], "role": "validator"}, ("invalid", "role")),
        ("admit_workers", {"workers": []}, ("min_length", "workers")),
        ("withdraw_workers", {"workers": ["x"]}, ("required", "reason")),
    ],
)
def test_unclear_changes_of_the_pool_are_refused(project, api, name, body, error):
    members(project, 1)
    assert errors_of(api.send(name, body=body)) == [error]


def test_withdrawn_workers_come_back_on_request(project, api):
    [worker] = members(project, 1)
    name = worker.pseudonym
    body = {"workers": [name], "reason": "Too fast."}
    [result] = api.do("withdraw_workers", body=body)["results"]
    assert result["changed"]
    grant = QualificationGrant.objects.get()
    assert (grant.state, grant.error) == ("revoking", "Too fast.")
    [result] = api.do("withdraw_workers", body=body)["results"]
    assert "no qualification" in result["problem"]
    [result] = api.do("admit_workers", body={"workers": [name]})["results"]
    assert result["problem"] == f"The qualification of {name} was withdrawn."
    [result] = api.do("admit_workers", body={"workers": [name], "again": True})["results"]
    assert result == {"worker": name, "changed": True, "problem": ""}


def test_workers_of_other_projects_are_unknown(project, api):
    other = make_project()
    [worker] = members(other, 1)
    for body in ({"workers": [worker.pseudonym]},):
        [result] = api.do("admit_workers", body=body)["results"]
        assert (result["changed"], result["problem"]) == (
            False,
            "The project has no worker with this pseudonym.",
        )
    pool = pool_of(other, "generator")
    assert api.client.get(api.url("pool_workers", pool.pk)).status_code == 404


def test_training_needs_its_scope(project):
    caller = Caller(project, MemberRole.ADMIN, scopes=["read", "publish", "import"])
    response = caller.send("admit_workers", body={"workers": ["x"]})
    assert errors_of(response) == [("insufficient_scope", None)]
