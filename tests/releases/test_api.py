"""Releases over the API: the list, a release, its ZIP file and the differences."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from projects.models import Project
from releases.domain.build_release import delete_archive
from releases.domain.details import ReleaseDetails, ReleaseDetailsError
from releases.domain.queue_release import queue_release, release_jobs
from releases.models import Release
from tests.annotation.uploads import run_jobs
from tests.api.conftest import calling
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_project, make_user
from tests.releases.projects import JANE, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


@pytest.fixture
def project(tmp_path) -> Project:
    return make_sample_project("qasrl", tmp_path)


@pytest.fixture
def api(project) -> Client:
    return calling(make_user("rita", project, MemberRole.REQUESTER))


def at(name: str, project: Project, *arguments: str) -> str:
    return reverse(f"api:{name}", args=[project.slug, *arguments])


def test_release_has_its_details_and_its_archive(api, project):
    release = make_release(project, notes="First.")
    facts = api.get(at("release", project, "1.0")).json()
    archive = facts.pop("archive")
    facts.pop("released_at")
    assert facts == {
        "version": "1.0",
        "source": "expert",
        "released_by": "rita",
        "items": project.items.count(),
        "sentences": project.sentences.count(),
        "licence": "CC-BY-4.0",
        "text_licence": "",
        "notes": "First.",
        "authors": [
            {
                "family": "Doe",
                "given": "Jane",
                "orcid": "0000-0002-1825-0097",
                "affiliation": "Example Lab",
            }
        ],
    }
    content = api.get(archive["url"]).getvalue()
    assert hashlib.sha256(content).hexdigest() == archive["sha256"] == release.archive["sha256"]
    rest = api.get(archive["url"], headers={"Range": f"bytes={len(content) - 5}-"})
    assert (rest.status_code, rest.getvalue()) == (206, content[-5:])


def test_releases_are_listed_newest_first(api, project):
    make_release(project)
    make_release(project, "1.1")
    listed = api.get(at("releases", project)).json()["results"]
    assert [row["version"] for row in listed] == ["1.1", "1.0"]
    assert listed[1] == api.get(at("release", project, "1.0")).json()


def test_release_without_files_has_no_archive(api, project):
    release = make_release(project)
    delete_archive(release)
    assert api.get(at("release_archive", project, "1.0")).status_code == 404
    Release.objects.filter(pk=release.pk).update(archive={}, manifest={})
    assert api.get(at("release", project, "1.0")).json()["archive"] is None
    assert api.get(at("release_archive", project, "1.0")).status_code == 404


def test_differences_name_items_and_figures(api, project):
    make_release(project)
    make_release(project, "1.1", partitions=["train", "dev"])
    found = api.get(at("release_differences", project, "1.1")).json()
    assert (found["version"], found["against"]) == ("1.1", "1.0")
    removed = project.items.filter(sentence__partition="test").values_list("key", flat=True)
    assert [(row["kind"], row["key"]) for row in found["items"]] == [
        ("removed", key) for key in sorted(removed)
    ]
    assert "Items" in {row["label"] for row in found["figures"]}
    assert api.get(at("release_differences", project, "1.0")).status_code == 404
    backwards = api.get(at("release_differences", project, "1.0"), {"against": "1.1"}).json()
    assert {row["kind"] for row in backwards["items"]} == {"added"}


def test_unknown_version_is_not_found(api, project):
    for name in ("release", "release_archive", "release_differences"):
        assert api.get(at(name, project, "9.9")).status_code == 404


BODY = {
    "version": "1.0",
    "licence": "CC-BY-4.0",
    "authors": [
        {"family": "Doe", "given": "Jane", "orcid": "https://orcid.org/0000-0002-1825-0097"}
    ],
    "source": "expert",
    "notes": "By a script.",
    "answers": {"genre": "News."},
}


def start(api: Client, project: Project, **changes: object):
    return api.post(at("releases", project), {**BODY, **changes}, content_type="application/json")


@pytest.mark.django_db(transaction=True)
def test_release_is_started_and_followed(api, project):
    response = start(api, project)
    assert response.status_code == 202, response.content
    assert response.json()["version"] == "1.0"
    address = response.headers["Location"]
    assert api.get(address).json()["release"] is None
    again = start(api, project, version="2.0")
    assert again.status_code == 400
    assert "in progress" in again.content.decode()
    run_jobs()
    job = api.get(address).json()
    assert job["state"] == "finished"
    release = Release.objects.get()
    assert job["release"]["archive"]["sha256"] == release.archive["sha256"]
    assert job["release"]["authors"][0]["orcid"] == "0000-0002-1825-0097"
    assert release.details["answers"] == {"genre": "News."}
    assert release.released_by.startswith("rita by token")


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({"version": "1"}, 400, "Enter two numbers"),
        ({"licence": "mine"}, 400, "licence"),
        ({"authors": []}, 400, "authors"),
        ({"authors": [{"family": "Doe", "orcid": "0000-0002-1825-0098"}]}, 400, "no ORCID iD"),
        ({"answers": {"other": "x"}}, 400, "no topic"),
        ({"partitions": ["validation"]}, 400, "partitions"),
        ({"source": "validated"}, 409, "no validated gold"),
        ({"colour": "red"}, 400, "colour"),
    ],
)
def test_wrong_details_are_refused(api, project, changes, status, text):
    response = start(api, project, **changes)
    assert response.status_code == status
    assert text in response.content.decode()
    assert not release_jobs(project).exists()


def test_only_staff_start_releases(project):
    trainer = calling(make_user("tom", project, MemberRole.TRAINER))
    assert start(trainer, project).status_code == 403
    stranger = calling(make_user("sam", make_project("other"), MemberRole.ADMIN))
    assert start(stranger, project).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_start_one_release(project):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    details = ReleaseDetails(version="1.0", licence="MIT", authors=[JANE], source="expert")
    barrier = Barrier(6)

    def attempt(number: int) -> bool:
        barrier.wait()
        try:
            queue_release(
                project=project,
                details=replace(details, version=f"{number}.0"),
                actor="rita",
                now=NOW,
            )
        except ReleaseDetailsError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        started = list(pool.map(attempt, range(1, 7)))
    assert sum(started) == 1
    assert release_jobs(project).count() == 1
