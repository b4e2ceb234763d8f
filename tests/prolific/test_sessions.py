"""Sessions: arrival, assignment of tasks, leaving, and completion on Prolific."""

import json
from datetime import timedelta

import pytest
from django.test import Client

from crowd.models import Assignment, Deal, Payment, Study, StudySession
from crowd.providers.prolific.limits import maximum_minutes
from tests.fakes.prolific import NotEligibleError
from tests.prolific.campaign import (
    PAGE_DATA,
    REWARD_CENTS,
    Campaign,
    Person,
    label,
    ledger_cents,
    local,
    open_settlements,
    wallet_cents,
)


@pytest.fixture
def person(server) -> Person:
    return Person(server, label)


def test_study_has_places_for_all_items_and_both_generators(study, server):
    row = server.platform.studies[study.external_id]
    assert (study.hits_per_session, study.minutes) == (8, 12)
    assert (row.status, row.places, row.reward) == ("ACTIVE", 2, 8 * REWARD_CENTS)


def test_item_is_dealt_once_per_person_and_to_enough_people(study, server):
    people = [Person(server, label) for _ in range(2)]
    assert [person.take_part(study.external_id) for person in people] == [8, 8]
    for person in people:
        hits = Deal.objects.filter(session__worker__external_id=person.id).values_list("hit")
        assert len(set(hits)) == 8
    with pytest.raises(NotEligibleError, match="AWAITING REVIEW"):
        Person(server, label).take_part(study.external_id)


def test_two_tabs_get_the_same_task(study, person):
    session = person.arrive(study.external_id)
    assert Deal.objects.count() == 0
    first, second = person.next_task(session), person.next_task(session)
    assert first
    assert second
    assert first.split("?")[0] == second.split("?")[0]
    assert Deal.objects.count() == 1


def test_reload_and_another_device_continue_the_session(study, person):
    address = local(person.participant.take(study.external_id))
    first = Client().get(address)["Location"]
    person.work(person.next_task(first))
    again = Client().get(address)["Location"]
    assert StudySession.objects.count() == 1
    page = Client().get(again).content.decode()
    assert "1 of 8" in page
    assert "Continue" in page


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
@pytest.mark.parametrize("value", ["", "abc", "0" * 24, "%00", "x" * 5000])
def test_forged_arrival_gets_an_error_page_and_no_item(study, person, name, value):
    address = local(person.participant.take(study.external_id))
    path, _, query = address.partition("?")
    fields = dict(part.split("=", 1) for part in query.split("&")) | {name: value}
    response = Client().get(path, fields)
    assert response.status_code == 403
    assert "can't be opened" in response.content.decode()
    assert (StudySession.objects.count(), Deal.objects.count()) == (0, 0)


def test_session_of_another_participant_is_refused(study, server, person):
    other = Person(server, label)
    address = local(person.participant.take(study.external_id))
    local(other.participant.take(study.external_id))
    stolen = address.replace(person.id, other.id)
    assert Client().get(stolen).status_code == 403
    assert Client().get(address).status_code == 302
    assert Client().get(stolen).status_code == 403


def test_arrival_after_the_end_of_the_session_is_refused(study, server, person):
    address = local(person.participant.take(study.external_id))
    session = Client().get(address)["Location"]
    person.work(person.next_task(session))
    person.finish(session)
    Campaign(server, []).sweep(minutes=10)
    for page in (address, session, f"{session}next/"):
        assert Client().get(page).status_code == 410, page


def test_task_that_arrives_after_the_end_is_named(study, server, person):
    session = person.arrive(study.external_id)
    person.work(person.next_task(session))
    task = person.next_task(session)
    page = json.loads(PAGE_DATA.search(person.pages.get(task).text)[1])
    person.participant.return_place()
    Campaign(server, []).sweep(minutes=15, times=2)
    response = person.pages.post(page["submitTo"], {"assignmentId": page["assignment"]})
    assert response.status == 410
    text = " ".join(response.text.split())
    assert "<h1> This session is over </h1>" in text
    assert "Task 2 was not saved" in text
    assert "You returned your place." in text
    assert "The 1 task that you submitted is saved, and it is paid by bonus" in text
    assert "can't be opened" not in text
    assert Assignment.objects.count() == 1


def test_revisit_after_the_time_says_so(study, server, person):
    session = person.arrive(study.external_id)
    Campaign(server, []).sweep(minutes=24 * 60)
    text = " ".join(person.pages.get(session).text.split())
    assert "This session is over" in text
    assert "Its time ran out. No task was submitted in it." in text


def test_forged_session_address_is_refused(study, person):
    session = person.arrive(study.external_id)
    task = person.next_task(session)
    for address in (f"{session[:-3]}x/", task.replace("session=", "session=x")):
        assert Client().get(address).status_code in (400, 403)


def test_unconfirmed_arrival_asks_to_wait(study, server, person):
    address = local(person.participant.take(study.external_id))
    server.platform.token = "another"
    response = Client().get(address)
    server.platform.token = server.token
    assert response.status_code == 503
    assert "reload" in response.content.decode()


def test_returned_session_is_paid_for_finished_tasks(study, server, person):
    assert person.take_part(study.external_id, most=3) == 3
    person.participant.return_place()
    campaign = Campaign(server, [])
    campaign.sweep(minutes=15, times=3)
    assert set(Deal.objects.values_list("state", flat=True)) == {"done"}
    campaign.settle()
    assert open_settlements() == 0
    assert ledger_cents() == wallet_cents(server)
    assert ledger_cents()[0] == 3 * REWARD_CENTS
    assert {row.kind for row in server.movements} == {"bonus"}


def test_task_of_a_worker_who_left_is_dealt_again(study, server, person):
    session = person.arrive(study.external_id)
    person.next_task(session)
    person.participant.return_place()
    Campaign(server, []).sweep(minutes=15, times=3)
    assert Deal.objects.get().state == "released"
    people = [Person(server, label) for _ in range(2)]
    assert [other.take_part(study.external_id) for other in people] == [8, 8]


def test_timed_out_session_is_paid_for_finished_tasks(study, server, person):
    assert person.take_part(study.external_id, most=2) == 2
    Campaign(server, []).sweep(minutes=24 * 60 + 5, times=2)
    Campaign(server, []).settle()
    assert ledger_cents() == wallet_cents(server)
    assert ledger_cents()[0] == 2 * REWARD_CENTS


def test_lost_redirect_is_completed_by_the_site(study, server, person):
    person.take_part(study.external_id, loses_redirect=True)
    campaign = Campaign(server, [])
    campaign.sweep(minutes=1)
    assert person.participant.submissions[-1].status == "ACTIVE"
    campaign.sweep(minutes=10)
    assert StudySession.objects.get().state in ("submitted", "approved")
    campaign.settle()
    assert person.participant.submissions[-1].status == "APPROVED"
    assert ledger_cents() == wallet_cents(server)


def test_half_of_the_tasks_without_a_code_are_paid_like_a_session(study, server, person):
    session = person.arrive(study.external_id)
    for _ in range(4):
        person.work(person.next_task(session))
    person.participant.leave_without_code()
    campaign = Campaign(server, [])
    campaign.sweep(minutes=15, times=2)
    campaign.settle()
    assert StudySession.objects.get().state == "approved"
    # The study pays its whole reward for a submitted session.
    assert ledger_cents() == wallet_cents(server)
    assert ledger_cents()[0] == 8 * REWARD_CENTS
    assert Payment.objects.get(kind="top_up").amount_cents == 4 * REWARD_CENTS


def test_blocked_worker_gets_no_session(study, server, person):
    from crowd.domain.workers.block_worker import block_worker
    from crowd.domain.workers.register_worker import register_worker

    worker = register_worker(provider="prolific", external_id=person.id, now=server.clock())
    address = local(person.participant.take(study.external_id))
    block_worker(worker=worker, reason="Random answers.", actor="ada", now=server.clock())
    assert Client().get(address).status_code == 403
    Campaign(server, []).sweep()
    person.participant.return_place()
    assert person.studies() == []


def test_work_is_due_within_the_time_of_the_study(study, person):
    person.arrive(study.external_id)
    row = StudySession.objects.get()
    assert row.deadline - row.arrived_at == timedelta(
        minutes=maximum_minutes(study.minutes, factor=4)
    )


def test_submit_is_idempotent(study, person):
    session = person.arrive(study.external_id)
    task = person.next_task(session)
    person.work(task)
    deal = Deal.objects.get()
    from crowd.domain.sessions.deal_hit import submit_deal

    submit_deal(token=deal.token, answer={}, now=deal.ended_at)
    assert Assignment.objects.count() == 1
    assert Study.objects.count() == 1
