"""Definitions of schemes: read, checked and saved over the API."""

import json
from copy import deepcopy

import pytest
from django.urls import reverse

from audit.models import StateChange
from projects.domain.resources import current_version
from projects.domain.schemes import digest_of, scheme_of
from projects.enums import MemberRole, TokenScope
from projects.models import Project, Resource
from schemes.contract.scheme import DEFINITION
from schemes.custom.parse_definition import parse_definition
from tests.api.conftest import calling
from tests.browser.custom import NAMES, make_custom_project, make_texts
from tests.consolidation.factories import make_generation
from tests.consolidation.test_map_contents import CONTENT
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

YAML = """title: Tone
fields:
  - key: tone
    type: choice
    options: [good, bad]
"""
NO_PARTS = {"annotations": 0, "parts_in_all": 0, "parts": []}
UNUSED = {"unchanged": 0, "mapped": 0, "lost": NO_PARTS, "missing": NO_PARTS, "open_pages": 0}


@pytest.fixture
def project() -> Project:
    return make_custom_project(NAMES)


def address(name: str = "definitions", *more: int, slug: str = "custom", query: str = "") -> str:
    return reverse(f"api:{name}", args=[slug, *more]) + query


def save(api, definition, *, query: str = "", slug: str = "custom", **fields):
    body = json.dumps({"definition": definition, **fields})
    return api.post(address(slug=slug, query=query), body, content_type="application/json")


def test_versions_are_listed_newest_first_and_read(api, project):
    assert save(api, YAML).status_code == 201
    listed = api.get(address()).json()["results"]
    assert [row["version"] for row in listed] == [2, 1]
    assert set(listed[0]) == {"version", "created_at"}
    first = api.get(address("definition", 1)).json()
    value = parse_definition(NAMES).value
    assert (first["definition"], first["sha256"]) == (value, digest_of(value))
    assert api.get(address("definition", 3)).status_code == 404


def test_what_was_read_is_saved_as_the_same(api, project):
    value = api.get(address("definition", 1)).json()["definition"]
    for definition in (value, json.dumps(value)):
        response = save(api, definition, changed_version=1)
        assert response.status_code == 200
        assert response.json() == {
            "version": 1,
            "is_new": False,
            "mistakes": [],
            "effects": UNUSED,
        }
    assert Resource.objects.count() == 1


def test_text_becomes_a_new_version_under_the_name_of_the_token(api, project, requester):
    response = save(api, YAML)
    assert response.status_code == 201
    assert response.headers["Location"].endswith(address("definition", 2))
    assert response.json() == {"version": 2, "is_new": True, "mistakes": [], "effects": UNUSED}
    assert scheme_of(Project.objects.get()).title == "Tone"
    change = StateChange.objects.get(reason="scheme definition: version 2")
    assert change.actor.startswith("rita")


def test_repeated_request_saves_once(api, project):
    headers = {"Idempotency-Key": "one"}
    body = json.dumps({"definition": YAML})
    for _ in range(2):
        response = api.post(address(), body, content_type="application/json", headers=headers)
        assert response.status_code == 201
    assert Resource.objects.count() == 2


def test_all_mistakes_have_their_lines_and_places(api, project):
    text = YAML.replace("choice", "chioce") + "colour: red\n"
    errors = save(api, text).json()["errors"]
    places = {(row["code"], row["attr"], row["detail"].split(":")[0]) for row in errors}
    assert places == {
        ("invalid", "definition.fields.0.type", "Line 4"),
        ("invalid", "definition.colour", "Line 6"),
    }
    checked = save(api, text, query="?dry_run=true")
    assert checked.status_code == 200
    mistakes = checked.json()["mistakes"]
    assert {(row["line"], row["path"]) for row in mistakes} == {(4, "fields.0.type"), (6, "colour")}
    assert checked.json()["effects"] is None
    assert Resource.objects.count() == 1


def test_mistakes_of_an_object_have_places_and_no_lines(api, project):
    value = {**NAMES, "fields": [{"key": "a b", "type": "text"}]}
    [mistake] = save(api, value, query="?dry_run=true").json()["mistakes"]
    assert (mistake["line"], mistake["path"]) == (None, "fields.0.key")
    [error] = save(api, value).json()["errors"]
    assert error == {
        "code": "invalid",
        "attr": "definition.fields.0.key",
        "detail": mistake["message"],
    }


@pytest.mark.parametrize("definition", [None, 3, [], True, [YAML]])
def test_definition_of_another_type_is_refused(api, project, definition):
    response = save(api, definition)
    assert response.status_code == 400
    assert {error["attr"] for error in response.json()["errors"]} == {"definition"}


def test_text_that_is_no_yaml_is_refused(api, project):
    [error] = save(api, "title: [").json()["errors"]
    assert error["attr"] == "definition"
    assert error["detail"].startswith("Line ")


def test_version_that_annotations_do_not_fit_needs_consent(api, project):
    make_generation(make_texts(project, NAMES), CONTENT)
    lost = {"annotations": 1, "parts_in_all": 2}
    checked = save(api, YAML, query="?dry_run=true").json()
    assert checked["is_new"] is True
    effects = checked["effects"]
    assert {key: effects["lost"][key] for key in lost} == lost
    assert {part["text"] for part in effects["lost"]["parts"]} == {
        "The field names does not exist.",
        "The field jobs does not exist.",
    }
    refused = save(api, YAML)
    assert refused.status_code == 409
    [error] = refused.json()["errors"]
    assert error["code"] == "effects_not_accepted"
    assert "Without a place for all parts: 1 annotation." in error["detail"]
    assert "send accept_effects with true" in error["detail"]
    assert Resource.objects.count() == 1
    assert save(api, YAML, accept_effects=True).status_code == 201
    assert current_version(project=project, name=DEFINITION).version == 2


def test_exchanged_texts_of_labels_are_mistakes(api, project):
    value = deepcopy(NAMES)
    labels = value["fields"][0]["labels"]
    labels[0]["label"], labels[1]["label"] = labels[1]["label"], labels[0]["label"]
    mistakes = save(api, value, query="?dry_run=true").json()["mistakes"]
    assert [row["path"] for row in mistakes] == ["fields.0", "fields.0"]
    assert "'PER' gets the text 'Organisation' of 'ORG'" in mistakes[0]["message"]
    response = save(api, value)
    assert response.status_code == 400
    assert {error["attr"] for error in response.json()["errors"]} == {"definition.fields.0"}
    value["renamed"] = {"labels": {"names": {"PER": "ORG", "ORG": "PER"}}}
    assert save(api, value).status_code == 201


def test_version_of_somebody_else_is_not_overwritten(api, project):
    assert save(api, YAML, changed_version=1).status_code == 201
    response = save(api, {**NAMES, "title": "Late"}, changed_version=1)
    assert response.status_code == 409
    [error] = response.json()["errors"]
    assert error["code"] == "version_conflict"
    assert Resource.objects.count() == 2


def test_project_with_another_scheme_has_no_definitions(project):
    other = make_custom_project(NAMES, slug="other")
    Project.objects.filter(pk=other.pk).update(scheme="qasrl")
    other.resources.all().delete()
    api = calling(make_user("kim", other, MemberRole.ADMIN))
    assert api.get(address(slug="other")).json()["results"] == []
    response = save(api, YAML, slug="other")
    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "invalid_state"


@pytest.mark.parametrize("role", MemberRole)
def test_every_member_reads_and_only_staff_save(project, role):
    api = calling(make_user("kim", project, role))
    assert api.get(address("definition", 1)).status_code == 200
    is_staff = role in (MemberRole.ADMIN, MemberRole.REQUESTER)
    for query in ("?dry_run=true", ""):
        response = save(api, YAML, query=query)
        assert response.status_code == (403 if not is_staff else 200 if query else 201)


@pytest.mark.parametrize("scope", TokenScope)
def test_saving_needs_the_scope_import(project, scope):
    api = calling(make_user("kim", project, MemberRole.ADMIN), scopes=[scope])
    expected = 201 if scope == TokenScope.IMPORT else 403
    assert save(api, YAML).status_code == expected
    assert Resource.objects.count() == 1 + (expected == 201)


def test_archived_project_stays_as_it_is(project, requester):
    project.archived_at = project.created_at
    project.save()
    api = calling(requester)
    assert save(api, YAML).status_code in (403, 409)
    assert Resource.objects.count() == 1


# --- new projects ---------------------------------------------------------------------------------


def create(root, **fields):
    body = {"slug": "tone", "scheme": "custom", **fields}
    url = reverse("api:projects")
    return calling(root).post(url, json.dumps(body), content_type="application/json")


@pytest.mark.parametrize("definition", [YAML, parse_definition(NAMES).value])
def test_new_project_has_its_own_definition(root, definition):
    assert create(root, definition=definition).status_code == 201
    title = "Tone" if definition == YAML else "Names and relations"
    assert scheme_of(Project.objects.get()).title == title


def test_new_project_with_mistakes_is_not_created(root):
    response = create(root, definition=YAML.replace("choice", "chioce"))
    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["attr"] == "definition.fields.0.type"
    assert error["detail"].startswith("Line 4: ")
    assert not Project.objects.exists()


def test_scheme_without_definitions_takes_none(root):
    response = create(root, scheme="qasrl", definition=YAML)
    [error] = response.json()["errors"]
    assert (response.status_code, error["attr"]) == (400, "definition")
    assert not Project.objects.exists()
