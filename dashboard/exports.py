"""Exports of a project's gold, as folders under EXPORT_DIR/<slug>/: no table, the files tell.

A folder is begun with `request.json`, ends with `manifest.json` (see consolidation.domain.export_gold)
or with `error.txt`. Folders that commands wrote, the project's own included, count once they have a
manifest.
"""

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Project
from consolidation.domain.export_gold import ExportOptions, NothingToExport, export_gold
from consolidation.domain.partitions import PartitionError

REQUEST, MANIFEST, ERROR = "request.json", "manifest.json", "error.txt"
ITSELF = "latest"  # the name, in addresses, of the project's folder where it is an export itself


@dataclass(frozen=True, slots=True)
class ExportFile:
    name: str
    rows: int | None
    bytes: int


@dataclass(frozen=True, slots=True)
class FoundExport:
    """An export that was asked for. It is finished with a manifest, failed with an error, else still
    being written."""

    name: str
    folder: Path
    at: datetime
    fmt: str
    source: str
    error: str
    items: int | None
    files: tuple[ExportFile, ...]

    @property
    def is_finished(self) -> bool:
        return bool(self.files)


def _folder_of(project: Project) -> Path:
    return Path(settings.EXPORT_DIR) / project.slug


def exports_of(project: Project) -> list[FoundExport]:
    """Every export of the project, the newest first."""
    own = _folder_of(project)
    folders = [one for one in own.iterdir() if one.is_dir()] if own.is_dir() else []
    found = [_read(one.name, one) for one in folders]
    if (own / MANIFEST).exists():
        found.append(_read(ITSELF, own))
    known = [one for one in found if one]
    return sorted(known, key=lambda one: (one.at, one.name), reverse=True)


def _read(name: str, folder: Path) -> FoundExport | None:
    request, manifest = _json(folder / REQUEST), _json(folder / MANIFEST)
    told = manifest or request
    if told is None:
        return None
    marker = folder / (MANIFEST if manifest else REQUEST)
    error = folder / ERROR
    return FoundExport(
        name=name,
        folder=folder,
        at=datetime.fromtimestamp(marker.stat().st_mtime, tz=UTC),
        fmt=str(told.get("format", "")),
        source=str(told.get("source", "")),
        error=error.read_text("utf-8") if error.exists() else "",
        items=manifest["counts"]["items"] if manifest else None,
        files=_files(folder, manifest) if manifest else (),
    )


def _json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _files(folder: Path, manifest: dict[str, Any]) -> tuple[ExportFile, ...]:
    listed = [
        ExportFile(name, facts["rows"], facts["bytes"])
        for name, facts in sorted(manifest["files"].items())
    ]
    return (*listed, ExportFile(MANIFEST, None, (folder / MANIFEST).stat().st_size))


def file_of(project: Project, name: str, file: str) -> Path | None:
    """The path of a file that a finished export's manifest lists; nothing else can be reached."""
    for one in exports_of(project):
        if one.name == name and file in {listed.name for listed in one.files}:
            return one.folder / file
    return None


def begin_export(project: Project, *, fmt: str, source: str, now: datetime) -> str:
    """Make the folder of an export that `write_export` then fills; returns its name."""
    name = f"{now:%Y%m%d-%H%M%S}-{fmt}-{source}-{secrets.token_hex(2)}"
    folder = _folder_of(project) / name
    folder.mkdir(parents=True)
    (folder / REQUEST).write_text(json.dumps({"format": fmt, "source": source}), "utf-8")
    return name


def write_export(project: Project, name: str) -> None:
    """Fill a folder that was begun. A repeat writes the same bytes again."""
    folder = _folder_of(project) / name
    told = _json(folder / REQUEST)
    if told is None:
        return
    options = ExportOptions(fmt=told["format"], source=told["source"])
    try:
        export_gold(project=project, options=options, folder=folder)
    except (NothingToExport, PartitionError, OSError) as error:
        (folder / ERROR).write_text(str(error), "utf-8")
