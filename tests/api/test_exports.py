"""Exports: asked for, written by a worker process, downloaded, resumed."""

import hashlib
import json

import pytest
from django.urls import reverse

from jobs.models import Job
from jobs.tasks import run_jobs

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(project):
    def of(name, *more):
        return reverse(f"api:{name}", args=["demo", *more])

    return of


def start(api, at, **body):
    given = {"format": "qasrl-csv", **body}
    return api.post(at("exports"), json.dumps(given), content_type="application/json")


@pytest.fixture
def finished(api, at, campaign):
    """What the API says of a finished export."""
    asked = start(api, at, partition="test")
    run_jobs()
    return api.get(asked.headers["Location"]).json()


def test_export_is_asked_for_and_written_later(api, at, campaign):
    asked = start(api, at)
    assert (asked.status_code, asked.json()["state"], asked.json()["files"]) == (202, "queued", [])
    run_jobs()
    done = api.get(asked.headers["Location"]).json()
    assert (done["state"], done["items"], done["format"]) == ("finished", 3, "qasrl-csv")
    assert api.get(at("exports")).json()["results"] == [done]


def test_files_arrive_whole_with_their_checksum(api, finished):
    assert {one["name"] for one in finished["files"]} >= {"manifest.json", "README.md"}
    for file in finished["files"]:
        response = api.get(file["url"])
        body = response.getvalue()
        assert int(response.headers["Content-Length"]) == len(body) == file["bytes"]
        assert hashlib.sha256(body).hexdigest() == file["sha256"]


def test_download_that_was_cut_off_is_resumed(api, finished):
    file = next(one for one in finished["files"] if one["name"].endswith("gold.csv"))
    whole = api.get(file["url"])
    body = whole.getvalue()
    rest = api.get(file["url"], headers={"Range": "bytes=100-", "If-Range": whole.headers["ETag"]})
    assert (rest.status_code, rest.getvalue()) == (206, body[100:])
    assert rest.headers["Content-Range"] == f"bytes 100-{len(body) - 1}/{len(body)}"
    other = api.get(file["url"], headers={"Range": "bytes=100-", "If-Range": '"of before"'})
    assert (other.status_code, other.getvalue()) == (200, body)
    beyond = api.get(file["url"], headers={"Range": f"bytes={len(body)}-"})
    assert beyond.status_code == 416
    unchanged = api.get(file["url"], headers={"If-None-Match": whole.headers["ETag"]})
    assert unchanged.status_code == 304
    head = api.head(file["url"])
    assert (head.status_code, int(head.headers["Content-Length"])) == (200, len(body))


def test_filters_of_the_export_are_kept(api, at, campaign):
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
def test_export_that_is_none_is_refused(api, at, body, status):
    assert start(api, at, **body).status_code == status
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", ["../demo", "%2e%2e", "nothing", "."])
def test_path_that_leads_elsewhere_finds_nothing(api, at, finished, name):
    base = at("exports")
    assert api.get(f"{base}{name}/").status_code == 404
    assert api.get(f"{base}{name}/manifest.json").status_code == 404
    assert api.get(f"{base}{finished['id']}/{name}").status_code == 404


def test_export_of_another_project_is_not_found(api, at, finished):
    Job.objects.update(scope="other")
    assert api.get(at("export", finished["id"])).status_code == 404
    assert api.get(finished["files"][0]["url"]).status_code == 404


def test_export_that_failed_says_why(api, at, campaign):
    asked = start(api, at, domain="nowhere")
    run_jobs()
    failed = api.get(asked.headers["Location"]).json()
    assert failed["state"] == "failed"
    assert "nowhere" in failed["problem"]


def test_exports_are_listed_by_state(api, at, finished):
    queued = start(api, at).json()["id"]
    listed = api.get(at("exports"), {"state": "queued"}).json()["results"]
    assert [export["id"] for export in listed] == [queued]
