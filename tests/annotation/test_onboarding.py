"""Consent and questionnaire before a worker's first task, in the frame."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.work.onboarding.answers import answers_table, versions_with_counts
from annotation.domain.work.onboarding.questionnaire import (
    QuestionnaireError,
    publish_questionnaire,
)
from annotation.domain.work.onboarding.steps import delete_unconfirmed_onboarding
from annotation.domain.work.record_assignment import record_assignment
from annotation.enums import FieldKind
from annotation.models import BlockAssignment, Consent, OnboardingDraft, QuestionnaireAnswer, Task
from crowd.models import Assignment
from tests.annotation.factories import NOW, make_item, make_project, make_task, task_url
from tests.annotation.onboarding import (
    AGE,
    CONSENT,
    LANGUAGE,
    STUDIES,
    answer,
    hidden_fields,
    publish_fields,
    publish_text,
)
from tests.annotation.page_data import page_data
from tests.crowd.factories import make_assignment, make_worker

pytestmark = pytest.mark.django_db

ORIGIN = "http://127.0.0.1:8000"
TITLE = "Before your first task"


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def task(project) -> Task:
    return make_task([make_item(project)])


def opened(
    client: Client,
    task: Task,
    assignment: str = "A1",
    worker: str = "W1",
    is_signed: bool = True,
    **extra: str,
):
    address = task_url(
        task, assignment=assignment, worker=worker, submit_to=ORIGIN, is_signed=is_signed
    )
    return client.get(address, **extra)


def is_asked(response) -> bool:
    """Return True for the onboarding's page, and False for that of the task."""
    page = response.content.decode()
    asked = TITLE in page
    assert ('id="page"' in page) is not asked
    assert ("rebels" in page) is not asked
    return asked


def confirm(task: Task, worker, external_id: str = "A1") -> Assignment:
    """Record an assignment as the marketplace confirmed it."""
    assignment = make_assignment(task.hit, worker)
    Assignment.objects.filter(pk=assignment.pk).update(external_id=external_id)
    record_assignment(assignment_id=assignment.pk, parse=parse_generation, now=NOW)
    return assignment


def test_task_opens_after_consent_and_answers(client, project, task):
    text = publish_text(project)
    publish_fields(project, AGE, STUDIES, LANGUAGE)
    asked = opened(client, task)
    assert is_asked(asked)
    assert "<strong>published</strong>" in asked.content.decode()
    assert not BlockAssignment.objects.exists()
    filled = {"accepts": "on", "f1": "1990", "f3": "german"}
    response = answer(client, asked, **filled)
    assert response.status_code == 302
    assert response["Location"] == task_url(task, submit_to=ORIGIN)
    assert not is_asked(opened(client, task))
    draft = OnboardingDraft.objects.get()
    assert (draft.consent_text, draft.worker_ref) == (text, "W1")
    assert draft.answers == {
        "f1": {"label": "Year of birth", "value": "1990"},
        "f2": {"label": "Field of study", "value": ""},
        "f3": {"label": "Native language", "value": "German"},
    }


@pytest.mark.parametrize(
    ("filled", "problem"),
    [
        ({"f1": "1990"}, "Agree to the text"),
        ({"accepts": "on"}, "This field is required."),
        ({"accepts": "on", "f1": "1870"}, "greater than or equal to 1900"),
        ({"accepts": "on", "f1": "1990", "f2": "Law"}, "Select a valid choice"),
    ],
)
def test_incomplete_onboarding_is_refused_and_not_stored(client, project, task, filled, problem):
    publish_text(project)
    publish_fields(project, AGE, STUDIES)
    response = answer(client, opened(client, task), **filled)
    assert response.status_code == 422
    assert problem in response.content.decode()
    assert is_asked(opened(client, task))
    assert not OnboardingDraft.objects.exists()


def test_token_of_the_onboarding_authorizes_no_draft(client, project, task):
    publish_text(project)
    token = hidden_fields(opened(client, task).content.decode())["token"]
    message = {"token": token, "revision": 0, "content": {}}
    for name in ("draft", "submit", "tutorial", "look-up"):
        url = reverse(f"annotation:{name}")
        response = client.post(url, message, content_type="application/json")
        assert response.status_code in (400, 403), name
    # The page's token is no token of the onboarding either.
    answer(client, opened(client, task), accepts="on")
    token = page_data(opened(client, task).content.decode())["token"]
    fields = {"token": token, "next": "/", "accepts": "on", "version": "1"}
    assert client.post(reverse("annotation:onboarding"), fields).status_code == 400


def test_worker_who_declines_is_told_to_return_the_task_and_nothing_is_stored(
    client, project, task
):
    publish_text(project)
    response = answer(client, opened(client, task), declines="1", accepts="on")
    page = response.content.decode()
    assert "Return this task" in page
    assert "Nothing that you entered was stored." in page
    assert not OnboardingDraft.objects.exists()
    assert is_asked(opened(client, task))


def test_second_task_asks_nothing(client, project, task):
    publish_text(project)
    publish_fields(project, AGE)
    second = make_task([make_item(project)])
    answer(client, opened(client, task), accepts="on", f1="1990")
    assert not is_asked(opened(client, second, assignment="A2"))
    confirm(task, make_worker_with("W1"))
    elsewhere = {"REMOTE_ADDR": "203.0.113.9"}
    assert not is_asked(opened(client, second, assignment="A2", **elsewhere))


def make_worker_with(external_id: str):
    worker = make_worker()
    worker.external_id = external_id
    worker.save()
    return worker


def test_unconfirmed_consent_does_not_count_on_another_network(client, project, task):
    publish_text(project)
    second = make_task([make_item(project)])
    answer(client, opened(client, task), accepts="on")
    assert is_asked(opened(client, second, assignment="A2", REMOTE_ADDR="203.0.113.9"))
    assert not is_asked(opened(client, task, REMOTE_ADDR="203.0.113.9"))
    assert is_asked(opened(client, task, worker="W2"))


def test_consent_counts_once_the_marketplace_confirms_the_worker(client, project, task):
    text = publish_text(project)
    publish_fields(project, AGE)
    for ref in ("W1", "FORGED"):
        answer(client, opened(client, task, worker=ref), accepts="on", f1="1990")
    assert versions_with_counts(project=project) == [(text, 0)]
    worker = make_worker_with("W1")
    confirm(task, worker)
    consent = Consent.objects.get()
    assert (consent.worker, consent.text) == (worker, text)
    assert versions_with_counts(project=project) == [(text, 1)]
    assert [draft.worker_ref for draft in OnboardingDraft.objects.all()] == ["FORGED"]
    table = answers_table(project=project)
    assert table.columns == ["worker", "consent_version", "consented_at", "Year of birth"]
    accepted = f"{consent.accepted_at:%Y-%m-%dT%H:%M:%SZ}"
    assert list(table.rows) == [[worker.pseudonym, "1", accepted, "1990"]]


def test_consent_in_a_returned_task_counts_with_the_next_one(client, project, task):
    publish_text(project)
    answer(client, opened(client, task, assignment="RETURNED"), accepts="on")
    second = make_task([make_item(project)])
    page = page_data(opened(client, second, assignment="A2").content.decode())
    message = {"token": page["token"], "revision": 0, "content": {}}
    saved = client.post(reverse("annotation:draft"), message, content_type="application/json")
    assert saved.status_code == 200
    confirm(second, make_worker_with("W1"), "A2")
    assert Consent.objects.count() == 1


def test_new_version_asks_again_and_a_correction_does_not(client, project, task):
    publish_text(project)
    answer(client, opened(client, task), accepts="on")
    publish_text(project, "Corrected.", asks_again=False)
    assert not is_asked(opened(client, task))
    newest = publish_text(project, "More data is published.")
    confirm(task, make_worker_with("W1"))
    response = opened(client, task)
    assert is_asked(response)
    answer(client, response, accepts="on")
    assert not is_asked(opened(client, task))
    assert OnboardingDraft.objects.get().consent_text == newest
    publish_text(project, "")
    publish_text(project, "Back again.", asks_again=False)
    assert not is_asked(opened(client, task))


def test_text_that_changed_while_it_was_read_is_not_accepted(client, project, task):
    publish_text(project)
    response = opened(client, task)
    publish_text(project, "Something else.")
    refused = answer(client, response, accepts="on")
    assert refused.status_code == 422
    page = refused.content.decode()
    assert "The consent text has changed" in page
    assert "Something else." in page
    answer(client, refused, accepts="on")
    assert not is_asked(opened(client, task))


def test_new_version_of_the_questionnaire_asks_only_new_fields(client, project, task):
    first = publish_fields(project, AGE)
    answer(client, opened(client, task), f1="1990")
    renamed = AGE.model_copy(update={"key": first.fields[0]["key"], "label": "Born in"})
    publish_fields(project, renamed, STUDIES)
    response = opened(client, task)
    page = response.content.decode()
    assert "Field of study" in page
    assert "Born in" not in page
    answer(client, response)
    assert not is_asked(opened(client, task))
    confirm(task, make_worker_with("W1"))
    answers = QuestionnaireAnswer.objects.order_by("key").values_list("key", "label", "value")
    assert list(answers) == [("f1", "Year of birth", "1990"), ("f2", "Field of study", "")]


def test_field_of_another_kind_is_a_new_field(project):
    first = publish_fields(project, AGE, STUDIES)
    changed = AGE.model_copy(update={"key": first.fields[0]["key"], "kind": FieldKind.TEXT})
    second = publish_fields(project, changed, STUDIES.model_copy(update={"key": "f2"}))
    assert [field["key"] for field in second.fields] == ["f3", "f2"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([AGE, AGE], "Two fields are called"),
        ([STUDIES.model_copy(update={"options": ("One",)})], "at least two options"),
        ([AGE.model_copy(update={"highest": 1800})], "lowest number above"),
        ([AGE] * 31, "at most 30 fields"),
    ],
)
def test_impossible_questionnaire_is_refused(project, fields, problem):
    with pytest.raises(QuestionnaireError, match=problem):
        publish_questionnaire(project=project, fields=fields, actor="ana", now=NOW)


def test_preview_announces_what_is_asked(client, project, task):
    publish_text(project, CONSENT)
    publish_fields(project, AGE)
    preview = client.get(
        task_url(task, assignment="ASSIGNMENT_ID_NOT_AVAILABLE", submit_to="")
    ).content.decode()
    text = " ".join(preview.split())
    assert "asked to accept the consent text and to fill in a short questionnaire" in text
    assert "<strong>published</strong>" in text


def test_foreign_address_is_not_opened_afterwards(client, project, task):
    publish_text(project)
    response = opened(client, task)
    for address in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert answer(client, response, accepts="on", next=address).status_code == 400
    assert not OnboardingDraft.objects.exists()


@pytest.mark.parametrize("limit", ["DRAFTS_PER_ADDRESS", "UNCONFIRMED_DRAFTS"])
def test_claims_that_are_not_confirmed_are_limited(client, project, task, settings, limit):
    setattr(settings, limit, 1)
    publish_text(project)
    answer(client, opened(client, task, is_signed=False), accepts="on")
    response = answer(client, opened(client, task, worker="W2", is_signed=False), accepts="on")
    assert response.status_code == 400
    assert "Too many people on your network" in response.content.decode()
    assert OnboardingDraft.objects.count() == 1
    answer(client, opened(client, task, worker="W3"), accepts="on")
    assert OnboardingDraft.objects.count() == 2


def test_invented_claim_does_not_reveal_who_consented(client, project, task):
    publish_text(project)
    answer(client, opened(client, task), accepts="on")
    assert not is_asked(opened(client, task, assignment="A2"))
    assert is_asked(opened(client, task, assignment="A3", is_signed=False))


def test_unconfirmed_claims_are_deleted_and_addresses_before(client, project, task):
    publish_text(project)
    answer(client, opened(client, task), accepts="on")
    now = timezone.now()
    assert delete_unconfirmed_onboarding(now=now + timedelta(days=2)) == 0
    assert OnboardingDraft.objects.get().address_digest == ""
    assert delete_unconfirmed_onboarding(now=now + timedelta(days=41)) == 1


def test_form_keeps_the_language_of_the_frame(client, project, task):
    publish_text(project)
    address = task_url(task, submit_to=ORIGIN) + "&lang=de"
    page = client.get(address).content.decode()
    action = reverse("annotation:onboarding") + "?lang=de"
    assert f'action="{action}"' in page
    refused = client.post(action, hidden_fields(page))
    assert (refused.status_code, 'lang="de"' in refused.content.decode()) == (422, True)
