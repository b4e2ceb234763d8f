"""Consent of participants who come from Prolific, which they give or refuse on arrival."""

import pytest
from django.test import Client

from annotation.models import Consent
from crowd.models import Deal, StudySession
from tests.annotation.onboarding import AGE, hidden_fields, publish_fields, publish_text
from tests.prolific.campaign import COMPLETION, Campaign, Person, label, wallet_cents
from tests.prolific.test_studies_page import text_of


@pytest.fixture
def person(server) -> Person:
    return Person(server, label)


def test_arrival_page_has_the_time_the_pay_and_a_contact(study, project, person):
    session = person.arrive(study.external_id)
    page = text_of(Client().get(session))
    assert "About 12 minutes for up to 8 tasks, <strong>$2.40</strong>." in page
    assert "To ask something, write to us through Prolific’s messages." in page
    project.contact = "Language Lab, lab@example.org"
    project.save()
    assert "Contact: Language Lab, lab@example.org" in text_of(Client().get(session))


def test_participant_consents_on_arrival_and_then_works(study, server, project, person):
    text = publish_text(project)
    session = person.arrive(study.external_id)
    page = person.pages.get(session).text
    assert "The data is <strong>published</strong> without names." in page
    assert person.next_task(session) is None  # not before the consent
    assert Deal.objects.count() == 0
    fields = hidden_fields(page)
    refused = person.pages.post(f"{session}consent/", fields)
    assert refused.status == 422
    assert "Agree to the text, or choose" in refused.text
    accepted = person.pages.post(f"{session}consent/", fields | {"accepts": "on"})
    assert (accepted.status, accepted.location.split("/")[1]) == (302, "sessions")
    consent = Consent.objects.get()
    assert (consent.text, consent.worker.external_id) == (text, person.id)
    for _ in range(2):
        task = person.next_task(session)
        assert task
        person.work(task)
    assert Consent.objects.count() == 1


def test_questionnaire_follows_with_the_first_task(study, project, person):
    publish_text(project)
    publish_fields(project, AGE)
    session = person.arrive(study.external_id)
    fields = hidden_fields(person.pages.get(session).text)
    person.pages.post(f"{session}consent/", fields | {"accepts": "on"})
    task = person.next_task(session)
    assert task
    page = person.pages.get(task).text
    assert "Year of birth" in page
    assert "Consent text" not in page


def test_new_version_is_read_before_it_counts(study, project, person):
    publish_text(project)
    session = person.arrive(study.external_id)
    fields = hidden_fields(person.pages.get(session).text)
    publish_text(project, "The data is **sold**.")
    response = person.pages.post(f"{session}consent/", fields | {"accepts": "on"})
    assert response.status == 422
    assert "The consent text has changed" in response.text
    assert "sold" in response.text
    assert Consent.objects.count() == 0


@pytest.mark.parametrize("has_text", [True, False])
def test_participant_who_declines_returns_the_place_without_penalty(
    study, server, project, person, has_text
):
    if has_text:
        publish_text(project)
    session = person.arrive(study.external_id)
    page = person.pages.post(f"{session}decline/")
    assert "You chose not to take part" in page.text
    code = COMPLETION.search(page.text)
    assert code
    assert code[1] == study.decline_code
    person.participant.complete(code[1])
    submission = person.participant.submissions[-1]
    assert submission.return_requested
    person.participant.return_place()
    Campaign(server, []).sweep(minutes=15, times=2)
    row = StudySession.objects.get()
    assert (row.state, row.issue) == ("returned", "")
    assert wallet_cents(server) == (0, 0)
    assert Consent.objects.count() == 0


def test_study_without_a_code_for_decliners_explains_the_return(study, person):
    type(study).objects.update(decline_code="")
    session = person.arrive(study.external_id)
    page = person.pages.post(f"{session}decline/").text
    assert COMPLETION.search(page) is None
    assert "choose to stop without completing it" in page


def test_participant_who_declines_can_change_their_mind(study, server, project, person):
    publish_text(project)
    session = person.arrive(study.external_id)
    person.pages.post(f"{session}decline/")
    assert StudySession.objects.get().declined_at
    fields = hidden_fields(person.pages.get(session).text)
    person.pages.post(f"{session}consent/", fields | {"accepts": "on"})
    assert StudySession.objects.get().declined_at is None
    assert person.next_task(session)
