"""Folders of an export: those of formats with many files, and that of images."""

import shutil
import zipfile
from pathlib import Path

from django.db.models import QuerySet

from annotation.domain.images import open_original
from annotation.models import Sentence

IMAGES = "images"


def copy_images(*, sentences: QuerySet[Sentence], folder: Path) -> None:
    """Write the images of the sentences under the names of their files in the corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    root, written = folder.resolve(), set()
    with_images = sentences.filter(image__isnull=False).select_related("image").order_by("pk")
    for sentence in with_images.only("metadata", "image").iterator():
        assert sentence.image
        name = sentence.metadata.get("image") or sentence.image.name
        path = (root / name).resolve()
        if path in written or not path.is_relative_to(root):
            continue
        written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_original(sentence.image) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)


def pack_folder(folder: Path) -> Path:
    """Replace a folder by a ZIP archive, whose bytes depend only on the files. Return its path."""
    archive = folder.with_name(f"{folder.name}.zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            member.compress_type = zipfile.ZIP_DEFLATED
            with path.open("rb") as source, file.open(member, "w") as target:
                shutil.copyfileobj(source, target)
    shutil.rmtree(folder)
    return archive
