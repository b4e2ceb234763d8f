"""Tags that show an item's picture with the boxes of its annotations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import template

from annotation.domain.corpus.images import image_of
from annotation.models import Item
from schemes.contract.comparison import AlignedRow, RowSide
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Box

register = template.Library()

REFERENCE, PREDICTED = "reference", "predicted"
# The height of a number in the picture, as a share of the picture's longer side.
_NUMBER_SHARE = 1 / 28


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box with its number, in pixels of the image. `side` is a class of picture.css."""

    x: int
    y: int
    width: int
    height: int
    number: int
    side: str
    text: str


@register.inclusion_tag("annotation/picture.html")
def picture_of_units(item: Item, units: Sequence[ShownUnit]) -> dict[str, Any]:
    """Show the item's picture, if there is one, with a number for each unit's boxes."""
    boxes = [
        _drawn(box, number, REFERENCE, unit.label)
        for number, unit in enumerate(units, start=1)
        for box in unit.boxes
    ]
    return _picture(item, boxes)


@register.inclusion_tag("annotation/picture.html")
def picture_of_rows(
    item: Item, rows: Iterable[Any], reference_name: str, predicted_name: str
) -> dict[str, Any]:
    """Show the item's picture, if there is one, with the boxes of aligned rows in two colours.

    `reference_name` and `predicted_name` are the names of the two sides. Boxes have the numbers of their
    rows.
    """
    names = {REFERENCE: reference_name, PREDICTED: predicted_name}
    boxes = _boxes_of_rows([_aligned(row) for row in rows], names)
    return {**_picture(item, boxes), "names": list(names.items())}


@register.inclusion_tag("annotation/picture.html")
def picture_of_case(item: Item, row: AlignedRow, predicted_name: str) -> dict[str, Any]:
    """Show the item's picture with the gold's and another resource's boxes of a single row."""
    return picture_of_rows(item, [row], "gold", predicted_name)


def _aligned(row: Any) -> AlignedRow:
    """Return the aligned row, which pages wrap in different ways, or store as JSON."""
    if isinstance(row, Mapping) and "row" in row:
        row = row["row"]
    row = getattr(row, "aligned", row)
    if not isinstance(row, Mapping):
        aligned: AlignedRow = row
        return aligned
    sides = {
        name: RowSide(**row[name]) if row[name] else None for name in ("reference", "predicted")
    }
    return AlignedRow(**{**row, **sides})


def _boxes_of_rows(rows: Sequence[AlignedRow], names: Mapping[str, str]) -> list[DrawnBox]:
    """Return each side's boxes once, with the number of the row that has the fewest boxes."""
    drawn: dict[tuple[str, tuple[int, ...]], DrawnBox] = {}
    for number, side, part in sorted(_sides(rows), key=lambda entry: len(entry[2].boxes)):
        for box in part.boxes:
            text = f"{', '.join(filter(None, [*part.labels, part.value]))} ({names[side]})"
            drawn.setdefault((side, tuple(box)), _drawn(box, number, side, text))
    return sorted(drawn.values(), key=lambda box: (box.number, box.side))


def _sides(rows: Sequence[AlignedRow]) -> Iterator[tuple[int, str, RowSide]]:
    for number, row in enumerate(rows, start=1):
        for side, part in ((REFERENCE, row.reference), (PREDICTED, row.predicted)):
            if part:
                yield number, side, part


def _drawn(box: Box, number: int, side: str, text: str) -> DrawnBox:
    x1, y1, x2, y2 = box
    return DrawnBox(x1, y1, x2 - x1, y2 - y1, number, side, text)


def _picture(item: Item, boxes: Sequence[DrawnBox]) -> dict[str, Any]:
    image = image_of(item.sentence)
    if image is None:
        return {"image": None}
    size = max(8, round(max(image.width, image.height) * _NUMBER_SHARE))
    numbers = [_number(box, size, image.width) for box in boxes]
    return {
        "image": image,
        "boxes": boxes,
        "numbers": numbers,
        "size": size,
        "font_size": round(0.8 * size, 1),
        "description": "; ".join(f"{box.number}: {box.text}" for box in boxes) or "no boxes",
    }


def _number(box: DrawnBox, size: int, right: int) -> dict[str, Any]:
    """Return the place of a box's number: above it, at its left, or at its right for a prediction."""
    width = size if box.number < 10 else 1.5 * size
    x = box.x if box.side == REFERENCE else box.x + box.width - width
    return {
        "box": box,
        "x": min(max(x, 0), right - width),
        "y": box.y - size if box.y >= size else box.y,
        "width": width,
    }
