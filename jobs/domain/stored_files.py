"""Files of jobs in a storage, which may be a folder or a bucket."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.files.storage import Storage


@contextmanager
def local_paths(storage: Storage, names: Iterable[str]) -> Iterator[list[Path]]:
    """Yield the path of each stored file. Files in a bucket are copied to a temporary folder."""
    with TemporaryDirectory(prefix="upload-", dir=settings.VAR_DIR) as folder:
        # In folders of their own, because several files may have the same name.
        yield [
            _local_path(storage, name, Path(folder, str(number)))
            for number, name in enumerate(names)
        ]


def _local_path(storage: Storage, name: str, folder: Path) -> Path:
    try:
        return Path(storage.path(name))
    except NotImplementedError:
        folder.mkdir()
        path = folder / PurePosixPath(name).name
        with storage.open(name) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
        return path


def delete_files(storage: Storage, names: Iterable[str]) -> None:
    """Delete files and the folders that they leave empty."""
    names = list(names)
    for name in names:
        storage.delete(name)
    for folder in {str(PurePosixPath(name).parent) for name in names}:
        with suppress(OSError):  # not empty
            storage.delete(folder)
