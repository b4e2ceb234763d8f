"""The memory that large images take, measured in processes of their own."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from annotation.domain.corpus.decode_image import check_image, decode_image
from schemes.contract.errors import FileError

SIDE = 7071
MAX_MIB = 480
MEASURE = """
import resource, sys
from pathlib import Path
from annotation.domain.corpus import decode_image

path = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
getattr(decode_image, sys.argv[2])(path.name, path.read_bytes())
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def mebibytes(path: Path, function: str) -> int:
    """Return the peak memory of decoding a file, above that of the process before it."""
    command = [sys.executable, "-c", MEASURE, str(path), function]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return int(done.stdout)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "I;16"])
def test_memory_of_a_large_png_is_bounded(tmp_path, mode):
    path = tmp_path / "a.png"
    Image.new(mode, (SIDE, SIDE)).save(path)
    assert path.stat().st_size < 200_000
    assert mebibytes(path, "decode_image") < MAX_MIB
    assert mebibytes(path, "check_image") < MAX_MIB


@pytest.mark.parametrize("mode", ["RGB", "CMYK"])
def test_memory_of_a_large_jpeg_is_bounded(tmp_path, mode):
    path = tmp_path / "a.jpg"
    Image.new(mode, (SIDE, SIDE)).save(path)
    assert mebibytes(path, "decode_image") < MAX_MIB
    assert mebibytes(path, "check_image") < 50


def test_memory_of_a_large_webp_is_bounded(tmp_path):
    path = tmp_path / "a.webp"
    Image.new("RGB", (5000, 5000)).save(path)
    assert mebibytes(path, "decode_image") < MAX_MIB


@pytest.mark.parametrize(("suffix", "side"), [("png", SIDE + 1), ("jpg", SIDE + 1), ("webp", 5001)])
def test_larger_images_are_refused_by_their_heads(tmp_path, suffix, side):
    path = tmp_path / f"a.{suffix}"
    Image.new("L", (side, side)).save(path)
    message = rf"a\.{suffix}: has more than (50|25) million pixels\."
    with pytest.raises(FileError, match=message):
        decode_image(path.name, path.read_bytes()[:100_000])


@pytest.mark.parametrize("decode", [decode_image, check_image])
def test_image_that_does_not_fit_into_memory_is_named(monkeypatch, decode):
    def run_out(image: Image.Image) -> None:
        raise MemoryError

    stream = io.BytesIO()
    Image.new("RGB", (9, 9)).save(stream, "PNG")
    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", run_out)
    with pytest.raises(FileError, match=r"a\.png: needs more memory than the worker process has"):
        decode("a.png", stream.getvalue())
