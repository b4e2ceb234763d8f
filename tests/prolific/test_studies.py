"""Studies: created and published exactly once, with enough places for their work."""

from datetime import timedelta

import pytest

from annotation.domain.publishing.publish import publish_batch
from audit.models import StateChange
from crowd.domain.hits.manage_hits import (
    add_assignments,
    expire_hits,
    extend_hits,
    pause_hits,
    resume_hits,
)
from crowd.domain.hits.plan_study import PayTooLowError, plan_session
from crowd.domain.sessions.publish_studies import hurry_study
from crowd.models import Budget, Hit, Study
from tests.fakes.prolific import Fault
from tests.prolific.campaign import Campaign, Person, label


@pytest.fixture
def campaign(server) -> Campaign:
    return Campaign(server, [])


@pytest.fixture
def published(server, project) -> None:
    publish_batch(project=project, now=server.clock())


def statuses(server) -> list[str]:
    return [study.status for study in server.platform.studies.values()]


@pytest.mark.parametrize(
    "fault", [Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.ERROR_AFTER, Fault.THROTTLE]
)
@pytest.mark.parametrize("times", [1, 5])
def test_study_is_created_and_published_once(server, published, campaign, fault, times):
    server.faults.add(fault, "POST", "/studies/*", times=times)
    campaign.sweep(minutes=15, times=12)
    assert statuses(server).count("ACTIVE") == 1
    assert set(statuses(server)) <= {"ACTIVE", "UNPUBLISHED"}
    assert Study.objects.get().state == "live"


def test_duplicates_of_a_draft_are_deleted(server, published, campaign):
    server.faults.add(Fault.DROP_AFTER, "POST", "/studies/", times=1)
    campaign.sweep(times=1)
    token = Study.objects.get().token
    twin = server.add_study(publish=False, internal_name=token)
    campaign.sweep(minutes=15, times=3)
    assert twin.id not in server.platform.studies
    assert statuses(server) == ["ACTIVE"]


def test_empty_wallet_delays_publication_with_a_message(server, published, campaign):
    start, server.workspace.start = server.workspace.start, 100
    campaign.sweep(minutes=15, times=3)
    row = Study.objects.get()
    assert row.state == "draft"
    assert row.error
    server.workspace.start = start
    campaign.sweep(minutes=15, times=3)
    row.refresh_from_db()
    assert (row.state, row.error) == ("live", "")


def test_reward_below_the_minimum_is_refused_before_anything_is_stored(server, project):
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = 5
    project.save()
    with pytest.raises(PayTooLowError, match=r"requires \$8.00 an hour .* at least \$0.20"):
        publish_batch(project=project, now=server.clock())
    assert (Hit.objects.count(), Study.objects.count()) == (0, 0)
    assert Budget.objects.get(project=project).reserved_cents == 0


def test_study_gets_places_for_work_that_is_added(server, study, campaign, project):
    people = [Person(server, label) for _ in range(2)]
    assert [person.take_part(study.external_id) for person in people] == [8, 8]
    campaign.sweep(minutes=15, times=2)
    assert server.platform.studies[study.external_id].places == 2
    for hit in Hit.objects.filter(study=study):
        add_assignments(hit=hit, number=1, now=server.clock())
    campaign.sweep(minutes=15, times=3)
    assert server.platform.studies[study.external_id].places == 3
    assert Person(server, label).take_part(study.external_id) == 8


@pytest.mark.parametrize(("items", "places"), [(1, 1), (3, 1), (5, 2), (8, 2)])
def test_published_batch_gets_its_places_at_once(server, project, campaign, items, places):
    """Sessions have up to 8 tasks, and two people annotate each item."""
    batch = publish_batch(project=project, limit=items, now=server.clock())
    Study.objects.update(hits_per_session=8)
    campaign.sweep(times=3)
    study = Study.objects.get(hits__task__batch=batch) if items == 1 else Study.objects.get()
    assert server.platform.studies[study.external_id].places == places
    assert (study.waiting, study.waits_until) == (0, None)


@pytest.fixture
def consolidations(server, study, campaign) -> Study:
    """Return the study of the consolidators, with three tasks that don't fill a session."""
    people = [Person(server, label) for _ in range(2)]
    for person in people:
        assert person.take_part(study.external_id, most=3) == 3
        person.participant.return_place()
    campaign.sweep(minutes=15, times=2)
    campaign.sweep(minutes=1, times=2)
    return Study.objects.get(is_gradual=True)


def test_consolidations_wait_for_a_session_for_fifteen_minutes(server, campaign, consolidations):
    began = server.clock()
    assert consolidations.waiting == 3
    assert consolidations.places == 0
    until = consolidations.waits_until
    assert began < until <= began + timedelta(minutes=15)
    campaign.sweep(minutes=12)
    consolidations.refresh_from_db()
    assert (consolidations.places, consolidations.waits_until) == (0, until)
    campaign.sweep(minutes=3, times=3)
    consolidations.refresh_from_db()
    assert server.platform.studies[consolidations.external_id].places == 1
    assert (consolidations.waiting, consolidations.waits_until) == (0, None)


def test_waiting_work_is_published_now(server, campaign, consolidations):
    hurry_study(study=consolidations, actor="ada", now=server.clock())
    campaign.sweep(times=3)
    consolidations.refresh_from_db()
    assert server.platform.studies[consolidations.external_id].places == 1
    change = StateChange.objects.get(actor="ada")
    assert change.reason == "The 3 waiting tasks get a place now."


def test_work_of_a_returned_session_gets_its_place_at_once(server, study, campaign):
    Person(server, label).take_part(study.external_id)
    leaver = Person(server, label)
    leaver.take_part(study.external_id, most=6)
    leaver.participant.return_place()
    campaign.sweep(minutes=15, times=2)
    study.refresh_from_db()
    assert study.waits_until is None
    assert Person(server, label).take_part(study.external_id) == 2


def test_paused_batch_pauses_the_study(server, study, campaign):
    pause_hits(hits=Hit.objects.all(), now=server.clock())
    campaign.sweep(minutes=15, times=2)
    assert statuses(server) == ["PAUSED"]
    resume_hits(hits=Hit.objects.all(), now=server.clock())
    campaign.sweep(minutes=15, times=2)
    assert statuses(server) == ["ACTIVE"]


def test_study_ends_with_its_last_hit(server, study, campaign):
    expire_hits(hits=Hit.objects.all(), actor="ada", now=server.clock())
    campaign.sweep(minutes=60 * 24 * 4, times=3)
    assert Study.objects.get().state == "ended"
    assert statuses(server) == ["COMPLETED"]


def test_study_is_adopted_after_a_lost_response(server, published, campaign):
    server.faults.add(Fault.DROP_AFTER, "POST", "*/transition/", times=5)
    campaign.sweep(minutes=15, times=6)
    publications = [path for method, path in server.requests if path.endswith("/transition/")]
    assert Study.objects.get().state == "live"
    assert len(publications) == 1


@pytest.mark.parametrize(
    ("reward", "seconds", "most", "plan"),
    [(30, 90, 100, (10, 15, 300)), (30, 90, 4, (4, 6, 120)), (500, 3600, 9, (1, 60, 500))],
)
def test_session_takes_about_fifteen_minutes(reward, seconds, most, plan):
    session = plan_session(reward_cents=reward, expected_seconds=seconds, max_hits=most)
    assert (session.hits, session.minutes, session.reward_cents) == plan


def test_ended_study_is_revived_by_new_work(server, study, campaign):
    hits = Hit.objects.filter(study=study)
    expire_hits(hits=hits, actor="ada", now=server.clock())
    campaign.sweep(minutes=60 * 24 * 4, times=3)
    assert statuses(server) == ["COMPLETED"]
    extend_hits(hits=hits, ends_at=server.clock() + timedelta(days=7), now=server.clock())
    campaign.sweep(minutes=15, times=3)
    assert statuses(server) == ["ACTIVE"]
    assert Person(server, label).take_part(study.external_id) == 8


def test_restored_database_adopts_its_study(server, study, campaign):
    Study.objects.update(state="pending", external_id=None, attempted_at=None, sync_due_at=None)
    Study.objects.update(sync_due_at=server.clock())
    campaign.sweep(minutes=15, times=3)
    study.refresh_from_db()
    assert statuses(server) == ["ACTIVE"]
    assert server.platform.studies[study.external_id].fields["internal_name"] == study.token
