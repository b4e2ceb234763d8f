"""A project of grounded captions from its files to exported gold, in each format and storage."""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image as Picture

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import BATCH_WITH_IMAGES, Import
from annotation.models import Image
from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from datasets.domain.exports.queue_export import queue_export
from jobs.domain.run_jobs import run_next_job
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from projects.models import Project
from schemes.grounding.corpus import CORPUS
from schemes.grounding.flickr30k import write_folder
from schemes.grounding.scheme import SCHEME
from tests.annotation.image_bucket import images_in_bucket
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.schemes.grounding.caption_files import SIZE, make_captions, rows_of, with_group
from tests.walk import annotate, run

pytestmark = pytest.mark.django_db
IMAGES = 2


@pytest.fixture
def pictures(tmp_path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(sorted({caption.image for caption in make_captions(IMAGES)})):
        Picture.new("RGB", SIZE, (40 * number, 90, 120)).save(folder / name)
    return folder


@pytest.fixture
def flickr(tmp_path) -> Path:
    """Create a folder in the layout of Flickr30k Entities."""
    write_folder(rows_of(make_captions(IMAGES)), tmp_path / "flickr")
    return tmp_path / "flickr"


@pytest.fixture(params=["folder", "bucket"])
def storage(request, monkeypatch) -> Iterator[str]:
    if request.param == "folder":
        yield request.param
        return
    with images_in_bucket(monkeypatch):
        yield request.param


def import_project(protocol: str, source: Path, fmt: str, pictures: Path) -> Project:
    run("create_project", "pictures", "--scheme", "grounding", "--protocol", protocol)
    sentences = "captions-jsonl" if fmt == "phrases-jsonl" else fmt
    run("import_corpus", "pictures", source, "--format", sentences, "--images", pictures)
    gold = gold_files(source, fmt)
    run("import_gold", "pictures", *gold, "--format", fmt, "--source", "expert")
    return Project.objects.get(slug="pictures")


def gold_files(source: Path, fmt: str) -> list[Path]:
    """Return the source, with the instances beside a file of references."""
    if fmt != "grefcoco":
        return [source]
    return [source, source.with_name(source.name.replace("grefs", "instances"))]


def finish(project: Project) -> Project:
    """Let simulated workers annotate every item, and check that it is settled."""
    annotate(project)
    assert {case.state for case in Case.objects.all()} == {PROTOCOLS[project.protocol].settled}
    return project


@pytest.mark.parametrize("protocol", ["consolidation", "validation"])
def test_flickr30k_export_equals_the_import(protocol, flickr, pictures, storage, tmp_path):
    finish(import_project(protocol, flickr, "flickr30k", pictures))
    assert Image.objects.count() == IMAGES
    run("export_gold", "pictures", "--format", "flickr30k", "--out", tmp_path / "gold")
    exported = tmp_path / "gold" / "pictures.all"
    for path in flickr.rglob("*.*"):
        assert (exported / path.relative_to(flickr)).read_bytes() == path.read_bytes()
    manifest = json.loads((tmp_path / "gold" / "manifest.json").read_text())
    assert manifest["folders"] == {
        "pictures.all": {
            "captions": 5 * IMAGES,
            "images": IMAGES,
            "split_chains": 0,
            "nested_phrases": 0,
        }
    }
    assert f"pictures.all/Sentences/{min(flickr.glob('Sentences/*')).name}" in manifest["files"]
    figures = json.loads(run("evaluate", "grounding", phrases_file(flickr, exported), "--json"))
    assert figures["phrases"] > 0
    assert [figures[name]["all"]["accuracy"] for name in ("iou", "c_iou")] == [1.0, 1.0]


def test_images_can_be_exported(flickr, pictures, storage, tmp_path):
    finish(import_project("consolidation", flickr, "flickr30k", pictures))
    out = tmp_path / "gold"
    export = ("export_gold", "pictures", "--format", "phrases-jsonl", "--images", "--out", out)
    run(*export)
    manifest = json.loads((out / "manifest.json").read_text())
    names = sorted(path.name for path in pictures.iterdir())
    assert sorted(path.name for path in (out / "images").iterdir()) == names
    for name in names:
        data = (out / "images" / name).read_bytes()
        assert manifest["files"][f"images/{name}"]["bytes"] == len(data)
        with Picture.open(out / "images" / name) as picture:
            assert picture.size == SIZE
    assert "Exported" in run(*export)
    source = out / "pictures.all.gold.jsonl"
    options = ("--format", "captions-jsonl", "--images", out / "images")
    run("create_project", "copy", "--scheme", "grounding")
    assert f"{5 * IMAGES} sentences" in run("import_corpus", "copy", source, *options)


def test_archive_of_an_export_can_be_read(flickr, pictures, tmp_path):
    finish(import_project("consolidation", flickr, "flickr30k", pictures))
    run("export_gold", "pictures", "--format", "flickr30k", "--out", tmp_path / "gold")
    archive = shutil.make_archive(str(tmp_path / "gold"), "zip", tmp_path / "gold")
    gold = ("import_gold", "pictures", archive, "--format", "flickr30k", "--source", "expert")
    assert f"Added gold for 0 items; {5 * IMAGES} already had it." in run(*gold)


def phrases_file(reference: Path, predicted: Path) -> Path:
    """Return the file for `evaluate grounding` of two folders."""
    golds = {record.item.external_id: record for record in read_gold(reference)}
    path = predicted.with_name("phrases.jsonl")
    with path.open("w") as file:
        for record in read_gold(predicted):
            gold = golds[record.item.external_id]
            pairs = zip(gold.content["phrases"], record.content["phrases"], strict=True)
            for reference_phrase, predicted_phrase in pairs:
                if reference_phrase["boxes"]:
                    phrase = {
                        "id": f"{record.item.external_id}/{reference_phrase['id']}",
                        "image": SIZE,
                        "gold": reference_phrase["boxes"],
                        "predicted": predicted_phrase["boxes"],
                        "plural": len(reference_phrase["boxes"]) > 1,
                    }
                    file.write(json.dumps(phrase) + "\n")
    return path


def read_gold(folder: Path):
    return CORPUS.read_gold([folder], "flickr30k", pytest.fail)


@pytest.mark.parametrize("fmt", ["phrases-jsonl", "coco", "grefcoco"])
def test_exports_in_other_formats_equal_the_imports(fmt, pictures, tmp_path):
    captions = with_group(make_captions(IMAGES))
    source = write_source(fmt, captions, tmp_path)
    finish(import_project("consolidation", source, fmt, pictures))
    run("export_gold", "pictures", "--format", fmt, "--out", tmp_path / "gold", "--images")
    endings = {
        "phrases-jsonl": ["gold.jsonl"],
        "coco": ["gold.json"],
        "grefcoco": ["grefs.json", "instances.json"],
    }
    for ending, path in zip(endings[fmt], gold_files(source, fmt), strict=True):
        exported = tmp_path / "gold" / f"pictures.all.{ending}"
        assert exported.read_bytes() == path.read_bytes()
    manifest = json.loads((tmp_path / "gold" / "manifest.json").read_text())
    for picture in pictures.iterdir():
        copy = tmp_path / "gold" / "images" / picture.name
        with Picture.open(copy) as copied:
            assert copied.size == SIZE
        digest = hashlib.sha256(copy.read_bytes()).hexdigest()
        assert manifest["files"][f"images/{picture.name}"]["sha256"] == digest


def write_source(fmt: str, captions: list, folder: Path) -> Path:
    if fmt == "grefcoco":
        files = SCHEME.exports.file_sets[fmt]
        paths = {ending: folder / ending for ending in files.endings}
        files.write(rows_of(captions), paths)
        return paths["grefs.json"]
    path = folder / {"phrases-jsonl": "source.jsonl", "coco": "source.json"}[fmt]
    SCHEME.exports.write(rows_of(captions), path, fmt)
    return path


def test_folder_is_exported_through_the_website(flickr, pictures):
    project = finish(import_project("consolidation", flickr, "flickr30k", pictures))
    job = queue_export(
        project=project, fmt="flickr30k", source="consolidated", actor="tests", now=NOW
    )
    run_next_job(clock=timezone.now)
    job.refresh_from_db()
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    page = client.get(reverse("datasets:export_details", args=[project.slug, job.pk]))
    for path in flickr.rglob("*.*"):
        name = f"pictures.all/{path.relative_to(flickr).as_posix()}"
        address = reverse("datasets:export_file", args=[project.slug, job.pk, name])
        assert address in page.content.decode()
        assert client.get(address).getvalue() == path.read_bytes()


def test_folder_with_other_files_is_not_replaced(flickr, pictures, tmp_path):
    finish(import_project("consolidation", flickr, "flickr30k", pictures))
    export = ("export_gold", "pictures", "--format", "flickr30k", "--out", tmp_path / "gold")
    run(*export)
    run(*export)
    (tmp_path / "gold" / "pictures.all" / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="files of something else"):
        run(*export)
    assert (tmp_path / "gold" / "pictures.all" / "notes.txt").read_text() == "mine"


def test_images_with_the_same_content_keep_their_names(flickr, pictures, tmp_path):
    first, *copies = sorted(pictures.iterdir())
    for path in copies:
        path.write_bytes(first.read_bytes())
    finish(import_project("consolidation", flickr, "flickr30k", pictures))
    assert Image.objects.count() == 1
    run("export_gold", "pictures", "--format", "flickr30k", "--out", tmp_path / "gold")
    for path in flickr.rglob("*.*"):
        exported = tmp_path / "gold" / "pictures.all" / path.relative_to(flickr)
        assert exported.read_bytes() == path.read_bytes()


class StoppedError(Exception):
    """The import was stopped by the caller."""


def test_stopped_import_is_resumed_without_decoding_images_again(tmp_path):
    images = BATCH_WITH_IMAGES // 5 + 10
    captions = make_captions(images)
    source, folder = tmp_path / "captions.jsonl", tmp_path / "pictures"
    SCHEME.exports.write(rows_of(captions), source, "phrases-jsonl")
    folder.mkdir()
    for number, name in enumerate(sorted({caption.image for caption in captions})):
        Picture.new("RGB", (20, 10), (number, 90, 120)).save(folder / name)
    project = create_project(slug="pictures", scheme="grounding", now=NOW)
    options = CorpusOptions(fmt="captions-jsonl", images=folder)

    def stop(unit: str, count: int) -> None:
        if unit == "sentences":
            raise StoppedError

    with pytest.raises(StoppedError):
        Import(project=project, options=options, progress=stop).run([source])
    decoded = Counter()
    importer = Import(
        project=project, options=options, progress=lambda unit, count: decoded.update({unit: count})
    )
    report = importer.run([source])
    assert decoded == {"images": 10, "sentences": 5 * images}
    assert (report.sentences_known, report.sentences_added) == (BATCH_WITH_IMAGES, 50)
    assert report.items_known + report.items_added == project.items.count() == 5 * images


def test_repeated_import_adds_nothing_and_names_bad_images(flickr, pictures):
    bad, *_ = sorted(pictures.iterdir())
    content = bad.read_bytes()
    bad.write_bytes(content[:200])
    run("create_project", "pictures", "--scheme", "grounding")
    options = ("--format", "flickr30k", "--images", pictures)
    first = run("import_corpus", "pictures", flickr, *options)
    assert f"{bad.name}: is a damaged image" in first
    assert first.count(bad.name) == 1
    assert "5 sentences" in first
    bad.write_bytes(content)
    assert "5 sentences" in run("import_corpus", "pictures", flickr, *options)
    assert "Nothing new" in run("import_corpus", "pictures", flickr, *options)
    assert Image.objects.count() == IMAGES
