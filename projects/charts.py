"""Charts on a project's pages, each with a table of its figures and downloads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from projects.models import Project
from projects.pages import render_page
from web.charts import HEIGHT, WIDTH, Chart, Unit, draw_chart, format_value
from web.downloads import csv_download


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a chart's table: its name in CSV files, its heading, and its unit (None: text)."""

    name: str
    heading: str
    unit: Unit | None = Unit.NUMBER


@dataclass(frozen=True, slots=True)
class PageChart:
    """A chart with a description, the table of its figures, and the time when they were counted.

    `name` is part of the names of downloaded files. Without a chart, `empty` says what is missing.
    Times in the rows are datetimes, amounts are in cents, and shares are in [0, 1].
    """

    name: str
    title: str
    description: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    counted_at: datetime
    chart: Chart | None = None
    empty: str = ""

    def written_rows(self) -> list[list[str]]:
        """Return the rows as the page's table shows them."""
        return [
            [_shown(cell, column.unit) for cell, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


def chart_response(request: HttpRequest, project: Project, shown: PageChart) -> HttpResponseBase:
    """Respond with the chart as a part of a page, or with `?format=svg` or `csv` as a file."""
    wanted = request.GET.get("format", "")
    if wanted == "svg" and shown.chart:
        response = HttpResponse(draw_chart(shown.chart), content_type="image/svg+xml")
        response["Cache-Control"] = "private, max-age=60"
        return response
    if wanted == "csv":
        rows = ([_in_csv(cell) for cell in row] for row in shown.rows)
        names = [column.name for column in shown.columns]
        return csv_download(f"{project.slug}-{shown.name}.csv", names, rows)
    context = {"shown": shown, "size": (WIDTH, HEIGHT), "path": request.path}
    fragment = "projects/chart.html"
    return render_page(request, project, "projects/chart_page.html", context, fragment=fragment)


def _shown(cell: object, unit: Unit | None) -> str:
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M}"
    if isinstance(cell, int | float) and unit:
        decimals = 1 if unit is Unit.PERCENT else 0
        return format_value(cell, unit, decimals=decimals)
    return "–" if cell is None else str(cell)


def _in_csv(cell: object) -> object:
    return cell.isoformat() if isinstance(cell, datetime) else "" if cell is None else cell
