"""Files: static files, uploads, exports and backups, and how long they are kept."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from config.environment.values import split_url
from config.settings.site import BASE_DIR, DEBUG, VAR_DIR, env

STATIC_URL = "/static/"
STATIC_ROOT = env.STATIC_ROOT
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
# Pages use only the hashed names. Compressing the other copies would double the time.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
MEDIA_ROOT = VAR_DIR / "media"
EXPORT_DIR = VAR_DIR / "exports"
IMAGE_DIR = VAR_DIR / "images"
UPLOAD_DIR = VAR_DIR / "uploads"
STORAGE_URL = env.STORAGE_URL


def bucket_or_folder(url: str, folder: Path) -> dict[str, Any]:
    """Return the storage of the files that are otherwise in the folder."""
    if not url:
        options: dict[str, Any] = {"location": folder, "allow_overwrite": True}
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    from botocore.config import Config  # noqa: PLC0415 - slow, and most sites need no bucket

    address = split_url(url)
    location = f"{address.path.strip('/')}/{folder.name}".lstrip("/")
    # Larger files are buffered on disk before they are sent.
    spool = 10 * 2**20
    # Without limits, a request to a server that doesn't answer would take minutes.
    limits = Config(connect_timeout=5, read_timeout=30, retries={"total_max_attempts": 3})
    options = {
        "bucket_name": address.hostname,
        "location": location,
        "max_memory_size": spool,
        "client_config": limits,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def _backups() -> dict[str, Any]:
    address = split_url(env.BACKUP_URL)
    if address.scheme == "s3":
        options: dict[str, Any] = {
            "bucket_name": address.hostname,
            "location": address.path.strip("/"),
        }
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    folder = address.path or VAR_DIR / "backups"
    private = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
    options = {"location": folder, "allow_overwrite": True, **private}
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}


BACKUP_URL = env.BACKUP_URL
BACKUP_KEY = env.BACKUP_KEY
BACKUP_EVERY = timedelta(hours=env.BACKUP_HOURS)
BACKUP_KEEP_DAYS = env.BACKUP_KEEP_DAYS
SNAPSHOT_EVERY = timedelta(minutes=env.SNAPSHOT_MINUTES)
ARCHIVE_DIR = env.ARCHIVE_DIR

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedModulesStorage"},
    "uploads": bucket_or_folder(STORAGE_URL, UPLOAD_DIR),
    "exports": bucket_or_folder(STORAGE_URL, EXPORT_DIR),
    "images": bucket_or_folder(STORAGE_URL, IMAGE_DIR),
    "backups": _backups(),
}

COPIES_DAYS = env.COPIES_DAYS
MESSAGES_DAYS = env.MESSAGES_DAYS
LOG_DAYS = env.LOG_DAYS

# deploy/Caddyfile limits request bodies too.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 5
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
# On the disk of the data, because /tmp may be in memory.
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "incoming"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
