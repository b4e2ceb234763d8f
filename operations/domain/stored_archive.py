"""Copies of PostgreSQL's archive in the store of backups, so that a lost machine loses minutes.

ARCHIVE_DIR is written by `deploy/postgres`. Copies are deleted by their own age only: an empty folder
after a disaster must not empty the store.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings

from operations.domain.backup_store import (
    ARCHIVES,
    ENCRYPTED,
    delete_stored,
    encrypt_and_store,
    fetch,
    stamp,
    stored_names,
)

# The names of the WAL files of a cluster sort by their position after the number of the timeline.
TIMELINE_DIGITS, WAL_DIGITS = 8, 24
_stored: set[str] = set()


@dataclass(frozen=True, slots=True)
class ArchiveTimes:
    """When the newest files of the archive were written, None where there is none."""

    wal: datetime | None
    base: datetime | None
    drill: datetime | None


def archive_times(folder: Path) -> ArchiveTimes:
    wal, base = _files(folder, "wal"), _files(folder, "base")
    return ArchiveTimes(_newest(wal), _newest(base), _newest([folder / "drill"]))


def store_archive(folder: Path, *, now: datetime) -> int:
    """Copy the files that the store lacks. Return their number."""
    prefix = f"{ARCHIVES}/{(folder / 'id').read_text().strip()}"
    if not _stored:  # once per process, because a listing has thousands of names
        _stored.update(stored_names(prefix))
    files = [*_files(folder, "base"), *_files(folder, "wal")]
    missing = [(path, f"{prefix}/{path.relative_to(folder).as_posix()}") for path in files]
    missing = [(path, name) for path, name in missing if not {name, name + ENCRYPTED} & _stored]
    for path, name in missing:
        _stored.add(encrypt_and_store(path, name))
    limit = stamp(now - timedelta(days=settings.BACKUP_KEEP_DAYS))
    for name in superfluous(sorted(_stored), limit=limit):
        delete_stored(name)
        _stored.discard(name)
    return len(missing)


def superfluous(names: list[str], *, limit: str) -> list[str]:
    """Return the files that no restore to a moment after `limit` needs."""
    bases = sorted({_base_of(name) for name in names} - {""})
    if not bases:
        return []
    first = max((base for base in bases if base <= limit), default=bases[0])
    first_wal = first.partition("_")[2]
    return [name for name in names if _is_older(name, first, first_wal)]


def _is_older(name: str, first: str, first_wal: str) -> bool:
    if base := _base_of(name):
        return base < first
    wal = name.rpartition("/")[2][:WAL_DIGITS]
    is_wal = len(wal) == WAL_DIGITS and "." not in wal
    return is_wal and wal[TIMELINE_DIGITS:] < first_wal[TIMELINE_DIGITS:]


def fetch_archive(out: Path, *, key_file: Path | None = None) -> int:
    """Write the archive with the newest base backup to a folder, decrypted. Return how many files."""
    names = stored_names(ARCHIVES)
    newest = max(names, key=_base_of, default="")
    prefix = "/".join(newest.split("/")[:2]) + "/"
    names = [name for name in names if name.startswith(prefix)]
    for name in names:
        fetch(name, out / name.removeprefix(prefix).removesuffix(ENCRYPTED), key_file=key_file)
    return len(names)


def _base_of(name: str) -> str:
    """Return the base backup that a file belongs to, or an empty string."""
    _, found, rest = name.partition("/base/")
    return rest.partition("/")[0] if found else ""


def _files(folder: Path, kind: str) -> list[Path]:
    paths = (folder / kind).rglob("*")
    return sorted(
        path
        for path in paths
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _newest(paths: list[Path]) -> datetime | None:
    times = [path.stat().st_mtime for path in paths if path.exists()]
    return datetime.fromtimestamp(max(times), UTC) if times else None
