"""The agreement of annotators as a heat map. The same figures give the same bytes."""

from typing import Any

from django.template.loader import render_to_string

from datasets.domain.agreement import AgreementReport
from schemes.figures import Figure

LARGEST = 40  # annotators
WIDTH, HEIGHT = 34, 24  # pixels of a cell
LETTER = 9.5  # pixels of a wide letter
TOP = 30  # pixels of the title
DEEP = 0.6  # the share above which a cell is dark and its number is in the page's colour


def draw_agreement(report: AgreementReport, figure: Figure) -> bytes:
    """Draw a figure of each pair as SVG, for the first LARGEST annotators by name.

    Each cell shows its number, so that the chart does not rely on colour alone.
    """
    names = report.annotators[:LARGEST]
    margin = 16 + LETTER * max(map(len, names), default=0)
    index = {name: at for at, name in enumerate(names)}
    fields = []
    for pair in report.pairs:
        row, column = index.get(pair.first), index.get(pair.second)
        value = pair.figures[figure.key].value
        if row is None or column is None or value is None:
            continue
        for x, y in ((row, column), (column, row)):
            fields.append(_field(margin + x * WIDTH, TOP + y * HEIGHT, value, figure.unit))
    context = {
        "title": f"Agreement, {figure.label} in {figure.unit}",
        "names": [
            (name, margin + (at + 0.5) * WIDTH, TOP + (at + 0.5) * HEIGHT)
            for at, name in enumerate(names)
        ],
        "fields": fields,
        "field": (WIDTH - 1, HEIGHT - 1),
        "left": margin - 8,
        "below": TOP + len(names) * HEIGHT + 8,
        "width": max(240, margin + len(names) * WIDTH),
        "height": TOP + len(names) * HEIGHT + margin,
    }
    return render_to_string("datasets/agreement.svg", context).encode()


def _field(x: float, y: float, value: float, unit: str) -> dict[str, Any]:
    """Return a cell with its upper left corner and middle in pixels."""
    share = min(max(value, 0.0), 1.0)
    return {
        "x": x,
        "y": y,
        "middle": (x + (WIDTH - 1) / 2, y + (HEIGHT - 1) / 2),
        "number": f"{100 * value:.0f}" if unit == "%" else f"{value:.2f}",
        "depth": f"{0.08 + 0.92 * share:.2f}",  # a cell with the value 0 stays visible
        "is_deep": share > DEEP,
    }
