"""Word vectors in word2vec's text or binary format, read as a stream."""

import gzip
import struct
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from schemes.contract.errors import FileError

Vector = NDArray[np.float32]
_MAX_WORD = 1000


def read_vectors(path: Path, words: Collection[str]) -> dict[str, Vector]:
    """Return the vectors of these words, which are in lower case.

    A word in another case in the file counts if there is none in lower case, and the first one wins.
    The file may be compressed by gzip, and a text may lack the first line with the number of words and
    dimensions. Raise FileError for an unreadable or damaged file.
    """
    wanted = set(words)
    exact: dict[str, Vector] = {}
    other: dict[str, Vector] = {}
    try:
        with _opened(path) as file:
            for word, vector in _entries(file, path):
                if word in wanted:
                    exact.setdefault(word, vector())
                elif (lower := word.lower()) in wanted:
                    other.setdefault(lower, vector())
    except (OSError, EOFError) as error:
        raise FileError(path.name, None, f"cannot be read ({error}).") from error
    return other | exact


def _opened(path: Path) -> BinaryIO:
    file = path.open("rb")
    is_compressed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not is_compressed:
        return file
    file.close()
    return gzip.open(path)  # type: ignore[return-value]


class _Numbers:
    """A vector that is parsed only if it is needed."""

    __slots__ = ("data", "line", "path", "size")

    def __init__(self, data: bytes, size: int, path: Path, line: int) -> None:
        self.data, self.size, self.path, self.line = data, size, path, line

    def __call__(self) -> Vector:
        """Return the vector. Raise FileError."""
        if self.line == 0:
            return np.frombuffer(self.data, dtype="<f4").astype(np.float32)
        try:
            vector = np.array(self.data.split(), dtype=np.float32)
        except ValueError:
            raise FileError(self.path.name, self.line, "has a number that is none.") from None
        if len(vector) != self.size:
            message = f"has {len(vector)} numbers instead of {self.size}."
            raise FileError(self.path.name, self.line, message)
        return vector


def _entries(file: BinaryIO, path: Path) -> Iterator[tuple[str, _Numbers]]:
    head = file.readline(_MAX_WORD * 100)
    fields = head.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        yield from _text_entries(head, file, path, max(0, len(fields) - 1), first=1)
        return
    size = int(fields[1])
    start = file.read(4096)
    file.seek(len(head))
    if _is_binary(start):
        yield from _binary_entries(file, path, int(fields[0]), size)
    else:
        yield from _text_entries(file.readline(), file, path, size, first=2)


def _is_binary(start: bytes) -> bool:
    """Return True unless the first line after the head is a word with numbers as text."""
    numbers = start.split(b"\n")[0].split()[1:]
    try:
        return not [float(number) for number in numbers]
    except ValueError:
        return True


def _text_entries(
    line: bytes, file: BinaryIO, path: Path, size: int, *, first: int
) -> Iterator[tuple[str, _Numbers]]:
    number = first
    while line:
        word, _, data = line.rstrip(b"\n\r").partition(b" ")
        if word:
            yield word.decode("utf-8", "replace"), _Numbers(data, size, path, number)
        line = file.readline()
        number += 1


def _binary_entries(
    file: BinaryIO, path: Path, count: int, size: int
) -> Iterator[tuple[str, _Numbers]]:
    width = struct.calcsize(f"<{size}f")
    for at in range(count):
        word = bytearray()
        while (char := file.read(1)) != b" ":
            if not char or len(word) > _MAX_WORD:
                raise FileError(path.name, None, f"ends within word {at + 1} of {count}.")
            if char != b"\n":
                word += char
        data = file.read(width)
        if len(data) != width:
            raise FileError(path.name, None, f"ends within word {at + 1} of {count}.")
        yield word.decode("utf-8", "replace"), _Numbers(data, size, path, 0)
