"""Exports of a project's gold, as folders under EXPORT_DIR/<slug>/: no table, the files tell.

A folder is begun with `request.json`, ends with `manifest.json` (see consolidation.domain.export_gold)
or with `error.txt`; one whose process was killed is begun anew by a sweep. Folders that commands
wrote, the project's own included, count once they have a manifest.
"""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings

from annotation.models import Project
from consolidation.domain.export_gold import (
    DATA_CARD,
    MANIFEST,
    ExportOptions,
    NothingToExport,
    export_gold,
)
from consolidation.domain.partitions import PartitionError
from schemes.base import FileError

REQUEST, ERROR = "request.json", "error.txt"
# A line for each time that writing was begun; whoever writes holds a lock on it.
TRIES = "tries.txt"
MOST_TRIES = 3
# What was asked for and not begun waits in the queue; after so long its message is taken for lost.
PATIENCE = timedelta(minutes=10)
ITSELF = "latest"  # the name, in addresses, of the project's folder where it is an export itself


@dataclass(frozen=True, slots=True)
class ExportFile:
    name: str
    rows: int | None
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FoundExport:
    """An export that was asked for. It is finished with a manifest, failed with an error, else still
    being written. `sha256` is its manifest's, which holds those of all other files: two exports of the
    same checksum are the same in every byte."""

    name: str
    folder: Path
    at: datetime
    fmt: str
    source: str
    error: str = ""
    manifest: dict[str, Any] | None = None
    sha256: str = ""
    files: tuple[ExportFile, ...] = ()
    tries: int = 0

    @property
    def is_finished(self) -> bool:
        return bool(self.files)

    @property
    def items(self) -> int | None:
        return self.manifest["counts"]["items"] if self.manifest else None

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.files)

    def data_card(self) -> str:
        """The text of its data card, in Markdown with front matter; "" where it has none."""
        try:
            return (self.folder / DATA_CARD).read_text("utf-8")
        except OSError:
            return ""


def _folder_of(project: Project) -> Path:
    return Path(settings.EXPORT_DIR) / project.slug


def _folders(project: Project) -> dict[str, Path]:
    """Where the project's exports lie, by the names that addresses give them."""
    own = _folder_of(project)
    found = {one.name: one for one in own.iterdir() if one.is_dir()} if own.is_dir() else {}
    return {**found, ITSELF: own} if (own / MANIFEST).exists() else found


def exports_of(project: Project) -> list[FoundExport]:
    """Every export of the project, the newest first."""
    found = [_read(name, folder) for name, folder in _folders(project).items()]
    known = [one for one in found if one]
    return sorted(known, key=lambda one: (one.at, one.name), reverse=True)


def export_named(project: Project, name: str) -> FoundExport | None:
    folder = _folders(project).get(name)
    return _read(name, folder) if folder else None


def first_alike(exports: list[FoundExport]) -> dict[str, FoundExport]:
    """Name of an export -> the oldest one with the same bytes, for those that came after it."""
    oldest = {one.sha256: one for one in exports if one.is_finished}  # the newest come first
    return {
        one.name: oldest[one.sha256]
        for one in exports
        if one.is_finished and oldest[one.sha256] is not one
    }


def _read(name: str, folder: Path) -> FoundExport | None:
    request = _json(_bytes(folder / REQUEST))
    written = _bytes(folder / MANIFEST)
    manifest = _json(written)
    told = manifest or request
    if told is None:
        return None
    error = _bytes(folder / ERROR)
    return FoundExport(
        name=name,
        folder=folder,
        at=_changed(folder / (MANIFEST if manifest else REQUEST)),
        fmt=str(told.get("format", "")),
        source=str(told.get("source", "")),
        error=error.decode("utf-8", "replace") if error else "",
        manifest=manifest,
        sha256=hashlib.sha256(written).hexdigest() if written else "",
        files=_files(manifest, written or b"") if manifest else (),
        tries=_tries(folder),
    )


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _json(text: bytes | None) -> dict[str, Any] | None:
    try:
        found = json.loads(text or b"")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _files(manifest: dict[str, Any], written: bytes) -> tuple[ExportFile, ...]:
    listed = [
        ExportFile(name, facts["rows"], facts["bytes"], facts["sha256"])
        for name, facts in sorted(manifest["files"].items())
    ]
    own = hashlib.sha256(written).hexdigest()
    return (*listed, ExportFile(MANIFEST, None, len(written), own))


def open_export_file(project: Project, name: str, file: str) -> tuple[BinaryIO, ExportFile] | None:
    """A file that a finished export's manifest lists, open, with what the manifest says of it;
    nothing else can be reached. None also while the export is being written anew."""
    before = export_named(project, name)
    listed = {one.name: one for one in before.files} if before else {}
    if before is None or file not in listed:
        return None
    try:
        opened = (before.folder / file).open("rb")
    except OSError:
        return None
    # The manifest goes before any file is replaced: while it stands, it speaks of what was opened.
    after = export_named(project, name)
    if after is None or after.sha256 != before.sha256:
        opened.close()
        return None
    return opened, listed[file]


def begin_export(
    project: Project,
    *,
    fmt: str,
    source: str,
    now: datetime,
    domain: str = "",
    partition: str = "",
    licence: str = "",
) -> str:
    """Make the folder of an export that `write_export` then fills; returns its name. An empty domain
    or partition stands for all of them."""
    name = f"{now:%Y%m%d-%H%M%S}-{fmt}-{source}-{secrets.token_hex(2)}"
    folder = _folder_of(project) / name
    folder.mkdir(parents=True)
    request = {
        "format": fmt,
        "source": source,
        "domain": domain or None,
        "partition": partition or None,
        "licence": licence,
    }
    (folder / REQUEST).write_text(json.dumps(request), "utf-8")
    return name


def write_export(project: Project, name: str) -> None:
    """Fill a folder that was begun, unless another process is at it. A repeat writes the same bytes
    again."""
    folder = _folder_of(project) / name
    told = _json(_bytes(folder / REQUEST))
    if told is None:
        return
    options = ExportOptions(fmt=told.pop("format"), **told)
    with _writing(folder) as mine:
        if not mine:
            return
        try:
            export_gold(project=project, options=options, folder=folder)
        except (NothingToExport, PartitionError, FileError, OSError) as error:
            (folder / ERROR).write_text(str(error), "utf-8")
        else:
            (folder / ERROR).unlink(missing_ok=True)


# --- exports whose process ended -------------------------------------------------------------------


def restart_cut_export(*, now: datetime) -> int:
    """Write one export anew whose process ended without a result (it was killed, or its message got
    lost), or give it up with a reason after MOST_TRIES; returns how many there were (0 or 1)."""
    for request in sorted(Path(settings.EXPORT_DIR).glob(f"*/*/{REQUEST}")):
        folder = request.parent
        if not _is_cut(folder, now):
            continue
        project = Project.objects.filter(slug=folder.parent.name).first()
        if project is None:
            continue
        tries = _tries(folder)
        if tries < MOST_TRIES:
            write_export(project, folder.name)
        else:
            _give_up(folder, tries)
        return 1
    return 0


def _is_cut(folder: Path, now: datetime) -> bool:
    """Whether an export has no result, and nobody is about to give it one."""
    if (folder / MANIFEST).exists() or (folder / ERROR).exists():
        return False
    if not _tries(folder) and now - _changed(folder / REQUEST) < PATIENCE:
        return False
    try:
        with (folder / TRIES).open("ab") as file:
            return _locked(file)
    except OSError:
        return False


def _give_up(folder: Path, tries: int) -> None:
    with _writing(folder) as mine:
        if mine:
            (folder / ERROR).write_text(
                f"The process that wrote it ended {tries} times before it was done (killed, or out of "
                "time or memory; the worker's log tells). Nothing of it can be had. Free memory or "
                "export one partition at a time, then export again.",
                "utf-8",
            )


def _tries(folder: Path) -> int:
    """How often writing it was begun."""
    return len((_bytes(folder / TRIES) or b"").splitlines())


@contextmanager
def _writing(folder: Path) -> Iterator[bool]:
    """Whether the folder is ours to write to. The operating system gives a lock back when a process
    ends, however it ends: a folder without one has nobody who writes to it."""
    with (folder / TRIES).open("ab") as file:
        if not _locked(file):
            yield False
            return
        file.write(f"{os.getpid()}\n".encode())
        file.flush()
        for left in folder.glob(".*.part"):  # of a process that was killed
            left.unlink(missing_ok=True)
        yield True


def _locked(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
