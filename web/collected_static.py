"""Whether the collected static files are those of this version of the site."""

import hashlib
import shutil
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders

# The versions of packages that process files, and our code that does
PROCESSING = ("requirements/base.txt", "config/static_files.py")
_RECORD = "collected-from"


def are_collected() -> bool:
    """Return True if the collected files are those of this version."""
    return _collected_from(Path(settings.STATIC_ROOT)) == _sources_digest()


def record_collection() -> None:
    (Path(settings.STATIC_ROOT) / _RECORD).write_text(_sources_digest())


def copy_prepared() -> bool:
    """Copy the files that the wheel contains, which takes less time than to collect them.

    Return False if there are none, or if another version of a package has other files.
    """
    prepared = settings.PREPARED_DIR / "static"
    if _collected_from(prepared) != _sources_digest():
        return False
    # With new times, by which a running server recognizes new files
    shutil.copytree(
        prepared,
        settings.STATIC_ROOT,
        ignore=shutil.ignore_patterns(_RECORD),
        copy_function=shutil.copyfile,
        dirs_exist_ok=True,
    )
    record_collection()
    return True


def _collected_from(folder: Path) -> str:
    record = folder / _RECORD
    return record.read_text() if record.exists() else ""


def _sources_digest() -> str:
    """Return a digest of the static files before they are processed, ours and those of packages."""
    digest = hashlib.sha256()
    for path in PROCESSING:
        digest.update((settings.BASE_DIR / path).read_bytes())
    ignored = apps.get_app_config("staticfiles").ignore_patterns  # type: ignore[attr-defined]
    for finder in get_finders():
        for path, storage in sorted(finder.list(ignored), key=lambda file: str(file[0])):
            digest.update(f"{path}\n".encode())
            digest.update(Path(storage.path(path)).read_bytes())
    return digest.hexdigest()
