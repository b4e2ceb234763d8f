"""Tables that list items, in the columns of their scheme or in the column `item`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from annotation.domain.check_corpus import item_key
from annotation.domain.source_files import AS_IT_IS, ReadOptions, open_table, with_names
from schemes.base import FileError, Scheme, refuse
from schemes.tables import Table

ITEM_HELP = "An item is the id of its sentence, a slash and its own key."


def read_item_rows(
    scheme: Scheme, path: Path, *, options: ReadOptions = AS_IT_IS
) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """Yield the line, the item key and the cells of each row. Raise FileError for a bad row."""
    with open_table(path, options=options) as files:
        try:
            yield from _rows(scheme, files.paths[0])
        except FileError as error:
            raise with_names(error, files.names) from error


def _rows(scheme: Scheme, path: Path) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    with Table(path, on_error=refuse) as table:
        for line, fields in table:
            row = {name: fields[at].strip() for name, at in table.columns.items()}
            item = scheme.corpus.item_key_of_row(row)
            if item is None:
                header = ", ".join(table.names)[:200]
                message = f"is empty, or the file has no such column; the header has: {header}"
                raise FileError(path.name, line, message, field="item")
            yield line, item_key(*item), row
