"""Exports, from the request to resumed downloads."""

import hashlib
import json

import pytest
from django.urls import reverse

from annotation.models import Submission
from jobs.models import Job
from jobs.tasks import run_jobs

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(project):
    def url_of(name, *arguments):
        return reverse(f"api:{name}", args=["demo", *arguments])

    return url_of


def start(api, at, **body):
    parameters = {"format": "qasrl-csv", **body}
    return api.post(at("exports"), json.dumps(parameters), content_type="application/json")


@pytest.fixture
def finished_export(api, at, campaign):
    """Return the API's representation of a finished export."""
    response = start(api, at, partition="test")
    run_jobs()
    return api.get(response.headers["Location"]).json()


def test_requested_export_is_written_later(api, at, campaign):
    response = start(api, at)
    assert (response.status_code, response.json()["state"], response.json()["files"]) == (
        202,
        "queued",
        [],
    )
    run_jobs()
    export = api.get(response.headers["Location"]).json()
    assert (export["state"], export["items"], export["format"]) == ("finished", 3, "qasrl-csv")
    assert api.get(at("exports")).json()["results"] == [export]


def test_files_are_complete_and_have_a_checksum(api, finished_export):
    assert {file["name"] for file in finished_export["files"]} >= {"manifest.json", "README.md"}
    for file in finished_export["files"]:
        response = api.get(file["url"])
        body = response.getvalue()
        assert int(response.headers["Content-Length"]) == len(body) == file["bytes"]
        assert hashlib.sha256(body).hexdigest() == file["sha256"]


def test_interrupted_download_is_resumed(api, finished_export):
    file = next(entry for entry in finished_export["files"] if entry["name"].endswith("gold.csv"))
    complete = api.get(file["url"])
    body = complete.getvalue()
    remainder = api.get(
        file["url"], headers={"Range": "bytes=100-", "If-Range": complete.headers["ETag"]}
    )
    assert (remainder.status_code, remainder.getvalue()) == (206, body[100:])
    assert remainder.headers["Content-Range"] == f"bytes 100-{len(body) - 1}/{len(body)}"
    other = api.get(file["url"], headers={"Range": "bytes=100-", "If-Range": '"of before"'})
    assert (other.status_code, other.getvalue()) == (200, body)
    beyond = api.get(file["url"], headers={"Range": f"bytes={len(body)}-"})
    assert beyond.status_code == 416
    unchanged = api.get(file["url"], headers={"If-None-Match": complete.headers["ETag"]})
    assert unchanged.status_code == 304
    head = api.head(file["url"])
    assert (head.status_code, int(head.headers["Content-Length"])) == (200, len(body))


def test_filters_are_stored_with_the_export(api, at, campaign):
    start(api, at, partition="test", licence="CC-BY-SA-4.0")
    run_jobs()
    manifest = Job.objects.get().result["manifest"]
    assert manifest["filters"] == {"domain": None, "partition": "test"}
    assert manifest["licence"] == "CC-BY-SA-4.0"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"format": "word"}, 400),
        ({"source": "nobody"}, 400),
        ({"partition": "gold"}, 400),
        ({"licence": "<b>"}, 400),
        ({"source": "expert"}, 409),
    ],
)
@pytest.mark.usefixtures("campaign")
def test_invalid_export_is_refused(api, at, body, status):
    assert start(api, at, **body).status_code == status
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", ["../demo", "%2e%2e", "nothing", "."])
def test_path_outside_the_export_is_not_found(api, at, finished_export, name):
    base = at("exports")
    assert api.get(f"{base}{name}/").status_code == 404
    assert api.get(f"{base}{name}/manifest.json").status_code == 404
    assert api.get(f"{base}{finished_export['id']}/{name}").status_code == 404


def test_export_of_another_project_is_not_found(api, at, finished_export):
    Job.objects.update(scope="other")
    assert api.get(at("export", finished_export["id"])).status_code == 404
    assert api.get(finished_export["files"][0]["url"]).status_code == 404


def test_failed_export_has_a_reason(api, at, campaign):
    response = start(api, at, domain="nowhere")
    run_jobs()
    failed = api.get(response.headers["Location"]).json()
    assert failed["state"] == "failed"
    assert "nowhere" in failed["problem"]


def test_exports_are_listed_by_state(api, at, finished_export):
    queued = start(api, at).json()["id"]
    exports = api.get(at("exports"), {"state": "queued"}).json()["results"]
    assert [export["id"] for export in exports] == [queued]


def test_api_starts_an_export_of_annotations_and_offers_the_archive(api, at, campaign):
    address = at("exports")
    body = {"format": "jsonl", "source": "annotations"}
    started = api.post(address, json.dumps(body), content_type="application/json")
    assert started.status_code == 202
    run_jobs()
    export = api.get(started.headers["Location"]).json()
    assert (export["state"], export["source"]) == ("finished", "annotations")
    for file in [*export["files"], export["archive"]]:
        content = api.get(file["url"]).getvalue()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
    body = {"format": "qasrl-bank", "source": "annotations"}
    refused = api.post(address, json.dumps(body), content_type="application/json")
    assert (refused.status_code, Job.objects.count()) == (400, 1)


def test_api_refuses_annotations_of_a_project_without_work(api, at, project):
    Submission.objects.filter(item__project=project).delete()
    body = json.dumps({"format": "jsonl", "source": "annotations"})
    address = at("exports")
    assert api.post(address, body, content_type="application/json").status_code == 409
