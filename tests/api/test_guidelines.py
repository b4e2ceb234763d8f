"""Guidelines: versions that are listed, read and written over the API."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from audit.models import StateChange
from projects.domain.change_project import MAX_GUIDELINES
from projects.enums import MemberRole
from projects.models import Guidelines, Project
from tests.api.conftest import calling
from tests.dashboard.campaign import make_project, make_user

pytestmark = pytest.mark.django_db


def write(client, slug="demo", *, key="", **body):
    url = reverse("api:guidelines", args=[slug])
    headers = {"Idempotency-Key": key} if key else {}
    body = json.dumps({"role": "generator", **body})
    return client.post(url, body, content_type="application/json", headers=headers)


def newest(project, role="generator") -> Guidelines:
    return project.guidelines.filter(role=role).order_by("-version").first()


def errors_of(response) -> list[tuple[str, str | None]]:
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


def test_new_version_is_written_listed_and_read(api, project):
    before = newest(project)
    response = write(api, text="# New\r\n\r\nAsk *all* of it.\r\n", changed_version=before.version)
    assert response.status_code == 201
    written = response.json()
    assert written == {
        "id": newest(project).pk,
        "role": "generator",
        "version": before.version + 1,
        "language": "en",
        "translated_into": [],
        "written_at": written["written_at"],
        "text": "# New\n\nAsk *all* of it.\n",
        "translations": {},
    }
    assert api.get(response.headers["Location"]).json() == written
    listed = api.get(reverse("api:guidelines", args=["demo"]) + "?role=generator").json()
    assert [row["version"] for row in listed["results"]] == [before.version + 1, before.version]
    assert "text" not in listed["results"][0]
    change = StateChange.objects.get(
        reason=f"guidelines for generators: version {written['version']}"
    )
    assert change.actor.startswith("rita by token ts_")


def test_unchanged_text_is_no_version(api, project):
    before = newest(project)
    response = write(api, text=before.text.replace("\n", "\r\n"))
    assert (response.status_code, response.json()["version"]) == (200, before.version)
    assert "Location" not in response.headers
    assert newest(project) == before


def test_translations_are_added_kept_and_removed(api, project):
    text = newest(project).text
    added = write(api, translations={"de": "# Neu\r\n", "fr": "# Nouveau"}).json()
    assert (added["text"], added["translated_into"]) == (text, ["de", "fr"])
    kept = write(api, text="# New").json()
    assert kept["translations"] == {"de": "# Neu\n", "fr": "# Nouveau\n"}
    removed = write(api, translations={"de": ""}).json()
    assert removed["translations"] == {"fr": "# Nouveau\n"}
    assert newest(project).translations == removed["translations"]


def test_texts_need_different_languages(api, project):
    write(api, translations={"de": "# Neu"})
    before = newest(project)
    assert errors_of(write(api, text="# Neu", language="de")) == [("invalid", "language")]
    assert errors_of(write(api, translations={"en": "# New"})) == [("invalid", "translations")]
    assert newest(project) == before
    swapped = write(api, text="# Neu", language="de", translations={"de": ""})
    assert errors_of(swapped) == [("invalid", "translations")]
    assert write(api, translations={"de": ""}).status_code == 201
    moved = write(api, text="# Neu", language="de", translations={"en": "# New"}).json()
    assert (moved["language"], moved["translations"]) == ("de", {"en": "# New\n"})


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n "}, "text"),
        ({"text": None}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": "x" * (MAX_GUIDELINES + 1)}, "text"),
        ({"text": "x", "language": "xx"}, "language"),
        ({"translations": {"xx": "x"}}, "translations"),
        ({"translations": {"de": None}}, "translations.de"),
        ({"translations": ["de"]}, "translations"),
        ({"role": "expert", "text": "x"}, "role"),
        ({"role": "nothing", "text": "x"}, "role"),
        ({"text": "x", "changed_version": -1}, "changed_version"),
        ({"text": "x", "translation": {}}, "translation"),
    ],
)
def test_what_the_page_refuses_is_refused(api, project, body, attr):
    count = Guidelines.objects.count()
    response = write(api, **body)
    assert (response.status_code, [attr for _, attr in errors_of(response)]) == (400, [attr])
    assert Guidelines.objects.count() == count


def test_first_guidelines_of_a_role_need_a_text(api, project):
    project.guidelines.filter(role="generator").delete()
    assert errors_of(write(api, translations={"de": "x"})) == [("invalid", "text")]
    assert write(api, text="x", changed_version=0).json()["version"] == 1


def test_version_that_was_replaced_is_not_changed(api, project):
    version = newest(project).version
    assert write(api, text="# One", changed_version=version).status_code == 201
    response = write(api, text="# Two", changed_version=version)
    assert (response.status_code, errors_of(response)) == (409, [("version_conflict", None)])
    assert newest(project).text == "# One\n"


def test_repeated_request_writes_once(api, project):
    version = newest(project).version
    first = write(api, key="one", text="# One")
    again = write(api, key="one", text="# One")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert newest(project).version == version + 1


def test_writing_needs_the_scope_import_and_the_project(project):
    user = make_user("olga", project, MemberRole.ADMIN)
    limited = calling(user, scopes=["read", "publish"])
    assert errors_of(write(limited, text="x")) == [("insufficient_scope", None)]
    other = make_project("other")
    other.memberships.create(user=user, role=MemberRole.ADMIN)
    elsewhere = calling(user, projects=[other])
    assert write(elsewhere, text="x").status_code == 404
    foreign = reverse("api:guidelines_version", args=["other", newest(project).pk])
    assert elsewhere.get(foreign).status_code == 404


def test_archived_project_keeps_its_guidelines(api, project):
    Project.objects.update(archived_at=timezone.now())
    assert errors_of(write(api, text="x")) == [("project_archived", None)]
