"""The storages of the site's files, in folders or in a bucket."""

from concurrent.futures import ThreadPoolExecutor, wait
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from audit.errors import TouchstoneError
from operations.domain.backup_file import HEALTH

ALIASES = ("uploads", "exports", "images")
# A server that doesn't answer must not occupy a worker for long.
WAIT_SECONDS = 10
_threads = ThreadPoolExecutor(len(ALIASES), "stored-files")


class StorageError(TouchstoneError):
    """A storage doesn't write, read or delete a file."""


def check_storage(alias: str) -> None:
    """Write, read and delete a file. Raise StorageError."""
    storage, content = storages[alias], uuid4().hex.encode()
    try:
        stored = storage.save(f"{HEALTH}/{content.decode()}", ContentFile(content))
        with storage.open(stored) as file:
            is_same = file.read() == content
        storage.delete(stored)
    except (OSError, BotoCoreError, ClientError) as error:
        raise StorageError(getattr(error, "strerror", None) or type(error).__name__) from error
    if not is_same:
        raise StorageError("a file was not stored as it was written")


def broken_storages() -> dict[str, str]:
    """Return the problem of each storage that has one."""
    checks = {alias: _threads.submit(check_storage, alias) for alias in ALIASES}
    wait(checks.values(), timeout=WAIT_SECONDS)
    problems = {}
    for alias, check in checks.items():
        if not check.done():
            check.cancel()
            problems[alias] = f"no answer within {WAIT_SECONDS} seconds"
        elif error := check.exception():
            problems[alias] = str(error)
    return problems
