"""Drawings of gold and predicted boxes, as PNG and SVG, on the picture or on an empty canvas."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, UnidentifiedImageError

# Okabe and Ito's blue and vermilion, which colour-blind readers can distinguish.
GOLD, PREDICTED = "#0072B2", "#D55E00"
_CANVAS = "#f4f2ec"
_DASH = 8
Boxes = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A phrase with its boxes. `size` is that of the image, and `picture` its file, if there is one."""

    title: str
    size: tuple[int, int]
    gold: Boxes
    predicted: Boxes
    picture: Path | None = None


def write_png(drawing: Drawing, path: Path) -> None:
    """Draw gold boxes with solid edges and predicted ones with dashed edges."""
    canvas = _picture(drawing) or Image.new("RGB", drawing.size, _CANVAS)
    pen = ImageDraw.Draw(canvas)
    width = _edge(drawing.size)
    for boxes, colour in ((drawing.gold, GOLD), (drawing.predicted, PREDICTED)):
        for box in boxes:
            _draw_box(pen, box, colour, width)
    canvas.save(path)


def write_svg(drawing: Drawing, path: Path) -> None:
    """Write the same drawing as SVG, which includes the picture."""
    width, height = drawing.size
    parts = [f'<rect width="{width}" height="{height}" fill="{_CANVAS}"/>']
    if picture := _picture(drawing):
        data = BytesIO()
        picture.save(data, "JPEG", quality=85)
        encoded = base64.b64encode(data.getvalue()).decode()
        parts.append(
            f'<image width="{width}" height="{height}" href="data:image/jpeg;base64,{encoded}"/>'
        )
    edge = _edge(drawing.size)
    for boxes, colour, dash in ((drawing.gold, GOLD, ""), (drawing.predicted, PREDICTED, _DASH)):
        dashes = f' stroke-dasharray="{dash} {dash}"' if dash else ""
        for x1, y1, x2, y2 in boxes:
            place = f'x="{x1:g}" y="{y1:g}" width="{x2 - x1:g}" height="{y2 - y1:g}" fill="none"'
            parts.append(f'<rect {place} stroke="#ffffff" stroke-width="{2 * edge}"/>')
            parts.append(f'<rect {place} stroke="{colour}" stroke-width="{edge}"{dashes}/>')
    title = f"<title>{escape(drawing.title)}</title>"
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        + "\n".join([title, *parts])
        + "\n</svg>\n"
    )
    path.write_text(text, encoding="utf-8")


def _picture(drawing: Drawing) -> Image.Image | None:
    """Return the picture, or None if it is missing, unreadable or of another size."""
    if drawing.picture is None or not drawing.picture.is_file():
        return None
    try:
        with Image.open(drawing.picture) as opened:
            picture = opened.convert("RGB") if opened.size == drawing.size else None
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError):
        return None
    return picture


def _edge(size: tuple[int, int]) -> int:
    return max(2, round(max(size) / 250))


def _draw_box(pen: ImageDraw.ImageDraw, box: Sequence[float], colour: str, width: int) -> None:
    x1, y1, x2, y2 = box[0], box[1], box[2] - 1, box[3] - 1
    pen.rectangle([x1, y1, max(x1, x2), max(y1, y2)], outline="#ffffff", width=width + 2)
    if colour == GOLD:
        pen.rectangle([x1, y1, max(x1, x2), max(y1, y2)], outline=colour, width=width)
        return
    for start, end in (((x1, y1), (x2, y1)), ((x1, y2), (x2, y2))):
        for x in range(round(start[0]), round(end[0]), 2 * _DASH):
            pen.line([(x, start[1]), (min(x + _DASH, end[0]), start[1])], colour, width)
    for start, end in (((x1, y1), (x1, y2)), ((x2, y1), (x2, y2))):
        for y in range(round(start[1]), round(end[1]), 2 * _DASH):
            pen.line([(start[0], y), (start[0], min(y + _DASH, end[1]))], colour, width)
