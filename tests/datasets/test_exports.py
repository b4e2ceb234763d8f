import hashlib
import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.urls import reverse

from datasets.domain.exports.export_gold import ExportOptions, export_gold
from datasets.domain.exports.queue_export import exports_of, files_of, open_file, queue_export
from jobs.domain.kinds import ATTEMPTS
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from projects.models import Project
from tests.dashboard.campaign import START, make_project
from tests.forked import in_fork
from tests.jobs.factories import make_export
from tests.view_names import VIEW_NAMES


@pytest.fixture(autouse=True)
def _files(job_files):
    """Store exports with the test."""


@pytest.fixture
def url(project):
    return reverse("datasets:exports", args=[project.slug])


def url_of(job: Job, *file: str) -> str:
    name = "export_file" if file else "export_details"
    return reverse(VIEW_NAMES[name], args=[job.scope, job.pk, *file])


def queued(project) -> Job:
    return queue_export(
        project=project, fmt="qasrl-csv", source="consolidated", actor="rita", now=START
    )


def stored(settings, job: Job) -> list[Path]:
    return list((settings.EXPORT_DIR / job.scope / str(job.pk)).rglob("*"))


def test_requested_export_is_listed_at_once(office, campaign, project, url):
    form = {"source": "consolidated", "fmt": "qasrl-csv"}
    page = office.post(reverse("datasets:export", args=[project.slug]), form, follow=True)
    [job] = exports_of(project)
    assert (job.state, job.requested_by) == (JobState.QUEUED, "rita")
    assert job.parameters == {
        "format": "qasrl-csv",
        "source": "consolidated",
        "domain": "",
        "partition": "",
        "licence": "",
        "annotations": False,
        "certainty": False,
    }
    assert b"Consolidated gold as qasrl-csv" in page.content
    assert b"Queued" in page.content
    assert b"every '2s'" in page.content
    assert b"Export in progress" in office.get(url_of(job)).content


@pytest.mark.parametrize(
    "form", [{"source": "expert", "fmt": "qasrl-csv"}, {"source": "consolidated"}]
)
def test_request_without_matching_gold_starts_nothing(office, campaign, project, form):
    response = office.post(reverse("datasets:export", args=[project.slug]), form)
    assert response.status_code == 422
    assert not exports_of(project).exists()


def test_finished_export_offers_the_files_of_its_manifest(office, campaign, project, url):
    job = make_export(project)
    manifest = job.result["manifest"]
    assert (job.state, manifest["counts"]["items"]) == (JobState.FINISHED, 3)
    assert {file.name for file in files_of(job)} == {*manifest["files"], "manifest.json"}
    assert manifest["worker_ids"] == "pseudonyms"
    details = office.get(url_of(job)).content
    for file in files_of(job):
        response = office.get(url_of(job, file.name))
        body = response.getvalue()
        assert hashlib.sha256(body).hexdigest() == file.sha256
        assert int(response.headers["Content-Length"]) == len(body) == file.bytes
        assert b"ASECRET" not in body
        assert url_of(job, file.name).encode() in details
    page = office.get(url).content
    assert url_of(job).encode() in page
    assert b"3 items" in page
    assert b"every 2s" not in page


def test_file_names_of_simulated_work_are_prefixed(office, campaign, project):
    job = make_export(project)
    file = files_of(job)[0].name
    assert f'filename="{file}"' in office.get(url_of(job, file)).headers["Content-Disposition"]
    Project.objects.filter(pk=project.pk).update(has_simulated_work=True)
    disposition = office.get(url_of(job, file)).headers["Content-Disposition"]
    assert f'filename="simulated-{file}"' in disposition
    assert b"Simulated data." in office.get(url_of(job)).content


def test_export_without_gold_fails_with_a_reason(office, project, url):
    job = make_export(project)
    assert b"demo has no consolidated gold" in office.get(url).content
    assert b"demo has no consolidated gold" in office.get(url_of(job)).content


@pytest.mark.parametrize("file", ["request.json", "..", "secret_key", "error.txt"])
def test_only_files_of_the_manifest_can_be_downloaded(campaign, project, file):
    assert open_file(make_export(project), file) is None


def test_files_of_another_project_are_not_found(office, campaign, project):
    job = make_export(project)
    Job.objects.update(scope=make_project("other").slug)
    url = reverse("datasets:export_file", args=[project.slug, job.pk, "manifest.json"])
    assert office.get(url).status_code == 404


def test_page_without_gold_explains_what_is_missing(office, project, url):
    assert b"No gold or annotations yet" in office.get(url).content


def test_interrupted_download_can_be_resumed(office, campaign, project):
    job = make_export(project)
    file = next(file for file in files_of(job) if file.name.endswith(".gold.csv"))
    address = url_of(job, file.name)
    first = office.get(address)
    body = first.getvalue()[:100]
    remainder = office.get(
        address, headers={"range": "bytes=100-", "if-range": first.headers["ETag"]}
    )
    assert remainder.status_code == 206
    assert hashlib.sha256(body + remainder.getvalue()).hexdigest() == file.sha256
    assert office.head(address).headers["Content-Length"] == str(file.bytes)
    assert office.get(address, headers={"range": f"bytes={file.bytes}-"}).status_code == 416


def test_second_export_is_shown_as_identical(office, campaign, project):
    first, second = make_export(project), make_export(project)
    assert b"Identical to the export" not in office.get(url_of(first)).content
    page = office.get(url_of(second)).content
    assert url_of(first).encode() in page.partition(b"Identical to the export")[2]


def test_details_show_checksums_data_card_and_manifest(office, campaign, project, settings):
    job = make_export(project)
    page = office.get(url_of(job)).content
    for file in files_of(job):
        assert file.sha256.encode() in page
    assert b"annotations_creators" in page
    assert b"&quot;worker_ids&quot;: &quot;pseudonyms&quot;" in page
    assert b"<h2 id=" in page


def test_details_of_a_missing_export_are_not_found(office, campaign, project):
    url = reverse("datasets:export_details", args=[project.slug, 0])
    assert office.get(url).status_code == 404


def test_partition_is_exported_with_a_licence(office, campaign, project):
    form = {"source": "consolidated", "fmt": "jsonl", "partition": "test", "licence": "CC-BY-4.0"}
    office.post(reverse("datasets:export", args=[project.slug]), form)
    assert run_next_job(clock=lambda: START)
    manifest = exports_of(project).get().result["manifest"]
    assert manifest["filters"] == {"domain": None, "partition": "test"}
    assert manifest["licence"] == "CC-BY-4.0"


@pytest.mark.parametrize("bad", [{"partition": "prod"}, {"domain": "x"}, {"licence": "<b>"}])
def test_unknown_filter_value_starts_no_export(office, campaign, project, bad):
    form = {"source": "consolidated", "fmt": "jsonl", **bad}
    response = office.post(reverse("datasets:export", args=[project.slug]), form)
    assert response.status_code == 422
    assert not exports_of(project).exists()


@pytest.mark.usefixtures("campaign")
def test_full_disk_is_reported_and_leaves_no_files(office, project, monkeypatch, settings):
    """Writing the data card fails after the gold is written, as on a full disk."""

    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("datasets.domain.exports.export_gold.write_data_card", full)
    job = make_export(project)
    assert (job.state, job.problem) == (JobState.FAILED, "[Errno 28] No space left on device")
    assert not connection.allow_thread_sharing  # the read-ahead process has ended
    assert stored(settings, job) == []
    assert b"No space left on device" in office.get(url_of(job)).content
    assert open_file(job, "README.md") is None


# --- cancelling


def test_export_is_cancelled_by_its_button(office, campaign, project, url):
    job = queued(project)
    address = reverse("dashboard:cancel_job", args=[project.slug, job.pk])
    assert address.encode() in office.get(url).content
    page = office.post(address, follow=True).content
    assert b"The job was cancelled." in page
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert address.encode() not in office.get(url).content


def test_finished_export_cannot_be_cancelled(office, campaign, project):
    job = make_export(project)
    address = reverse("dashboard:cancel_job", args=[project.slug, job.pk])
    assert b"The job has already ended." in office.post(address, follow=True).content
    content, _ = open_file(job, "manifest.json")
    content.close()


def test_job_of_another_project_cannot_be_cancelled(office, campaign, project):
    job = queued(make_project("other"))
    address = reverse("dashboard:cancel_job", args=[project.slug, job.pk])
    assert office.post(address).status_code == 404


# --- exports whose process ended


def die_at(moment: str) -> None:
    """Run the export in a process that is killed in the middle of a file or before the manifest."""

    def kill_or_replace(source, target, **options):
        if str(target).endswith({"in a file": ".gold.csv", "at its end": "manifest.json"}[moment]):
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target, **options)

    def dying() -> None:
        os.replace = kill_or_replace
        run_next_job(clock=lambda: START)

    replace = os.replace
    assert os.WTERMSIG(in_fork(dying)) == signal.SIGKILL


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moment", ["in a file", "at its end"])
def test_export_of_a_killed_process_is_restarted(
    campaign, project: Project, settings, tmp_path, moment
):
    job = queued(project)
    die_at(moment)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.RUNNING, 1)
    assert not run_next_job(clock=lambda: START + settings.LEASE)
    assert run_next_job(clock=lambda: START + settings.LEASE + timedelta(seconds=1))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.FINISHED, 2)
    plain = export_gold(
        project=project,
        options=ExportOptions(fmt="qasrl-csv", source="consolidated"),
        folder=tmp_path / "elsewhere",
    )
    assert job.result["manifest"] == plain.manifest
    names = {file.name for file in files_of(job)}
    assert {path.name for path in stored(settings, job)} == {*names, "demo.zip"}


def test_export_that_always_kills_its_process_fails_with_a_reason(office, campaign, project, url):
    job = queued(project)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, attempts=ATTEMPTS)
    assert b"Running" in office.get(url).content
    assert run_next_job(clock=lambda: START)
    page = office.get(url).content.decode()
    assert f"Gave up after {ATTEMPTS} attempts" in page
    assert "Running" not in page
