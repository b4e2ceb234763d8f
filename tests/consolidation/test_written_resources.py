"""Tests of the pages on which staff write a definition."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from projects.domain.resources import change_resource, current_version
from projects.domain.schemes import scheme_of
from projects.enums import MemberRole
from projects.models import Project, Resource
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json
from schemes.custom.declaration import DECLARATION
from schemes.custom.definition_text import DEFINITION_TEXT
from tests.annotation.factories import NOW
from tests.annotation.factories import make_project as make_qasrl_project
from tests.browser.custom import NAMES, make_custom_project, make_texts
from tests.consolidation.factories import make_generation
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

ANSWERS: Json = {
    "answers": {
        "names": [{"start": 0, "end": 2, "label": "PER", "attributes": {"sure": "certain"}}],
    }
}


@pytest.fixture
def project() -> Project:
    return make_custom_project(NAMES)


@pytest.fixture
def client(project) -> Client:
    return member(project, MemberRole.REQUESTER)


def member(project: Project, role: MemberRole) -> Client:
    client = Client()
    client.force_login(make_user(f"{role}", project, role))
    return client


def address(name: str = "resource", *more: int) -> str:
    return reverse(f"consolidation:{name}", args=["custom", DEFINITION, *more])


def text_of(project: Project) -> str:
    return DEFINITION_TEXT.write(Resource.objects.filter(project=project).latest("version").value)


@pytest.mark.parametrize("name", DECLARATION.starters)
def test_text_of_a_starter_is_read_as_the_same_definition(name):
    value = DECLARATION.starter(name)
    text = DEFINITION_TEXT.write(value)
    assert DEFINITION_TEXT.read(text) == value
    assert not text.startswith("{")  # YAML


@pytest.mark.parametrize("title", ["1e5", "yes", "# no", "a: b", "'", "\u2028 x", "0x1"])
def test_unusual_texts_are_written_so_that_they_are_read_again(title):
    value = DEFINITION_TEXT.read(json.dumps({**NAMES, "title": title}))
    assert DEFINITION_TEXT.read(DEFINITION_TEXT.write(value)) == value


def test_editor_shows_the_current_version(client, project):
    page = client.get(address())
    assert page.status_code == 200
    assert page.context["form"].initial == {"text": text_of(project), "version": 1}
    assert "Scheme definition" in page.content.decode()
    assert "Save as new version" in page.content.decode()


def test_members_read_the_definition_without_a_form(project):
    page = member(project, MemberRole.TRAINER).get(address()).content.decode()
    assert "Names and relations" in page
    assert "Save as new version" not in page


def test_changed_text_becomes_a_new_version_and_changes_the_scheme(client, project):
    text = text_of(project).replace("title: Names and relations", "title: Names")
    response = client.post(address("save_resource"), {"text": text, "version": 1})
    assert response.url == address()
    assert b"Version 2 saved." in client.get(response.url).content
    project = Project.objects.get()
    assert current_version(project=project, name=DEFINITION).version == 2
    assert scheme_of(project).title == "Names"


def test_unchanged_text_makes_no_version(client, project):
    text = text_of(project).replace("\n", "\r\n")
    response = client.post(address("save_resource"), {"text": text, "version": 1})
    assert b"Nothing changed, so there is no new version." in client.get(response.url).content
    assert Resource.objects.count() == 1


def test_mistakes_are_listed_with_their_lines(client, project):
    text = text_of(project).replace("type: spans", "type: span")
    response = client.post(address("save_resource"), {"text": text, "version": 1})
    assert response.status_code == 422
    page = response.content.decode()
    line = next(at for at, row in enumerate(text.split("\n"), start=1) if "type: span" in row)
    assert f'data-line="{line}"' in page
    assert "fields.0.type" in page
    assert "type: span" in page  # the text stays
    assert Resource.objects.count() == 1


def test_version_of_somebody_else_is_not_overwritten(client, project):
    value = {**NAMES, "title": "Theirs"}
    change_resource(project=project, name=DEFINITION, value=value, actor="other", now=NOW)
    text = text_of(project).replace("title: Theirs", "title: Ours")
    response = client.post(address("save_resource"), {"text": text, "version": 1})
    assert response.status_code == 409
    assert "Someone else saved a new version meanwhile." in response.content.decode()
    assert "title: Ours" in response.content.decode()
    assert Resource.objects.count() == 2


def test_version_that_annotations_do_not_fit_is_saved_only_after_a_question(client, project):
    make_generation(make_texts(project, NAMES), ANSWERS)
    text = text_of(project).replace("key: PER", "key: HUMAN").replace("[PER]", "[HUMAN]")
    form = {"text": text, "version": 1}
    asked = client.post(address("save_resource"), form)
    page = asked.content.decode()
    assert "Save a version that doesn’t fit 1 annotation?" in page
    assert "The field names has no label PER. 1 annotation, for example of" in page
    assert Resource.objects.count() == 1
    response = client.post(address("save_resource"), {**form, "confirmed": "1"})
    assert response.url == f"{address()}?check=1"
    assert Resource.objects.count() == 2
    shown = client.get(response.url).content.decode()
    assert "Annotations that don't fit the current version" in shown
    assert "The field names has no label PER." in shown


def test_exchanged_texts_of_labels_are_refused(client, project):
    text = text_of(project)
    for old, new in (("label: Person", "label: X"), ("label: Organisation", "label: Person")):
        text = text.replace(old, new)
    text = text.replace("label: X", "label: Organisation")
    response = client.post(address("save_resource"), {"text": text, "version": 1})
    assert response.status_code == 422
    message = "gets the text &#x27;Organisation&#x27; of &#x27;ORG&#x27;"
    assert message in response.content.decode()
    assert Resource.objects.count() == 1


def test_renamed_label_is_mapped_after_a_question(client, project):
    submission = make_generation(make_texts(project, NAMES), ANSWERS)
    text = text_of(project).replace("key: PER", "key: HUMAN").replace("[PER]", "[HUMAN]")
    text += "renamed: {labels: {names: {PER: HUMAN}}}\n"
    form = {"text": text, "version": 1}
    page = client.post(address("save_resource"), form).content.decode()
    assert "Save a version that maps 1 annotation?" in page
    assert "Mapped to the form of this version: 1 annotation. The originals are kept." in page
    response = client.post(address("save_resource"), {**form, "confirmed": "1"})
    assert response.url == f"{address()}?check=1"
    assert "All annotations fit the current version." in client.get(response.url).content.decode()
    submission.refresh_from_db()
    assert submission.content["answers"]["names"][0]["label"] == "HUMAN"
    assert submission.original == ANSWERS


def test_version_that_changes_no_annotation_is_saved_at_once(client, project):
    make_generation(make_texts(project, NAMES), ANSWERS)
    text = text_of(project).replace("title: Names and relations", "title: Names")
    response = client.post(address("save_resource"), {"text": text, "version": 1})
    assert response.url == address()


def test_preview_is_the_page_of_a_worker_or_a_list_of_mistakes(client, project):
    text = text_of(project)
    answer = client.post(address("preview_resource"), {"text": text}).json()
    assert answer["mistakes"] == []
    assert "js/work/preview.js" in answer["html"]
    assert "Names and relations" in answer["html"]
    answer = client.post(address("preview_resource"), {"text": "title: x"}).json()
    assert answer == {"mistakes": [{"line": 1, "path": "fields", "message": "is missing."}]}
    answer = client.post(address("preview_resource"), {"text": ""}).json()
    assert [mistake["message"] for mistake in answer["mistakes"]] != []


def test_preview_changes_nothing(client, project):
    text = text_of(project).replace("title: Names and relations", "title: Other")
    assert "Other" in client.post(address("preview_resource"), {"text": text}).json()["html"]
    assert Resource.objects.count() == 1


def test_versions_are_compared(client, project):
    value = {**NAMES, "title": "Only names"}
    change_resource(project=project, name=DEFINITION, value=value, actor="me", now=NOW)
    page = client.get(address("resource_version", 2))
    lines = [(line.kind, line.text) for line in page.context["lines"] if line.kind != "same"]
    assert ("removed", "title: Names and relations") in lines
    assert ("added", "title: Only names") in lines
    assert page.context["other"].version == 1
    first = client.get(address("resource_version", 1))
    assert first.context["lines"] is None
    assert client.get(address("resource_version", 3)).status_code == 404


def test_resource_that_is_not_written_has_no_editor(client):
    other = make_qasrl_project()
    reader = Client()
    reader.force_login(make_user("admin", other, MemberRole.ADMIN))
    for name, more in (("save_resource", []), ("preview_resource", [])):
        target = reverse(f"consolidation:{name}", args=[other.slug, "definition", *more])
        assert reader.post(target, {"text": "x", "version": 0}).status_code == 302
    target = reverse("consolidation:resource_version", args=[other.slug, "definition", 1])
    assert reader.get(target).status_code == 302


def test_project_starts_with_the_chosen_starter(db):
    founder = Client()
    user = make_user("fay")
    user.user_permissions.add(Permission.objects.get(codename="add_project"))
    founder.force_login(user)
    form = {"title": "Pairs", "scheme": "custom", "starter": "pairwise-preference"}
    response = founder.post(reverse("projects:project_new"), form)
    assert response.status_code == 302
    created = Project.objects.get(slug="pairs")
    assert scheme_of(created).title == DECLARATION.starters["pairwise-preference"]
