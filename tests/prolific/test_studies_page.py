"""The studies page of a project, and decisions on payments of unknown outcome."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.models import Settlement, Study, StudySession, Worker
from dashboard.protocol import pending_tasks, progress_of
from projects.models import Project
from tests.dashboard.campaign import make_user
from tests.fakes.prolific import Fault
from tests.prolific.campaign import REWARD_CENTS, Campaign, Person, label


@pytest.fixture
def campaign(server) -> Campaign:
    return Campaign(server, [])


class Requester:
    """A requester who signs in for each page, because the clock advances by days."""

    def __init__(self, project) -> None:
        self.user = make_user("olga")
        project.memberships.create(user=self.user, role="requester")

    def get(self, *arguments, **options):
        return self._client().get(*arguments, **options)

    def post(self, *arguments, **options):
        return self._client().post(*arguments, **options)

    def _client(self) -> Client:
        client = Client()
        client.force_login(self.user)
        return client


@pytest.fixture
def client(project) -> Requester:
    return Requester(project)


@pytest.fixture
def address(project) -> str:
    return reverse("consolidation:studies", args=[project.slug])


def text_of(response) -> str:
    page = response.content.decode().replace("&#x27;", "'").split("</header>")[-1]
    return " ".join(page.split())


def owe_a_bonus(server, study) -> Person:
    """Let a participant do three tasks and return the place."""
    person = Person(server, label)
    person.take_part(study.external_id, most=3)
    person.participant.return_place()
    return person


def test_page_without_studies_is_empty(client, address):
    assert "No studies yet" in text_of(client.get(address))


def test_studies_are_listed_with_places_sessions_and_pay(client, address, server, study, campaign):
    person = Person(server, label)
    session = person.arrive(study.external_id)
    while task := person.next_task(session):
        campaign.clock.advance(minutes=1)
        person.work(task)
    person.finish(session)
    page = text_of(client.get(address))
    assert "1 of 2" in page
    assert "1 finished, not confirmed" in page
    campaign.settle()
    page = text_of(client.get(address))
    assert "1 approved" in page
    cents = sum(row.amount + row.fee + row.vat for row in server.movements)
    assert f"${cents / 100:.2f}" in page


def finished_session(study, number: int, *, minutes: float) -> None:
    StudySession.objects.create(
        study=study,
        worker=Worker.objects.create(
            provider=study.provider, external_id=f"{number:024x}", first_seen_at=study.published_at
        ),
        external_id=f"session{number}",
        state="finished",
        arrived_at=study.published_at,
        deadline=study.published_at + timedelta(hours=1),
        finished_at=study.published_at + timedelta(minutes=minutes),
    )


def test_pay_is_compared_with_the_minimum_from_five_sessions_on(client, address, study):
    assert "after 5 sessions" in text_of(client.get(address))
    for number, minutes in enumerate((20, 25, 30, 35)):
        finished_session(study, number, minutes=minutes)
    page = text_of(client.get(address))
    assert "after 5 sessions" in page
    assert "an hour, and the minimum" not in page
    finished_session(study, 4, minutes=40)
    page = text_of(client.get(address))
    assert "30.0" in page
    assert "The median session pays $4.80 an hour, and the minimum is $8.00." in page


def test_sessions_that_nobody_can_have_worked_through_show_no_pay(client, address, study):
    for number in range(6):
        finished_session(study, number, minutes=0.1)
    page = text_of(client.get(address))
    assert "after 5 sessions" in page
    assert "0.1" not in page


def test_studies_are_downloaded(client, address, study):
    lines = client.get(address, {"format": "csv"}).getvalue().decode().splitlines()
    assert lines[0] == 'Study,State,Places taken,Sessions,"Median, min",Hourly pay,Cost'
    assert len(lines) == 2
    assert lines[1].startswith(study.hit_type.title)


def test_batches_and_studies_link_to_each_other(client, address, project, study):
    batch = project.batches.get()
    of_batch = reverse("consolidation:batch", args=[project.slug, batch.pk])
    assert f'href="{of_batch}"' in client.get(address).content.decode()
    assert f'href="{address}"' in client.get(of_batch).content.decode()


def test_menu_has_studies_only_for_providers_with_studies(client, address, project):
    batches = reverse("consolidation:batches", args=[project.slug])
    assert f'href="{address}"' in client.get(batches).content.decode()
    project.provider = "mturk"
    project.save()
    assert f'href="{address}"' not in client.get(batches).content.decode()


def test_errors_of_studies_and_sessions_are_shown(client, address, server, project, study):
    Study.objects.update(error="Add money to the wallet.")
    Person(server, label).arrive(study.external_id)
    StudySession.objects.update(error="The service is busy.")
    page = text_of(client.get(address))
    assert "Add money to the wallet." in page
    assert "The service is busy." in page
    waiting = {row.label: row.count for row in pending_tasks(progress_of(project=project))}
    assert waiting["studies with problems"] == 1


def test_waiting_work_is_shown_with_its_time_and_published_now(client, address, server, study):
    until = server.clock() + timedelta(minutes=9)
    Study.objects.update(waiting=3, waits_until=until, hits_per_session=10)
    page = text_of(client.get(address))
    assert "have no place yet, because a session has 10." in page
    assert f"at {until:%H:%M} UTC at the latest" in page
    now = reverse("consolidation:publish_study_now", args=["moods", study.pk])
    page = text_of(client.post(now, follow=True))
    assert "The waiting tasks get a place within a minute." in page
    assert "no place yet" not in page


@pytest.fixture
def unknown(server, study, campaign) -> Settlement:
    owe_a_bonus(server, study)
    server.faults.once(Fault.DROP_BEFORE, "POST", "*/pay/")
    campaign.settle()
    return Settlement.objects.get(state="unknown")


@pytest.mark.parametrize("was_paid", ["yes", "no"])
def test_payment_of_unknown_outcome_is_decided_after_a_confirmation(
    client, address, campaign, unknown, was_paid
):
    project = Project.objects.get()
    assert "Bonus of $0.90" in text_of(client.get(address))
    waiting = {row.label: row.count for row in pending_tasks(progress_of(project=project))}
    assert waiting["payments to look up"] == 1
    decide = reverse("consolidation:decide_session_payment", args=[project.slug, unknown.pk])
    page = text_of(client.post(decide, {"was_paid": was_paid}))
    assert ("Book $0.90 as paid?" if was_paid == "yes" else "Pay $0.90 again?") in page
    unknown.refresh_from_db()
    assert unknown.state == "unknown"
    fields = {"was_paid": was_paid, "confirmed": "yes"}
    page = text_of(client.post(decide, fields, follow=True))
    assert ("is booked as paid" if was_paid == "yes" else "will be paid again") in page
    campaign.settle()
    bonuses = [row.amount for row in campaign.server.movements if row.kind == "bonus"]
    assert bonuses == ([] if was_paid == "yes" else [3 * REWARD_CENTS])
    unknown.refresh_from_db()
    assert unknown.state == "confirmed"
    page = text_of(client.post(decide, fields, follow=True))
    assert "Nothing was changed: This bonus doesn't need a decision any more." in page


def test_payment_of_another_project_is_not_found(client, project, unknown):
    Study.objects.update(budget=type(project.budget).objects.create(key="another"))
    decide = reverse("consolidation:decide_session_payment", args=[project.slug, unknown.pk])
    assert client.post(decide, {"was_paid": "no", "confirmed": "yes"}).status_code == 404


def test_number_of_queries_does_not_grow_with_studies(client, address, study):
    def queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    queries()
    before = queries()
    for number in range(30):
        study.pk, study.token, study.external_id = None, f"st-{number}", f"{number:024x}"
        study.save()
    assert queries() == before
