"""Build a release: write its folder, and store the ZIP file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any
from zipfile import ZipFile

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import transaction

from audit.errors import TouchstoneError
from datasets.domain.exports.export_gold import MANIFEST
from datasets.domain.exports.store_export import pack
from projects.domain.webhook_events import record_event
from projects.enums import WebhookEvent
from releases.models import Release


class ReleaseFilesError(TouchstoneError):
    """The stored files of a release are missing, or can't be built again with the same bytes."""


def build_release(release: Release) -> Release:
    """Write and store the files of a frozen release, unless they are stored."""
    if release.is_built:
        return release
    with _built(release) as (path, manifest, facts):
        _store(release, path)
        _finish(release, manifest, facts)
    release.refresh_from_db()
    return release


@transaction.atomic
def _finish(release: Release, manifest: dict[str, Any], facts: dict[str, Any]) -> None:
    Release.objects.filter(pk=release.pk).update(manifest=manifest, archive=facts)
    record_event(
        project_id=release.project_id,
        event=WebhookEvent.RELEASE_PUBLISHED,
        data={"version": release.version},
        now=release.frozen_at,
        event_id=f"evt_release_{release.pk}",
    )


def rebuild_release(release: Release) -> None:
    """Write the files of a built release again, and store them if they are missing.

    Raise ReleaseFilesError if they have other bytes, which another version of the software can cause.
    """
    with _built(release) as (path, manifest, facts):
        if facts["sha256"] != release.archive["sha256"]:
            changed = [
                name
                for name, file in manifest["files"].items()
                if file != release.manifest["files"].get(name)
            ]
            named = ", ".join(changed[:5]) or MANIFEST
            raise ReleaseFilesError(
                f"{release.version} was built by {release.manifest['software']} with other bytes of "
                f"{named}. Nothing was stored."
            )
        if not _storage().exists(_path(release)):
            _store(release, path)


@contextmanager
def _built(release: Release) -> Iterator[tuple[Path, dict[str, Any], dict[str, Any]]]:
    """Yield the path of a new ZIP file with the files, their manifest, and the facts of the ZIP file."""
    from releases.domain.write_folder import write_folder  # noqa: PLC0415 - loads pyarrow and numpy

    name = f"{release.project.slug}-{release.version}"
    with TemporaryDirectory(prefix="release-", dir=settings.VAR_DIR) as temporary:
        folder, path = Path(temporary, "folder"), Path(temporary, f"{name}.zip")
        folder.mkdir()
        manifest = write_folder(release, folder)
        names = [*sorted(manifest["files"]), MANIFEST]
        yield path, manifest, pack(folder=folder, names=names, inside=name, path=path)


def _storage() -> Storage:
    return storages["exports"]


def _path(release: Release) -> str:
    return f"{release.project.slug}/releases/{release.project.slug}-{release.version}.zip"


def _store(release: Release, path: Path) -> None:
    """Store the ZIP file. Raise ReleaseFilesError if the storage refuses it."""
    # Inline, because boto3 is slow to import.
    from boto3.exceptions import Boto3Error  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    try:
        _storage().delete(_path(release))
        with path.open("rb") as content:
            _storage().save(_path(release), File(content))
    except (Boto3Error, BotoCoreError, ClientError) as error:
        raise ReleaseFilesError(f"The files of {release} were not stored. {error}") from error


def open_archive(release: Release) -> IO[bytes]:
    """Open the ZIP file. Raise ReleaseFilesError if it is not stored."""
    try:
        opened: IO[bytes] = _storage().open(_path(release))
    except FileNotFoundError:
        raise ReleaseFilesError(
            f"The files of {release} are missing. Build them again with `release --rebuild`."
        ) from None
    return opened


def read_file(release: Release, name: str) -> bytes:
    """Return a file of the folder. Raise KeyError for an unknown name, and ReleaseFilesError."""
    if name != MANIFEST and name not in release.manifest["files"]:
        raise KeyError(name)
    with open_archive(release) as content, ZipFile(content) as archive:
        return archive.read(f"{release.project.slug}-{release.version}/{name}")


def delete_archive(release: Release) -> None:
    """Delete the stored files of a release whose project is deleted."""
    _storage().delete(_path(release))
