"""The files of a release, unpacked from its ZIP file for as long as they are needed."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from django.conf import settings

from releases.domain.build_release import open_archive
from releases.models import Release


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """The ZIP file of a release, and the folder with its unpacked files."""

    archive: Path
    folder: Path

    def paths(self) -> dict[str, Path]:
        """Return the unpacked files by their names in the release."""
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path for path in files}


@contextmanager
def unpacked(release: Release) -> Iterator[ReleaseFiles]:
    """Yield the files of a built release. Raise ReleaseFilesError if they are not stored."""
    with TemporaryDirectory(prefix="release-", dir=settings.VAR_DIR) as temporary:
        path = Path(temporary, release.archive["name"])
        with open_archive(release) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
        with ZipFile(path) as archive:
            archive.extractall(temporary)
        yield ReleaseFiles(path, Path(temporary, f"{release.project.slug}-{release.version}"))
