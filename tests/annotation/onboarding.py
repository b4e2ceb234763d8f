"""What tests of the onboarding share: a project that asks, and a worker's way through its page."""

import re
from html import unescape

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation.domain.work.onboarding.consent_text import publish_consent_text
from annotation.domain.work.onboarding.questionnaire import (
    QuestionnaireField,
    publish_questionnaire,
)
from annotation.enums import FieldKind
from annotation.models import ConsentText, Questionnaire
from projects.models import Project
from tests.annotation.factories import NOW

CONSENT = "# Information\n\nThe data is **published** without names."
AGE = QuestionnaireField(label="Year of birth", kind=FieldKind.NUMBER, lowest=1900, highest=2010)
STUDIES = QuestionnaireField(
    label="Field of study",
    kind=FieldKind.CHOICE,
    options=("Linguistics", "Another"),
    is_required=False,
)
LANGUAGE = QuestionnaireField(label="Native language", kind=FieldKind.LANGUAGE)
HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')


def publish_text(project: Project, text: str = CONSENT, *, asks_again: bool = True) -> ConsentText:
    published = publish_consent_text(
        project=project, text=text, asks_again=asks_again, actor="ana", now=NOW
    )
    assert published
    return published


def publish_fields(project: Project, *fields: QuestionnaireField) -> Questionnaire:
    published = publish_questionnaire(project=project, fields=fields, actor="ana", now=NOW)
    assert published
    return published


def hidden_fields(page: str) -> dict[str, str]:
    """Return the hidden fields of the onboarding's form."""
    return {name: unescape(value) for name, value in HIDDEN.findall(page)}


def answer(client: Client, response: HttpResponse, **fields: str) -> HttpResponse:
    """Post the form of the onboarding's page."""
    hidden = hidden_fields(response.content.decode())
    return client.post(reverse("annotation:onboarding"), hidden | fields)
