"""Evaluations of annotation files: their options, figures, texts, tables and intervals."""

import csv
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metrics.intervals import Interval
from schemes.contract.corpus import ReaderOption
from schemes.contract.errors import FileError
from schemes.contract.values import Json

Options = Mapping[str, Any]
Rows = Iterable[Sequence[Any]]
Table = tuple[Path | None, Sequence[str], Rows]

_UNDEFINED = "–"


class UsageError(ValueError):
    """Options that can't be combined."""


@dataclass(slots=True)
class Report:
    """An evaluation's figures, their text, and tables and charts by path, if requested.

    Rows are computed and charts are drawn when they are written.
    """

    figures: Json
    text: Callable[[Json], str]
    tables: list[Table] = field(default_factory=list)
    charts: list[tuple[Path | None, Callable[[Path], None]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A subcommand of `evaluate`, which reads and writes files.

    The first line of `description` is its summary, and the rest has examples. `reads` names the
    arguments with files to read. `writes_files` adds the options for tables, charts and intervals. `run`
    raises FileError and UsageError.
    """

    name: str
    title: str
    description: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Options], Report]
    reads: tuple[str, ...]
    writes_files: bool = True


class BadRows:
    """An error sink that raises errors, or collects them with `skip`.

    Evaluations leave out the items of bad rows as a whole. `skip` is None where bad rows can't be
    skipped.
    """

    MAX_SHOWN = 20

    def __init__(self, *, skip: bool | None = None) -> None:
        self.skip = skip
        self.errors: list[FileError] = []

    def __call__(self, error: FileError) -> None:
        if not self.skip:
            raise error
        self.errors.append(error)

    def add_to(self, figures: Json) -> None:
        """Add the number of bad rows and the first messages, if rows may be skipped.

        `items` is the number of items that they leave out, or None if a reader does not know it.
        """
        if not self.skip:
            return
        is_known = all(error.items for error in self.errors)
        items = frozenset[tuple[str, str]]().union(*[error.items for error in self.errors])
        figures["skipped_rows"] = {
            "count": len(self.errors),
            "items": len(items) if is_known else None,
            "first": [str(error) for error in self.errors[: self.MAX_SHOWN]],
        }


def skipped_text(figures: Json, *, items: str = "items") -> str:
    """Return a sentence about skipped rows and their items with the first messages, or ""."""
    skipped = figures.get("skipped_rows")
    if not skipped or not skipped["count"]:
        return ""
    number = "their" if skipped["items"] is None else skipped["items"]
    title = f"{skipped['count']} bad rows were skipped, with {number} {items}:"
    return "\n".join([title, *skipped["first"]])


Notify = Callable[[str], None]
Progress = Callable[[Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class FileProgram:
    """A command of its own that reads and writes files.

    `run` returns figures and a sentence for people. It passes notes to the second argument, may wrap
    rows in the third to show progress, and raises FileError and UsageError.
    """

    name: str
    help: str
    example: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Options, Notify, Progress], tuple[Json, str]]


def add_output_arguments(parser: ArgumentParser, evaluation: Evaluation) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--skip-bad-rows",
        action="store_true",
        help="leave out the items of bad rows and count them, instead of stopping",
    )
    if not evaluation.writes_files:
        return
    parser.add_argument("--per-item", type=Path, metavar="OUT.csv", help="one row per item")
    parser.add_argument(
        "--alignment", type=Path, metavar="OUT.csv", help="one row per aligned pair"
    )
    parser.add_argument(
        "--bootstrap", type=int, metavar="N", help="95 %% intervals from N draws of the items"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument("--plot", type=Path, metavar="OUT.svg", help="a chart of the figures")


def add_reader_options(parser: ArgumentParser, options: Iterable[ReaderOption]) -> None:
    for option in options:
        parser.add_argument(
            option.flag,
            dest=option.key,
            type=option.kind,
            metavar=option.metavar,
            help=option.help,
        )


def check_output(options: Options, evaluation: Evaluation) -> None:
    """Raise UsageError for invalid output options."""
    if not evaluation.writes_files:
        return
    if options["bootstrap"] is not None and options["bootstrap"] < 1:
        raise UsageError("--bootstrap needs at least 1 draw.")
    if options["seed"] < 0:
        raise UsageError("--seed must not be negative.")
    if options["plot"] and options["plot"].suffix.lower() != ".svg":
        raise UsageError(f"--plot writes SVG, so {options['plot'].name} must end in .svg.")


def draws(options: Options) -> dict[str, int]:
    """Return the keyword arguments of a bootstrap."""
    return {"repetitions": options["bootstrap"], "seed": options["seed"]}


def text_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a text table with the first column left-aligned and the others right-aligned."""
    cells = [list(header), *([shown(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(_line(row, widths) for row in cells)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if at else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()


def shown(cell: object) -> str:
    """Return a table cell. Floats are shares in [0, 1]."""
    if cell is None:
        return _UNDEFINED
    return f"{100 * cell:.2f}" if isinstance(cell, float) else str(cell)


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def bootstrap_json(
    intervals: Mapping[str, Mapping[str, Interval]], *, repetitions: int, seed: int
) -> Json:
    """Return the intervals as JSON.

    Each figure and part has `[low, high]`, or None where undefined.
    """
    levels = {interval.level for parts in intervals.values() for interval in parts.values()}
    return {
        "repetitions": repetitions,
        "seed": seed,
        "level": min(levels),
        "intervals": {
            name: {part: [interval.low, interval.high] for part, interval in parts.items()}
            for name, parts in intervals.items()
        },
    }


def bootstrap_text(figures: Json) -> str:
    """Return the table of the intervals, or "" without them."""
    if "bootstrap" not in figures:
        return ""
    bootstrap = figures["bootstrap"]
    header = (
        f"{100 * bootstrap['level']:.0f} % intervals, {bootstrap['repetitions']} draws",
        "Low",
        "High",
    )
    rows = [
        (f"{name} {part}", *bounds)
        for name, parts in bootstrap["intervals"].items()
        for part, bounds in parts.items()
    ]
    return text_table(header, rows)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write the rows under their columns. The file appears only when it is complete."""
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
