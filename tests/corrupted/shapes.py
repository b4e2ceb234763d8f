"""The changes of each shape of files."""

from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from tests.corrupted import changes
from tests.corrupted.changes import Data, on_fields, on_json, on_json_lines, on_table


class Kind(Enum):
    """What a change does to the facts of a file.

    A change of the LAYOUT leaves every fact as it is, or breaks it visibly. A change of PLACES moves
    facts that corpora state once, but which items and gold share with their corpus. A change of
    VALUES may turn a fact into another that is as good, so that only facts stated twice are compared.
    """

    LAYOUT = "layout"
    PLACES = "places"
    VALUES = "values"


class Change(NamedTuple):
    name: str
    kind: Kind
    apply: Data


def _changes(kind: Kind, **named: Data) -> tuple[Change, ...]:
    return tuple(Change(name, kind, apply) for name, apply in named.items())


def _of_json(kind: Kind, *, lines: bool, **named: Any) -> tuple[Change, ...]:
    on_value = on_json_lines if lines else on_json
    return _changes(kind, **{name: on_value(change) for name, change in named.items()})


_BYTES = (
    *_changes(
        Kind.LAYOUT,
        nul=changes.insert_nul,
        encoding=changes.encode_otherwise,
        line_ends=changes.end_lines_otherwise,
    ),
    *_changes(Kind.VALUES, garbled=changes.garble, ascii_only=changes.drop_other_letters),
)
# Where a line is a caption or a paragraph, two lines that are joined are another one.
_BYTES_OF_LINES = tuple(
    change._replace(kind=Kind.VALUES) if change.name == "line_ends" else change for change in _BYTES
)
_LINES = (
    *_changes(
        Kind.LAYOUT,
        repeated_lines=changes.repeat_lines,
        other_order=changes.reorder_lines,
        joined_lines=changes.join_lines,
    ),
    *_changes(Kind.VALUES, broken_line=changes.break_line, other_blanks=changes.change_blanks),
)
_FLIPPED = _changes(Kind.VALUES, flipped_bytes=changes.flip_bytes)
_TABLE = (
    *_BYTES,
    *_LINES,
    *_FLIPPED,
    *_changes(
        Kind.LAYOUT,
        no_quotes=changes.remove_quotes,
        swapped_columns=on_table(changes.swap_columns),
        swapped_names=on_table(changes.swap_names),
        deleted_cell=on_table(changes.delete_cell),
        cut_off=changes.cut_within_row,
    ),
    *_changes(
        Kind.PLACES,
        shifted_positions=on_table(changes.shift_positions),
        swapped_in_row=on_table(changes.swap_in_row),
        swapped_cells=on_table(changes.swap_cells),
        moved_column=on_table(changes.move_column),
    ),
    *_changes(
        Kind.VALUES,
        odd_quotes=changes.unbalance_quotes,
        empty_cell=on_table(changes.empty_cell),
        other_word=on_table(changes.replace_word),
    ),
)


def _json(*, lines: bool, names: tuple[str, ...], numbers: tuple[str, ...]) -> tuple[Change, ...]:
    """Return the changes of JSON with these fields of ids and tokens, and of positions."""
    return (
        *_BYTES,
        *(_LINES if lines else ()),
        *_FLIPPED,
        *_changes(
            Kind.LAYOUT,
            no_quotes=changes.remove_quotes,
            odd_quotes=changes.unbalance_quotes,
            cut_off=changes.cut_within_line if lines else changes.cut_off,
        ),
        *_of_json(
            Kind.PLACES,
            lines=lines,
            swapped_values=changes.swap_values(*names),
            shifted_positions=changes.step_values(*numbers),
        ),
        *_of_json(
            Kind.VALUES,
            lines=lines,
            other_token=changes.replace_token("sentenceTokens", "words", "tokens"),
            other_type=changes.change_type,
            other_member=changes.replace_member,
            deleted_key=changes.delete_key,
            repeated_entry=changes.repeat_entry,
            reordered_entries=changes.reorder_entries,
        ),
    )


# Cells of a table in any container
_CELLS = (
    "swapped_columns",
    "swapped_names",
    "shifted_positions",
    "swapped_in_row",
    "swapped_cells",
)
_CELLS += ("moved_column", "empty_cell", "other_word")

SHAPES: dict[str, tuple[Change, ...]] = {
    "csv": _TABLE,
    "cells": tuple(change for change in _TABLE if change.name in _CELLS),
    "parses": _json(
        lines=True,
        names=("sentenceId", "sentenceTokens", "words", "tokens"),
        numbers=("verbIndex", "index", "predicate_idx", "start", "end"),
    ),
    "captions": _json(
        lines=True, names=("id", "image", "tokens", "start", "end"), numbers=("start", "end")
    ),
    "texts": _json(
        lines=True, names=("id", "texts", "tokens", "answers"), numbers=("start", "end")
    ),
    "tasks": _json(
        lines=False,
        names=("_id", "text", "data", "annotations", "result"),
        numbers=("start", "end"),
    ),
    "ids": (*_BYTES, *_changes(Kind.LAYOUT, repeated_lines=changes.repeat_lines)),
    "tags": (
        *_BYTES,
        *_LINES,
        *_FLIPPED,
        *_changes(
            Kind.LAYOUT,
            cut_off=partial(changes.cut_within_line, before=b"\t"),
            deleted_cell=on_fields("\t", partial(changes.delete_field, most=2)),
        ),
        *_changes(Kind.VALUES, swapped_in_row=on_fields("\t", changes.swap_fields)),
    ),
    "coco": _json(
        lines=False,
        names=("image_id", "id", "caption_id", "file_name", "tokens", "width", "height"),
        numbers=("start", "end", "width", "height"),
    ),
    "records": (
        *_BYTES,
        *_LINES,
        *_FLIPPED,
        *_changes(Kind.LAYOUT, cut_off=changes.cut_argument),
        *_changes(
            Kind.PLACES,
            shifted_positions=changes.shift_numbers,
            swapped_in_row=on_fields(" ", changes.swap_fields),
            swapped_cells=on_fields(" ", changes.swap_fields_of_rows),
            # A whole argument is not missed.
            deleted_cell=on_fields(" ", partial(changes.delete_field, most=3)),
        ),
    ),
    "conllu": (
        *_BYTES,
        # Words without their comments may be a sentence without an id, and ids are stated once.
        *(
            change._replace(kind=Kind.VALUES)
            if change.name in ("repeated_lines", "other_order")
            else change
            for change in _LINES
        ),
        *_FLIPPED,
        *_changes(
            Kind.LAYOUT,
            cut_off=partial(changes.cut_within_line, before=b"\t"),
            deleted_cell=on_fields("\t", partial(changes.delete_field, most=10)),
        ),
        *_changes(
            Kind.VALUES,
            swapped_in_row=on_fields("\t", changes.swap_fields),
            swapped_cells=on_fields("\t", changes.swap_fields_of_rows),
        ),
    ),
    "text": (*_BYTES_OF_LINES, *_FLIPPED),
    "members": (
        *_BYTES_OF_LINES,
        *_FLIPPED,
        *_changes(Kind.VALUES, cut_off=changes.cut_within_line),
    ),
    "packed": _changes(Kind.LAYOUT, cut_off=changes.cut_off, flipped_bytes=changes.flip_bytes),
}
