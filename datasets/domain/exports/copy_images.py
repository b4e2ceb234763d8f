"""Copy the images of exported sentences beside the gold."""

import shutil
from pathlib import Path, PurePosixPath

from django.db.models import QuerySet

from annotation.domain.corpus.images import open_original
from annotation.models import Sentence

FOLDER = "images"


def copy_images(sentences: QuerySet[Sentence], folder: Path) -> dict[str, Path]:
    """Copy the upright images in full size to `folder/images`. Return their paths by name.

    The names are those of the corpus without its folders.
    """
    copied: dict[str, Path] = {}
    rows = sentences.filter(image__isnull=False).select_related("image").order_by("pk")
    for sentence in rows.iterator(chunk_size=500):
        image = sentence.image
        assert image
        name = PurePosixPath(sentence.metadata.get("image") or image.name).name
        key = f"{FOLDER}/{name}"
        if key in copied:
            continue
        path = folder / FOLDER / name
        path.parent.mkdir(exist_ok=True)
        with open_original(image) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
        copied[key] = path
    return copied
