"""The agreement of annotators as a heat map. The same figures give the same bytes."""

from dataclasses import dataclass

from django.template.loader import render_to_string

from datasets.domain.agreement import AgreementReport

LARGEST = 40  # annotators
WIDTH, HEIGHT = 34, 24  # pixels of a cell
LETTER = 9.5  # pixels of a wide letter
TOP = 30  # pixels of the title
DEEP = 0.6  # the F1 above which a cell is dark and its number is in the page's colour


@dataclass(frozen=True, slots=True)
class Field:
    """A cell of the heat map.

    `x` and `y` are its upper left corner in pixels. `f1` is between 0 and 1.
    """

    x: float
    y: float
    f1: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + (WIDTH - 1) / 2, self.y + (HEIGHT - 1) / 2

    @property
    def number(self) -> str:
        return f"{100 * self.f1:.0f}"

    @property
    def depth(self) -> str:
        return f"{0.08 + 0.92 * self.f1:.2f}"  # a cell with F1 0 stays visible

    @property
    def is_deep(self) -> bool:
        return self.f1 > DEEP


def draw_agreement(report: AgreementReport) -> bytes:
    """Draw UA F1 in per cent as SVG, for the first LARGEST annotators by name.

    Each cell shows its number, so that the chart does not rely on colour alone.
    """
    names = report.annotators[:LARGEST]
    margin = 16 + LETTER * max(map(len, names), default=0)
    index = {name: at for at, name in enumerate(names)}
    fields = []
    for pair in report.agreement.pairs:
        row, column = index.get(str(pair.first)), index.get(str(pair.second))
        if row is None or column is None or pair.ua.f1 is None:
            continue
        for x, y in ((row, column), (column, row)):
            fields.append(Field(margin + x * WIDTH, TOP + y * HEIGHT, pair.ua.f1))
    context = {
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
