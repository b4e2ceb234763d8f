"""Simple shapes: people, animals, things and backgrounds, drawn with Pillow.

A shape is drawn by a pen whose unit is the shape's height. Its origin is the middle of the shape's
foot, `u` grows to the right and `v` grows upwards.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PIL import ImageDraw

Point = tuple[float, float]
# Shapes are drawn larger and scaled down, which smooths their edges.
SUPERSAMPLING = 4


@dataclass(frozen=True, slots=True)
class Pen:
    """A pen for a shape whose foot is at `x`, `y` and whose height is `size`, in pixels."""

    draw: ImageDraw.ImageDraw
    x: float
    y: float
    size: float

    def at(self, u: float, v: float) -> Point:
        return (self.x + u * self.size) * SUPERSAMPLING, (self.y - v * self.size) * SUPERSAMPLING

    def polygon(self, colour: str, *points: Point) -> None:
        self.draw.polygon([self.at(*point) for point in points], fill=colour)

    def ellipse(self, colour: str, u: float, v: float, width: float, height: float) -> None:
        """Draw an ellipse around its centre."""
        self.draw.ellipse(self._corners(u, v, width, height), fill=colour)

    def box(self, colour: str, u: float, v: float, size: Point, radius: float = 0.0) -> None:
        """Draw a rectangle of a width and height around its centre, with rounded corners."""
        corners = self._corners(u, v, *size)
        self.draw.rounded_rectangle(corners, radius * self.size * SUPERSAMPLING, fill=colour)

    def line(self, colour: str, width: float, *points: Point) -> None:
        thickness = max(1, round(width * self.size * SUPERSAMPLING))
        places = [self.at(*point) for point in points]
        self.draw.line(places, fill=colour, width=thickness, joint="curve")
        for place in (places[0], places[-1]):
            self.draw.circle(place, thickness / 2, fill=colour)

    def _corners(self, u: float, v: float, width: float, height: float) -> list[Point]:
        (x, y), side = self.at(u, v), self.size * SUPERSAMPLING / 2
        return [(x - width * side, y - height * side), (x + width * side, y + height * side)]


SKIN, HAIR, DARK, TROUSERS = "#e8b48a", "#4a3526", "#2b2b33", "#3d4a63"


def person(pen: Pen, colour: str) -> None:
    pen.line(TROUSERS, 0.1, (-0.06, 0.42), (-0.09, 0.05))
    pen.line(TROUSERS, 0.1, (0.06, 0.42), (0.09, 0.05))
    pen.line(SKIN, 0.065, (-0.14, 0.72), (-0.24, 0.45))
    pen.line(SKIN, 0.065, (0.14, 0.72), (0.24, 0.48))
    pen.box(colour, 0, 0.59, (0.32, 0.38), 0.09)
    pen.ellipse(HAIR, 0, 0.905, 0.2, 0.19)
    pen.ellipse(SKIN, 0, 0.875, 0.17, 0.17)
    pen.ellipse(DARK, -0.035, 0.885, 0.02, 0.025)
    pen.ellipse(DARK, 0.035, 0.885, 0.02, 0.025)


def child(pen: Pen, colour: str) -> None:
    pen.line("#7a5c46", 0.12, (-0.08, 0.35), (-0.1, 0.06))
    pen.line("#7a5c46", 0.12, (0.08, 0.35), (0.1, 0.06))
    pen.line(SKIN, 0.08, (-0.15, 0.58), (-0.3, 0.72))
    pen.line(SKIN, 0.08, (0.15, 0.58), (0.3, 0.42))
    pen.box(colour, 0, 0.48, (0.36, 0.34), 0.1)
    pen.ellipse("#8a5a2b", 0, 0.84, 0.32, 0.3)
    pen.ellipse(SKIN, 0, 0.8, 0.28, 0.28)
    pen.ellipse(DARK, -0.06, 0.81, 0.035, 0.04)
    pen.ellipse(DARK, 0.06, 0.81, 0.035, 0.04)


def dog(pen: Pen, colour: str) -> None:
    for u in (-0.45, -0.3, 0.25, 0.4):
        pen.line(colour, 0.12, (u, 0.4), (u, 0.06))
    pen.line(colour, 0.1, (-0.52, 0.6), (-0.72, 0.88))
    pen.box(colour, -0.03, 0.5, (1.1, 0.4), 0.18)
    pen.box(colour, 0.56, 0.76, (0.42, 0.38), 0.16)
    pen.box(colour, 0.75, 0.69, (0.3, 0.2), 0.09)
    pen.ellipse(DARK, 0.88, 0.73, 0.1, 0.09)
    pen.ellipse(DARK, 0.62, 0.82, 0.06, 0.07)
    pen.ellipse("#5b3c26", 0.42, 0.76, 0.16, 0.36)


def cat(pen: Pen, colour: str) -> None:
    pen.line(colour, 0.09, (-0.25, 0.12), (-0.5, 0.2), (-0.52, 0.5))
    pen.ellipse(colour, 0, 0.28, 0.56, 0.56)
    pen.polygon(colour, (-0.22, 0.75), (-0.2, 1.0), (-0.04, 0.86))
    pen.polygon(colour, (0.22, 0.75), (0.2, 1.0), (0.04, 0.86))
    pen.ellipse(colour, 0, 0.7, 0.5, 0.42)
    pen.ellipse("#ffffff", -0.1, 0.73, 0.1, 0.1)
    pen.ellipse("#ffffff", 0.1, 0.73, 0.1, 0.1)
    pen.ellipse(DARK, -0.1, 0.73, 0.05, 0.08)
    pen.ellipse(DARK, 0.1, 0.73, 0.05, 0.08)
    pen.polygon("#d98c8c", (-0.04, 0.64), (0.04, 0.64), (0, 0.59))


def sheep(pen: Pen, colour: str) -> None:
    for u in (-0.35, -0.2, 0.2, 0.35):
        pen.line(DARK, 0.09, (u, 0.35), (u, 0.05))
    for u, v in ((-0.4, 0.55), (-0.15, 0.7), (0.15, 0.7), (0.4, 0.55), (-0.2, 0.45), (0.2, 0.45)):
        pen.ellipse(colour, u, v, 0.5, 0.46)
    pen.ellipse(DARK, 0.62, 0.68, 0.26, 0.36)
    pen.ellipse("#ffffff", 0.66, 0.74, 0.06, 0.07)


def bird(pen: Pen, colour: str) -> None:
    pen.line(colour, 0.16, (-0.9, 0.75), (-0.4, 0.9), (0, 0.3), (0.4, 0.9), (0.9, 0.75))
    pen.ellipse(colour, 0, 0.28, 0.46, 0.3)


def ball(pen: Pen, colour: str) -> None:
    pen.ellipse(colour, 0, 0.5, 1, 1)
    pen.ellipse("#ffffff", -0.15, 0.68, 0.26, 0.22)


def tree(pen: Pen, colour: str) -> None:
    pen.polygon("#7a5533", (-0.06, 0), (-0.04, 0.45), (0.04, 0.45), (0.06, 0))
    pen.ellipse(colour, -0.17, 0.55, 0.36, 0.38)
    pen.ellipse(colour, 0.17, 0.55, 0.36, 0.38)
    pen.ellipse(colour, 0, 0.74, 0.46, 0.5)


def fir(pen: Pen, colour: str) -> None:
    pen.box("#6b4a2e", 0, 0.08, (0.1, 0.16))
    pen.polygon(colour, (-0.3, 0.14), (0.3, 0.14), (0, 0.55))
    pen.polygon(colour, (-0.24, 0.38), (0.24, 0.38), (0, 0.78))
    pen.polygon(colour, (-0.18, 0.62), (0.18, 0.62), (0, 1.0))


def car(pen: Pen, colour: str) -> None:
    pen.polygon(colour, (-0.62, 0.55), (-0.4, 0.98), (0.35, 0.98), (0.68, 0.55))
    pen.polygon("#d6ecf7", (-0.5, 0.58), (-0.34, 0.9), (-0.06, 0.9), (-0.06, 0.58))
    pen.polygon("#d6ecf7", (0.02, 0.58), (0.02, 0.9), (0.3, 0.9), (0.52, 0.58))
    pen.box(colour, 0, 0.42, (2.1, 0.42), 0.14)
    pen.ellipse("#ffe9a8", 0.97, 0.47, 0.12, 0.16)
    for u in (-0.58, 0.58):
        pen.ellipse(DARK, u, 0.22, 0.44, 0.44)
        pen.ellipse("#b9bec7", u, 0.22, 0.2, 0.2)


def bus(pen: Pen, colour: str) -> None:
    pen.box(colour, 0, 0.57, (2.4, 0.82), 0.1)
    for at in range(5):
        pen.box("#d6ecf7", -0.92 + 0.43 * at, 0.7, (0.34, 0.32), 0.04)
    for u in (-0.7, 0.7):
        pen.ellipse(DARK, u, 0.17, 0.34, 0.34)
        pen.ellipse("#b9bec7", u, 0.17, 0.15, 0.15)


def boat(pen: Pen, colour: str) -> None:
    pen.line("#6b4a2e", 0.04, (0, 0.25), (0, 0.97))
    pen.polygon("#fbf6ea", (0.04, 0.33), (0.04, 0.95), (0.52, 0.33))
    pen.polygon("#f3d9b5", (-0.04, 0.33), (-0.04, 0.85), (-0.38, 0.33))
    pen.polygon(colour, (-0.6, 0.28), (0.66, 0.28), (0.46, 0), (-0.42, 0))


def house(pen: Pen, colour: str) -> None:
    pen.box(colour, 0, 0.31, (0.9, 0.62))
    pen.polygon("#9c4a3c", (-0.54, 0.6), (0, 1.0), (0.54, 0.6))
    pen.box("#6b4a2e", 0, 0.18, (0.18, 0.36))
    for u in (-0.28, 0.28):
        pen.box("#d6ecf7", u, 0.38, (0.18, 0.18))


def kite(pen: Pen, colour: str) -> None:
    pen.line("#8d8d95", 0.02, (0, 0.35), (0.12, 0.15), (-0.05, 0.02))
    pen.polygon(colour, (0, 1.0), (0.28, 0.7), (0, 0.3), (-0.28, 0.7))
    pen.line("#ffffff", 0.025, (0, 0.95), (0, 0.36))


def umbrella(pen: Pen, colour: str) -> None:
    pen.line("#8a6a4a", 0.04, (0, 0.02), (0, 0.9))
    pen.polygon(
        colour,
        (-0.55, 0.6),
        (-0.42, 0.84),
        (-0.2, 0.95),
        (0, 1.0),
        (0.2, 0.95),
        (0.42, 0.84),
        (0.55, 0.6),
    )
    pen.polygon("#fbf6ea", (-0.18, 0.6), (-0.08, 0.97), (0.08, 0.97), (0.18, 0.6))


def bench(pen: Pen, colour: str) -> None:
    for u in (-0.8, 0.8):
        pen.line(DARK, 0.1, (u, 0.5), (u, 0.06))
    pen.box(colour, 0, 0.52, (2.0, 0.14), 0.05)
    pen.box(colour, 0, 0.88, (2.0, 0.2), 0.05)
    for u in (-0.8, 0.8):
        pen.line(DARK, 0.07, (u, 0.52), (u, 0.9))


def balloon(pen: Pen, colour: str) -> None:
    pen.line("#8d8d95", 0.02, (0, 0.5), (0.03, 0.25), (0, 0.01))
    pen.polygon(colour, (-0.06, 0.44), (0.06, 0.44), (0, 0.52))
    pen.ellipse(colour, 0, 0.74, 0.44, 0.5)
    pen.ellipse("#ffffff", -0.08, 0.84, 0.09, 0.12)


def flower(pen: Pen, colour: str) -> None:
    pen.line("#4f8a4a", 0.09, (0, 0.03), (0, 0.6))
    pen.ellipse("#4f8a4a", 0.14, 0.28, 0.26, 0.12)
    for u, v in ((-0.2, 0.72), (0.2, 0.72), (0, 0.88), (-0.12, 0.55), (0.12, 0.55)):
        pen.ellipse(colour, u, v, 0.28, 0.26)
    pen.ellipse("#f5c84c", 0, 0.7, 0.22, 0.22)


def lamp(pen: Pen, colour: str) -> None:
    pen.line(DARK, 0.06, (0, 0.02), (0, 0.8))
    pen.box(DARK, 0, 0.03, (0.2, 0.06), 0.02)
    pen.ellipse(colour, 0, 0.88, 0.22, 0.24)


def moon(pen: Pen, colour: str) -> None:
    pen.ellipse(colour, 0, 0.5, 1, 1)
    pen.ellipse("#e0d9b8", 0.15, 0.6, 0.2, 0.2)
    pen.ellipse("#e0d9b8", -0.2, 0.4, 0.14, 0.14)


def gift(pen: Pen, colour: str) -> None:
    pen.box(colour, 0, 0.4, (0.9, 0.78), 0.04)
    pen.box("#fbf6ea", 0, 0.4, (0.16, 0.78))
    pen.ellipse("#fbf6ea", -0.14, 0.87, 0.28, 0.2)
    pen.ellipse("#fbf6ea", 0.14, 0.87, 0.28, 0.2)


def table(pen: Pen, colour: str) -> None:
    for u in (-0.85, 0.85):
        pen.box(colour, u, 0.42, (0.12, 0.84))
    pen.box(colour, 0, 0.92, (2.1, 0.16), 0.05)


SHAPES: Mapping[str, Callable[[Pen, str], None]] = {
    shape.__name__: shape
    for shape in (
        person, child, dog, cat, sheep, bird, ball, tree, fir, car, bus, boat, house, kite, umbrella,
        bench, balloon, flower, lamp, moon, gift, table,
    )
}  # fmt: skip


def _bands(draw: ImageDraw.ImageDraw, size: Point, colours: Sequence[tuple[float, str]]) -> None:
    """Fill the picture with horizontal bands, each from its share of the height downwards."""
    width, height = size
    for top, colour in colours:
        draw.rectangle([0, top * height, width, height], fill=colour)


def _hill(draw: ImageDraw.ImageDraw, size: Point, middle: float, top: float, colour: str) -> None:
    width, height = size
    draw.ellipse(
        [(middle - 0.5) * width, top * height, (middle + 0.5) * width, (top + 0.7) * height],
        fill=colour,
    )


def meadow(draw: ImageDraw.ImageDraw, size: Point) -> None:
    _bands(draw, size, [(0, "#bfe3f5"), (0.3, "#d3ecf8")])
    _hill(draw, size, 0.2, 0.44, "#a9d18e")
    _hill(draw, size, 0.8, 0.4, "#9cc983")
    _bands(draw, size, [(0.6, "#8abf6f"), (0.8, "#7fb565")])


def beach(draw: ImageDraw.ImageDraw, size: Point) -> None:
    _bands(
        draw,
        size,
        [(0, "#c8e7f7"), (0.38, "#5fa9cf"), (0.5, "#74b8d8"), (0.6, "#f0dcae"), (0.85, "#e8d19c")],
    )


def street(draw: ImageDraw.ImageDraw, size: Point) -> None:
    width, height = size
    _bands(draw, size, [(0, "#d9e6ee")])
    for at, (left, top) in enumerate(
        ((0.0, 0.18), (0.21, 0.3), (0.44, 0.12), (0.66, 0.26), (0.84, 0.16))
    ):
        colour = ("#cdb9a5", "#b9c4cf", "#d6c6b0", "#c3b3b3", "#bcc7ba")[at]
        draw.rectangle(
            [left * width, top * height, (left + 0.19) * width, 0.62 * height], fill=colour
        )
        for row in range(3):
            for column in range(3):
                x = (left + 0.025 + 0.055 * column) * width
                y = (top + 0.05 + 0.1 * row) * height
                draw.rectangle([x, y, x + 0.03 * width, y + 0.055 * height], fill="#eef4f8")
    _bands(draw, size, [(0.6, "#c9c5bd"), (0.68, "#6e727a")])
    for at in range(6):
        x = (0.03 + 0.18 * at) * width
        draw.rectangle([x, 0.835 * height, x + 0.09 * width, 0.85 * height], fill="#e6e2d6")


def night(draw: ImageDraw.ImageDraw, size: Point) -> None:
    width, height = size
    _bands(draw, size, [(0, "#1f2a48"), (0.35, "#2a3759")])
    for at in range(24):
        x, y = (at * 0.381966) % 1 * width, (at * 0.27) % 0.5 * height
        draw.circle((x, y), 0.003 * width, fill="#f4efd2")
    _hill(draw, size, 0.3, 0.5, "#26394a")
    _bands(draw, size, [(0.66, "#2f4a45"), (0.85, "#29413d")])


def room(draw: ImageDraw.ImageDraw, size: Point) -> None:
    width, height = size
    _bands(draw, size, [(0, "#f3e6d3"), (0.66, "#e6d3ba"), (0.69, "#c79f74"), (0.84, "#bd9468")])
    draw.rectangle([0.68 * width, 0.1 * height, 0.9 * width, 0.42 * height], fill="#fffaf0")
    draw.rectangle([0.7 * width, 0.13 * height, 0.88 * width, 0.39 * height], fill="#bfe3f5")


def snow(draw: ImageDraw.ImageDraw, size: Point) -> None:
    _bands(draw, size, [(0, "#cfdcea")])
    _hill(draw, size, 0.25, 0.4, "#e3ebf2")
    _hill(draw, size, 0.78, 0.36, "#d9e4ee")
    _bands(draw, size, [(0.6, "#f2f6fa"), (0.82, "#e8eff6")])


BACKGROUNDS: Mapping[str, Callable[[ImageDraw.ImageDraw, Point], None]] = {
    background.__name__: background for background in (meadow, beach, street, night, room, snow)
}
