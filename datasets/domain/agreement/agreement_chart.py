"""The agreement of annotators as a heat map."""

from datasets.domain.agreement.agreement import AgreementReport
from schemes.figures import Figure
from web.charts import draw_heat_map

LARGEST = 40  # annotators


def draw_agreement(report: AgreementReport, figure: Figure) -> bytes:
    """Draw a figure of each pair as SVG, for the first LARGEST annotators by name."""
    names = report.annotators[:LARGEST]
    is_share = figure.unit == "%"
    values: dict[tuple[str, str], float] = {}
    for pair in report.pairs:
        value = pair.figures[figure.key].value
        if value is not None:
            shown = 100 * value if is_share else value
            values[pair.first, pair.second] = values[pair.second, pair.first] = shown
    return draw_heat_map(
        f"Agreement, {figure.label} in {figure.unit}",
        names,
        {name: [values.get((other, name)) for other in names] for name in names},
        largest=100 if is_share else 1,
        number="{:.0f}" if is_share else "{:.2f}",
    )
