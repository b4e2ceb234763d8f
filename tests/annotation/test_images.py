"""Images are decoded on import, stored without metadata, and served at addresses that expire."""

import io
import random
import struct
import zipfile
import zlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.utils import timezone
from PIL import Image as Picture

from annotation.domain.corpus.decode_image import MAX_BYTES, decode_image
from annotation.domain.corpus.image_files import open_image_files
from annotation.domain.corpus.images import image_address, open_original, store_image
from schemes.contract.errors import FileError
from tests.annotation.factories import make_project
from tests.annotation.image_bucket import images_in_bucket

GPS_IFD = 0x8825
ORIENTATION = 0x0112


def picture_bytes(
    fmt: str = "PNG", size: tuple[int, int] = (40, 30), colour: str = "teal", **options: object
) -> bytes:
    stream = io.BytesIO()
    Picture.new("RGB", size, colour).save(stream, fmt, **options)
    return stream.getvalue()


def size_of(data: bytes) -> tuple[int, int]:
    with Picture.open(io.BytesIO(data)) as picture:
        return picture.size


def png_header(width: int, height: int) -> bytes:
    """Return a PNG file that claims a size and has no pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", bytes(100))


def png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@pytest.mark.parametrize(
    ("name", "fmt"), [("a.jpg", "JPEG"), ("a.JPEG", "JPEG"), ("a.png", "PNG"), ("a.webp", "WEBP")]
)
def test_formats_are_accepted(name, fmt):
    decoded = decode_image(name, picture_bytes(fmt))
    assert (decoded.format, decoded.width, decoded.height) == (fmt, 40, 30)
    assert size_of(decoded.data) == (40, 30)
    assert decoded.display is None


def test_photo_is_rotated_upright_and_stripped_of_metadata():
    exif = Picture.Exif()
    exif[ORIENTATION] = 6
    exif.get_ifd(GPS_IFD)[1] = "N"
    exif[0x010E] = "taken at home"
    data = picture_bytes("JPEG", exif=exif, comment=b"secret")
    decoded = decode_image("a.jpg", data)
    assert (decoded.width, decoded.height) == (30, 40)
    assert b"home" in data
    assert b"secret" in data
    for text in (b"home", b"secret", b"Exif"):
        assert text not in decoded.data
    with Picture.open(io.BytesIO(decoded.data)) as stored:
        assert dict(stored.getexif()) == {}


def test_grey_image_of_16_bits_keeps_its_brightness():
    stream = io.BytesIO()
    Picture.new("I;16", (4, 4), 0x8000).save(stream, "PNG")
    with Picture.open(io.BytesIO(decode_image("a.png", stream.getvalue()).data)) as stored:
        assert stored.getpixel((1, 1)) == (128, 128, 128)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("fmt", ["JPEG", "PNG", "WEBP"])
def test_damaged_file_is_read_or_refused_in_one_line(fmt):
    """Damage of any kind, also in EXIF data, does not stop an import."""
    exif = Picture.Exif()
    exif[ORIENTATION] = 6
    exif.get_ifd(GPS_IFD)[1] = "N"
    rng = random.Random(7)
    messages: list[str] = []
    name = {"JPEG": "a.jpg", "PNG": "a.png", "WEBP": "a.webp"}[fmt]
    for _ in range(400):
        data = bytearray(picture_bytes(fmt, exif=exif))
        for _ in range(rng.randint(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        del data[rng.randrange(len(data) // 2, 2 * len(data)) :]
        try:
            decode_image(name, bytes(data))
        except FileError as refusal:
            messages.append(str(refusal))
    assert len(messages) > 50
    assert [text for text in messages if not text.startswith(f"{name}: ") or "\n" in text] == []


def test_bytes_after_the_image_are_dropped():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x.html", "<script>alert(1)</script>")
    decoded = decode_image("a.png", picture_bytes() + archive.getvalue())
    assert b"script" not in decoded.data
    assert not zipfile.is_zipfile(io.BytesIO(decoded.data))


def test_large_image_has_a_smaller_version_for_the_screen():
    decoded = decode_image("a.jpg", picture_bytes("JPEG", (4000, 1000)))
    assert (decoded.width, decoded.height) == (4000, 1000)
    assert decoded.display
    assert size_of(decoded.display) == (2000, 500)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
ANIMATION = picture_bytes(
    "WEBP", save_all=True, append_images=[Picture.new("RGB", (40, 30), "red")], duration=100
)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("bomb.png", png_header(20_000, 20_000), "more than 50 million pixels"),
        ("large.png", png_header(10_000, 8_000), "more than 50 million pixels"),
        ("drawing.svg", SVG, "not a JPEG, PNG or WebP"),
        ("drawing.png", SVG, "not a JPEG, PNG or WebP"),
        ("page.jpg", b"<html><script>alert(1)</script>", "not a JPEG, PNG or WebP"),
        ("empty.jpg", b"", "not a JPEG, PNG or WebP"),
        ("half.jpg", picture_bytes("JPEG", (200, 200))[:700], "damaged"),
        ("half.png", picture_bytes("PNG", (200, 200))[:80], "damaged"),
        ("wrong.jpg", picture_bytes("PNG"), "does not end in .png"),
        ("none", picture_bytes("PNG"), "does not end in .png"),
        ("moving.webp", ANIMATION, "animated"),
        ("scan.tiff", picture_bytes("TIFF"), "not a JPEG, PNG or WebP"),
        ("huge.jpg", bytes(MAX_BYTES + 1), "more than 30 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_file_is_refused_in_one_line(name, data, reason):
    with pytest.raises(FileError) as refusal:
        decode_image(name, data)
    message = str(refusal.value)
    assert message.startswith(f"{name}: ")
    assert reason in message
    assert "\n" not in message


@pytest.mark.django_db
def test_image_is_stored_once_per_project():
    project = make_project()
    first = store_image(project=project, name="a.png", data=picture_bytes())
    assert store_image(project=project, name="a.png", data=picture_bytes()) == first
    other = store_image(project=make_project("other"), name="a.png", data=picture_bytes())
    assert (other.digest, other.pk != first.pk) == (first.digest, True)
    with open_original(first) as file:
        assert size_of(file.read()) == (40, 30)


@pytest.mark.django_db
def test_part_of_a_file_is_replaced():
    project = make_project()
    image = store_image(project=project, name="a.png", data=picture_bytes(colour="olive"))
    path = Path(storages["images"].path(f"{image.digest[:2]}/{image.digest}"))
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    store_image(project=project, name="a.png", data=picture_bytes(colour="olive"))
    assert path.read_bytes() == whole


@pytest.mark.django_db
def test_missing_file_is_not_found(client):
    image = store_image(project=make_project(), name="a.png", data=picture_bytes(colour="navy"))
    storages["images"].delete(f"{image.digest[:2]}/{image.digest}")
    assert client.get(image_address(image, now=timezone.now())).status_code == 404


@pytest.mark.django_db
def test_address_serves_the_image_until_it_expires(client):
    image = store_image(project=make_project(), name="a.png", data=picture_bytes())
    now = timezone.now()
    address = image_address(image, now=now)
    response = client.get(address)
    assert response.status_code == 200
    assert size_of(response.getvalue()) == (40, 30)
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    policy = response["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "img-src 'none'", "sandbox"} < set(policy)
    assert response["Cache-Control"].startswith("private, max-age=")
    assert response["Cache-Control"].endswith(", immutable")
    old = image_address(image, now=now - timedelta(days=3))
    assert client.get(old).status_code == 404


@pytest.mark.django_db
def test_address_is_valid_for_one_image_only(client):
    project = make_project()
    images = [
        store_image(project=project, name=f"{colour}.png", data=picture_bytes(colour=colour))
        for colour in ("red", "blue")
    ]
    first, second = (image_address(image, now=timezone.now()) for image in images)
    forged = first.replace(f"/{images[0].pk}/", f"/{images[1].pk}/")
    assert forged != first
    assert client.get(forged).status_code == 404
    parts = first.strip("/").split("/")
    later = [*parts[:-2], str(int(parts[-2]) + 86_400), parts[-1]]
    assert client.get(f"/{'/'.join(later)}/").status_code == 404
    assert client.get(second).status_code == 200


@pytest.mark.django_db
def test_address_is_the_same_for_some_hours():
    image = store_image(project=make_project(), name="a.png", data=picture_bytes())
    now = timezone.now().replace(hour=6, minute=1)
    assert image_address(image, now=now) == image_address(image, now=now + timedelta(hours=5))
    assert image_address(image, now=now) != image_address(image, now=now + timedelta(hours=7))


def test_archive_finds_images_in_its_folders(tmp_path):
    path = tmp_path / "images.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("flickr30k/1.png", picture_bytes())
        archive.writestr("bomb.png", bytes(2 * MAX_BYTES))
    with open_image_files(path) as images:
        for name in ("1.png", "flickr30k/1.png", "flickr30k\\1.png", "./flickr30k/1.png"):
            assert images.has(name)
            assert images.read(name) == picture_bytes()
        assert len(images.read("bomb.png")) == MAX_BYTES + 1
        for name in ("2.png", "elsewhere/1.png", "1"):
            assert not images.has(name)
            with pytest.raises(FileError, match="is not among the images"):
                images.read(name)


def archive_of(folder, *names: str):
    """Return an archive of pictures with these names, each in a colour of its own."""
    path = folder / "images.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, name in enumerate(names):
            archive.writestr(name, picture_bytes(colour=f"#00000{number}"))
    return path


def read_number(images, name: str) -> int:
    """Return the number of the picture in the archive with the file's content."""
    data = images.read(name)
    return next(at for at in range(9) if data == picture_bytes(colour=f"#00000{at}"))


@pytest.mark.parametrize(
    ("names", "wanted", "number"),
    [
        (("video1/1.png", "video2/1.png"), "video2/1.png", 1),
        (("a/video1/1.png", "a/video2/1.png"), "video1/1.png", 0),
        (("thumbs/1.png", "1.png"), "1.png", 1),
        (("a\\1.png", "b\\1.png"), "b/1.png", 1),
        (("cafe\u0301.png",), "caf\u00e9.png", 0),
        (("caf\u00e9.png",), "cafe\u0301.png", 0),
        (("__MACOSX/._1.png", "x/1.png"), "1.png", 1),
    ],
)
def test_name_in_an_archive_matches_its_path(tmp_path, names, wanted, number):
    with open_image_files(archive_of(tmp_path, *names)) as images:
        assert images.has(wanted)
        assert read_number(images, wanted) == number


@pytest.mark.parametrize(
    ("names", "wanted", "message"),
    [
        (("video1/1.png",), "video2/1.png", "is not among the images"),
        (("images/1.png", "thumbs/1.png"), "1.png", "is in the archive 2 times"),
        (("a/b/1.png", "c.png"), "b/1.png", "is not among the images"),
    ],
)
def test_name_without_its_only_path_is_refused(tmp_path, names, wanted, message):
    with open_image_files(archive_of(tmp_path, *names)) as images:
        assert not images.has(wanted)
        with pytest.raises(FileError, match=message):
            images.read(wanted)


@pytest.mark.parametrize("stored", ["cafe\u0301/1.png", "caf\u00e9/1.png"])
@pytest.mark.parametrize("wanted", ["cafe\u0301/1.png", "caf\u00e9\\1.png", "./caf\u00e9/1.png"])
def test_name_in_a_folder_may_have_another_spelling(tmp_path, stored, wanted):
    path = tmp_path / "images" / stored
    path.parent.mkdir(parents=True)
    path.write_bytes(picture_bytes())
    with open_image_files(tmp_path / "images") as images:
        assert images.has(wanted)
        assert images.read(wanted) == picture_bytes()
        assert not images.has("1.png")


def test_folder_may_have_links_and_folders(tmp_path):
    (tmp_path / "photo.png").write_bytes(picture_bytes())
    (tmp_path / "images" / "train").mkdir(parents=True)
    (tmp_path / "images" / "train" / "1.png").symlink_to(tmp_path / "photo.png")
    with open_image_files(tmp_path / "images") as images:
        assert images.has("train/1.png")
        assert images.read("train/1.png") == picture_bytes()


@pytest.mark.parametrize(
    "name", ["../secret.png", "train/../../secret.png", "/etc/hostname", "", "a\0b.png"]
)
def test_folder_serves_no_file_outside(tmp_path, name):
    (tmp_path / "secret.png").write_bytes(picture_bytes())
    (tmp_path / "images").mkdir()
    with open_image_files(tmp_path / "images") as images:
        assert not images.has(name)
        with pytest.raises(FileError):
            images.read(name)


@pytest.fixture
def bucket(monkeypatch):
    with images_in_bucket(monkeypatch) as bucket:
        yield bucket


@pytest.mark.django_db
def test_image_in_a_bucket_is_served(bucket, client):
    image = store_image(project=make_project(), name="a.png", data=picture_bytes())
    assert [entry.key for entry in bucket.objects.all()] == [f"{image.digest[:2]}/{image.digest}"]
    response = client.get(image_address(image, now=timezone.now()))
    assert size_of(response.getvalue()) == (40, 30)
