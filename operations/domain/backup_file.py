"""The backup file, which is a ZIP archive with a manifest.

    data/<app>.<Model>.jsonl   the column names, then one row per line, as JSON lists
    media/..., images/...      media and images
    uploads/...                files that jobs have not read yet
    exports/...                only if requested
    secret_key                 only if requested
    manifest.json              version, migrations, and the SHA-256 and size of each member

The manifest is written last, so a truncated file has none. The archive can be encrypted as a whole (see
`encrypted_file`).
"""

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

from django.conf import settings

from audit.errors import TouchstoneError
from operations.domain.encrypted_file import DamagedError, DecryptingReader, is_encrypted

FORMAT = "touchstone-backup/1"
MANIFEST = "manifest.json"
DATA, MEDIA, IMAGES, UPLOADS = "data/", "media/", "images/", "uploads/"
EXPORTS, SECRET_KEY = "exports/", "secret_key"
# The folder of the files that health checks write and delete, which backups leave out
HEALTH = ".health"
CHUNK_BYTES = 2**20
# Raised by zipfile and json when bytes of an archive have changed.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    LookupError,
    RuntimeError,
    ValueError,
    TypeError,
    AttributeError,
)


class BadBackupError(TouchstoneError):
    """The file is not a complete backup. The message is one line."""


@dataclass(frozen=True, slots=True)
class Member:
    sha256: str
    size: int
    lines: int

    @classmethod
    def of(cls, chunks: Iterable[bytes]) -> Self:
        digest, size, lines = hashlib.sha256(), 0, 0
        for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
            lines += chunk.count(b"\n")
        return cls(digest.hexdigest(), size, lines)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a backup, with the last applied migration of each app."""

    version: str
    made_at: str
    migrations: dict[str, str]
    key_fingerprint: str
    members: dict[str, Member]

    def as_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True) + "\n"

    def under(self, prefix: str) -> list[str]:
        return [name for name in self.members if name.startswith(prefix)]

    def texts(self) -> Iterator[object]:
        """Yield the values that must be text. A file of others can have any."""
        yield from (self.version, self.made_at, self.key_fingerprint)
        yield from (value for item in self.migrations.items() for value in item)

    @property
    def rows(self) -> int:
        return sum(self.members[name].lines - 1 for name in self.under(DATA))

    @property
    def files(self) -> int:
        return sum(len(self.under(prefix)) for prefix in folders())


def folders() -> dict[str, Path]:
    """Return the folder that the members under each prefix come from."""
    return {
        MEDIA: Path(settings.MEDIA_ROOT),
        IMAGES: Path(settings.IMAGE_DIR),
        UPLOADS: Path(settings.UPLOAD_DIR),
        EXPORTS: Path(settings.EXPORT_DIR),
    }


class BackupFile:
    """A context manager for reading a backup. Opening it checks the manifest. Raise OSError.

    With a key, the backup must be encrypted: a file without encryption may come from anybody.
    """

    def __init__(self, path: Path, key: bytes | None = None) -> None:
        self.path = path
        self._key = key

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            file = opened.enter_context(self.path.open("rb"))
            try:
                self._zip = opened.enter_context(zipfile.ZipFile(self._readable(file)))
            except DamagedError as error:
                raise BadBackupError(f"{self.path} cannot be decrypted: {error}.") from error
            except DAMAGE as error:
                raise BadBackupError(f"{self.path} is not a complete backup: {error}.") from error
            self.manifest = self._read_manifest()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def _readable(self, file: IO[bytes]) -> IO[bytes]:
        if not is_encrypted(file):
            if self._key is not None:
                raise BadBackupError(f"{self.path} is not encrypted. Leave out the key file.")
            return file
        if self._key is None:
            raise BadBackupError(f"{self.path} is encrypted. Give its key with --key-file.")
        return io.BufferedReader(DecryptingReader(file, self._key))

    def _read_manifest(self) -> Manifest:
        try:
            facts = json.loads(self._zip.read(MANIFEST))
            if facts.pop("format") != FORMAT:
                raise BadBackupError(f"{self.path} does not have the format {FORMAT}.")
            members = {name: Member(**member) for name, member in facts.pop("members").items()}
            manifest = Manifest(**facts, members=members)
            if not all(isinstance(text, str) for text in manifest.texts()):
                raise TypeError
        except DAMAGE as error:
            raise BadBackupError(f"{self.path} has no manifest that can be read.") from error
        if sorted([*members, MANIFEST]) != sorted(self._zip.namelist()):
            raise BadBackupError(
                f"{self.path} does not contain the members that its manifest lists."
            )
        return manifest

    def verify(self) -> None:
        """Compare every member with the manifest, and check that no file leaves its folder."""
        for name, member in self.manifest.members.items():
            if Member.of(self.chunks(name)) != member:
                raise BadBackupError(f"{self.path}: {name} does not match its checksum.")
        for prefix, folder in folders().items():
            for name in self.manifest.under(prefix):
                if not self.target(name, prefix, folder).is_relative_to(folder.resolve()):
                    raise BadBackupError(f"{self.path}: {name!r} is outside its folder.")

    @staticmethod
    def target(name: str, prefix: str, folder: Path) -> Path:
        return (folder / name.removeprefix(prefix)).resolve()

    def chunks(self, name: str) -> Iterator[bytes]:
        with self._open(name) as member:
            while chunk := member.read(CHUNK_BYTES):
                yield chunk

    def lines(self, name: str) -> Iterator[Any]:
        """Yield the JSON value of each line of a table's member."""
        with self._open(name) as member:
            yield from map(json.loads, member)

    @contextmanager
    def _open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._zip.open(name) as member:
                yield member
        except DAMAGE as error:
            raise BadBackupError(f"{self.path}: {name} is damaged: {error}.") from error
