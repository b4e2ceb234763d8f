"""Exports to a fake S3 server, which is checked against botocore's model."""

import hashlib
import json

import botocore.session
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.domain.corpus.preview_corpus import preview_corpus
from annotation.domain.corpus.queue_import import queue_import
from datasets.domain.exports.queue_export import data_card_of, files_of, open_file
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from tests.consolidation.gold import make_gold_project
from tests.dashboard.campaign import START, make_project
from tests.fakes.s3 import OPERATIONS, running_s3
from tests.jobs.factories import make_export
from web.downloads import download

pytestmark = pytest.mark.django_db


@pytest.fixture
def s3(monkeypatch):
    with running_s3("bucket") as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        yield server


def export(project, address: str) -> None:
    call_command("export_gold", project.slug, "--format", "qasrl-csv", "--out", address)


def test_fake_follows_the_model_of_botocore():
    model = botocore.session.get_session().get_service_model("s3")
    for name, (method, path) in OPERATIONS.items():
        http = model.operation_model(name).http
        assert (http["method"], http["requestUri"].partition("?")[0]) == (method, path)


def test_export_is_stored_with_its_manifest_last(s3):
    project = make_gold_project()
    export(project, "s3://bucket/gold/v1")
    manifest = json.loads(s3.objects["bucket", "gold/v1/manifest.json"])
    names = {key for _, key in s3.objects}
    assert names == {f"gold/v1/{name}" for name in [*manifest["files"], "manifest.json"]}
    for name, facts in manifest["files"].items():
        assert len(s3.objects["bucket", f"gold/v1/{name}"]) == facts["bytes"]
    assert s3.requests[-1][1].endswith("manifest.json")


def test_refused_upload_is_reported_and_leaves_no_manifest(s3):
    project = make_gold_project()
    export(project, "s3://bucket/gold")
    s3.puts, s3.refuse_after = 0, 1
    with pytest.raises(CommandError, match=r"s3://bucket/gold: .*AccessDenied") as excinfo:
        export(project, "s3://bucket/gold")
    assert excinfo.value.returncode == 2
    assert ("bucket", "gold/manifest.json") not in s3.objects


@pytest.mark.parametrize(
    ("address", "message"), [("s3://other/gold", "NoSuchBucket"), ("s3://", "names no bucket")]
)
def test_missing_bucket_is_reported(s3, address, message):
    with pytest.raises(CommandError, match=message):
        export(make_gold_project(), address)
    assert s3.objects == {}


def test_missing_credentials_are_reported(s3, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("HOME", "/nonexistent")
    with pytest.raises(CommandError, match="Unable to locate credentials"):
        export(make_gold_project(), "s3://bucket/gold")


# --- a site that stores its files in a bucket


@pytest.fixture
def bucket_site(s3, settings):
    """Store uploads and exports in the bucket."""
    settings.STORAGES = settings.STORAGES | {
        alias: {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {"bucket_name": "bucket", "location": f"site/{alias}"},
        }
        for alias in ("uploads", "exports")
    }
    return s3


def test_export_job_is_stored_in_and_downloaded_from_the_bucket(bucket_site, rf):
    job = make_export(make_gold_project())
    assert (job.state, job.problem) == (JobState.FINISHED, "")
    folder = f"site/exports/{job.scope}/{job.pk}"
    assert {key for _, key in bucket_site.objects} == {
        f"{folder}/{name}" for name in [*(file.name for file in files_of(job)), f"{job.scope}.zip"]
    }
    for file in files_of(job):
        content, facts = open_file(job, file.name)
        response = download(
            rf.get("/", headers={"range": "bytes=1-"}),
            content,
            name=file.name,
            sha256=facts.sha256,
        )
        body = response.getvalue()
        assert len(body) == file.bytes - 1
        stored = bucket_site.objects["bucket", f"{folder}/{file.name}"]
        assert body == stored[1:]
        assert hashlib.sha256(stored).hexdigest() == file.sha256
        response.close()
    assert "license" in data_card_of(job)


def test_export_job_refused_by_the_bucket_fails_and_leaves_nothing(bucket_site):
    bucket_site.refuse_after = 1
    job = make_export(make_gold_project())
    assert job.state == JobState.FAILED
    assert "AccessDenied" in job.problem
    assert bucket_site.objects == {}


def test_import_job_reads_its_upload_from_the_bucket(bucket_site):
    project = make_project("news")
    job = queue_import(
        project=project,
        fmt="text",
        files=[SimpleUploadedFile("news.txt", b"The committee rejected the proposal .")],
        items_files=[],
        domain="",
        partition="",
        strict=False,
        actor="rita",
        now=START,
    )
    [(_, key)] = bucket_site.objects
    assert key.startswith("site/uploads/")
    assert preview_corpus(project=project, job=job).read == 1
    assert run_next_job(clock=lambda: START)
    job.refresh_from_db()
    assert (job.state, job.result["sentences_added"]) == (JobState.FINISHED, 1)
    assert bucket_site.objects == {}
