"""Files that are encrypted in chunks, so that they can be written as a stream and read from any place.

    touchstone-encrypted/1\\n   the format
    8 bytes                    the id of the key
    32 bytes                   the salt
    chunks                     AES-256-GCM of 64 KiB each, the last one of what remains

The key of a file is derived from the key and the salt (HKDF-SHA256), so a nonce is never used twice. The
nonce of a chunk is its number, and 1 for the last chunk, else 0. Chunks can thus be neither changed,
moved nor cut off. This is the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, 2015).
"""

import base64
import binascii
import io
import os
from pathlib import Path
from typing import IO, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from audit.errors import TouchstoneError

FORMAT = b"touchstone-encrypted/1\n"
ID_BYTES, SALT_BYTES, KEY_BYTES, TAG_BYTES = 8, 32, 32, 16
HEADER_BYTES = len(FORMAT) + ID_BYTES + SALT_BYTES
CHUNK_BYTES = 64 * 1024
SEALED_BYTES = CHUNK_BYTES + TAG_BYTES
COUNTER_BYTES = 11


class KeyFileError(TouchstoneError):
    """A key file has no key."""


class DamagedError(OSError):
    """The file was changed or cut short, or another key encrypted it."""


def read_key(path: Path) -> bytes:
    """Return the key in a file: 32 random bytes in base64. Raise KeyFileError, OSError."""
    try:
        key = base64.b64decode(path.read_bytes().strip(), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFileError(
            f"{path} has no key of {KEY_BYTES} bytes in base64. Create one with: "
            f"openssl rand -base64 {KEY_BYTES}"
        )
    return key


def is_encrypted(file: IO[bytes]) -> bool:
    """Return True if the file has this format. It is read from its beginning again afterwards."""
    start = file.read(len(FORMAT))
    file.seek(0)
    return start == FORMAT


class EncryptingWriter:
    """A stream that encrypts into a file. Closing it writes the last chunk and leaves the file open."""

    def __init__(self, file: IO[bytes], key: bytes) -> None:
        salt = os.urandom(SALT_BYTES)
        self._file = file
        self._chunks = _Chunks(key, FORMAT + _id_of(key) + salt)
        self._buffer = bytearray()
        self._count = 0
        file.write(self._chunks.header)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:  # a file without a last chunk is refused
            self.close()

    def write(self, data: bytes) -> int:
        self._buffer += data
        # The last chunk is not known until the stream is closed, so one stays in the buffer.
        while len(self._buffer) > CHUNK_BYTES:
            self._seal(bytes(self._buffer[:CHUNK_BYTES]), is_last=False)
            del self._buffer[:CHUNK_BYTES]
        return len(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._seal(bytes(self._buffer), is_last=True)
        self._buffer.clear()

    def _seal(self, chunk: bytes, *, is_last: bool) -> None:
        self._file.write(self._chunks.seal(chunk, self._count, is_last=is_last))
        self._count += 1


class DecryptingReader(io.RawIOBase):
    """The content of an encrypted file, whose key and end are checked first.

    It does not close the file.
    """

    def __init__(self, file: IO[bytes], key: bytes) -> None:
        self._file = file
        header = self._file.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES or not header.startswith(FORMAT):
            raise DamagedError("the beginning is missing")
        if header[len(FORMAT) : -SALT_BYTES] != _id_of(key):
            raise DamagedError("another key encrypted it")
        self._chunks = _Chunks(key, header)
        sealed = self._file.seek(0, io.SEEK_END) - HEADER_BYTES
        self._last = max(0, -(-sealed // SEALED_BYTES) - 1)
        self._size = sealed - TAG_BYTES * (self._last + 1)
        self._position = 0
        self._number, self._chunk = -1, b""
        self._load(self._last)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("negative position")
        self._position = start + offset
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._position >= self._size:
            return 0
        number, start = divmod(self._position, CHUNK_BYTES)
        self._load(number)
        part = self._chunk[start : start + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def _load(self, number: int) -> None:
        if number == self._number:
            return
        self._file.seek(HEADER_BYTES + number * SEALED_BYTES)
        sealed = self._file.read(SEALED_BYTES)
        self._chunk = self._chunks.open(sealed, number, is_last=number == self._last)
        self._number = number


class _Chunks:
    """The encryption of the chunks of one file."""

    def __init__(self, key: bytes, header: bytes) -> None:
        self.header = header
        self._cipher = AESGCM(_derive(key, b"file", salt=header[-SALT_BYTES:]))

    def seal(self, chunk: bytes, number: int, *, is_last: bool) -> bytes:
        return self._cipher.encrypt(_nonce(number, is_last), chunk, self.header)

    def open(self, sealed: bytes, number: int, *, is_last: bool) -> bytes:
        try:
            return self._cipher.decrypt(_nonce(number, is_last), sealed, self.header)
        except (InvalidTag, ValueError) as error:
            raise DamagedError("it was changed or cut short") from error


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(COUNTER_BYTES, "big") + bytes([is_last])


def _id_of(key: bytes) -> bytes:
    return _derive(key, b"id")[:ID_BYTES]


def _derive(key: bytes, purpose: bytes, *, salt: bytes = b"") -> bytes:
    hkdf = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=FORMAT + purpose)
    return hkdf.derive(key)
