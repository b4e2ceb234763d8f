"""Resources that are imported from files: listed, read, imported over the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from audit.models import StateChange
from jobs.models import Job
from projects.domain.schemes import digest_of
from projects.enums import MemberRole
from projects.models import Project
from tests.annotation.uploads import run_jobs
from tests.api.conftest import calling
from tests.browser.custom import NAMES, make_custom_project
from tests.dashboard.campaign import make_user
from tests.schemes.frames.projects import (
    SAMPLE,
    import_sample,
    make_frames_project,
    make_record,
    submit,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_frames_project()


def at(name: str, *arguments, slug: str = "frames") -> str:
    return reverse(f"api:{name}", args=[slug, *arguments])


def upload(client, content: bytes | None = None, *, slug="frames", key="", **fields):
    form = {"resource": "lexicon", **fields}
    if content is not None:
        form |= {"file": SimpleUploadedFile("lexicon.json", content), "format": "json", **fields}
    return client.post(
        at("resource_imports", slug=slug), form, headers={"Idempotency-Key": key} if key else {}
    )


def attrs_of(response) -> list[str]:
    assert response.status_code == 400, response.content
    return [error["attr"] for error in response.json()["errors"]]


def test_resources_are_listed_with_what_can_be_imported(api, project):
    [lexicon] = api.get(at("resources")).json()["results"]
    assert (lexicon["name"], lexicon["label"], lexicon["version"]) == ("lexicon", "Lexicon", 0)
    assert "json" in lexicon["formats"]
    assert lexicon["counts"] == {}
    import_sample(project)
    [lexicon] = api.get(at("resources")).json()["results"]
    assert (lexicon["version"], lexicon["counts"]["frames"]) == (1, 65)
    [switch] = lexicon["switches"]
    assert (switch["key"], switch["is_on"]) == ("core_only", True)
    assert lexicon["presets"][0]["key"] == "roles"


def test_file_becomes_a_version_as_on_the_page(api, project):
    response = upload(api, SAMPLE.read_bytes(), switch_off="core_only")
    assert response.status_code == 202
    queued = response.json()
    assert (queued["state"], queued["version"], queued["is_new"]) == ("queued", None, None)
    assert queued["switches"] == {"core_only": False}
    run_jobs()
    done = api.get(response.headers["Location"]).json()
    assert (done["state"], done["version"], done["is_new"]) == ("finished", 1, True)
    version = api.get(at("resource_version", "lexicon", 1)).json()
    stored = project.resources.get()
    assert (version["value"], version["sha256"]) == (stored.value, digest_of(stored.value))
    assert version["value"]["core_only"] is False
    change = StateChange.objects.get(reason="lexicon: version 1")
    assert change.actor.startswith("rita by token ts_")
    # What was read can be imported again, and is the same.
    again = upload(api, json.dumps(version["value"]).encode())
    run_jobs()
    assert api.get(again.headers["Location"]).json()["is_new"] is False
    versions = api.get(at("resource_versions", "lexicon")).json()["results"]
    assert [row["version"] for row in versions] == [1]


def test_switches_and_presets_change_without_a_file(api, project):
    import_sample(project)
    [lexicon] = api.get(at("resources")).json()["results"]
    preset = lexicon["presets"][0]["values"][0]
    upload(api, switch_off="core_only", presets=f"roles={preset}")
    run_jobs()
    changed = project.resources.get(version=2).value
    assert changed["core_only"] is False
    upload(api, switch_on="core_only")
    run_jobs()
    newest = project.resources.get(version=3).value
    assert (newest["core_only"], newest["roles"]) == (True, changed["roles"])


def test_file_that_is_no_lexicon_fails_and_stores_nothing(api, project):
    response = upload(api, b'{"frames": 3}')
    run_jobs()
    job = api.get(response.headers["Location"]).json()
    assert job["state"] == "failed"
    assert "lexicon.json" in job["problem"]
    assert not project.resources.exists()


def test_lost_parts_are_what_annotations_use(api, project):
    value = import_sample(project).value
    submit(make_record(project))
    url = at("lost_parts", "lexicon")
    assert api.get(url).json() == {"annotations": 0, "parts_in_all": 0, "parts": []}
    frames = {name: frame for name, frame in value["frames"].items() if name != "Commerce_sell"}
    project.resources.create(
        name="lexicon", version=2, value={**value, "frames": frames}, created_at=timezone.now()
    )
    lost = api.get(url).json()
    assert lost["annotations"] == 1
    assert lost["parts"][0]["text"] == "The frame Commerce_sell does not exist."


@pytest.mark.parametrize(
    ("fields", "attrs"),
    [
        ({}, ["file"]),
        ({"resource": "nothing", "switch_on": "core_only"}, ["resource"]),
        ({"resource": "definition", "switch_on": "core_only"}, ["resource"]),
        ({"content": b"{}", "format": ""}, ["format"]),
        ({"content": b"{}", "format": "exe"}, ["format"]),
        ({"format": "exe", "switch_on": "core_only"}, ["format"]),
        ({"switch_on": "core-only"}, ["switch_on"]),
        ({"switch_off": "core-only"}, ["switch_off"]),
        ({"switch_on": "core_only", "switch_off": "core_only"}, ["switch_off"]),
        ({"presets": "roles"}, ["presets.0"]),
        ({"presets": "roles=nothing"}, ["presets"]),
        ({"presets": "nothing=general"}, ["presets"]),
        ({"content": b"{}", "fmt": "json"}, ["fmt"]),
    ],
)
def test_what_the_page_does_not_offer_is_refused(api, project, fields, attrs):
    assert attrs_of(upload(api, **fields)) == attrs
    assert not Job.objects.exists()


def test_repeated_request_imports_once(api, project):
    for _ in range(2):
        assert upload(api, SAMPLE.read_bytes(), key="one").status_code == 202
    assert Job.objects.count() == 1


def test_import_is_cancelled(api, project, settings):
    job = upload(api, SAMPLE.read_bytes()).json()
    url = at("cancel_resource_import", job["id"])
    response = api.post(url, "{}", content_type="application/json")
    assert (response.status_code, response.json()["state"]) == (200, "cancelled")
    assert [path for path in settings.UPLOAD_DIR.rglob("*") if path.is_file()] == []
    run_jobs()
    assert not project.resources.exists()


def test_scheme_without_importable_resources_has_none(api, root):
    make_custom_project(NAMES)
    client = calling(root)
    assert client.get(at("resources", slug="custom")).json() == {"results": []}
    for name in ("lexicon", "definition"):
        assert client.get(at("resource_versions", name, slug="custom")).status_code == 404
        assert client.get(at("lost_parts", name, slug="custom")).status_code == 404
    assert attrs_of(upload(client, SAMPLE.read_bytes(), slug="custom")) == ["resource"]


def test_versions_that_do_not_exist_are_not_found(api, project):
    assert api.get(at("resource_version", "lexicon", 1)).status_code == 404
    assert api.get(at("resource_versions", "lexicon")).json()["results"] == []


@pytest.mark.parametrize("role", [MemberRole.TRAINER, MemberRole.EXPERT])
def test_members_read_and_only_staff_imports(role, project):
    import_sample(project)
    client = calling(make_user("tom", project, role))
    assert client.get(at("resources")).status_code == 200
    assert client.get(at("resource_version", "lexicon", 1)).status_code == 200
    assert client.get(at("resource_imports")).status_code == 403
    assert upload(client, SAMPLE.read_bytes()).status_code == 403
    scoped = calling(make_user("olga", project, MemberRole.ADMIN), scopes=["read", "publish"])
    assert upload(scoped, SAMPLE.read_bytes()).status_code == 403
