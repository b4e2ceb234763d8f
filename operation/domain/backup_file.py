"""The file that `backup` writes and `restore` reads: a ZIP archive that says what is in it.

    data/<app>.<Model>.jsonl   the columns' names, then a row a line: values as JSON
    media/..., exports/...     uploaded files and, where asked for, exports
    secret_key                 only where asked for
    manifest.json              format, version, migrations, and of each member its SHA-256 and size

The manifest is written last, and a ZIP's table of contents after it: a file that was cut short
has neither.
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

FORMAT = "touchstone-backup/1"
MANIFEST = "manifest.json"
DATA, MEDIA, EXPORTS, SECRET_KEY = "data/", "media/", "exports/", "secret_key"
CHUNK_BYTES = 2**20
# What reading an archive raises in which some bytes are others: a version, a flag, a length, a name.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    LookupError,
    RuntimeError,
    ValueError,
)


class BadBackup(Exception):
    """The file is no whole backup of ours; one line says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Member:
    sha256: str
    bytes: int
    rows: int | None = None  # of a table


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself. `migrations` maps an app to the names that were applied; the
    fingerprint tells whether a SECRET_KEY is the one it was made under, and nothing else."""

    version: str
    made_at: str
    engine: str
    migrations: dict[str, list[str]]
    key_fingerprint: str
    members: dict[str, Member]

    def as_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True) + "\n"

    @property
    def rows(self) -> int:
        return sum(one.rows or 0 for one in self.members.values())

    @property
    def files(self) -> int:
        return sum(name.startswith((MEDIA, EXPORTS)) for name in self.members)


class Archive:
    """Members written one after the other, each hashed on its way; memory does not grow with them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.members: dict[str, Member] = {}

    def add(self, name: str, chunks: Iterator[bytes], *, is_table: bool = False) -> None:
        """A table's first chunk holds its columns, each later one a row."""
        digest, size, count = hashlib.sha256(), 0, 0
        with self._zip.open(name, "w", force_zip64=True) as out:
            for chunk in chunks:
                out.write(chunk)
                digest.update(chunk)
                size += len(chunk)
                count += 1
        rows = count - 1 if is_table else None
        self.members[name] = Member(digest.hexdigest(), size, rows)

    def close(self, manifest: Manifest) -> None:
        self._zip.writestr(MANIFEST, manifest.as_json())
        self._zip.close()


class BackupFile:
    """A context: a backup opened for reading, its manifest read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> "BackupFile":
        try:
            self._zip = zipfile.ZipFile(self.path)
        except DAMAGE as error:
            raise BadBackup(f"{self.path} is no backup, or only a part of one: {error}.") from error
        try:
            self.manifest = self._read_manifest()
        except BadBackup:
            self._zip.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _read_manifest(self) -> Manifest:
        try:
            told = json.loads(self._zip.read(MANIFEST))
            if told.pop("format") != FORMAT:
                raise BadBackup(f"{self.path} is a backup of another format than {FORMAT}.")
            members = {name: Member(**facts) for name, facts in told.pop("members").items()}
            manifest = Manifest(**told, members=members)
        except (TypeError, AttributeError, *DAMAGE) as error:
            raise BadBackup(f"{self.path} has no manifest of a backup of ours.") from error
        listed = {*manifest.members, MANIFEST}
        if listed != set(self._zip.namelist()) or len(listed) != len(self._zip.namelist()):
            raise BadBackup(f"{self.path} holds other members than its manifest names.")
        if bad := next((name for name in listed if not _stays_inside(name)), None):
            raise BadBackup(f"{self.path}: the member {bad!r} leads out of its folder.")
        return manifest

    def verify(self) -> None:
        """Read every member and hold it against the manifest. Raises BadBackup."""
        for name, member in self.manifest.members.items():
            digest, size = hashlib.sha256(), 0
            for chunk in self.chunks(name):
                digest.update(chunk)
                size += len(chunk)
            if (digest.hexdigest(), size) != (member.sha256, member.bytes):
                raise BadBackup(f"{self.path}: {name} is not what the manifest says it is.")

    def chunks(self, name: str) -> Iterator[bytes]:
        try:
            with self._zip.open(name) as member:
                while chunk := member.read(CHUNK_BYTES):
                    yield chunk
        except DAMAGE as error:
            raise BadBackup(f"{self.path}: {name} is damaged: {error}.") from error

    def lines(self, name: str) -> Iterator[Any]:
        """The JSON values of a table's member, a line each."""
        try:
            with self._zip.open(name) as member:
                for line in member:
                    yield json.loads(line)
        except DAMAGE as error:
            raise BadBackup(f"{self.path}: {name} is damaged: {error}.") from error


def _stays_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name
