"""The gold of a release is that of an export, whose JSON has its keys in the database's order."""

import csv
import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest

from consolidation.protocols import protocol_of
from datasets.domain.exports.export_gold import ExportOptions, NothingToExportError, export_gold
from datasets.domain.exports.gold_files import formats_of_scheme
from projects.domain.schemes import scheme_of
from projects.models import Project
from releases.models import Release
from tests.consolidation.gold import make_gold_project, make_noun_gold
from tests.consolidation.validation import make_validated_project
from tests.releases.projects import SCHEME_NAMES, archive_in, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


def canonical(name: str, content: bytes) -> object:
    """Return the content of a file in which only the order of JSON's keys makes no difference."""
    if name.endswith(".gz"):
        return canonical(name.removesuffix(".gz"), gzip.decompress(content))
    if name.endswith(".jsonl"):
        return [parsed(line) for line in content.decode().splitlines()]
    if name.endswith(".csv"):
        rows = csv.reader(io.StringIO(content.decode(), newline=""))
        return [[parsed(cell) for cell in row] for row in rows]
    return parsed(content.decode()) if name.endswith(".json") else content


def parsed(text: str) -> object:
    return json.loads(text) if text.startswith(("{", "[")) else text


def gold_of_release(release: Release, folder: Path) -> dict[str, dict[str, object]]:
    """Return the content of the gold files by format and name."""
    files: dict[str, dict[str, object]] = {}
    with zipfile.ZipFile(archive_in(release, folder)) as archive:
        for name in archive.namelist():
            _, kind, *path = name.split("/")
            if kind == "gold":
                files.setdefault(path[0], {})["/".join(path[1:])] = canonical(
                    name, archive.read(name)
                )
    return files


def gold_of_exports(project: Project, source: str, folder: Path) -> dict[str, dict[str, object]]:
    """Return what exports in all formats have, without what releases have in other places."""
    files = {}
    for fmt in dict.fromkeys(formats_of_scheme(scheme_of(project))):
        target = folder / fmt
        try:
            export = export_gold(
                project=project, options=ExportOptions(fmt=fmt, source=source), folder=target
            )
        except NothingToExportError:
            continue
        others = ("README.md", "sentences.csv")
        files[fmt] = {
            name: canonical(name, (target / name).read_bytes())
            for name in export.manifest["files"]
            if "/" in name or not name.endswith(others)
        }
    return files


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_gold_of_experts_is_that_of_exports(scheme, tmp_path):
    project = make_sample_project(scheme, tmp_path)
    released = gold_of_release(make_release(project), tmp_path)
    assert released == gold_of_exports(project, "expert", tmp_path / "exports")


@pytest.mark.parametrize(
    "make_project",
    [make_gold_project, lambda: make_gold_project(make_noun_gold()), make_validated_project],
    ids=["consolidated", "nouns", "validated"],
)
def test_gold_of_workers_is_that_of_exports(make_project, tmp_path):
    project = make_project()
    release = make_release(project, source="")
    source = protocol_of(project).gold_source
    assert release.source == source
    released = gold_of_release(release, tmp_path)
    assert len(released) > 1
    assert released == gold_of_exports(project, source, tmp_path / "exports")
