"""Agreement of every two annotators as a heat map; the same figures give the same bytes."""

from dataclasses import dataclass

from django.template.loader import render_to_string

from consolidation.domain.agreement import AgreementReport

LARGEST = 40  # annotators that can be read side by side
WIDTH, HEIGHT = 34, 24  # pixels of a field
LETTER = 9.5  # and of a letter of a name, wide ones among them
TOP = 30  # and of the title
DEEP = 0.6  # from this F1 on a field is so deep in colour that its number is written in the page's


@dataclass(frozen=True, slots=True)
class Field:
    """A number at a place: x and y of its upper left corner in pixels, F1 from 0 to 1."""

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
        return f"{0.08 + 0.92 * self.f1:.2f}"  # nothing in common is a field all the same

    @property
    def is_deep(self) -> bool:
        return self.f1 > DEEP


def draw_agreement(report: AgreementReport) -> bytes:
    """UA F1 in per cent, as SVG; the number stands in each field, so colour is not all there is.
    Of more than LARGEST annotators the first ones by name."""
    names = report.annotators[:LARGEST]
    margin = 16 + LETTER * max(map(len, names), default=0)
    place = {name: at for at, name in enumerate(names)}
    fields = []
    for pair in report.agreement.pairs:
        row, column = place.get(str(pair.first)), place.get(str(pair.second))
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
    return render_to_string("consolidation/agreement.svg", context).encode()
