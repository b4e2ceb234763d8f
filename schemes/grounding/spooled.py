"""Parts of exported files that wait in temporary files, so that exports need little memory."""

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Any

from orjson import dumps, loads

from schemes.contract.records import ExportRow
from schemes.contract.values import Image
from schemes.grounding.captions import image_of


@contextmanager
def spooled_array() -> Iterator["SpooledArray"]:
    """Yield an empty array, which is deleted at the end."""
    with TemporaryFile("w+", encoding="utf-8") as file:
        yield SpooledArray(file)


class SpooledArray:
    """A JSON array, which is written entry by entry."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.count = 0

    def append(self, entry: Any) -> None:
        self._file.write(", " if self.count else "[")
        self._file.write(json.dumps(entry, ensure_ascii=False))
        self.count += 1

    def copy_to(self, file: IO[str]) -> None:
        if not self.count:
            file.write("[]")
            return
        self._file.seek(0)
        shutil.copyfileobj(self._file, file)
        file.write("]")


def write_object(file: IO[str], arrays: dict[str, SpooledArray]) -> None:
    """Write a JSON object whose values are arrays."""
    for at, (name, array) in enumerate(arrays.items()):
        file.write(f"{', ' if at else '{'}{json.dumps(name)}: ")
        array.copy_to(file)
    file.write("}")


def rows_by_image(rows: Iterable[ExportRow]) -> Iterator[list[ExportRow]]:
    """Yield the rows of each image together, images by their first rows. Provenance is left out."""
    places: dict[str, list[tuple[int, int]]] = {}
    with TemporaryFile() as file:
        start = 0
        for row in rows:
            length = file.write(_packed(row))
            places.setdefault(image_of(row).name, []).append((start, length))
            start += length
        for of_image in places.values():
            yield [_unpacked(file, *place) for place in of_image]


def _packed(row: ExportRow) -> bytes:
    image = image_of(row)
    size = image.name, image.width, image.height
    sentence = row.external_id, row.tokens, row.text, row.offsets
    return dumps([sentence, row.target, row.content, row.metadata, size])


def _unpacked(file: IO[bytes], start: int, length: int) -> ExportRow:
    file.seek(start)
    sentence, target, content, metadata, size = loads(file.read(length))
    external_id, tokens, text, offsets = sentence
    return ExportRow(
        external_id,
        tuple(tokens),
        target,
        content,
        [],
        metadata=metadata,
        image=Image(*size),
        text=text,
        offsets=offsets,
    )
