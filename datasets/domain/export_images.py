"""The folder of images beside an export."""

import shutil
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
