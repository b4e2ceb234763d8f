"""The tables of a paper about a release, as LaTeX and Markdown, with a name for each number."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from releases.domain.released import Released
from web.latex import latex_table, latex_text
from web.money import dollars
from web.templatetags.web import percent

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a table. `text` is as pages show it, and `value` is None if it is undefined."""

    value: float | None
    text: str
    unit: str = ""


Cell = Number | str


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table. The first cell of a row is its heading. `origin` is the command or page of its numbers."""

    key: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    origin: str

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Yield each number with its name, such as "size.Items.train"."""
        for row in self.rows:
            for column, cell in zip(self.columns, row, strict=True):
                if isinstance(cell, Number):
                    yield self.name_of(row, column), cell

    def name_of(self, row: Sequence[Cell], column: str) -> str:
        """Return the name of a number, as in numbers.json."""
        return f"{self.key}.{row[0]}.{column or 'value'}"


def shown_value(value: float | None, unit: str) -> str:
    """Return a figure as the pages show it."""
    if value is None:
        return UNDEFINED
    if unit == "%":
        return percent(value)
    return dollars(value) if unit == "cents" else f"{value:,.10g}{f' {unit}' if unit else ''}"


def paper_tables(released: Released) -> list[PaperTable]:
    """Return the tables that have a row."""
    tables = [
        _sizes(released),
        _people(released),
        _quality(released),
        _cost(released),
        _training(released),
        *_statistics(released),
    ]
    return [table for table in tables if table.rows]


def _number(value: float | None, unit: str = "") -> Number:
    return Number(value, shown_value(value, unit), unit)


def _figures(released: Released, *groups: str) -> list[Mapping[str, Any]]:
    """Return the figures whose keys begin with the name of a group."""
    figures = released.facts["figures"]
    return [figure for figure in figures if figure["key"].partition(".")[0] in groups]


def _sizes(released: Released) -> PaperTable:
    partitions: Mapping[str, Mapping[str, int]] = released.facts["partitions"]
    whole = released.manifest["counts"]
    labels = [
        (row["key"], row["label"]) for row in released.facts["figures"] if row["key"] in whole
    ]
    names = [name for name in ("train", "dev", "test", "") if name in partitions]
    return PaperTable(
        key="size",
        caption=f"Size of {released.title} {released.release.version}",
        columns=["", *(name or "no partition" for name in names), "all"],
        rows=[
            [
                label,
                *(_number(partitions[name].get(key, 0)) for name in names),
                _number(whole[key]),
            ]
            for key, label in labels
        ],
        origin=f"manage.py release {_named(released)} --rebuild, manifest.json",
    )


def _named(released: Released) -> str:
    return f"{released.facts['name']} {released.release.version}"


def _people(released: Released) -> PaperTable:
    values = {row["key"]: row for row in _figures(released, "workers", "annotations")}
    roles = [key.partition(".")[2] for key in values if key.startswith("workers.")]
    return PaperTable(
        key="people",
        caption="Workers and accepted annotations",
        columns=["Role", "Workers", "Annotations"],
        rows=[
            [
                values[f"workers.{role}"]["label"].partition(", ")[2],
                *(
                    _number(values[f"{name}.{role}"]["value"])
                    for name in ("workers", "annotations")
                ),
            ]
            for role in roles
        ],
        origin=f"manage.py export_submissions {released.facts['name']} --format jsonl --out DIR",
    )


def _quality(released: Released) -> PaperTable:
    rows: list[Sequence[Cell]] = []
    for row in _figures(released, "agreement", "validators", "experts"):
        unit = row["unit"]
        bounds = [_number(row.get(end), unit) for end in ("low", "high")]
        rows.append([row["label"], _number(row["value"], unit), *bounds])
    return PaperTable(
        key="quality",
        caption="Agreement and quality with 95 % intervals",
        columns=["Figure", "Value", "Low", "High"],
        rows=rows,
        origin=f"manage.py agreement {released.facts['name']} --items 500, page Reviews",
    )


def _cost(released: Released) -> PaperTable:
    values = {row["key"]: row["value"] for row in _figures(released, "paid", "hourly")}
    steps = [key.partition(".")[2] for key in values if key.startswith("paid.")]
    return PaperTable(
        key="cost",
        caption="Pay of workers, without fees",
        columns=["Step", "Paid", "Per hour of active time"],
        rows=[
            [
                step,
                _number(values[f"paid.{step}"], "cents"),
                _number(values.get(f"hourly.{step}"), "cents"),
            ]
            for step in steps
        ],
        origin="page Costs",
    )


def _training(released: Released) -> PaperTable:
    stages = released.facts["training"]
    return PaperTable(
        key="training",
        caption="Workers in training rounds",
        columns=["Round", "Invited", "Began", "Finished", "Passed", "Cost"],
        rows=[
            [
                stage["title"],
                *(_number(stage[name]) for name in ("invited", "started", "finished", "passed")),
                _number(stage["cents"], "cents"),
            ]
            for stage in stages
        ],
        origin="page Training",
    )


def _statistics(released: Released) -> Iterator[PaperTable]:
    for at, table in enumerate(released.facts["statistics"], 1):
        yield PaperTable(
            key=f"statistics-{at}",
            caption=table["caption"],
            columns=table["columns"],
            rows=[[_cell(value) for value in row] for row in table["rows"]],
            origin="page Statistics",
        )


def _cell(value: str | float | None) -> Cell:
    if isinstance(value, str):
        return value
    return Number(value, UNDEFINED if value is None else f"{value:,.4g}")


def cell_text(cell: Cell) -> str:
    """Return a cell as pages and files show it."""
    return cell.text if isinstance(cell, Number) else cell


def tables_tex(tables: Sequence[PaperTable]) -> str:
    """Return the tables for LaTeX. They need the package booktabs."""
    return "% Needs \\usepackage{booktabs}\n" + "".join(map(_table_tex, tables))


def _table_tex(table: PaperTable) -> str:
    cells = [[latex_text(cell_text(cell)) for cell in row] for row in table.rows]
    body = latex_table([latex_text(column) for column in table.columns], cells)
    return (
        f"\n\\begin{{table}}\n\\centering\n{body}\\caption{{{latex_text(table.caption)}}}\n"
        f"\\label{{tab:{table.key}}}\n\\end{{table}}\n"
    )


def tables_md(tables: Sequence[PaperTable]) -> str:
    """Return the tables in Markdown."""
    parts = []
    for table in tables:
        lines = [[*table.columns], *([cell_text(cell) for cell in row] for row in table.rows)]
        header, *rows = (
            f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines
        )
        rule = "| --- " + "| ---: " * (len(table.columns) - 1) + "|"
        parts.append("\n".join([f"## {table.caption}", "", header, rule, *rows]))
    return "\n\n".join(parts) + "\n"


def numbers_json(tables: Sequence[PaperTable]) -> dict[str, Any]:
    """Return each number by its name, with its text and the command or page that gives it."""
    return {
        name: {"value": number.value, "text": number.text, "origin": table.origin}
        for table in tables
        for name, number in table.numbers()
    }
