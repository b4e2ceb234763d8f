"""Stored images, and their addresses, which are signed and expire."""

import hashlib
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import IO

from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from annotation.domain.corpus.decode_image import DISPLAY_SIDE, SUFFIXES, decode_image
from annotation.models import Image, Sentence
from audit.errors import TouchstoneError
from projects.models import Project
from schemes.contract import values

SIGNER = signing.Signer(salt="annotation.image")
# An address stays the same for STEP, so that browsers load an image once. It works for at least LIFE.
STEP, LIFE = timedelta(hours=6), timedelta(days=1)
_CONTENT_TYPES = {
    suffix: f"image/{kind.lower()}" for kind, suffixes in SUFFIXES.items() for suffix in suffixes
}


class UnknownImageError(TouchstoneError, LookupError):
    """No image has this address, or the address has expired."""


def store_image(*, project: Project, name: str, data: bytes) -> Image:
    """Return the project's image with this content, stored unless it is known.

    Raise FileError for a file that is no valid image.
    """
    decoded = decode_image(name, data)
    digest = hashlib.sha256(decoded.data).hexdigest()
    image = Image(
        project=project,
        digest=digest,
        name=name[-200:],
        width=decoded.width,
        height=decoded.height,
    )
    _store(_path(image), decoded.data)
    if decoded.display:
        _store(_display_path(image), decoded.display)
    stored, _ = Image.objects.get_or_create(
        project=project,
        digest=digest,
        defaults={"name": image.name, "width": image.width, "height": image.height},
    )
    return stored


def image_digest(name: str, data: bytes) -> str:
    """Return the digest under which the content of a file is stored. Raise FileError."""
    return hashlib.sha256(decode_image(name, data).data).hexdigest()


def image_of(sentence: Sentence) -> values.Image | None:
    """Return the sentence's image with an address for the page, or None.

    The name is that of the sentence's file, which may have the same content as other files.
    """
    if sentence.image is None:
        return None
    image = sentence.image
    name = sentence.metadata.get("image") or image.name
    address = image_address(image, now=timezone.now())
    return values.Image(name, image.width, image.height, address)


def stored_image(*, project: Project, name: str) -> values.Image | None:
    """Return the project's image of this name with an address for the page, or None."""
    image = Image.objects.filter(project=project, name=name).order_by("pk").first()
    if image is None:
        return None
    address = image_address(image, now=timezone.now())
    return values.Image(image.name, image.width, image.height, address)


def image_address(image: Image, *, now: datetime) -> str:
    """Return the image's address, which is the same for all requests of some hours."""
    step = int(STEP.total_seconds())
    expires = (int(now.timestamp()) // step + 1) * step + int(LIFE.total_seconds())
    return reverse("annotation:image", args=[image.pk, expires, _signature(image, expires)])


def find_image(*, pk: int, expires: int, signature: str, now: datetime) -> Image:
    """Return the image of an address. Raise UnknownImageError."""
    image = Image.objects.filter(pk=pk).first()
    if image is None or not constant_time_compare(signature, _signature(image, expires)):
        raise UnknownImageError("This image doesn't exist. Open the task again.")
    if now.timestamp() >= expires:
        raise UnknownImageError("The link to this image has expired. Open the task again.")
    return image


def open_display(image: Image) -> IO[bytes]:
    """Return the file for the screen, whose sides have at most DISPLAY_SIDE pixels.

    Raise UnknownImageError if the storage lacks it.
    """
    is_large = max(image.width, image.height) > DISPLAY_SIDE
    try:
        return _storage().open(_display_path(image) if is_large else _path(image))
    except FileNotFoundError:
        raise UnknownImageError("The image file is missing.") from None


def open_original(image: Image) -> IO[bytes]:
    """Return the upright file in its full size."""
    return _storage().open(_path(image))


def content_type(image: Image) -> str:
    return _CONTENT_TYPES[PurePath(image.name).suffix.lower()]


def _signature(image: Image, expires: int) -> str:
    # The digest distinguishes images of a rolled-back transaction, because SQLite reuses keys.
    return SIGNER.signature(f"{image.pk} {image.digest} {expires}")


def _path(image: Image) -> str:
    return image_path(image.digest)


def image_path(digest: str) -> str:
    """Return the path of the upright image in its storage."""
    return f"{digest[:2]}/{digest}"


def _display_path(image: Image) -> str:
    return f"{_path(image)}-{DISPLAY_SIDE}"


def _store(path: str, data: bytes) -> None:
    """Store a file unless it is there. A process that was killed may have left a part of it."""
    storage = _storage()
    if not (storage.exists(path) and storage.size(path) == len(data)):
        storage.save(path, ContentFile(data))


def delete_image_files(*, project: Project) -> None:
    """Delete the files of the project's images that no other project has."""
    shared = Image.objects.filter(digest=OuterRef("digest")).exclude(project=project)
    for image in project.images.exclude(Exists(shared)).iterator():
        for path in {_path(image), _display_path(image)}:
            _storage().delete(path)


def _storage() -> Storage:
    return storages["images"]
