"""Consent of participants who come from Prolific, on the pages of their sessions."""

import pytest
from django.urls import reverse

from annotation.models import Consent, OnboardingDraft
from crowd.models import Deal
from tests.annotation.onboarding import hidden_fields, publish_text
from tests.prolific.campaign import Campaign, Person, label

ADDRESS = reverse("annotation:onboarding")


@pytest.fixture
def person(server) -> Person:
    return Person(server, label)


def test_participant_consents_once_and_then_works(study, server, project, person):
    text = publish_text(project)
    session = person.arrive(study.external_id)
    task = person.next_task(session)
    assert task
    page = person.pages.get(task).text
    assert "Before your first task" in page
    assert 'id="page"' not in page
    accepted = person.pages.post(ADDRESS, hidden_fields(page) | {"accepts": "on"})
    assert (accepted.status, accepted.location) == (302, task)
    person.work(task)
    second = person.next_task(session)
    assert second
    person.work(second)
    Campaign(server, []).sweep(times=2)
    consent = Consent.objects.get()
    assert (consent.text, consent.worker.external_id) == (text, person.id)
    assert not OnboardingDraft.objects.exists()


def test_participant_who_declines_returns_the_place_and_the_task_is_free(study, project, person):
    publish_text(project)
    task = person.next_task(person.arrive(study.external_id))
    assert task
    page = person.pages.get(task).text
    declined = person.pages.post(ADDRESS, hidden_fields(page) | {"declines": "1"})
    assert declined.status == 200
    assert "Return your submission" in declined.text
    assert "on Prolific" in declined.text
    assert Deal.objects.get().state == "released"
    assert not OnboardingDraft.objects.exists()
