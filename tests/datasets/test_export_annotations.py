"""Exports of individual annotations, with gold and alone, and the ZIP file of everything."""

import hashlib
import io
import json
from zipfile import ZipFile

import pytest
from django.urls import reverse

from datasets.domain.exports.export_submissions import submissions_of
from datasets.domain.exports.queue_export import archive_of, data_card_of, files_of
from jobs.models import Job
from projects.enums import MemberRole
from tests.consolidation.gold import make_gold_item
from tests.dashboard.campaign import make_project, make_user
from tests.jobs.factories import make_export
from tests.view_names import VIEW_NAMES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _files(job_files):
    """Store exports with the test."""


def url_of(job: Job, *file: str) -> str:
    name = "export_file" if file else "export_details"
    return reverse(VIEW_NAMES[name], args=[job.scope, job.pk, *file])


def text_of(office, job: Job, name: str) -> str:
    return office.get(url_of(job, name)).getvalue().decode()


def test_gold_and_individual_annotations_are_in_one_export(office, campaign, project):
    job = make_export(project, annotations=True)
    accepted = submissions_of(project)
    counts = {role: accepted.filter(role=role).count() for role in ("generator", "consolidator")}
    manifest = job.result["manifest"]
    assert manifest["annotations"] == {"format": "qasrl-csv", "counts": counts}
    generators = f"annotations/{project.slug}.generator.csv"
    assert manifest["files"][generators]["rows"] >= counts["generator"]
    text = text_of(office, job, generators)
    assert "ASECRET" not in text
    assert accepted.filter(role="generator").first().worker.pseudonym in text
    assert f"{counts['generator']} by generators" in data_card_of(job)


def test_individual_annotations_alone_have_a_manifest_and_a_data_card(office, campaign, project):
    job = make_export(project, source="annotations", fmt="jsonl")
    names = {file.name for file in files_of(job)}
    assert {"README.md", "manifest.json", f"annotations/{project.slug}.generator.jsonl"} <= names
    assert not [name for name in names if ".gold." in name]
    lines = text_of(office, job, f"annotations/{project.slug}.generator.jsonl").splitlines()
    assert len(lines) == submissions_of(project).filter(role="generator").count()
    assert set(json.loads(lines[0])) >= {"sentence_id", "role", "worker_id", "content"}
    page = office.get(url_of(job)).content.decode()
    assert "Individual annotations as jsonl" in page
    assert "annotations of individual people" in page


def test_filters_apply_to_individual_annotations(campaign, project):
    job = make_export(project, source="annotations", fmt="jsonl", partition="test")
    expected = submissions_of(project, partition="test").filter(role="generator").count()
    counts = job.result["manifest"]["annotations"]["counts"]
    assert (counts["generator"], expected < submissions_of(project).count()) == (expected, True)


def test_archive_has_every_file_and_the_same_bytes_each_time(office, campaign, project):
    first, second = (make_export(project, annotations=True) for _ in range(2))
    archive = archive_of(first)
    assert archive == archive_of(second)
    response = office.get(url_of(first, archive.name))
    body = response.getvalue()
    assert hashlib.sha256(body).hexdigest() == archive.sha256
    assert f'filename="{project.slug}.zip"' in response.headers["Content-Disposition"]
    with ZipFile(io.BytesIO(body)) as packed:
        assert packed.testzip() is None
        assert {name.removeprefix(f"{project.slug}/") for name in packed.namelist()} == {
            file.name for file in files_of(first)
        }
        for file in files_of(first):
            content = packed.read(f"{project.slug}/{file.name}")
            assert hashlib.sha256(content).hexdigest() == file.sha256
    for page in (url_of(first), reverse("datasets:exports", args=[project.slug])):
        assert url_of(first, archive.name) in office.get(page).content.decode()


def test_form_offers_annotations_in_their_formats(client):
    project = make_gold_item().item.project
    slug = project.slug
    client.force_login(make_user("rob", project, MemberRole.REQUESTER))
    page = client.get(reverse("datasets:exports", args=[slug])).content.decode()
    assert "Annotations only (3)" in page
    form = {"source": "annotations", "fmt": "qasrl-bank"}
    refused = client.post(reverse("datasets:export", args=[slug]), form)
    assert refused.status_code == 422
    assert "Individual annotations have the formats" in refused.content.decode()
    form |= {"fmt": "qasrl-csv"}
    done = client.post(reverse("datasets:export", args=[slug]), form, follow=True)
    assert "Individual annotations as qasrl-csv" in done.content.decode()


def test_annotations_of_an_empty_project_fail_with_a_reason():
    project = make_project("empty")
    job = make_export(project, source="annotations", fmt="jsonl")
    assert "has no accepted submission" in job.problem
