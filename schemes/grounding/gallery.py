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
    for box in (*drawing.gold, *drawing.predicted):
        pen.rectangle(_corners(box), outline="#ffffff", width=width + 2)
    for box in drawing.gold:
        pen.rectangle(_corners(box), outline=GOLD, width=width)
    for box in drawing.predicted:
        _draw_dashes(pen, _corners(box), width)
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
    for box in (*drawing.gold, *drawing.predicted):
        parts.append(f'<rect {_place(box)} stroke="#ffffff" stroke-width="{2 * edge}"/>')
    for box in drawing.gold:
        parts.append(f'<rect {_place(box)} stroke="{GOLD}" stroke-width="{edge}"/>')
    dashes = f'stroke-dasharray="{_DASH} {_DASH}"'
    for box in drawing.predicted:
        parts.append(f'<rect {_place(box)} stroke="{PREDICTED}" stroke-width="{edge}" {dashes}/>')
    title = f"<title>{escape(drawing.title)}</title>"
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        + "\n".join([title, *parts])
        + "\n</svg>\n"
    )
    path.write_text(text, encoding="utf-8")


def _place(box: Sequence[float]) -> str:
    x1, y1, x2, y2 = box
    return f'x="{x1:g}" y="{y1:g}" width="{x2 - x1:g}" height="{y2 - y1:g}" fill="none"'


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


def _corners(box: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the inclusive corners of a half-open box."""
    x1, y1, x2, y2 = box
    return x1, y1, max(x1, x2 - 1), max(y1, y2 - 1)


def _draw_dashes(
    pen: ImageDraw.ImageDraw, corners: tuple[float, float, float, float], width: int
) -> None:
    x1, y1, x2, y2 = corners
    for y in (y1, y2):
        for left in range(round(x1), round(x2), 2 * _DASH):
            pen.line([(left, y), (min(left + _DASH, x2), y)], PREDICTED, width)
    for x in (x1, x2):
        for top in range(round(y1), round(y2), 2 * _DASH):
            pen.line([(x, top), (x, min(top + _DASH, y2))], PREDICTED, width)
