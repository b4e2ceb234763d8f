"""The page where admins publish the consent text and the questionnaire."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Consent, ConsentText, Questionnaire, QuestionnaireAnswer
from audit.models import StateChange
from projects.enums import MemberRole
from tests.annotation.onboarding import AGE, STUDIES, publish_fields, publish_text
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(project) -> Client:
    client = Client()
    client.force_login(make_user("ana", project, MemberRole.ADMIN))
    return client


def page_address(project) -> str:
    return reverse("annotation:consent_and_questionnaire", args=[project.slug])


def editor_address(project) -> str:
    return reverse("annotation:questionnaire", args=[project.slug])


def fields(*rows: dict[str, str]) -> dict[str, str]:
    """Return what the editor posts for the rows."""
    posted = {"fields-TOTAL_FORMS": str(len(rows)), "fields-INITIAL_FORMS": "0"}
    for number, row in enumerate(rows):
        posted |= {f"fields-{number}-{name}": value for name, value in row.items()}
    return posted


AGE_ROW = {"label": "Year of birth", "kind": "number", "lowest": "1900", "is_required": "on"}
STUDIES_ROW = {"label": "Field of study", "kind": "choice", "options": "Law\r\n\r\nPhysics\r\n"}


def test_published_text_is_a_version_with_an_entry_in_the_log(admin, project):
    address = page_address(project)
    for text, asks in (("Hello *you*.\r\n", "on"), ("Hello *you*.", "on"), ("Bye.", "")):
        response = admin.post(address, {"text": text, "asks_again": asks})
        assert response.status_code == 302
    versions = ConsentText.objects.order_by("version")
    assert list(versions.values_list("version", "text", "asks_again")) == [
        (1, "Hello *you*.\n", True),
        (2, "Bye.\n", False),
    ]
    reasons = StateChange.objects.filter(new="changed").values_list("reason", flat=True)
    assert list(reasons) == ["consent text: version 1", "consent text: version 2"]
    page = admin.get(f"{address}?version=1").content.decode()
    assert "<em>you</em>" in page


def test_preview_publishes_nothing(admin, project):
    response = admin.post(f"{page_address(project)}?preview", {"text": "Hello *you*."})
    assert "<em>you</em>" in response.content.decode()
    assert not ConsentText.objects.exists()


def test_questionnaire_is_published_with_its_options_and_range(admin, project):
    response = admin.post(editor_address(project), fields(AGE_ROW, STUDIES_ROW))
    assert response.status_code == 302
    [age, studies] = Questionnaire.objects.get().fields
    assert (age["key"], age["lowest"], age["highest"], age["is_required"]) == (
        "f1",
        1900,
        None,
        True,
    )
    assert (studies["key"], studies["options"], studies["is_required"]) == (
        "f2",
        ["Law", "Physics"],
        False,
    )
    assert "At least 1900." in admin.get(page_address(project)).content.decode()


@pytest.mark.parametrize(
    ("change", "labels"),
    [
        ("add", ["Year of birth", "Field of study", ""]),
        ("up-1", ["Field of study", "Year of birth"]),
        ("up-0", ["Year of birth", "Field of study"]),
        ("down-0", ["Field of study", "Year of birth"]),
        ("remove-0", ["Field of study"]),
        ("remove-7", ["Year of birth", "Field of study"]),
    ],
)
def test_editor_changes_the_order_without_publishing(admin, project, change, labels):
    response = admin.post(
        f"{editor_address(project)}?change={change}", fields(AGE_ROW, STUDIES_ROW)
    )
    formset = response.context["formset"]
    assert [form["label"].value() or "" for form in formset] == labels
    assert not Questionnaire.objects.exists()


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"label": "", "kind": "text"}, "This field is required."),
        ({"label": "Studies", "kind": "choice", "options": "Law"}, "at least two options"),
    ],
)
def test_faulty_questionnaire_is_shown_again(admin, project, row, problem):
    response = admin.post(editor_address(project), fields(AGE_ROW, row))
    assert response.status_code == 422
    page = response.content.decode()
    assert problem in page
    assert "Year of birth" in page
    assert not Questionnaire.objects.exists()


def test_answers_are_downloaded_under_pseudonyms(admin, office, project):
    text = publish_text(project)
    publish_fields(project, AGE, STUDIES)
    worker = make_worker()
    Consent.objects.create(text=text, worker=worker, accepted_at=NOW)
    for key, label, value in (("f1", "Year of birth", "1990"), ("f2", "Field of study", "=1+1")):
        QuestionnaireAnswer.objects.create(
            project=project, worker=worker, key=key, label=label, value=value, answered_at=NOW
        )
    address = reverse("annotation:questionnaire_answers", args=[project.slug])
    assert address in admin.get(page_address(project)).content.decode()
    rows = list(csv.reader(io.StringIO(office.get(address).getvalue().decode())))
    assert rows == [
        ["worker", "consent_version", "consented_at", "Year of birth", "Field of study"],
        [worker.pseudonym, "1", f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "1990", "'=1+1"],
    ]
