"""Pack an export into a ZIP file. The same files give the same bytes."""

import hashlib
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from datasets.domain.exports.export_gold import MANIFEST, Export

# The earliest time that a ZIP file can store, so that the bytes don't depend on the clock.
EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX, READABLE = 3, 0o644


def archive_export(*, export: Export, name: str, path: Path) -> dict[str, Any]:
    """Write all files of the export to `path`, in a folder `name`. Return the archive's facts."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for file in [*sorted(export.manifest["files"]), MANIFEST]:
            source = export.folder / file
            info = ZipInfo(f"{name}/{file}", EPOCH)
            info.compress_type, info.create_system = ZIP_DEFLATED, UNIX
            info.external_attr = READABLE << 16
            info.file_size = source.stat().st_size  # decides on the 64-bit format
            with source.open("rb") as content, archive.open(info, "w") as packed:
                shutil.copyfileobj(content, packed)
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
