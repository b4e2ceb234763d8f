"""Released items as Parquet, with a file per split."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from annotation.domain.corpus.import_corpus import batched
from datasets.domain.exports.data_card import SPLITS
from releases.domain.arrow_types import Shape, json_text, shape_of
from releases.domain.rows import row_of_json
from releases.models import ReleasedItem
from schemes.contract.records import ExportRow

FOLDER = "data"
ROWS_PER_GROUP = 1000
# The columns that do not depend on the scheme, with the type and meaning of their values.
COLUMNS: Mapping[str, tuple[pa.DataType, str]] = {
    "id": (pa.string(), "The id of the item, which is unique in the dataset."),
    "sentence_id": (pa.string(), "The id of the sentence or text."),
    "document": (pa.string(), "The document or image that the sentence belongs to, or empty."),
    "domain": (pa.string(), "The domain of the sentence, or empty."),
    "text": (pa.string(), "The text as it was written."),
    "tokens": (pa.list_(pa.string()), "The tokens of the text."),
    "image": (pa.string(), "The name of the image, or empty."),
    "target_json": (pa.string(), "What was to be annotated, as JSON."),
    "content_json": (pa.string(), "The annotation, as JSON."),
}
# The columns whose types are those of the scheme's contents.
TARGET, CONTENT = "target", "content"
Rows = Callable[[], Iterable[ReleasedItem]]


@dataclass(frozen=True, slots=True)
class Split:
    """A split of dataset hubs with its file and number of items."""

    name: str
    path: str
    items: int


def split_of(partition: str) -> str:
    """Return the split of a partition. Sentences without one are training data."""
    return SPLITS.get(partition, "train")


def write_parquet(rows: Rows, folder: Path) -> list[Split]:
    """Write the files of all splits. `rows` returns the released items in order, more than once."""
    contents = shape_of(item.row["content"] for item in rows())
    targets = shape_of(item.row["target"] for item in rows())
    (folder / FOLDER).mkdir()
    return [_write(split, rows, targets, contents, folder) for split in _splits(rows())]


def _splits(rows: Iterable[ReleasedItem]) -> list[str]:
    used = {split_of(item.partition) for item in rows}
    return [name for name in ("train", "validation", "test") if name in used]


def _write(split: str, rows: Rows, targets: Shape, contents: Shape, folder: Path) -> Split:
    fields = [pa.field(name, kind) for name, (kind, _) in COLUMNS.items()]
    fields += [
        pa.field(TARGET, targets.arrow_type),
        pa.field(CONTENT, contents.arrow_type),
    ]
    schema, path, count = pa.schema(fields), f"{FOLDER}/{split}.parquet", 0
    chosen = (item for item in rows() if split_of(item.partition) == split)
    # Without the schema of Arrow, the file has nothing that the columns don't need.
    with parquet.ParquetWriter(
        folder / path, schema, compression="zstd", store_schema=False
    ) as writer:
        for batch in batched(_records(chosen, targets, contents), ROWS_PER_GROUP):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return Split(split, path, count)


def _records(
    items: Iterable[ReleasedItem], targets: Shape, contents: Shape
) -> Iterator[dict[str, Any]]:
    for item in items:
        row = row_of_json(item.row)
        yield {
            "id": item.key,
            "sentence_id": row.external_id,
            "document": row.document,
            "domain": item.domain,
            "text": text_of(row),
            "tokens": list(row.tokens),
            "image": row.image.name if row.image else "",
            "target_json": json_text(row.target),
            "content_json": json_text(row.content),
            TARGET: targets.convert(row.target),
            CONTENT: contents.convert(row.content),
        }


def text_of(row: ExportRow) -> str:
    """Return the text as it was written, or its tokens joined with blanks."""
    return row.text or " ".join(row.tokens)
