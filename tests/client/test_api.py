"""The steps of a project with the client, on a live site."""

import hashlib
import json
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from annotation.models import Batch
from consolidation.models import Gold
from tests.environment import ROOT
from tests.live_site import job_worker
from touchstone_client import DownloadError, Job, JobFailedError, JobTimeoutError

SAMPLES = ROOT / "schemes" / "qasrl" / "samples"
SENTENCES, EXPERT = SAMPLES / "sentences.csv", SAMPLES / "expert.csv"


@pytest.mark.slow
def test_project_from_a_corpus_to_a_release(site, tmp_path):
    project = site.create_project(slug="mine", title="Mine", scheme="qasrl", cap_cents=50000)
    assert project.read()["title"] == "Mine"
    with job_worker():
        corpus = project.import_corpus(
            SENTENCES, items_files=[EXPERT], domain="wikinews", partition="dev", strict=True
        )
        assert corpus.record["state"] == "queued"
        corpus_record = project.wait(corpus)
        assert corpus_record["strict"]
        count = corpus_record["items_added"]
        assert count > 0
        gold = project.wait(project.import_gold([EXPERT], "expert"))
        assert gold["items_added"] == count

        table = project.gold_table(source="expert", partition="dev")
        assert len(table) == count
        first = Gold.objects.select_related("item__sentence").get(pk=table.index[0])
        row = table.iloc[0]
        assert row["item"] == first.item.key
        assert row["text"] == first.item.sentence.text
        assert row["tokens"] == first.item.sentence.tokens
        assert row["content"] == first.content
        assert row["created_at"] == first.created_at

        export = project.wait(project.export("jsonl", source="expert", licence="CC-BY-4.0"))
        files = project.download(export, tmp_path / "export")
        assert {path.name for path in files} == {file["name"] for file in export["files"]}
        for path, file in zip(files, export["files"], strict=True):
            assert hashlib.sha256(path.read_bytes()).hexdigest() == file["sha256"]

        scores = project.wait(project.evaluate_systems(EXPERT, source="expert"))
        assert scores["result"]["systems"][0]["name"] == "expert"
        names = {path.name for path in project.download(scores, tmp_path / "scores")}
        assert "figures.csv" in names
        assert json.loads((tmp_path / "scores" / "evaluation.json").read_text("utf-8"))

        release = project.wait(
            project.release(
                version="1.0",
                source="expert",
                licence="CC-BY-4.0",
                authors=[{"family": "Aldana", "given": "Zoë"}],
            )
        )
        [archive] = project.download(release, tmp_path)
        assert zipfile.is_zipfile(archive)

    wanted = {"limit": 3, "who": "anyone", "approval_rate": 95}
    cost = project.publish(dry_run=True, **wanted)
    assert cost["items"] == 3
    assert not Batch.objects.exists()
    batch = project.publish(key="pilot", **wanted)
    assert project.publish(key="pilot", **wanted)["id"] == batch["id"]
    assert Batch.objects.count() == 1


def test_failed_job_has_its_problem(site, campaign, tmp_path):
    (tmp_path / "notes.bin").write_bytes(b"\x00\x01\x02")
    project = site.project("demo")
    with job_worker():
        job = project.import_corpus(tmp_path / "notes.bin", format="qasrl-csv")
        with pytest.raises(JobFailedError) as failed:
            project.wait(job)
    assert failed.value.state == "failed"
    assert failed.value.problem == site.get(job.path)["problem"] != ""
    assert failed.value.problem in str(failed.value)


def test_job_that_does_not_end_in_time(site, campaign):
    project = site.project("demo")
    job = project.import_corpus(SENTENCES)
    with pytest.raises(JobTimeoutError, match=r"is queued after 0\.1 seconds"):
        project.wait(job, timeout=0.1)
    site.post(f"{job.path}cancel/")
    with pytest.raises(JobFailedError, match="cancelled"):
        project.wait(job)


def test_corpus_is_previewed_and_then_imported(site, campaign):
    project = site.project("demo")
    count = campaign.project.items.count()
    with job_worker():
        previewed = project.preview_corpus(SENTENCES, items_files=EXPERT, partition="dev")
        assert (previewed["state"], previewed["partition"]) == ("uploaded", "dev")
        preview = previewed["preview"]
        assert preview["state"] == "finished"
        assert campaign.project.items.count() == count
        imported = project.wait(project.confirm_import(previewed))
    assert imported["items_added"] == preview["items_added"] > 0
    assert campaign.project.items.count() == count + preview["items_added"]


def test_preview_that_does_not_end_in_time(site, campaign):
    project = site.project("demo")
    with pytest.raises(JobTimeoutError, match=r"has no preview after 0\.1 seconds"):
        project.preview_corpus(SENTENCES, timeout=0.1)


def test_pages_are_followed(site, campaign):
    listed = list(site.pages("projects/demo/items/", limit=5))
    assert {row["key"] for row in listed} == {item.key for item in campaign.items}
    assert len(listed) == 12


def test_progress_is_of_one_batch_or_all(site, campaign):
    project = site.project("demo")
    of_batches = [
        site.get(f"projects/demo/batches/{batch.pk}/progress/")
        for batch in campaign.batches.values()
    ]
    first = next(iter(campaign.batches.values())).pk
    assert project.progress(first) == of_batches[0]
    total = project.progress()
    for name in ("hits", "submissions"):
        assert sum(total[name].values()) == sum(sum(row[name].values()) for row in of_batches) > 0


def test_gold_since_a_time(site, campaign):
    golds = list(Gold.objects.filter(item__project=campaign.project).order_by("created_at"))
    assert golds
    project = site.project("demo")
    assert {row["id"] for row in project.gold()} == {gold.pk for gold in golds}
    last = golds[-1].created_at
    newest = {gold.pk for gold in golds if gold.created_at >= last}
    assert {row["id"] for row in project.gold(last)} == newest
    assert {row["id"] for row in project.gold(last.isoformat())} == newest
    assert list(project.gold(datetime.now(UTC) + timedelta(days=1))) == []
    assert next(project.gold())["sentence"]["tokens"]
    assert next(project.gold(with_sentence=False))["sentence"] is None
    with pytest.raises(ValueError, match="no time zone"):
        project.gold(datetime(2026, 11, 1))  # noqa: DTZ001 - without a time zone on purpose


def test_table_without_gold_has_its_columns(site, campaign):
    table = site.project("demo").gold_table(datetime.now(UTC) + timedelta(days=1))
    assert table.empty
    assert {"item", "source", "text", "content", "created_at"} <= set(table.columns)
    assert str(table["created_at"].dtype).endswith("UTC]")


def test_download_that_is_not_what_was_promised(site, campaign, tmp_path):
    with pytest.raises(DownloadError, match="SHA-256"):
        site.download("me/", tmp_path / "me.json", sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []
    project = site.project("demo")
    with pytest.raises(DownloadError, match="Wait for its job first"):
        project.download(Job("exports/1/", {"files": [], "archive": None}).record, tmp_path)
    outside = {"files": [{"name": "../x", "url": "/api/v1/me/", "sha256": ""}]}
    with pytest.raises(DownloadError, match="not the name of a file"):
        project.download(outside, tmp_path)
