"""Tests of messages to several workers and of their withdrawal from a project."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.domain.publishing.qualification_codes import pool_code
from audit.models import StateChange
from crowd.domain.workers.qualifications import grant_qualification
from crowd.models import Message, QualificationGrant, QualificationType
from qualification.models import Enrolment, Round
from tests.dashboard.campaign import add_workers

pytestmark = pytest.mark.django_db


@pytest.fixture
def granted(campaign, project):
    """Grant the generators' qualification to the first two workers."""
    kind = QualificationType.objects.create(
        provider=project.provider, code=pool_code(project, "generator"), name="Generators"
    )
    for worker in campaign.workers[:2]:
        grant_qualification(qualification=kind, worker=worker, now=timezone.now())
    return campaign.workers


def post(office, project, name, workers, **fields):
    url = reverse(f"qualification:{name}", args=[project.slug])
    return office.post(url, {"row": [worker.pk for worker in workers], **fields}, follow=True)


def test_message_is_sent_to_the_selected_workers(office, campaign, project):
    chosen = campaign.workers[:2]
    page = post(office, project, "message_workers", chosen).content.decode()
    assert re.search(r'aria-current="page">Workers<', page)
    assert "Send message to 2 workers" in page
    assert not Message.objects.exists()
    fields = {"subject": "Guidelines", "text": "Version 2 is out.", "confirmed": "yes"}
    result = post(office, project, "message_workers", chosen, **fields).content.decode()
    assert "2 messages will be sent shortly." in result
    assert {row.worker for row in Message.objects.filter(text="Version 2 is out.")} == set(chosen)


def test_message_is_written_to_trainees_selected_in_a_round(office, campaign, project):
    training_round = Round.objects.create(project=project, ordinal=1, kind="training")
    worker = campaign.workers[-1]
    enrolment = Enrolment.objects.create(
        round=training_round, worker=worker, enrolled_at=timezone.now()
    )
    fields = {"enrolment": [enrolment.pk], "verdict": "pass", "sends": "on"}
    page = post(office, project, "message_workers", [], **fields).content.decode()
    assert "Send message to 1 worker" in page
    assert f'name="row" value="{worker.pk}"' in page


def test_message_requires_subject_and_text(office, campaign, project):
    response = post(office, project, "message_workers", campaign.workers[:1], confirmed="yes")
    assert response.status_code == 422
    assert not Message.objects.exists()


def test_workers_are_withdrawn_and_failures_explained(office, granted, project):
    page = post(office, project, "withdraw_workers", granted[:3]).content.decode()
    assert "Withdraw 3 workers from the project?" in page
    assert set(QualificationGrant.objects.values_list("state", flat=True)) == {"pending"}
    fields = {"reason": "The project has ended.", "confirmed": "yes"}
    result = post(office, project, "withdraw_workers", granted[:3], **fields)
    assert [str(message) for message in result.context["messages"]] == [
        f"Not changed, {granted[2].pseudonym}: The worker has no qualification of this project.",
        "The qualifications of 2 workers are being revoked.",
    ]
    assert set(QualificationGrant.objects.values_list("state", flat=True)) == {"revoking"}
    change = StateChange.objects.filter(aggregate="crowd.QualificationGrant", new="revoked").first()
    assert change.reason == "The project has ended."


@pytest.mark.parametrize("name", ["message_workers", "withdraw_workers"])
def test_only_workers_of_the_project_are_selected(office, campaign, project, name):
    stranger = add_workers(1)
    for workers in ([], stranger):
        response = post(office, project, name, workers, confirmed="yes", reason="x")
        assert "Select at least one worker." in response.content.decode()


def test_trainers_cannot_select_workers(client, campaign, project):
    from tests.dashboard.campaign import make_user

    client.force_login(make_user("tess", project, "trainer"))
    url = reverse("qualification:workers", args=[project.slug])
    assert b'name="row"' not in client.get(url).content
