"""Pages of releases: making one, reading it, and comparing it with another."""

import io
import json
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from consolidation.domain.gold.add_gold import add_gold
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from projects.enums import MemberRole
from projects.models import Project
from releases.models import Release
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
FORM = {
    "version": "1.0",
    "source": "expert",
    "partitions": ["train", "test"],
    "licence": "CC-BY-SA-4.0",
    "text_licence": "CC0-1.0",
    "authors": "Doe, Jane; 0000-0002-1825-0097; Example Lab\nExample Consortium",
    "notes": "The first one.",
    "funding": "Example Foundation, grant 1",
    "contact": "jane@lab.example",
    "url": "https://lab.example/data",
    "answer_uses": "Training of parsers.",
}


@pytest.fixture
def project(tmp_path) -> Project:
    return make_sample_project("qasrl", tmp_path)


@pytest.fixture
def client(project) -> Client:
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def address(name: str, project: Project, *args: object) -> str:
    return reverse(f"releases:{name}", args=[project.slug, *args])


def text_of(response) -> str:
    return " ".join(response.content.decode().split())


def test_form_makes_a_release_in_a_job(client, project):
    response = client.post(address("new_release", project), FORM)
    assert response.status_code == 302
    page = text_of(client.get(response.url))
    assert "Release 1.0" in page
    assert not Release.objects.exists()
    run_next_job(clock=lambda: NOW)
    release = Release.objects.get()
    assert (release.version, release.is_built, release.released_by) == ("1.0", True, "rita")
    assert release.items.count() == project.items.exclude(sentence__partition="dev").count()

    page = text_of(client.get(address("release_details", project, "1.0")))
    assert "Creative Commons Attribution ShareAlike 4.0" in page
    assert "12 topics of the data statement and datasheet are open" in page
    assert "Contact: jane@lab.example" not in page
    archive = client.get(address("release_archive", project, "1.0"))
    with zipfile.ZipFile(io.BytesIO(archive.getvalue())) as files:
        folder = f"{project.slug}-1.0"
        sheet = files.read(f"{folder}/DATASHEET.md").decode()
        zenodo = json.loads(files.read(f"{folder}/zenodo.json"))
        datacite = json.loads(files.read(f"{folder}/datacite.json"))
    assert "Training of parsers." in sheet
    assert "Contact: jane@lab.example." in sheet
    assert "**For the authors:** Which uses is it not suitable for?" in sheet
    assert zenodo["metadata"]["creators"] == [
        {"name": "Doe, Jane", "affiliation": "Example Lab", "orcid": "0000-0002-1825-0097"},
        {"name": "Example Consortium"},
    ]
    assert zenodo["metadata"]["license"] == "cc-by-sa-4.0"
    assert [creator["nameType"] for creator in datacite["creators"]] == [
        "Personal",
        "Organizational",
    ]
    assert datacite["fundingReferences"] == [{"funderName": "Example Foundation, grant 1"}]
    assert [right["rightsIdentifier"] for right in datacite["rightsList"]] == [
        "CC-BY-SA-4.0",
        "CC0-1.0",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "1"}, "is no version"),
        ({"version": "01.0"}, "is no version"),
        ({"authors": "Doe, Jane; 0000-0002-1825-0098"}, "because its last digit is wrong"),
        ({"authors": "Doe, Jane; a; b"}, "is no ORCID iD"),
        ({"authors": "; 0000-0002-1825-0097"}, "Author in line 1"),
        ({"authors": " "}, "This field is required"),
        ({"licence": "GPL"}, "Select a valid choice"),
        ({"partitions": []}, "This field is required"),
    ],
)
def test_wrong_details_are_refused_at_their_field(client, project, changes, message):
    response = client.post(address("new_release", project), {**FORM, **changes})
    assert response.status_code == 422
    assert message in text_of(response)
    assert not Job.objects.exists()


def test_version_must_follow_the_newest(client, project):
    make_release(project, "1.2")
    form = text_of(client.get(address("new_release", project)))
    assert 'value="1.3"' in form
    assert "Doe, Jane; 0000-0002-1825-0097; Example Lab" in form
    response = client.post(address("new_release", project), {**FORM, "version": "1.2"})
    assert "1.2 must be higher than 1.2, the newest release." in text_of(response)
    assert (
        client.post(address("new_release", project), {**FORM, "version": "1.10"}).status_code == 302
    )


def test_second_release_waits_for_the_first(client, project):
    client.post(address("new_release", project), FORM)
    response = client.post(address("new_release", project), {**FORM, "version": "2.0"})
    assert "Another release is in progress" in text_of(response)


def test_release_without_files_can_be_completed(client, project):
    release = make_release(project)
    Release.objects.filter(pk=release.pk).update(archive={}, manifest={})
    page = text_of(client.get(address("release_details", project, "1.0")))
    assert "the files have not been written" in page
    client.post(address("build_release", project, "1.0"))
    run_next_job(clock=lambda: NOW)
    assert Job.objects.get().state == JobState.FINISHED
    assert Release.objects.get().archive == release.archive


def test_release_without_gold_fails_with_the_reason(client, project):
    item = project.items.filter(sentence__partition="train").first()
    add_gold(item=item, source="imported", content={"questions": []}, provenance=[], now=NOW)
    form = {**FORM, "source": "imported", "partitions": ["dev", "test"]}
    assert client.post(address("new_release", project), form).status_code == 302
    run_next_job(clock=lambda: NOW)
    job = Job.objects.get()
    assert job.state == JobState.FAILED
    assert "has no imported gold in the chosen partitions" in job.problem
    assert job.problem in text_of(client.get(address("releases", project)))


def test_differences_are_shown_and_downloaded(client, project):
    make_release(project)
    make_release(project, "1.1", partitions=["train"])
    page = text_of(client.get(address("release_differences", project, "1.1")))
    assert "From 1.0 to 1.1" in page
    removed = project.items.exclude(sentence__partition="train").first().key
    assert removed in page
    table = client.get(address("release_differences_csv", project, "1.1"), {"against": "1.0"})
    assert f"removed,{removed}," in table.content.decode()
    assert client.get(address("release_differences", project, "1.0")).status_code == 404
    unknown = client.get(address("release_differences", project, "1.1"), {"against": "9.9"})
    assert unknown.status_code == 404


def test_command_makes_a_release_and_builds_it_again(project, tmp_path):
    out, path = StringIO(), tmp_path / "release.zip"
    answers = tmp_path / "answers.json"
    answers.write_text('{"biases": "None are known."}')
    words = ("release", project.slug, "1.0", "--author", "Doe, Jane", "--licence", "CC-BY-4.0")
    more = ("--source", "expert", "--partition", "dev", "--answers", answers, "--out", path)
    call_command(*words, *more, "--json", stdout=out)
    release = Release.objects.get()
    facts = json.loads(out.getvalue())
    assert facts["sha256"] == release.archive["sha256"]
    assert facts["items"] == project.items.filter(sentence__partition="dev").count()
    with zipfile.ZipFile(path) as files:
        sheet = files.read(f"{project.slug}-1.0/DATASHEET.md").decode()
    assert "None are known." in sheet
    out = StringIO()
    call_command("release", project.slug, "1.0", "--rebuild", stdout=out)
    assert "Built again with the same bytes" in out.getvalue()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--licence", "MIT"], "Enter at least one author"),
        (["--author", "Doe"], "Choose the licence"),
        (["--author", "Doe", "--licence", "MIT", "--source", "validated"], "no validated gold"),
        (["--rebuild"], "has no release '1.0'. Releases: none yet"),
    ],
)
def test_command_refuses_incomplete_details(project, words, message):
    with pytest.raises(CommandError, match=message) as excinfo:
        call_command("release", project.slug, "1.0", *words)
    assert excinfo.value.returncode == 2
    assert not Release.objects.exists()
