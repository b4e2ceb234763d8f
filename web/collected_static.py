"""Whether the collected static files are those of this version of the site."""

import hashlib
from pathlib import Path

from django.conf import settings

# The versions of packages, which have files of their own, and our code that changes the files
PROCESSING = ("requirements/base.txt", "config/static_files.py")


def are_collected() -> bool:
    """Return True if the collected files are those of this version."""
    record = _record()
    return record.exists() and record.read_text() == _sources_digest()


def record_collection() -> None:
    _record().write_text(_sources_digest())


def _record() -> Path:
    return Path(settings.STATIC_ROOT) / "collected-from"


def _sources_digest() -> str:
    """Return a digest of our static files and of the versions of all packages."""
    digest = hashlib.sha256()
    files = [settings.BASE_DIR / path for path in PROCESSING]
    for folder in settings.STATICFILES_DIRS:
        files += sorted(path for path in Path(folder).rglob("*") if path.is_file())
    for path in files:
        digest.update(f"{path.relative_to(settings.BASE_DIR)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
