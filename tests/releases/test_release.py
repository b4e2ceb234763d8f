"""Releases of each scheme: other programs load them, and they never change."""

import hashlib
import json
import subprocess
import sys
import zipfile

import pytest
import yaml
from django.db import connection, transaction
from django.db.utils import DatabaseError

from consolidation.domain.gold.add_gold import add_gold
from dashboard.delete_project import delete_project
from jobs.domain.run_jobs import run_next_job
from projects.domain.schemes import definition_of, digest_of, scheme_of
from projects.models import Project
from releases.domain.build_release import (
    ReleaseFilesError,
    delete_archive,
    open_archive,
    rebuild_release,
)
from releases.domain.differences import differences_between
from releases.domain.released import Released
from releases.models import Release, ReleasedItem
from schemes.contract.scheme import DEFINITION
from tests.crowd.factories import NOW
from tests.releases.projects import SCHEME_NAMES, archive_in, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
HUB_TASKS = {
    "question-answering",
    "token-classification",
    "text-classification",
    "object-detection",
    "other",
}


@pytest.fixture(params=SCHEME_NAMES)
def project(request, tmp_path) -> Project:
    return make_sample_project(request.param, tmp_path)


def unpacked(release: Release, folder):
    """Unpack the ZIP file, and return the folder with the files."""
    with zipfile.ZipFile(archive_in(release, folder)) as archive:
        archive.extractall(folder)
    return folder / f"{release.project.slug}-{release.version}"


def run_apart(script: str, *words: object) -> dict:
    """Run a script that prints JSON without this project's modules, one of which hides `datasets`."""
    command = [sys.executable, "-I", "-c", script, *map(str, words)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


LOAD_DATASET = """
import json, os, sys
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": sys.argv[2]}
import datasets
loaded = datasets.load_dataset(sys.argv[1])
rows = {
    name: [[row["id"], row["tokens"], row["content_json"], row["content"]] for row in split]
    for name, split in loaded.items()
}
print(json.dumps(rows))
"""
LOAD_CROISSANT = """
import json, sys
import mlcroissant
dataset = mlcroissant.Dataset(sys.argv[1])
issues = dataset.metadata.ctx.issues
rows = {
    records.name: [
        [record[f"{records.id}/{name}"].decode() for name in ("id", "content_json")]
        for record in dataset.records(records.id)
    ]
    for records in dataset.metadata.record_sets
}
print(json.dumps({"rows": rows, "errors": list(issues.errors), "warnings": list(issues.warnings)}))
"""


def test_release_is_loaded_by_datasets_and_mlcroissant(project, tmp_path):
    release = make_release(project, text_licence="CC0-1.0", url="https://lab.example/data")
    folder = unpacked(release, tmp_path)
    items = {}
    for line in (folder / "items.jsonl").read_text("utf-8").splitlines():
        item = json.loads(line)
        items.setdefault(item["partition"].replace("dev", "validation"), []).append(item)
    loaded = run_apart(LOAD_DATASET, folder, tmp_path / "hub")
    assert {
        split: [[key, tokens, json.loads(content)] for key, tokens, content, _ in rows]
        for split, rows in loaded.items()
    } == {
        split: [[row["key"], row["tokens"], row["content"]] for row in rows]
        for split, rows in items.items()
    }
    described = run_apart(LOAD_CROISSANT, folder / "croissant.json")
    assert described["errors"] == []
    assert described["warnings"] == []
    assert {
        split: [[key, json.loads(content)] for key, content in rows]
        for split, rows in described["rows"].items()
    } == {split: [[row["key"], row["content"]] for row in rows] for split, rows in items.items()}


def test_manifest_has_every_file_with_its_checksum(project, tmp_path):
    release = make_release(project)
    folder = unpacked(release, tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest == release.manifest
    files = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    assert files.keys() - {"manifest.json"} == manifest["files"].keys()
    for name, facts in manifest["files"].items():
        content = files[name].read_bytes()
        assert (facts["bytes"], facts["sha256"]) == (
            len(content),
            hashlib.sha256(content).hexdigest(),
        )
    assert manifest["counts"]["items"] == release.items.count() == project.items.count()


def test_front_matter_is_complete(project, tmp_path):
    folder = unpacked(make_release(project), tmp_path)
    _, front, card = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    facts = yaml.safe_load(front)
    assert facts["license"] == "cc-by-4.0"
    assert facts["language"] == ["en"]
    assert facts["size_categories"] == ["n<1K"]
    assert facts["annotations_creators"] == ["expert-generated"]
    assert set(facts["task_categories"]) <= HUB_TASKS
    assert facts["task_categories"]
    [config] = facts["configs"]
    assert [split["split"] for split in config["data_files"]] == ["train", "validation", "test"]
    assert "# A {sample} 1.0" in card
    assert "has not" not in card


def test_rebuilding_gives_equal_bytes_although_the_project_has_changed(project, tmp_path):
    release = make_release(project)
    drawn = {name.rpartition(".")[2] for name in release.manifest["files"] if "figures/" in name}
    assert drawn == {"pdf", "svg"}
    before = archive_in(release, tmp_path).read_bytes()
    for item in project.items.all()[:3]:
        newest = item.gold.order_by("-version").first()
        empty = {"content": newest.content, "provenance": newest.provenance}
        add_gold(item=item, source="expert", now=NOW, **empty)
    project.sentences.update(partition="train", metadata={}, domain="other")
    project.items.update(target={})
    Project.objects.filter(pk=project.pk).update(title="Another title", language="de")
    rebuild_release(Release.objects.get(pk=release.pk))
    delete_archive(release)
    rebuild_release(Release.objects.get(pk=release.pk))
    assert archive_in(release, tmp_path).read_bytes() == before


def test_rebuilding_names_the_files_with_other_bytes(tmp_path):
    release = make_release(make_sample_project("qasrl", tmp_path))
    Release.objects.filter(pk=release.pk).update(details={**release.details, "notes": "Other."})
    delete_archive(release)
    with pytest.raises(ReleaseFilesError, match=r"README\.md.*Nothing was stored"):
        rebuild_release(Release.objects.get(pk=release.pk))


def test_released_items_never_change(tmp_path):
    release = make_release(make_sample_project("qasrl", tmp_path))
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        release.items.update(digest="")
    if connection.vendor == "postgresql":
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            ReleasedItem.objects.filter(release=release).delete()


def test_deleted_project_loses_its_releases_and_their_files(tmp_path):
    project = make_sample_project("qasrl", tmp_path)
    release = make_release(project)
    assert archive_in(release, tmp_path).exists()
    delete_project(project=project, actor="ada", now=NOW)
    assert run_next_job(clock=lambda: NOW)
    assert not Release.objects.exists()
    assert not ReleasedItem.objects.exists()
    with pytest.raises(ReleaseFilesError, match="are missing"):
        open_archive(release)


def test_rebuilding_uses_the_definition_of_the_release(tmp_path):
    project = make_sample_project("custom", tmp_path)
    release = make_release(project)
    value = {**definition_of(project).value, "title": "Another title"}
    project.resources.create(name=DEFINITION, version=2, value=value, created_at=NOW)
    Project.objects.filter(pk=project.pk).update(definition_digest=digest_of(value))
    changed = Project.objects.get(pk=project.pk)
    assert scheme_of(changed).title == "Another title"
    rebuild_release(Release.objects.get(pk=release.pk))
    second = make_release(changed, "1.1")
    assert "Another title" in Released(second).description()
    assert "Another title" not in Released(Release.objects.get(pk=release.pk)).description()
    assert differences_between(release, second).items == []
