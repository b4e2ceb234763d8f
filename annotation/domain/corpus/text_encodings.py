"""The encodings of text files. Text is UTF-8 or has a byte-order mark, unless its encoding is named.

Copies in UTF-8 are made of other files, because all readers expect it.
"""

import codecs
from collections.abc import Iterator, Mapping, Sequence
from encodings.aliases import aliases
from functools import partial
from pathlib import Path
from typing import BinaryIO

from audit.errors import TouchstoneError
from schemes.contract.errors import FileError
from schemes.file_kinds import head_of
from schemes.table_files import is_compressed

UTF_8 = "utf-8"
UTF_16 = "utf-16"
# The encodings that pages offer, by their names in commands and the API.
ENCODINGS: Mapping[str, str] = {
    UTF_8: "UTF-8",
    UTF_16: "UTF-16",
    "windows-1252": "Windows-1252 (Western European)",
    "windows-1250": "Windows-1250 (Central European)",
    "windows-1251": "Windows-1251 (Cyrillic)",
    "iso-8859-1": "Latin-1 (ISO 8859-1)",
    "iso-8859-15": "Latin-9 (ISO 8859-15)",
    "mac-roman": "Mac Roman",
    "shift-jis": "Shift-JIS",
    "gb18030": "GB18030",
}
CHUNK = 1 << 16
# Codecs that do not convert between bytes and the characters of a text.
_OTHER_CODECS = {
    "base64_codec", "bz2_codec", "hex_codec", "idna", "punycode", "quopri_codec", "raw_unicode_escape",
    "rot_13", "undefined", "unicode_escape", "utf_7", "uu_codec", "zlib_codec",
}  # fmt: skip
# Spreadsheets and browsers write the Windows variant of the standard.
_USUAL = {"shift_jis": "cp932"}
_KNOWN = (set(aliases.values()) | {"utf_8_sig", "mac_roman", "gb18030"}) - _OTHER_CODECS
EXAMPLE_BYTES = 60


class UnknownEncodingError(TouchstoneError):
    """A name that is not the name of an encoding."""

    def __init__(self, name: str) -> None:
        known = ", ".join(ENCODINGS)
        super().__init__(
            f"There is no encoding {name[:40]!r}. Use one of {known}, or another name."
        )


def codec_of(name: str) -> str:
    """Return the Python codec of an encoding. Raise UnknownEncodingError."""
    codec = "_".join(name.strip().lower().replace("-", "_").split())
    codec = aliases.get(codec, codec)
    try:
        found = codecs.lookup(codec).name.replace("-", "_")
    except (LookupError, ValueError) as error:
        raise UnknownEncodingError(name) from error
    found = aliases.get(found, found)
    if found not in _KNOWN:
        raise UnknownEncodingError(name)
    return _USUAL.get(found, found)


def marked_encoding(file: BinaryIO) -> str:
    """Return the encoding that a byte-order mark names, or UTF-8."""
    file.seek(0)
    head = file.read(4)
    file.seek(0)
    return UTF_16 if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else UTF_8


def as_utf_8(path: Path, target: Path, encoding: str = "") -> Path:
    """Return the path, or that of a copy in UTF-8 for a file in another encoding.

    Without an encoding, the file is in UTF-8 or has a byte-order mark. Raise FileError with the line of
    bytes that the encoding lacks, and UnknownEncodingError.
    """
    with path.open("rb") as file:
        codec = codec_of(encoding or marked_encoding(file))
        if codec in ("utf_8", "utf_8_sig"):
            return path
        if codec == "utf_16":
            codec = _utf_16_codec(file.read(4096))
        file.seek(0)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            for text in _decoded(path, file, codec, encoding or UTF_16):
                out.write(text.encode(UTF_8, errors="replace"))
    return target


def all_as_utf_8(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Return the paths, or those of copies in the folder for files with the byte-order mark of UTF-16.

    Copies have the names of their files. Raise FileError.
    """
    return [
        as_utf_8(path, folder / str(number) / path.name) if path.is_file() else path
        for number, path in enumerate(paths)
    ]


def _decoded(path: Path, file: BinaryIO, codec: str, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(codec)()
    line, column, is_last = 1, 1, False
    while not is_last:
        chunk = file.read(CHUNK)
        is_last = not chunk
        try:
            text = decoder.decode(chunk, final=is_last)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(codec, errors="replace")
            line, column = _moved(line, column, before)
            message = (
                f"is not {ENCODINGS.get(encoding, encoding)} (byte 0x{error.object[error.start]:02X} at "
                f"character {column}). Name another encoding."
            )
            raise FileError(path.name, line, message) from error
        line, column = _moved(line, column, text)
        yield text


def _moved(line: int, column: int, text: str) -> tuple[int, int]:
    """Return the line and column after the text."""
    last = text.rfind("\n")
    moved = len(text) - last - 1
    return line + text.count("\n"), moved + 1 if last >= 0 else column + moved


def _utf_16_codec(head: bytes) -> str:
    """Return the codec of UTF-16 text by its byte-order mark, or by its zero bytes."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-16-be" if head[0::2].count(0) > head[1::2].count(0) else "utf-16-le"


def readings_of(path: Path) -> dict[str, str]:
    """Return the first text that is not UTF-8, in each encoding that pages offer and that has its bytes.

    Compressed files have no reading.
    """
    raw = b"" if is_compressed(head_of(path)) else _first_bad_line(path)
    at = next((place for place, byte in enumerate(raw) if byte >= 0x80), 0)
    raw = raw[max(0, at - EXAMPLE_BYTES // 2) : at + EXAMPLE_BYTES]
    readings = {}
    for name in [name for name in ENCODINGS if raw and name not in (UTF_8, UTF_16)]:
        try:
            # The end may be in the middle of a character.
            text = codecs.getincrementaldecoder(codec_of(name))().decode(raw)
        except UnicodeDecodeError:
            continue
        if text.isprintable():
            readings[name] = text
    return readings


def _first_bad_line(path: Path) -> bytes:
    with path.open("rb") as file:
        for raw in iter(partial(file.readline, CHUNK), b""):
            try:
                raw.decode(UTF_8)
            except UnicodeDecodeError:
                return raw.replace(b"\t", b" ").strip()
    return b""
