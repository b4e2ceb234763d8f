"""The Prolific client against the fake server, with faults, and its parsing of other responses."""

import logging
import traceback
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from crowd.providers.prolific import limits
from crowd.providers.prolific.client import ProlificClient
from crowd.providers.prolific.transport import (
    NotFoundError,
    NotPerformedError,
    RefusedError,
    UnexpectedAnswerError,
    refusal,
)
from crowd.providers.prolific.values import (
    Balance,
    BulkBonus,
    CodeAction,
    CompletionCode,
    Cost,
    Filter,
    ListedStudy,
    ListedSubmission,
    Study,
    StudyCost,
    StudyTerms,
    Submission,
    Subscription,
    first_result,
    minor_units,
    parse_cost,
    parse_study,
    utc_time,
)
from tests.environment import find_free_port
from tests.fakes.prolific import Fault, running_prolific

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
REASON = "The answers do not refer to the sentence. " + "x" * 100
LOST = [Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.SERVER_ERROR, Fault.ERROR_AFTER]
FAULTS = [*LOST, Fault.THROTTLE]


@pytest.fixture
def server():
    with running_prolific() as server:
        yield server


@pytest.fixture
def delays():
    return []


@pytest.fixture
def client(server, delays):
    return ProlificClient(token=server.token, url=server.url, sleep=delays.append)


def terms(server, **changes):
    fields = {
        "project": server.project.id,
        "name": "Questions about sentences",
        "internal_name": "batch-1",
        "description": "Write questions.",
        "url": "https://touchstone.example/?session={{%SESSION_ID%}}",
        "places": 2,
        "reward": 200,
        "minutes": 10,
        "codes": [CompletionCode("DONE"), CompletionCode("MEND", "OTHER", "researcher", ())],
        **changes,
    }
    return StudyTerms(**fields)


def published(server, client, **changes):
    study = client.create_study(terms(server, **changes))
    client.transition_study(study.id, "PUBLISH")
    server.tick()
    return study


def completed(server, client, **changes):
    """Return a participant with a completed submission, and the study."""
    study = published(server, client, **changes)
    person = server.participant()
    person.take(study.id)
    person.complete("DONE")
    return person, person.submissions[0], study


# Endpoints


def test_account(server, client):
    assert client.get_researcher().email == "researcher@example.org"
    [workspace] = client.list_workspaces()
    assert workspace.id == server.workspace.id
    project = client.create_project(workspace.id, title="Second")
    assert [row.title for row in client.list_projects(workspace.id)] == ["Project", "Second"]
    assert project in client.list_projects(workspace.id)
    published(server, client)
    assert client.get_balance(workspace.id) == Balance("USD", 1_000_000, 1_000_000 - 606)


def test_study(server, client):
    study = client.create_study(terms(server))
    assert study == Study(
        id=study.id,
        name="Questions about sentences",
        internal_name="batch-1",
        status="UNPUBLISHED",
        places=2,
        places_taken=0,
        created_at=NOW,
        project=server.project.id,
        reward=200,
        currency="USD",
        minutes=10,
        published_at=None,
    )
    assert client.get_study(study.id) == study
    assert client.transition_study(study.id, "PUBLISH") == "PUBLISHING"
    assert client.get_study(study.id).published_at == NOW
    assert client.change_study(study.id, places=3, internal_name="batch-2").places == 3
    server.participant().take(study.id)
    assert list(client.list_studies(server.project.id)) == [
        ListedStudy(
            id=study.id,
            name="Questions about sentences",
            internal_name="batch-2",
            status="ACTIVE",
            places=3,
            places_taken=1,
            created_at=NOW,
        )
    ]


def test_options_of_a_study(server, client):
    group = client.create_group(server.workspace.id, name="trained")
    study = client.create_study(
        terms(
            server,
            codes=[
                CompletionCode(
                    "DONE",
                    actions=[
                        CodeAction("ADD_TO_PARTICIPANT_GROUP", {"participant_group": group.id})
                    ],
                )
            ],
            filters=[
                Filter("participant_group_allowlist", [group.id]),
                Filter("approval_rate", lower=95, upper=100),
            ],
            maximum_minutes=60,
            submissions_per_participant=-1,
            concurrent_submissions=5,
            devices=["desktop"],
            labels=["ai_annotation"],
            naivety_rate=0,
        )
    )
    fields = server.platform.studies[study.id].fields
    assert fields["completion_codes"] == [
        {
            "code": "DONE",
            "code_type": "COMPLETED",
            "actor": "participant",
            "actions": [{"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group.id}],
        }
    ]
    assert fields["filters"] == [
        {"filter_id": "participant_group_allowlist", "selected_values": [group.id]},
        {"filter_id": "approval_rate", "selected_range": {"lower": 95, "upper": 100}},
    ]
    assert fields["submissions_config"] == {
        "max_submissions_per_participant": -1,
        "max_concurrent_submissions": 5,
    }
    assert fields["maximum_allowed_time"] == 60
    assert fields["device_compatibility"] == ["desktop"]
    assert fields["study_labels"] == ["ai_annotation"]
    assert fields["naivety_distribution_rate"] == 0
    changed = client.change_study(study.id, submissions_per_participant=2)
    assert changed.id == study.id
    assert server.platform.studies[study.id].max_per_participant == 2


def test_draft_is_deleted_once(server, client):
    study = client.create_study(terms(server))
    client.delete_study(study.id)
    client.delete_study(study.id)
    with pytest.raises(NotFoundError):
        client.get_study(study.id)
    with pytest.raises(RefusedError):
        client.delete_study(published(server, client).id)


def test_costs(server, client):
    _, submission, study = completed(server, client)
    assert client.calculate_cost(reward=200, places=2) == 606
    nothing = Cost(0, 0, 0)
    assert client.get_study_cost(study.id) == StudyCost(nothing, nothing)
    client.approve(submission.id)
    cost = client.get_study_cost(study.id)
    assert cost == StudyCost(Cost(200, 86, 17), nothing)
    assert cost.rewards.total == sum(movement.total for movement in server.movements)
    assert client.get_study_cost(study.id, projected=True).rewards == Cost(400, 172, 34)


def test_submission(server, client):
    person, submission, study = completed(server, client)
    shared = {
        "id": submission.id,
        "participant": person.id,
        "status": "AWAITING REVIEW",
        "started_at": NOW,
        "completed_at": NOW,
        "code": "DONE",
        "return_requested_at": None,
    }
    assert list(client.list_submissions(study.id)) == [ListedSubmission(**shared)]
    assert client.get_submission(submission.id) == Submission(
        **shared, study=study.id, bonus_payments=()
    )


def test_decisions(server, client):
    study = published(server, client, places=4)
    people = [server.participant() for _ in range(4)]
    for person in people:
        person.take(study.id)
    approved, rejected, repaired, return_requested = (person.submissions[0].id for person in people)
    for person in people[:2]:
        person.complete("DONE")
    for _ in range(2):
        client.approve(approved)
        client.reject(rejected, message=REASON, category="LOW_EFFORT")
        client.complete(repaired, code="MEND")
    client.request_return(return_requested, reasons=["Withdrew consent."])
    statuses = {row.id: row.status for row in client.list_submissions(study.id)}
    assert statuses == {
        approved: "APPROVED",
        rejected: "REJECTED",
        repaired: "AWAITING REVIEW",
        return_requested: "ACTIVE",
    }
    assert client.get_submission(return_requested).return_requested_at == NOW
    client.approve(repaired)
    assert client.get_submission(repaired).status == "APPROVED"
    assert len(server.movements) == 2


def test_bonus(server, client):
    _, submission, study = completed(server, client)
    bulk = client.set_up_bonuses(study.id, [(submission.id, 107)])
    assert bulk == BulkBonus(bulk.id, amount=107, fees=46, vat=9, total=162)
    client.pay_bonuses(bulk.id)
    assert client.get_submission(submission.id).bonus_payments == ()
    server.clock.advance(minutes=3)
    assert client.get_submission(submission.id).bonus_payments == (107,)
    assert [movement.total for movement in server.movements] == [bulk.total]


@pytest.mark.parametrize("bonuses", [[], [("a", 0)], [("a", -1)], [("a", 1)] * 201])
def test_invalid_bonuses_are_not_sent(server, client, bonuses):
    with pytest.raises(ValueError, match="bonus"):
        client.set_up_bonuses("a", bonuses)
    assert server.requests == []


def test_groups(server, client):
    group = client.create_group(server.workspace.id, name="trained")
    assert list(client.list_groups(server.workspace.id)) == [group]
    first, second = (server.participant().id for _ in range(2))
    for _ in range(2):
        client.add_members(group.id, [first, second])
    assert client.list_members(group.id) == [first, second]
    for _ in range(2):
        client.remove_members(group.id, [first])
    assert client.list_members(group.id) == [second]


def test_filters(client):
    kinds = {kind.filter_id: kind for kind in client.list_filters()}
    assert kinds["current-country-of-residence"].choices["1"] == "United States"
    assert kinds["approval_rate"].choices == {}


def test_message(server, client):
    study = client.create_study(terms(server))
    person = server.participant()
    client.send_message([person.id], text="Welcome", study=study.id)
    assert [(row.participants, row.body) for row in server.messages] == [((person.id,), "Welcome")]


def test_webhooks(server, client):
    workspace = server.workspace.id
    assert client.get_secret(workspace) is None
    secret = client.create_secret(workspace)
    assert client.get_secret(workspace) == secret == server.workspace.secret
    new = client.create_subscription(
        workspace, event_type="submission.status.change", target_url="https://t.example/hook/"
    )
    assert new.is_enabled is False
    assert len(list(client.list_subscriptions(workspace, is_enabled=False))) == 1
    assert list(client.list_subscriptions(workspace)) == []
    client.confirm_subscription(new.id, handshake=new.handshake)
    assert list(client.list_subscriptions(workspace)) == [
        Subscription(new.id, "submission.status.change", "https://t.example/hook/", True)
    ]
    for _ in range(2):
        client.delete_subscription(new.id)
    assert list(client.list_subscriptions(workspace)) == []


# Pages


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize("count", [0, 1, 100, 101, 200])
def test_all_pages_are_read(has_links, count):
    with running_prolific() as server:
        server.options.has_links = has_links
        client = ProlificClient(token=server.token, url=server.url)
        groups = [client_group(server, number) for number in range(count)]
        assert [group.id for group in client.list_groups(server.workspace.id)] == groups
        studies = [server.add_study(publish=False).id for _ in range(count)]
        assert {study.id for study in client.list_studies(server.project.id)} == set(studies)


def client_group(server, number):
    body = {"workspace_id": server.workspace.id, "name": f"group {number}"}
    return server.call("POST", "/participant-groups/", body)[1]["id"]


def test_list_of_an_unknown_project_is_refused(client):
    with pytest.raises(NotFoundError):
        list(client.list_studies("a" * 24))


PAGES = {
    "link with another host": (
        [
            {
                "results": [{"id": "1", "title": "a"}],
                "_links": {"next": {"href": "https://evil.example/x?page=2"}},
            },
            {"results": [{"id": "2", "title": "b"}], "_links": {"next": {"href": None}}},
        ],
        ["1", "2"],
    ),
    "count without links": (
        [
            {"results": [{"id": "1", "title": "a"}], "meta": {"count": 2}},
            {"results": [{"id": "2", "title": "b"}], "meta": {"count": 2}},
        ],
        ["1", "2"],
    ),
    "the same page again and again": (
        [{"results": [{"id": "1", "title": "a"}]}] * 2,
        ["1"],
    ),
    "a row that moved to the next page": (
        [
            {"results": [{"id": "1", "title": "a"}]},
            {"results": [{"id": "1", "title": "a"}, {"id": "2", "title": "b"}]},
            {"results": []},
        ],
        ["1", "2"],
    ),
    "neither links nor count": ([{"results": []}], []),
}


@pytest.mark.parametrize("name", PAGES)
def test_styles_of_pages(name):
    bodies, expected = PAGES[name]
    with answering(*((200, body) for body in bodies)) as (url, requests):
        client = ProlificClient(token="secret", url=url)
        assert [row.id for row in client.list_workspaces()] == expected
    assert len(requests) == len(bodies)


@contextmanager
def answering(*answers):
    """Run a server that returns these responses (status, body or text) in turn."""
    import json

    remaining, requests = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            status, body = remaining.pop(0)
            content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere/")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# Faults


@pytest.mark.parametrize("fault", FAULTS)
def test_reading_is_retried(server, client, delays, fault):
    study = client.create_study(terms(server))
    server.faults.add(fault, "GET", times=3)
    assert client.get_study(study.id) == study
    assert delays == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("fault", FAULTS)
def test_reading_ends_with_an_unknown_outcome(server, client, fault):
    server.faults.add(fault)
    with pytest.raises(OutcomeUnknownError):
        client.get_researcher()
    assert len(server.requests) == 4


def test_retry_after_is_respected(server, client, delays):
    server.faults.once(Fault.THROTTLE, retry_after=7)
    server.faults.once(Fault.THROTTLE, retry_after=3600)
    client.get_researcher()
    assert delays == [7.0, 30.0]


@pytest.mark.parametrize("fault", FAULTS)
def test_repeatable_calls_are_retried(server, client, fault):
    person, submission, study = completed(server, client)
    group = client.create_group(server.workspace.id, name="trained")

    def once(method):
        server.faults.once(fault, method)

    once("POST")
    client.approve(submission.id)
    once("PATCH")
    assert client.change_study(study.id, places=3).places == 3
    once("POST")
    client.add_members(group.id, [person.id])
    once("DELETE")
    client.remove_members(group.id, [person.id])
    once("POST")
    client.set_up_bonuses(study.id, [(submission.id, 100)])
    draft = client.create_study(terms(server))
    once("DELETE")
    client.delete_study(draft.id)
    assert len(server.faults.applied) == 6
    assert len(server.movements) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_payment_is_never_repeated(server, client, fault):
    _, submission, study = completed(server, client)
    bulk = client.set_up_bonuses(study.id, [(submission.id, 100)])
    server.faults.once(fault, "POST", "/bulk-bonus-payments/*/pay/")
    with pytest.raises(OutcomeUnknownError) as caught:
        client.pay_bonuses(bulk.id)
    assert isinstance(caught.value, NotPerformedError) == (fault is Fault.THROTTLE)
    server.clock.advance(minutes=3)
    is_paid = fault in (Fault.DROP_AFTER, Fault.ERROR_AFTER)
    assert client.get_submission(submission.id).bonus_payments == (100,) * is_paid


@pytest.mark.parametrize("fault", FAULTS)
def test_study_is_created_at_most_once(server, client, fault):
    server.faults.once(fault, "POST", "/studies/")
    with pytest.raises(OutcomeUnknownError):
        client.create_study(terms(server))
    count = len(list(client.list_studies(server.project.id)))
    assert count == (fault in (Fault.DROP_AFTER, Fault.ERROR_AFTER))


def test_late_answer_is_an_unknown_outcome(server):
    client = ProlificClient(token=server.token, url=server.url, timeouts=(1, 0.1))
    server.faults.once(Fault.DELAY, "POST", seconds=0.5)
    with pytest.raises(OutcomeUnknownError, match=r"POST /studies/: no answer \(ReadTimeout\)"):
        client.create_study(terms(server))


def test_call_without_a_connection_is_not_performed():
    client = ProlificClient(token="secret", url=f"http://127.0.0.1:{find_free_port()}")
    with pytest.raises(NotPerformedError, match="can't be reached"):
        client.pay_bonuses("a" * 24)


def test_random_faults_lose_no_decision(server):
    """Every approval is paid once, whatever happens to requests and responses."""
    delays = []
    client = ProlificClient(token=server.token, url=server.url, attempts=30, sleep=delays.append)
    study = published(server, client, places=20)
    people = [server.participant() for _ in range(20)]
    for person in people:
        person.take(study.id)
        person.complete("DONE")
    for fault in FAULTS:
        server.faults.add(fault, probability=0.1)
    for person in people:
        client.approve(person.submissions[0].id)
    assert delays
    assert len(server.movements) == 20


# Refusals


def test_invalid_fields_are_named(server, client):
    with pytest.raises(ProviderRefusedError) as caught:
        client.create_study(terms(server, reward=1))
    assert caught.value.code == "140100"
    assert caught.value.message == "reward: The reward must be at least 8.00 USD per hour."


def test_refused_transition(server, client):
    study = client.create_study(terms(server))
    with pytest.raises(RefusedError) as caught:
        client.transition_study(study.id, "STOP")
    assert caught.value.status == 400
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "body", "code", "message"),
    [
        (400, {"error": {"error_code": 1, "title": "T", "detail": "Wrong."}}, "1", "Wrong."),
        (400, {"error": {"error_code": 1, "title": "T", "detail": ["a", "b"]}}, "1", "a; b"),
        (
            400,
            {"error": {"error_code": 1, "detail": {"name": ["a", "b"], "reward": "c"}}},
            "1",
            "name: a; b; reward: c",
        ),
        (
            400,
            {"error": {"error_code": 1, "detail": {"filters": [{"id": ["a"]}]}}},
            "1",
            "filters: id: a",
        ),
        (400, {"error": {"title": "Title", "detail": None}}, "http-400", "Title"),
        (400, {"error": "Wrong."}, "http-400", "Wrong."),
        (403, {"message": "Forbidden", "detail": "No access."}, "http-403", "No access."),
        (403, {"message": "Forbidden"}, "http-403", "Forbidden"),
        (404, {"detail": "Not found."}, "http-404", "Not found."),
        (400, {"name": ["This field is required."]}, "http-400", "name: This field is required."),
        (400, ["Wrong."], "http-400", "Wrong."),
        (400, None, "http-400", "HTTP status 400"),
        (400, {}, "http-400", "HTTP status 400"),
        (400, {"detail": "x" * 600}, "http-400", "x" * 500),
    ],
)
def test_shapes_of_errors(status, body, code, message):
    error = refusal(status, body)
    assert (error.status, error.code, error.message) == (status, code, message)
    assert isinstance(error, NotFoundError) == (status == 404)


@pytest.mark.parametrize("status", [302, 400, 401, 403, 409, 422])
def test_final_status(status):
    with answering((status, "<html>")) as (url, requests):
        client = ProlificClient(token="secret", url=url)
        with pytest.raises(RefusedError) as caught:
            client.get_researcher()
    assert (caught.value.code, len(requests)) == (f"http-{status}", 1)


@pytest.mark.parametrize("body", ["<html>", {}, [], {"id": 1}, "null"])
def test_unexpected_answer_is_an_unknown_outcome(body):
    with answering((201, body)) as (url, _):
        client = ProlificClient(token="secret", url=url)
        with pytest.raises(UnexpectedAnswerError):
            client.create_group("a" * 24, name="trained")


@pytest.mark.parametrize("key", ["", "../users/me", "a/b", "a?b", "a#b", "é", "a\n", ".."])
def test_invalid_id_is_not_sent(server, client, key):
    with pytest.raises(NotFoundError):
        client.get_submission(key)
    with pytest.raises(NotFoundError):
        client.set_up_bonuses("a" * 24, [(key, 100)])
    assert server.requests == []


@pytest.mark.parametrize("body", ["OK", "", '"The payment is being processed."', "<html>"])
def test_answer_without_a_value_is_not_parsed(body):
    with answering((202, body)) as (url, requests):
        ProlificClient(token="secret", url=url).pay_bonuses("a" * 24)
    assert requests == [f"/api/v1/bulk-bonus-payments/{'a' * 24}/pay/"]


def test_new_subscription_in_a_list():
    row = {"id": "1", "event_type": "e", "target_url": "https://t.example/", "is_enabled": False}
    assert first_result(row) == first_result({"results": [row]}) == row


def test_study_with_few_fields():
    row = {
        "id": "1",
        "name": "a",
        "status": "UNPUBLISHED",
        "total_available_places": 2,
        "places_taken": 0,  # the client adds it if Prolific leaves it out
        "reward": 100.0,
        "estimated_completion_time": 5,
    }
    study = parse_study(row)
    assert (study.project, study.created_at, study.reward) == ("", None, 100)
    assert parse_study({**row, "project": {"id": "p"}}).project == "p"


def test_missing_costs_are_zero():
    assert parse_cost({"rewards": {"amount": 5.5, "currency": "USD"}, "tax": None}) == Cost(6, 0, 0)


# Values and secrets


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(850, 850), (283.34, 283), (283.5, 284), ("1133.49", 1133), (0, 0), (2.0, 2)],
)
def test_minor_units(amount, expected):
    assert minor_units(amount) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-23T09:00:00Z",
        "2026-11-23T09:00:00.000Z",
        "2026-11-23T10:00:00.000000+01:00",
        "2026-11-23T09:00:00.000000",
    ],
)
def test_times_are_utc(text):
    assert utc_time(text) == NOW
    assert utc_time(text).tzinfo is UTC


@pytest.mark.parametrize("fault", FAULTS)
def test_token_is_in_no_log_and_no_exception(server, caplog, fault):
    token = "top-secret-token"
    server.platform.token = token
    client = ProlificClient(token=token, url=server.url, sleep=lambda seconds: None)
    server.faults.add(fault)
    with caplog.at_level(logging.DEBUG):
        for call in (client.get_researcher, lambda: client.pay_bonuses("a" * 24)):
            with pytest.raises(OutcomeUnknownError) as caught:
                call()
            lines = traceback.format_exception(caught.value)
            assert token not in "".join(lines) + repr(vars(caught.value))
            assert caught.value.__context__ is None
    assert token not in caplog.text + repr(client)


def test_netrc_is_not_read(server, tmp_path, monkeypatch):
    path = tmp_path / "netrc"
    path.write_text("machine 127.0.0.1 login other password other\n")
    monkeypatch.setenv("NETRC", str(path))
    client = ProlificClient(token=server.token, url=server.url)
    assert client.get_researcher().name == "Ada Researcher"


@pytest.mark.parametrize(
    ("minutes", "longest"),
    [(1, 20), (5, 20), (6, 24), (15, 60), (100, 400), (359, 1436), (360, 1439), (700, 1439)],
)
def test_longest_time_is_a_multiple_of_the_estimate(minutes, longest):
    assert limits.maximum_minutes(minutes, factor=4) == longest


@pytest.mark.parametrize("minutes", [1, 10, 15, 60, 600])
def test_longest_time_is_never_shorter_than_prolific_allows(minutes):
    assert limits.maximum_minutes(minutes, factor=2) >= 2 + 2 * minutes + 2 * minutes**0.5
