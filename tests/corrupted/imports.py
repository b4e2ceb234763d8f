"""Imports of files into a project, and what they stored."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.domain.corpus.import_corpus import CorpusOptions, Import
from annotation.models import Item, Sentence
from consolidation.domain.gold.import_gold import import_gold
from consolidation.models import Gold
from projects.domain.create_project import create_project
from projects.models import Project
from schemes.contract.errors import FileError
from tests.annotation.factories import NOW
from tests.corrupted.captions import draw_pictures
from tests.corrupted.datasets import Dataset, Files, packed
from tests.schemes.workbooks import containers


@dataclass
class Outcome:
    """What an import stored, by key, and the errors that it named. `refusal` ended it."""

    stored: dict[str, Any] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)
    warnings: list[FileError] = field(default_factory=list)
    refusal: FileError | None = None

    @property
    def all_errors(self) -> list[FileError]:
        return [*self.errors, *([self.refusal] if self.refusal else [])]

    @property
    def is_named(self) -> bool:
        return bool(self.refusal or self.errors)


@contextmanager
def rolled_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def make_project(dataset: Dataset, folder: Path) -> Project:
    """Create a project with everything that the files of the data set are about."""
    draw_pictures(folder / "pictures")
    project = create_project(slug="files", scheme=dataset.scheme, now=NOW)
    if dataset.kind == "gold":
        assert dataset.base
        _import_clean(project, dataset.base, folder)
    return project


def _import_clean(project: Project, base: Dataset, folder: Path) -> None:
    outcome = import_files(project, base, base.files, folder)
    assert not outcome.is_named, (outcome.errors, outcome.refusal)


def import_files(project: Project, dataset: Dataset, files: Files, folder: Path) -> Outcome:
    """Import files of the data set's kind, and return what the project has then."""
    outcome = Outcome()
    paths = write_files(dataset, files, folder / "files")
    try:
        if dataset.kind == "gold":
            import_gold(
                project=project,
                paths=paths,
                fmt=dataset.fmt,
                source="imported",
                on_error=outcome.errors.append,
                now=NOW,
            )
        else:
            _import_corpus(project, dataset, paths, folder, outcome)
    except FileError as error:
        outcome.refusal = error
    outcome.stored = gold_of(project) if dataset.kind == "gold" else corpus_of(project)
    return outcome


def _import_corpus(
    project: Project, dataset: Dataset, paths: list[Path], folder: Path, outcome: Outcome
) -> None:
    options = CorpusOptions(
        fmt=dataset.fmt,
        items=paths if dataset.kind == "items" else (),
        images=folder / "pictures" if dataset.scheme == "grounding" else None,
    )
    if dataset.kind == "items":
        assert dataset.base
        paths = write_files(dataset.base, dataset.base.files, folder / "sentences")
    importer = Import(
        project=project,
        options=options,
        on_error=outcome.errors.append,
        on_warning=outcome.warnings.append,
    )
    importer.run(paths)


def write_files(dataset: Dataset, files: Files, folder: Path) -> list[Path]:
    """Write the files as their format wants them, and return the paths that are imported."""
    folder.mkdir(exist_ok=True)
    if dataset.container == "zip":
        path = folder / "files.zip"
        path.write_bytes(packed(files))
        return [path]
    if dataset.container.startswith("table"):
        files = {dataset.container: _in_container(*files.values(), dataset.container)}
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return [folder] if dataset.container == "folder" else [folder / name for name in files]


def _in_container(data: bytes, name: str) -> bytes:
    """Return a CSV file as a table in another container, such as a workbook."""
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return containers(header, rows)[name]


def corpus_of(project: Project) -> dict[str, Any]:
    sentences = {
        sentence.external_id: {
            "tokens": sentence.tokens,
            "text": sentence.text,
            "image": sentence.metadata.get("image"),
            "digest": sentence.image and sentence.image.digest,
            "metadata": sentence.metadata,
        }
        for sentence in Sentence.objects.filter(project=project).select_related("image")
    }
    items = dict(Item.objects.filter(project=project).values_list("key", "target"))
    return {**sentences, **items}


def gold_of(project: Project) -> dict[str, Any]:
    rows = Gold.objects.filter(item__project=project)
    return dict(rows.values_list("item__key", "content"))
