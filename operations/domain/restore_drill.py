"""A rehearsal of a restore: into a scratch database and folder, compared row by row."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from audit.errors import TouchstoneError
from operations.domain.backup_file import DATA, IMAGES, MEDIA, UPLOADS, BackupFile, Manifest
from operations.domain.encrypted_file import read_key
from touchstone.program import as_called, command_line

# A restore adds a row to each: the hold on publishing and its entry in the log, unless there is a hold,
# and the version, if it is another.
ADDED = {
    f"{DATA}crowd.PublishingHold.jsonl": 1,
    f"{DATA}audit.StateChange.jsonl": 1,
    f"{DATA}audit.DataVersion.jsonl": 1,
}
# Settings of this installation that would lead to its own data, also as files.
_OWN = {
    variable
    for name in (
        *("DATABASE_URL", "REDIS_URL", "STORAGE_URL", "SECRET_KEY", "VAR_DIR"),
        *("BACKUP_URL", "BACKUP_KEY", "ARCHIVE_DIR"),
    )
    for variable in (name, f"{name}_FILE")
}


class DrillError(TouchstoneError):
    """The backup could not be restored, or the restored rows differ."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A successful drill. Counts are those of the backup."""

    tables: int
    rows: int
    files: int


def drill(*, path: Path, database_url: str = "", key_file: Path | None = None) -> Drill:
    """Restore a backup elsewhere, back it up again, and compare the two.

    `database_url` names an empty database. By default, a temporary SQLite database is used. `key_file` is
    that of an encrypted backup. Raise DrillError, KeyFileError.
    """
    key = read_key(key_file) if key_file else None
    key_option = ["--key-file", str(key_file.resolve())] if key_file else []
    # /tmp may be in memory.
    with TemporaryDirectory(prefix="restore-drill-", dir=settings.VAR_DIR) as folder:
        again = Path(folder) / "again.zip"
        environment = _scratch(Path(folder), database_url)
        _manage(environment, "restore", str(path.resolve()), *key_option)
        _manage(environment, "backup", "--out", str(again))
        with BackupFile(path, key) as first, BackupFile(again) as second:
            if problems := _differences(first, second):
                raise DrillError(" ".join(problems))
            return _result(first.manifest)


def _scratch(folder: Path, database_url: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name not in _OWN}
    database = {"DATABASE_URL": database_url} if database_url else {}
    return {**own, **database, "VAR_DIR": str(folder / "var")}


def _manage(environment: Mapping[str, str], *arguments: str) -> None:
    command = command_line(*arguments)
    done = subprocess.run(  # noqa: S603
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise DrillError(as_called(f"manage.py {arguments[0]} failed: {lines[-1]}"))


def _differences(first: BackupFile, second: BackupFile) -> list[str]:
    """Return a sentence for each table and file that differs.

    Of a backup of an older version, the numbers of rows are compared, because migrations change rows.
    """
    restored = second.manifest.members
    is_same_version = first.manifest.migrations == second.manifest.migrations
    problems = []
    for name, member in first.manifest.members.items():
        if name not in restored:
            compared = (*([DATA] if is_same_version else []), MEDIA, IMAGES, UPLOADS)
            is_left_out = not name.startswith(compared)
            problems += [] if is_left_out else [f"{name} is missing."]
        elif name.startswith(DATA):
            if not is_same_version and restored[name].lines < member.lines:
                problems.append(f"{name} has lost {member.lines - restored[name].lines} rows.")
            if is_same_version and not _same_rows(first, second, name):
                problems.append(f"{name} differs.")
        elif member.sha256 != restored[name].sha256:
            problems.append(f"{name} differs.")
    return problems


def _same_rows(first: BackupFile, second: BackupFile, name: str) -> bool:
    """Compare the rows, except those that a restore may add at the end."""
    added = ADDED.get(name, 0)
    extra = 0
    for old, new in zip_longest(first.lines(name), second.lines(name)):
        if old is None:
            extra += 1
        elif old != new:
            return False
    return extra in {0, added}


def _result(manifest: Manifest) -> Drill:
    return Drill(len(manifest.under(DATA)), manifest.rows, manifest.files)
