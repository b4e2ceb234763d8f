"""What short, empty and unopened sessions are paid, and who may start another session."""

import pytest
from django.test import Client
from django.urls import reverse

from crowd.models import Payment, StudySession, Worker
from dashboard.events import recent_events
from projects.enums import NotificationKind
from tests.fakes.prolific import Fault
from tests.prolific.campaign import (
    DAY,
    REWARD_CENTS,
    Campaign,
    Person,
    label,
    ledger_cents,
    local,
    open_settlements,
    wallet_cents,
)
from tests.prolific.test_studies_page import Requester, text_of

WEEK = 7 * DAY
REASON = (
    "You submitted the study without submitting a single task, and the place was not returned when we "
    "asked for it."
)


@pytest.fixture
def person(server) -> Person:
    return Person(server, label)


@pytest.fixture
def campaign(server) -> Campaign:
    return Campaign(server, [])


@pytest.fixture
def client(project) -> Requester:
    return Requester(project)


def decision_page(session: StudySession) -> str:
    return reverse("consolidation:decide_session", args=["moods", session.pk])


def work(person: Person, session: str, count: int) -> None:
    for _ in range(count):
        task = person.next_task(session)
        assert task
        person.work(task)


def is_paid_exactly(server, cents: int) -> bool:
    """Return True if the ledger equals the wallet, and workers received this amount."""
    assert open_settlements() == 0
    assert ledger_cents() == wallet_cents(server)
    return ledger_cents()[0] == cents


# Leaving early


def test_early_leaver_gets_no_code_and_is_paid_by_bonus_after_returning(
    study, server, campaign, person
):
    session = person.arrive(study.external_id)
    work(person, session, 1)
    response = Client().post(f"{session}finish/")
    page = text_of(response)
    assert "You submitted 1 of 8 tasks." in page
    assert "you are paid <strong>$0.30</strong>" in page
    assert study.completion_code not in page
    assert StudySession.objects.get().state == "active"
    person.participant.return_place()
    campaign.sweep(minutes=15, times=2)
    campaign.settle()
    assert is_paid_exactly(server, REWARD_CENTS)
    assert {row.kind for row in server.movements} == {"bonus"}
    assert StudySession.objects.get().issue == "short"


def test_early_leaver_can_change_their_mind(study, server, campaign, person):
    session = person.arrive(study.external_id)
    work(person, session, 2)
    assert "Continue instead" in text_of(Client().post(f"{session}finish/"))
    work(person, session, 2)
    person.finish(session)
    campaign.sweep(minutes=15)
    campaign.settle()
    assert is_paid_exactly(server, 8 * REWARD_CENTS)
    assert StudySession.objects.get().issue == ""


def test_share_of_tasks_is_a_setting(study, settings, person):
    session = person.arrive(study.external_id)
    work(person, session, 2)
    settings.SESSION_MIN_SHARE = 0.25
    assert study.completion_code in text_of(Client().post(f"{session}finish/"))


def test_worker_without_further_tasks_gets_the_code(study, project, server, campaign, person):
    session = person.arrive(study.external_id)
    work(person, session, 1)
    study.hits.exclude(deals__state="done").update(state="finished")
    study.hits.get(deals__state="done")
    session_row = StudySession.objects.get()
    session_row.deals.filter(state="open").delete()
    person.finish(session)
    assert person.participant.submissions[-1].status == "AWAITING REVIEW"
    campaign.sweep(minutes=15)
    campaign.settle()
    assert is_paid_exactly(server, 8 * REWARD_CENTS)


@pytest.mark.parametrize(
    ("language", "start"),
    [
        ("de-AT", "In dieser Sitzung wurde keine Aufgabe eingereicht"),
        ("fr", "No task was submitted in this session"),
    ],
)
def test_place_is_requested_back_in_the_language_of_the_session(
    study, campaign, person, language, start
):
    address = local(person.participant.take(study.external_id))
    Client().get(address, headers={"Accept-Language": language})
    assert Worker.objects.get().language == ("de" if language == "de-AT" else "")
    person.participant.leave_without_code()
    campaign.sweep(minutes=15, times=2)
    [reason] = person.participant.submissions[-1].return_reasons
    assert reason.startswith(start)


@pytest.mark.parametrize("returns", [True, False])
def test_few_tasks_handed_in_without_a_code_are_requested_back(
    study, server, campaign, person, returns
):
    session = person.arrive(study.external_id)
    work(person, session, 2)
    person.participant.complete(study.completion_code)  # which somebody has shared
    campaign.sweep(minutes=15, times=2)
    row = StudySession.objects.get()
    assert (row.state, row.issue) == ("submitted", "short")
    assert row.return_requested_at
    campaign.settle()
    assert wallet_cents(server) == (0, 0)
    if returns:
        person.participant.return_place()
    campaign.sweep(minutes=WEEK)
    campaign.settle()
    assert is_paid_exactly(server, (2 if returns else 8) * REWARD_CENTS)


def test_early_session_is_approved_after_a_week_if_the_request_fails(
    study, server, campaign, person
):
    server.faults.add(Fault.SERVER_ERROR, "POST", "*/request-return/")
    work(person, person.arrive(study.external_id), 2)
    person.participant.leave_without_code()
    campaign.sweep(minutes=15, times=2)
    campaign.sweep(minutes=WEEK)
    campaign.settle()
    assert is_paid_exactly(server, 8 * REWARD_CENTS)


# One session at a time


def test_second_session_waits_for_the_review_of_the_first(study, server, campaign, person):
    person.take_part(study.external_id, most=4)  # and leaves without the code
    person.participant.leave_without_code()
    campaign.sweep(minutes=1)
    StudySession.objects.update(state="submitted")
    address = local(person.participant.take(study.external_id))
    response = Client().get(address)
    assert response.status_code == 409
    page = text_of(response)
    assert "Your last session of" in page
    assert "reload this page" in page
    assert StudySession.objects.count() == 1
    StudySession.objects.update(state="approved")
    assert Client().get(address).status_code == 302


def test_second_session_names_the_latest_end_of_the_review(study, server, campaign, person):
    work(person, person.arrive(study.external_id), 2)
    person.participant.leave_without_code()
    campaign.sweep(minutes=15)
    row = StudySession.objects.get()
    assert row.issue == "short"
    page = text_of(Client().get(local(person.participant.take(study.external_id))))
    end = server.clock().replace(second=0, microsecond=0)
    assert f"{end:%Y}" in page
    assert "at the latest" in page


def test_open_session_can_be_continued_from_another_place(study, server, person):
    session = person.arrive(study.external_id)
    row = StudySession.objects.get()
    server.platform.submissions[row.external_id].participant = "f" * 24  # allows a second place
    address = local(person.participant.take(study.external_id))
    server.platform.submissions[row.external_id].participant = person.id
    response = Client().get(address)
    assert response.status_code == 409
    assert f'href="{session.rsplit("/", 2)[0]}' in response.content.decode()


def test_session_that_was_just_returned_does_not_hinder_the_next(study, person):
    person.arrive(study.external_id)
    person.participant.return_place()
    person.arrive(study.external_id)
    states = StudySession.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["returned", "active"]


def test_number_of_sessions_per_person_is_limited(study, settings, campaign, person):
    settings.SESSIONS_PER_WORKER = 1
    session = person.arrive(study.external_id)
    work(person, session, 4)
    person.finish(session)
    campaign.sweep(minutes=15)
    campaign.settle()
    response = Client().get(local(person.participant.take(study.external_id)))
    assert response.status_code == 403
    assert "One person can do 1 session of this project" in text_of(response)


# Sessions that never arrived


def test_place_that_was_never_opened_is_found_and_can_still_be_used(
    study, server, campaign, person
):
    address = local(person.participant.take(study.external_id))
    campaign.sweep(minutes=5)
    assert StudySession.objects.count() == 0
    campaign.sweep(minutes=30)
    row = StudySession.objects.get()
    assert (row.state, row.issue, row.arrived_at) == ("active", "unopened", None)
    assert row.return_requested_at
    assert person.participant.submissions[-1].return_requested
    session = Client().get(address)["Location"]
    work(person, session, 4)
    person.finish(session)
    campaign.sweep(minutes=15)
    campaign.settle()
    assert is_paid_exactly(server, 8 * REWARD_CENTS)
    assert StudySession.objects.get().issue == ""


def test_place_that_was_never_opened_is_free_again_after_its_time(study, server, campaign, person):
    person.participant.take(study.external_id)
    campaign.sweep(minutes=35)
    campaign.sweep(minutes=DAY, times=2)
    assert StudySession.objects.get().state == "returned"
    people = [Person(server, label) for _ in range(2)]
    assert [other.take_part(study.external_id) for other in people] == [8, 8]


def hand_in_unopened(study, campaign, person: Person, *, minutes: float = 1) -> StudySession:
    person.participant.take(study.external_id)
    campaign.clock.advance(minutes=minutes)
    person.participant.leave_without_code()
    campaign.sweep(minutes=15, times=2)
    return StudySession.objects.get()


def test_session_without_any_task_is_rejected_by_a_person_only(study, campaign, person, client):
    row = hand_in_unopened(study, campaign, person)
    assert (row.state, row.issue) == ("submitted", "unopened")
    assert person.participant.submissions[-1].return_requested
    campaign.sweep(minutes=8 * DAY)
    assert person.participant.submissions[-1].status == "AWAITING REVIEW"
    studies = text_of(client.get(reverse("consolidation:studies", args=["moods"])))
    assert "Sessions without work" in studies
    page = decision_page(row)
    assert "never opened this site" in text_of(client.get(page))
    refused = client.post(page, {"reason": "No."})
    assert refused.status_code == 422
    assert "The reason has 3 characters. Prolific requires 100." in text_of(refused)
    client.post(page, {"reason": REASON})
    campaign.sweep(minutes=5)
    submission = person.participant.submissions[-1]
    assert submission.status == "REJECTED"
    assert submission.rejection == ("NO_DATA", REASON)
    assert ledger_cents() == (0, 0)
    assert client.get(page).status_code == 404


def test_session_without_any_task_can_be_paid(study, server, campaign, person, client):
    row = hand_in_unopened(study, campaign, person)
    page = decision_page(row)
    for _ in range(2):
        client.post(page, {"pay": "yes"})
    campaign.settle()
    assert person.participant.submissions[-1].status == "APPROVED"
    assert is_paid_exactly(server, 8 * REWARD_CENTS)
    assert Payment.objects.count() == 1


def test_session_that_prolific_approves_by_itself_is_in_the_ledger(study, server, campaign, person):
    hand_in_unopened(study, campaign, person, minutes=10)
    campaign.sweep(minutes=21 * DAY)
    assert person.participant.submissions[-1].status == "APPROVED"
    campaign.sweep(minutes=DAY, times=2)
    campaign.settle()
    assert is_paid_exactly(server, 8 * REWARD_CENTS)


# Notifications


def test_requester_is_notified_of_short_sessions_once_a_day(
    study, server, campaign, client, project
):
    def events() -> list[str]:
        rows = recent_events(now=server.clock())
        return [event.key for event in rows if event.kind == NotificationKind.SESSIONS]

    assert events() == []
    for _ in range(2):
        person = Person(server, label)
        person.take_part(study.external_id, most=1)
        person.participant.return_place()
    campaign.sweep(minutes=15, times=2)
    assert events() == [f"sessions:{project.pk}:{server.clock().date()}"]
    page = text_of(client.get(reverse("consolidation:studies", args=[project.slug])))
    assert "1 of 8" in page
    assert "This alone is no reason to refuse anything" in page
