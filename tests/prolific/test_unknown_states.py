"""States at the provider that this site does not know are reported, and never taken for known ones."""

import pytest

from annotation.domain.publishing.publish import publish_batch
from crowd.domain.sessions.open_session import SessionOverError, open_session
from crowd.models import Study, StudySession
from dashboard.events import recent_events
from dashboard.protocol import pending_tasks, progress_of
from projects.enums import NotificationKind
from tests.fakes.prolific import Options, running_prolific
from tests.prolific.campaign import Campaign, Person, connect, label, query_of


@pytest.fixture
def campaign(server) -> Campaign:
    return Campaign(server, [])


def notices(server) -> list[str]:
    events = recent_events(now=server.clock())
    return [event.details["notice"] for event in events if event.kind == NotificationKind.STUDY]


def actions(server) -> list[str]:
    return [path for method, path in server.requests if method in ("POST", "PATCH")]


def test_study_in_an_unknown_state_is_left_alone_and_reported(
    server, project, study, campaign, caplog
):
    there = server.platform.studies[study.external_id]
    there.status = "FROZEN"
    server.requests.clear()
    campaign.sweep(minutes=15, times=2)
    study.refresh_from_db()
    assert study.state == "live"
    assert "state “FROZEN” for this study" in study.error
    assert [path for path in actions(server) if study.external_id in path] == []
    assert notices(server) == [study.error]
    assert "FROZEN" in caplog.text
    waiting = {row.label: row.count for row in pending_tasks(progress_of(project=project))}
    assert waiting["studies with problems"] == 1
    there.status = "ACTIVE"
    campaign.sweep(minutes=15, times=2)
    study.refresh_from_db()
    assert study.error == ""


def test_draft_in_an_unknown_state_is_not_taken_for_a_published_study(server, project, campaign):
    publish_batch(project=project, now=server.clock())
    campaign.sweep(times=1)
    row = Study.objects.get()
    assert row.state == "draft"
    server.platform.studies[row.external_id].status = "IN REVIEW"
    campaign.sweep(minutes=15, times=2)
    row.refresh_from_db()
    assert row.state == "draft"
    assert "“IN REVIEW”" in row.error


def test_session_in_an_unknown_state_keeps_its_state_and_is_reported(server, study, campaign):
    person = Person(server, label)
    person.take_part(study.external_id, most=4)
    server.platform.submissions[person.participant.submissions[0].id].status = "UNKNOWN"
    campaign.sweep(minutes=15, times=2)
    row = StudySession.objects.get()
    assert row.state == "active"
    assert "“UNKNOWN” for a submission" in row.error
    assert notices(server) == [row.error]


def test_place_in_an_unknown_state_is_not_opened(server, study):
    person = server.participant()
    address = person.take(study.external_id)
    server.platform.submissions[person.submissions[0].id].status = "ON HOLD"
    with pytest.raises(SessionOverError):
        open_session(provider="prolific", parameters=query_of(address), now=server.clock())
    assert not StudySession.objects.exists()


def test_study_that_was_paused_at_the_provider_is_a_notice(server, study, campaign):
    server.call("POST", f"/studies/{study.external_id}/transition/", {"action": "PAUSE"})
    campaign.sweep(minutes=15, times=2)
    study.refresh_from_db()
    assert study.notice.startswith("The study was paused at the provider.")
    assert server.platform.studies[study.external_id].status == "ACTIVE"


def test_places_taken_are_counted_if_the_study_does_not_tell():
    with running_prolific(options=Options(details_have_places_taken=False)) as server:
        study = server.add_study()
        server.participant().take(study.id)
        listed = connect(server).study(study.id)
    assert (listed.places, listed.places_taken) == (2, 1)
