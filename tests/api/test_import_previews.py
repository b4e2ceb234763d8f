"""Dry runs of imports: what an import would do, as the page shows it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.domain.corpus.preview_corpus import CORPUS_CHECK
from annotation.domain.publishing.cost_model import item_cost
from audit.models import StateChange
from jobs.domain.queries import jobs_of
from jobs.models import Job
from projects.enums import MemberRole
from tests.annotation.uploads import run_jobs
from tests.api.conftest import calling
from tests.dashboard.campaign import make_user
from tests.dashboard.test_permissions import signed_in

pytestmark = pytest.mark.django_db
TEXT = "The committee rejected the proposal.\n\nNobody objected to the debate.\n"
ROWS = "qasrl_id,tokens,sentence\na:1,The dog barked .,x\na:2,The cat slept .,x\na:3\n"


def at(name: str, *arguments) -> str:
    return reverse(f"api:{name}", args=["demo", *arguments])


def upload(client, content=TEXT, *, name="corpus.txt", dry_run="true", key="", **fields):
    content = content.encode() if isinstance(content, str) else content
    url = at("imports") + (f"?dry_run={dry_run}" if dry_run else "")
    form = {"files": SimpleUploadedFile(name, content), **fields}
    return client.post(url, form, headers={"Idempotency-Key": key} if key else {})


def send(client, name: str, job: dict):
    return client.post(at(name, job["id"]), "{}", content_type="application/json")


def read(client, response) -> dict:
    run_jobs()
    return client.get(response.headers["Location"]).json()


def test_dry_run_shows_what_the_import_does_and_stores_nothing(api, project):
    response = upload(api, domain="wikinews")
    assert response.status_code == 202
    assert response.json()["state"] == "uploaded"
    waiting = api.get(response.headers["Location"]).json()["preview"]
    assert (waiting["state"], waiting["sentences_added"], waiting["problem"]) == ("queued", 0, "")
    before = read(api, response)
    preview = before["preview"]
    assert (before["state"], before["format"], preview["state"]) == ("uploaded", "text", "finished")
    assert (preview["is_whole"], preview["error_count"], preview["sentences_added"]) == (True, 0, 2)
    assert not project.sentences.exists()
    confirmed = send(api, "confirm_import", before)
    assert (confirmed.status_code, confirmed.json()["state"]) == (202, "queued")
    after = read(api, response)
    assert (after["state"], after["preview"]) == ("finished", None)
    assert after["domain"] == "wikinews"
    for name in ("sentences_added", "items_added", "error_count"):
        assert preview[name] == after[name], name
    assert project.sentences.count() == 2
    actors = set(StateChange.objects.filter(new="queued").values_list("actor", flat=True))
    assert all(actor.startswith("rita by token ts_") for actor in actors)


def test_preview_is_that_of_the_page(api, project, requester):
    job = read(api, upload(api, ROWS, name="corpus.csv", format="qasrl-csv"))
    preview = job["preview"]
    page = signed_in(requester).get(reverse("annotation:corpus_preview", args=["demo", job["id"]]))
    shown = page.context["read"]
    [error] = preview["errors"]
    assert (error["file"], error["line"]) == ("corpus.csv", 4)
    [text] = shown.errors
    assert text.startswith("corpus.csv, line 4: ")
    assert text.endswith(error["message"])
    assert preview["sentences_added"] == shown.sentences == 2
    assert preview["items_added"] == shown.items
    assert preview["warnings"] == shown.warnings
    assert preview["item_cents"] == page.context["item_cents"] == item_cost(project=project).cents
    assert preview["expected_cents"] >= page.context["cents"] > preview["expected_cents"] - 1
    assert preview["is_assumed"] is page.context["is_assumed"] is True
    assert [row["external_id"] for row in preview["sentences"]] == ["a:1", "a:2"]


def test_encodings_of_a_file_that_is_not_utf_8_are_shown(api, project):
    content = "Żółty pies szczekał głośno.\n".encode("iso-8859-2")
    preview = read(api, upload(api, content, format="text"))["preview"]
    assert "is not UTF-8" in preview["problem"]
    readings = {row["encoding"]: row["text"] for row in preview["encodings"]}
    assert readings["iso-8859-1"].startswith("¯")
    content = "Żółty pies szczekał głośno.\n".encode("windows-1250")
    job = read(api, upload(api, content, format="text", encoding="windows-1250"))
    assert (job["encoding"], job["preview"]["encodings"]) == ("windows-1250", [])
    assert job["preview"]["sentences"][0]["text"].startswith("Żółty")


def test_settings_that_would_accept_rows_are_named(api, project):
    upload(api, ROWS, name="corpus.csv", format="qasrl-csv", dry_run="")
    run_jobs()
    changed = ROWS.replace("barked", "howled")
    preview = read(api, upload(api, changed, name="corpus.csv", format="qasrl-csv"))["preview"]
    assert preview["settings"] == {"update": 1}
    assert preview["sentences_known"] == 1
    assert preview["error_count"] == 2
    messages = " ".join(error["message"] for error in preview["errors"])
    assert "a:1 exists with other tokens." in messages
    assert "(update)" in messages
    replaced = read(
        api, upload(api, changed, name="corpus.csv", format="qasrl-csv", update="true")
    )["preview"]
    assert (replaced["settings"], replaced["sentences_updated"]) == ({}, 1)


def test_unreadable_file_says_why(api, project):
    job = read(api, upload(api, b"\x00\x01\x02", name="corpus.bin"))
    assert (job["state"], job["preview"]["state"]) == ("uploaded", "finished")
    assert "corpus.bin" in job["preview"]["problem"]


def test_discarded_upload_is_deleted_and_not_imported(api, project, settings):
    job = upload(api).json()
    assert send(api, "cancel_import", job).json()["state"] == "cancelled"
    run_jobs()
    assert not project.sentences.exists()
    assert [path for path in settings.UPLOAD_DIR.rglob("*") if path.is_file()] == []
    refused = send(api, "confirm_import", job)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "invalid_state")


def test_import_is_confirmed_once(api, project):
    job = upload(api).json()
    for _ in range(2):  # a repeat does nothing
        assert send(api, "confirm_import", job).status_code == 202
    assert StateChange.objects.filter(object_id=job["id"], new="queued").count() == 1
    run_jobs()
    assert project.sentences.count() == 2
    refused = send(api, "confirm_import", job)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "invalid_state")


def test_import_without_a_dry_run_is_not_checked_first(api, project):
    job = upload(api, dry_run="false", format="text").json()
    assert job["state"] == "queued"
    assert api.get(at("import", job["id"])).json()["preview"] is None
    assert not jobs_of(scope="demo", kind=CORPUS_CHECK).exists()


def test_repeated_dry_run_stores_the_files_once(api, project):
    first, again = upload(api, key="one"), upload(api, key="one")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["id"] == first.json()["id"]
    assert jobs_of(scope="demo", kind="import").count() == 1


@pytest.mark.parametrize(
    ("query", "fields", "attr"),
    [
        ("maybe", {}, "dry_run"),
        ("true", {"domein": "x"}, "domein"),
        ("true", {"format": "x"}, "format"),
    ],
)
def test_dry_run_refuses_what_an_import_refuses(api, project, query, fields, attr):
    response = upload(api, dry_run=query, **fields)
    assert (response.status_code, response.json()["errors"][0]["attr"]) == (400, attr)
    assert not Job.objects.exists()


def test_dry_run_needs_the_scope_import(project):
    client = calling(make_user("olga", project, MemberRole.ADMIN), scopes=["read", "publish"])
    assert upload(client).status_code == 403
