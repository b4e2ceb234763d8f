"""Agreement of every two annotators as a heat map; the same figures give the same bytes."""

import io
from typing import Any

from consolidation.domain.agreement import AgreementReport

LARGEST = 40  # annotators that can be read side by side


def draw_agreement(report: AgreementReport) -> bytes:
    """UA F1 in per cent, as SVG; the number stands in each field, so colour is not all there is.
    Of more than LARGEST annotators the first ones by name."""
    # Imported here: it takes a second, and no other page needs it.
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    names = report.annotators[:LARGEST]
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "touchstone"}):
        size = 2.5 + 0.55 * len(names)
        figure = Figure(figsize=(size, 0.8 * size), layout="constrained")
        _fill(figure.add_subplot(), names, report)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Title": "Agreement, UA F1"})
    return drawn.getvalue().encode()


def _fill(axes: Any, names: list[str], report: AgreementReport) -> None:
    place = {name: at for at, name in enumerate(names)}
    fields = [[float("nan")] * len(names) for _ in names]
    for pair in report.agreement.pairs:
        row, column = place.get(str(pair.first)), place.get(str(pair.second))
        if row is None or column is None or pair.ua.f1 is None:
            continue
        fields[row][column] = fields[column][row] = 100 * pair.ua.f1
        for x, y in ((row, column), (column, row)):
            ink = "black" if pair.ua.f1 > 0.6 else "white"
            axes.text(x, y, f"{100 * pair.ua.f1:.0f}", ha="center", va="center", color=ink)
    if names:
        axes.imshow(fields, cmap="cividis", vmin=0, vmax=100)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_title("Agreement, UA F1 in %", loc="left", fontsize=11)
