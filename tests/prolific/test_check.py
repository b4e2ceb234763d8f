"""The check of a workspace, which only reads and reports what differs."""

import json

import pytest
from django.core.management import CommandError, call_command

from crowd.providers.registry import PROVIDERS
from tests.fakes.prolific import Fault
from tests.fakes.prolific.studies import FILTERS
from tests.prolific.campaign import Campaign, Person, connect, label


def differences(capsys) -> list[str]:
    call_command("prolific_check", json=True)
    return json.loads(capsys.readouterr().out)["differences"]


@pytest.fixture
def used(server, study) -> None:
    """Let the workspace have submissions of several statuses."""
    people = [Person(server, label) for _ in range(2)]
    people[0].take_part(study.external_id)
    people[1].arrive(study.external_id)
    Campaign(server, []).sweep(times=3)


def test_stand_in_answers_as_expected_except_for_countries_it_lacks(server, used, capsys):
    [countries] = differences(capsys)
    assert countries.startswith("/filters/: countries without a choice: Austria, ")


def test_check_only_reads(server, used, capsys):
    before = len(server.requests)
    differences(capsys)
    requests = server.requests[before:]
    assert len(requests) > 12
    assert {method for method, _ in requests} == {"GET"}


def test_unknown_states_and_missing_fields_are_reported(server, used, study, capsys):
    server.platform.studies[study.external_id].status = "FROZEN"
    server.platform.options.details_have_places_taken = False
    submission = next(iter(server.platform.submissions.values()))
    submission.status = "UNKNOWN"
    found = " ".join(differences(capsys))
    assert "It is 'FROZEN'." in found
    assert "It is 'UNKNOWN'." in found
    assert "a study: places_taken: Field required." in found


def test_missing_filter_and_recommendations_are_reported(server, used, capsys, monkeypatch):
    rows = [row for row in FILTERS if row["filter_id"] != "approval_rate"]
    monkeypatch.setattr("tests.fakes.prolific.studies.FILTERS", rows)
    server.platform.options.has_reward_recommendations = False
    found = " ".join(differences(capsys))
    assert "the filter approval_rate is missing" in found
    assert "/reward-recommendations/ can't be read" in found


def test_report_has_no_ids_of_participants(server, used, capsys):
    for submission in server.platform.submissions.values():
        submission.status = "UNKNOWN"
    found = " ".join(differences(capsys))
    people = [person.id for person in server.platform.people.values()]
    assert people
    assert not [key for key in people if key in found]


def test_report_is_text_by_default(server, capsys):
    call_command("prolific_check")
    assert capsys.readouterr().out.endswith("\n1 difference.\n")


def test_workspace_of_the_settings_that_does_not_exist_is_reported(server, capsys, monkeypatch):
    provider = connect(server)
    provider._workspace_id = "5f00000000000000000000ff"
    monkeypatch.setitem(PROVIDERS, "prolific", lambda: provider)
    assert differences(capsys) == ["The token has no access to the workspace of the settings."]


def test_outage_is_reported_for_each_answer(server, capsys):
    server.faults.add(Fault.SERVER_ERROR, "GET", "*/balance/", times=9)
    assert "the workspace's balance can't be read" in " ".join(differences(capsys))


def test_check_without_a_token_is_refused(db, settings):
    with pytest.raises(CommandError, match="No provider with studies is configured"):
        call_command("prolific_check")
