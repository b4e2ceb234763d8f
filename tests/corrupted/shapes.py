"""The changes of each shape of files, and the facts that these files state once."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.corrupted import changes
from tests.corrupted.changes import BYTES, LINES, Change, on_fields, on_json, on_json_lines, on_table

Mask = Callable[[Any], Any]

QUOTES = (
    Change("no quotes", changes.remove_quotes),
    Change("unbalanced quotes", changes.unbalance_quotes),
)
_CELLS = tuple(
    Change(name, on_table(change))
    for name, change in (
        ("swapped columns", changes.swap_columns),
        ("swapped names", changes.swap_names),
        ("swapped cells of rows", changes.swap_cells),
        ("swapped cells in a row", changes.swap_in_row),
        ("moved column", changes.move_column),
        ("deleted cell", changes.delete_cell),
        ("empty cell", changes.empty_cell),
        ("shifted positions", changes.shift_positions),
        ("replaced word", changes.replace_word),
    )
)
TABLE = (
    *BYTES,
    *LINES,
    *QUOTES,
    *_CELLS,
    Change("cut off", partial(changes.cut_within_line, before=b",")),
    Change("flipped bytes", changes.flip_bytes),
)
_VALUES: tuple[tuple[str, Any], ...] = (
    ("other type", changes.change_type),
    ("other member", changes.replace_member),
    ("repeated entry", changes.repeat_entry),
    ("reordered entries", changes.reorder_entries),
    ("deleted key", changes.delete_key),
)


def json_changes(*exact: tuple[str, Any], lines: bool) -> tuple[Change, ...]:
    on_values = on_json_lines if lines else on_json
    return (
        *BYTES,
        *QUOTES,
        *(LINES if lines else ()),
        Change("cut off", changes.cut_within_line if lines else changes.cut_off),
        *(Change(name, on_values(change)) for name, change in exact),
        *(Change(name, on_values(change), is_exact=False) for name, change in _VALUES),
        Change("flipped bytes", changes.flip_bytes, is_exact=False),
    )


RECORDS = (
    *BYTES,
    *LINES,
    Change("swapped fields", on_fields(" ", changes.swap_fields)),
    Change("swapped fields of rows", on_fields(" ", changes.swap_fields_of_rows)),
    # An argument that is missing as a whole is not missed.
    Change("deleted field", on_fields(" ", partial(changes.delete_field, most=3))),
    Change("shifted positions", changes.shift_numbers),
    Change("cut off", changes.cut_argument),
    Change("flipped bytes", changes.flip_bytes, is_exact=False),
)
CONLLU = (
    *BYTES,
    *LINES,
    Change("swapped fields", on_fields("\t", changes.swap_fields)),
    Change("swapped fields of rows", on_fields("\t", changes.swap_fields_of_rows)),
    Change("deleted field", on_fields("\t", partial(changes.delete_field, most=10))),
    Change("cut off", partial(changes.cut_within_line, before=b"\t")),
    Change("flipped bytes", changes.flip_bytes, is_exact=False),
)
TEXT = (*BYTES, Change("flipped bytes", changes.flip_bytes, is_exact=False))
PACKED = (Change("cut off", changes.cut_off), Change("flipped bytes", changes.flip_bytes))
MEMBERS = (
    *BYTES,
    Change("cut off", changes.cut_within_line),
    Change("flipped bytes", changes.flip_bytes, is_exact=False),
)
SHAPES: dict[str, tuple[Change, ...]] = {
    "csv": TABLE,
    "bank": json_changes(
        ("swapped ids", changes.swap_values("sentenceId", "sentenceTokens")),
        ("shifted positions", changes.step_values("verbIndex")),
        ("other token", changes.replace_token("sentenceTokens")),
        lines=True,
    ),
    "jsonl": json_changes(
        (
            "swapped ids",
            changes.swap_values(
                "sentenceId", "words", "sentenceTokens", "tokens", "id", "image", "start", "end"
            ),
        ),
        (
            "shifted positions",
            changes.step_values("verbIndex", "index", "predicate_idx", "start", "end"),
        ),
        ("other token", changes.replace_token("sentenceTokens", "words", "tokens")),
        lines=True,
    ),
    "json": json_changes(
        ("swapped ids", changes.swap_values("image_id", "id", "caption_id", "file_name", "tokens")),
        ("swapped sizes", changes.swap_values("width", "height")),
        ("shifted positions", changes.step_values("start", "end", "width", "height")),
        ("other token", changes.replace_token("tokens")),
        lines=False,
    ),
    "records": RECORDS,
    "conllu": CONLLU,
    "text": TEXT,
    "packed": PACKED,
    "flickr30k": MEMBERS,
}
