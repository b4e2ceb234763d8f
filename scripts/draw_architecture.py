"""Draw the packages and their imports, as pyproject.toml and the code have them.

    python -m scripts.draw_architecture

The drawing is docs/images/architecture.svg. A test checks that it is current.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRAWING = ROOT / "docs" / "images" / "architecture.svg"
CONTRACT = "Packages import downwards"
Imports = Mapping[str, Set[str]]

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, LANE = 164, 40, 36, 38, 28, 22
STYLE = """\
text { font: 15px system-ui, sans-serif; fill: #1c2733; text-anchor: middle; }
.legend { font-size: 13px; text-anchor: start; }
.paper { fill: #ffffff; }
.box { fill: #e8eef9; stroke: #3b5b99; stroke-width: 1.5; }
.alone { stroke-dasharray: 6 4; }
.arrow { fill: none; stroke: #5b6b80; stroke-width: 1.5; marker-end: url(#head); }
#head path { fill: #5b6b80; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6ebf2; }
  .paper { fill: #12181f; }
  .box { fill: #1f2d45; stroke: #8fb0ee; }
  .arrow { stroke: #a9b6c6; }
  #head path { fill: #a9b6c6; }
}"""


@dataclass(frozen=True)
class Box:
    """A package in the drawing. `x` and `y` are its centre."""

    name: str
    x: float
    y: float

    @property
    def top(self) -> float:
        return self.y - HEIGHT / 2

    @property
    def bottom(self) -> float:
        return self.y + HEIGHT / 2

    @property
    def right(self) -> float:
        return self.x + WIDTH / 2

    def contains(self, x: float, y: float) -> bool:
        return abs(x - self.x) < WIDTH / 2 + 4 and abs(y - self.y) < HEIGHT / 2 + 2


def read_contracts() -> tuple[list[str], list[list[str]]]:
    """Return the packages of the site, and their layers from the top.

    The entry point `touchstone`, which starts the site and says where it is, belongs to no layer.
    """
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    [layers] = [row["layers"] for row in settings["contracts"] if row["name"] == CONTRACT]
    packages = [name for name in settings["root_packages"] if name != "touchstone"]
    return packages, [[name.strip(" ()") for name in re.split("[|:]", layer)] for layer in layers]


def read_imports(packages: Sequence[str]) -> dict[str, set[str]]:
    """Return the packages that modules of each package import, also inside functions."""
    return {name: set(_imported_by(name)) & set(packages) - {name} for name in packages}


def _imported_by(package: str) -> Iterator[str]:
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


def without_implied(imports: Imports) -> dict[str, list[str]]:
    """Return the imports that don't follow from others: A to C does from A to B and B to C."""

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset(imports[name]).union(*(below(other) for other in imports[name]))

    return {
        name: sorted(
            other
            for other in targets
            if not any(other in below(between) for between in targets - {other})
        )
        for name, targets in imports.items()
    }


def rows_of(packages: Sequence[str], layers: list[list[str]], imports: Imports) -> list[list[str]]:
    """Return the packages by row. Layers that don't import each other share a row.

    Packages outside the layers stand one row above what they import.
    """
    rows: list[list[str]] = []
    for layer in layers:
        if rows and not any(imports[name] & set(layer) for name in rows[-1]):
            rows[-1] = [*rows[-1], *layer]
        else:
            rows.append(list(layer))
    layered = {name for row in rows for name in row}
    for name in packages:
        if name not in layered:
            below = [number for number, row in enumerate(rows) if imports[name] & set(row)]
            rows[max(min(below, default=len(rows)) - 1, 0)].insert(0, name)
    return rows


def boxes_of(rows: list[list[str]], arrows: Mapping[str, list[str]]) -> dict[str, Box]:
    """Place the packages. One that is alone in its row stands below those that import it."""
    inner = max(map(len, rows)) * (WIDTH + GAP_X) - GAP_X
    boxes: dict[str, Box] = {}
    for number, row in enumerate(rows):
        y = MARGIN + HEIGHT / 2 + number * (HEIGHT + GAP_Y)
        step = inner / len(row)
        for place, name in enumerate(row):
            above = [box.x for box in boxes.values() if name in arrows[box.name]]
            middle = MARGIN + step * (place + 0.5)
            x = sum(above) / len(above) if above and len(row) == 1 else middle
            boxes[name] = Box(name, x, y)
    return boxes


def path_of(start: Box, end: Box, boxes: Mapping[str, Box], lane: float) -> str:
    """Return a curve, or a way along the right edge if boxes are on the curve."""
    x1, y1, x2, y2 = start.x, start.bottom, end.x, end.top - 2
    middle = (y1 + y2) / 2
    others = [box for box in boxes.values() if box not in (start, end)]
    for step in range(1, 60):
        t = step / 60
        weight = 3 * t * t - 2 * t**3
        y = (1 - t) ** 3 * y1 + 3 * t * (1 - t) * middle + t**3 * y2
        if any(box.contains(x1 + weight * (x2 - x1), y) for box in others):
            return f"M{start.right:.0f} {start.y:.0f}H{lane:.0f}V{end.y:.0f}H{end.right + 2:.0f}"
    return f"M{x1:.0f} {y1:.0f}C{x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2:.0f}"


def sentence_of(name: str, imports: Imports, order: Sequence[str]) -> str:
    """Return a sentence with all that a package imports, from the top."""
    targets = [other for other in order if other in imports[name]]
    return f"{name} imports {', '.join(targets) or 'no other package'}."


def drawing() -> str:
    packages, layers = read_contracts()
    imports = read_imports(packages)
    arrows = without_implied(imports)
    rows = rows_of(packages, layers, imports)
    order = [name for row in rows for name in row]
    boxes = boxes_of(rows, arrows)
    edge = max(box.right for box in boxes.values())
    paths: list[str] = []
    for name in order:
        for other in sorted(arrows[name], key=order.index):
            path = path_of(boxes[name], boxes[other], boxes, edge + LANE)
            edge += LANE if "H" in path else 0
            paths.append(f'<path class="arrow" d="{path}"/>')
    layered = {name for layer in layers for name in layer}
    width = round(edge + MARGIN)
    height = round(max(box.bottom for box in boxes.values()) + MARGIN + 44)
    legend = (
        "Packages import downwards. An arrow is an import in the code.",
        "Left out: what follows from other arrows. Dashed: outside the layers.",
    )
    shapes = [
        f'<g><title>{escape(sentence_of(name, imports, order))}</title>'
        f'<rect class="box{"" if name in layered else " alone"}" x="{box.x - WIDTH / 2:.0f}" '
        f'y="{box.top:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{box.x:.0f}" y="{box.y + 5:.0f}">{escape(name)}</text></g>'
        for name, box in boxes.items()
    ]  # fmt: skip
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-labelledby="title desc">',
            '<title id="title">The packages of Touchstone and their imports</title>',
            f'<desc id="desc">{" ".join(sentence_of(name, imports, order) for name in order)}</desc>',
            f"<style>\n{STYLE}\n</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="paper" width="{width}" height="{height}" rx="10"/>',
            *paths,
            *shapes,
            *(
                f'<text class="legend" x="{MARGIN}" y="{height - 40 + 20 * line}">{text}</text>'
                for line, text in enumerate(legend)
            ),
            "</svg>\n",
        ]
    )


def main() -> None:
    DRAWING.write_text(drawing(), encoding="utf-8")
    print(f"Wrote {DRAWING.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
