"""Store exports in a folder or a bucket."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage

from datasets.domain.exports.export_gold import (
    MANIFEST,
    Export,
    ExportOptions,
    export_annotations,
    export_gold,
)
from datasets.domain.exports.export_submissions import ANNOTATIONS
from projects.models import Project

S3 = "s3://"
# The earliest time that a ZIP file can store, so that the bytes don't depend on the clock.
EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX, READABLE = 3, 0o644


class ExportNotStoredError(Exception):
    """The storage refused the export."""


def store_export(
    *,
    project: Project,
    options: ExportOptions,
    storage: Storage,
    folder: str = "",
    archived: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Export:
    """Export gold, or individual annotations alone, into a storage.

    The manifest is deleted first and written last. With `archived`, a ZIP file of everything is added.
    Raises NothingToExportError, PartitionError, SubmissionFormatError, OSError and
    ExportNotStoredError.
    """
    # Inline, because boto3 is slow to import.
    from boto3.exceptions import Boto3Error  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    prefix = f"{folder}/" if folder else ""
    with tempfile.TemporaryDirectory(prefix="export-", dir=settings.VAR_DIR) as path:
        write = export_annotations if options.source == ANNOTATIONS else export_gold
        export = write(project=project, options=options, folder=Path(path))
        names = [*sorted(export.manifest["files"]), MANIFEST]
        if archived:
            archive = Path(path) / f"{project.slug}.zip"
            facts = pack(folder=export.folder, names=names, inside=project.slug, path=archive)
            export = replace(export, archive=facts)
            names.insert(0, archive.name)
        try:
            storage.delete(f"{prefix}{MANIFEST}")
            for done, name in enumerate(names):
                progress(done, len(names))
                with (export.folder / name).open("rb") as file:
                    storage.save(f"{prefix}{name}", File(file))
        except (Boto3Error, BotoCoreError, ClientError) as error:
            raise ExportNotStoredError(
                f"{error} The export is incomplete as long as it has no {MANIFEST}."
            ) from error
    return export


def pack(*, folder: Path, names: Iterable[str], inside: str, path: Path) -> dict[str, Any]:
    """Pack files of the folder into a ZIP file at `path`, in a folder `inside`. Return its facts.

    The same files in the same order give the same bytes.
    """
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name in names:
            source = folder / name
            info = ZipInfo(f"{inside}/{name}", EPOCH)
            info.compress_type, info.create_system = ZIP_DEFLATED, UNIX
            info.external_attr = READABLE << 16
            info.file_size = source.stat().st_size  # decides on the 64-bit format
            with source.open("rb") as content, archive.open(info, "w") as packed:
                shutil.copyfileobj(content, packed)
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}


def s3_storage(address: str) -> Storage:
    """Return the storage of `s3://bucket/prefix`. boto3 finds the keys, the region and the endpoint.

    Raises ExportNotStoredError.
    """
    # Inline, because only this command needs boto3.
    from storages.backends.s3 import S3Storage  # type: ignore[import-untyped]  # noqa: PLC0415

    bucket, _, prefix = address.removeprefix(S3).partition("/")
    if not bucket:
        raise ExportNotStoredError(f"{address} names no bucket. Use s3://bucket/prefix.")
    storage: Storage = S3Storage(bucket_name=bucket, location=prefix.strip("/"))
    return storage
