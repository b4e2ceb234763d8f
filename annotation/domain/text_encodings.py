"""Detect the encoding of uploaded text, and rewrite it as UTF-8, which all readers expect."""

import codecs
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO

UTF_8 = "utf-8"
# The Python codec and the name of each encoding that a user can choose.
ENCODINGS: Mapping[str, str] = {
    UTF_8: "UTF-8",
    "utf-16": "UTF-16",
    "latin-1": "Latin-1 (ISO 8859-1)",
    "cp1252": "Windows-1252",
}
CHUNK = 1 << 16
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
# Windows-1252 has characters where Latin-1 has control characters, except for five bytes.
_CONTROLS = re.compile(rb"[\x80-\x9f]")
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def detect_encoding(file: BinaryIO) -> str:
    """Return the likely encoding of a file. Compressed files and archives count as UTF-8."""
    head = _start(file)
    if head.startswith(_PACKED):
        return UTF_8
    if _utf_16_codec(head):
        return "utf-16"
    decoder = codecs.getincrementaldecoder(UTF_8)()
    is_utf_8, has_controls, has_undefined = True, False, False
    for chunk in _chunks(file):
        has_controls = has_controls or bool(_CONTROLS.search(chunk))
        has_undefined = has_undefined or bool(_UNDEFINED.search(chunk))
        if is_utf_8:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                is_utf_8 = False
    # A file that ends within a character was cut off, but is UTF-8.
    if is_utf_8:
        return UTF_8
    return "cp1252" if has_controls and not has_undefined else "latin-1"


def write_as_utf_8(source: Path, target: Path, encoding: str) -> None:
    """Copy a text file as UTF-8. Bytes that the encoding lacks become U+FFFD."""
    with source.open("rb") as file, target.open("wb") as out:
        head = _start(file)
        codec = (_utf_16_codec(head) or "utf-16-le") if encoding == "utf-16" else encoding
        decoder = codecs.getincrementaldecoder(codec)(errors="replace")
        for chunk in _chunks(file):
            out.write(_utf_8(decoder.decode(chunk)))
        out.write(_utf_8(decoder.decode(b"", final=True)))


def is_packed(path: Path) -> bool:
    """Return True for compressed files and archives."""
    with path.open("rb") as file:
        return _start(file).startswith(_PACKED)


def _utf_8(text: str) -> bytes:
    return text.encode(UTF_8, errors="replace")


def _utf_16_codec(head: bytes) -> str:
    """Return the codec of UTF-16 text by its byte-order mark or its zero bytes, or ""."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    pairs = len(head) // 2
    if pairs and head[1::2].count(0) > 0.4 * pairs and head[0::2].count(0) < 0.1 * pairs:
        return "utf-16-le"
    if pairs and head[0::2].count(0) > 0.4 * pairs and head[1::2].count(0) < 0.1 * pairs:
        return "utf-16-be"
    return ""


def _start(file: BinaryIO) -> bytes:
    file.seek(0)
    head = file.read(4096)
    file.seek(0)
    return head


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    yield from iter(partial(file.read, CHUNK), b"")
    file.seek(0)
