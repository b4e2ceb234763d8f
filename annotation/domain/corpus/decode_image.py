"""Check an image by decoding it, and normalise it for storage.

The stored file is encoded again from the pixels, upright as its EXIF data say. Metadata, such as the
place where a photo was taken, and bytes after the image are therefore dropped.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath

from PIL import ExifTags, Image, ImageCms, ImageOps, UnidentifiedImageError

from schemes.contract.errors import FileError

MAX_BYTES = 30 * 2**20
MAX_PIXELS = 50_000_000
# The decoder of WebP holds the image several times.
MAX_WEBP_PIXELS = 25_000_000
# Workers' pages get images of at most this size, which leaves details for a zoom.
DISPLAY_SIDE = 2000
QUALITY = 95
SUFFIXES = {
    "JPEG": (".jpg", ".jpeg"),
    "PNG": (".png",),
    "WEBP": (".webp",),
}
# The JPEG of a phone may contain further pictures, which are dropped.
_SAME_FORMAT = {"MPO": "JPEG"}
# Values of the EXIF orientation that swap width and height
_TURNED = (5, 6, 7, 8)


@dataclass(frozen=True, slots=True)
class DecodedImage:
    """An image with its size in pixels. `display` is its smaller file for the screen, if it is large."""

    data: bytes
    display: bytes | None
    format: str
    width: int
    height: int

    @property
    def suffix(self) -> str:
        return SUFFIXES[self.format][0]


def decode_image(name: str, data: bytes) -> DecodedImage:
    """Return the normalised image of a file. Raise FileError with one line that names the file."""
    with _opened(name, data) as (image, kind):
        pixels = _upright(image)
        return DecodedImage(
            data=_encoded(pixels, kind),
            display=_display(pixels, kind),
            format=kind,
            width=pixels.width,
            height=pixels.height,
        )


def check_image(name: str, data: bytes) -> tuple[int, int]:
    """Return the width and height of the upright image after decoding it. Raise FileError.

    A JPEG is decoded to an eighth of its sides, which notices damaged data too.
    """
    size = image_size(name, data)
    with _opened(name, data) as (image, _):
        image.draft(None, (image.width // 8, image.height // 8))
        image.load()
    return size


def image_size(name: str, data: bytes) -> tuple[int, int]:
    """Return the width and height of the upright image from the head of its file. Raise FileError.

    Damaged pixels are not noticed.
    """
    with _opened(name, data) as (image, _):
        is_turned = image.getexif().get(ExifTags.Base.Orientation) in _TURNED
        return (image.height, image.width) if is_turned else image.size


@contextmanager
def _opened(name: str, data: bytes) -> Iterator[tuple[Image.Image, str]]:
    """Yield the image and its format. Raise FileError for a bad image, also for errors inside."""
    if len(data) > MAX_BYTES:
        raise FileError(name, None, f"has more than {MAX_BYTES // 2**20} MiB.")
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as image:
            kind = _SAME_FORMAT.get(image.format or "", image.format or "")
            _check(name, image, kind)
            yield image, kind
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise FileError(name, None, _too_large(MAX_PIXELS)) from None
    except UnidentifiedImageError:
        raise FileError(name, None, "is not a JPEG, PNG or WebP image.") from None
    except FileError:
        raise
    except MemoryError:
        message = "needs more memory than the worker process has. Make the image smaller."
        raise FileError(name, None, message) from None
    except Exception as error:  # Pillow raises many types for damaged files
        reason = " ".join(str(error).split())[:100]
        raise FileError(name, None, f"is a damaged image ({reason}).") from None


def _check(name: str, image: Image.Image, kind: str) -> None:
    most = MAX_WEBP_PIXELS if kind == "WEBP" else MAX_PIXELS
    if image.width * image.height > most:
        raise FileError(name, None, _too_large(most))
    if PurePath(name).suffix.lower() not in SUFFIXES[kind]:
        message = f"is a {kind} image, but its name does not end in {SUFFIXES[kind][0]}."
        raise FileError(name, None, message)
    if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
        raise FileError(name, None, "is animated; only still images can be annotated.")


def _too_large(most: int) -> str:
    return f"has more than {most // 1_000_000} million pixels."


def _upright(image: Image.Image) -> Image.Image:
    """Return the pixels upright in sRGB, without metadata.

    A large image takes 200 MB, so it is copied only if it changes.
    """
    image.load()
    profile = image.info.get("icc_profile")
    pixels = _in_8_bits(image)
    ImageOps.exif_transpose(pixels, in_place=True)
    has_alpha = pixels.has_transparency_data
    if profile and not has_alpha:
        pixels = _in_srgb(pixels, profile)
    mode = "RGBA" if has_alpha else "RGB"
    if pixels.mode != mode:
        pixels = pixels.convert(mode)
    pixels.info = {}
    return pixels


def _display(pixels: Image.Image, kind: str) -> bytes | None:
    """Return a smaller file for the screen, or None for an image that is small."""
    if max(pixels.size) <= DISPLAY_SIDE:
        return None
    side = (DISPLAY_SIDE, DISPLAY_SIDE)
    return _encoded(ImageOps.contain(pixels, side, Image.Resampling.LANCZOS), kind)


def _in_8_bits(image: Image.Image) -> Image.Image:
    """Return a grey image of 16 bits with 8, which conversions would clip instead."""
    if not image.mode.startswith("I"):
        return image
    return image.point(lambda value: value * (1 / 256)).convert("L")


def _in_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """Return the image with its colours in sRGB, or unchanged if its profile is invalid."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        target = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(image, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image
    return converted or image


def _encoded(image: Image.Image, kind: str) -> bytes:
    stream = io.BytesIO()
    if kind == "PNG":
        image.save(stream, "PNG")
    else:
        image.save(stream, kind, quality=QUALITY)
    return stream.getvalue()
