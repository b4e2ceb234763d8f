"""CSV files that list items, in the columns of their scheme or in the column `item`."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from annotation.domain.import_corpus import item_key
from schemes.base import FileError, Scheme

ITEM_HELP = "An item is the id of its sentence, a slash and its own key."


def read_item_rows(scheme: Scheme, path: Path) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """Yield the line, the item key and the cells of each row. Raise FileError."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line, cells in enumerate(csv.DictReader(file), start=2):
                row = {column: cell for column, cell in cells.items() if isinstance(cell, str)}
                item = scheme.corpus.item_key_of_row(row)
                if item is None:
                    message = "is empty, or the file has no such column."
                    raise FileError(path.name, line, message, field="item")
                yield line, item_key(*item), row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(path.name, None, f"can't be read: {error}") from error
