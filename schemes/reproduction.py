"""Reproduction of a paper's tables: each figure of the paper beside the recomputed one."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any

from schemes.contract.corpus import ReaderOption
from schemes.contract.values import Json
from schemes.reports import Options, add_reader_options, text_table

Number = int | float | None

COLUMNS = ("table", "figure", "paper", "recomputed", "status", "note")
NO_REASON = "no known reason; compare the files with those of the paper"


class Status(StrEnum):
    """What a reproduction found about a figure of a paper."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_PUBLIC = "not public"
    FILE_MISSING = "file missing"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a table. Percentages are between 0 and 100, and `digits` are the decimals of the paper.

    `note` says why a figure is missing or differs. A figure without a note has the `reason`, if it
    differs. `needs_file` if a file is missing that could be there.
    """

    table: str
    figure: str
    paper: Number
    recomputed: Number
    note: str = ""
    digits: int = 1
    needs_file: bool = False
    reason: str = ""

    @property
    def status(self) -> Status | None:
        """Return what was found, or None for a figure that the paper lacks."""
        if self.paper is None:
            return None
        if self.recomputed is None:
            return Status.FILE_MISSING if self.needs_file else Status.NOT_PUBLIC
        is_equal = round(self.recomputed, self.digits) == self.paper
        return Status.EQUAL if is_equal else Status.DIFFERENT

    @property
    def explanation(self) -> str:
        """Return the note, or the reason of a difference. Every difference has an explanation."""
        if self.status != Status.DIFFERENT:
            return self.note
        return self.note or self.reason or NO_REASON

    def row(self) -> tuple[Any, ...]:
        """Return the figure in the order of COLUMNS."""
        values = self.table, self.figure, self.paper, self.recomputed
        return (*values, str(self.status or ""), self.explanation)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A subcommand of `reproduce`. `run` raises FileError for an unreadable path.

    `metavar` and `help` describe the path, which is a file or a folder. `options` choose what is read.
    """

    name: str
    title: str
    paper: str
    description: str
    metavar: str
    help: str
    run: Callable[[Path, Options], Sequence[Figure]]
    options: tuple[ReaderOption, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar=self.metavar, help=self.help)
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="also write reproduction.csv and .md there"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        add_reader_options(parser, self.options)


def percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def files_in(folder: Path, *patterns: str) -> list[Path]:
    """Return the files below a folder that match a pattern, by path, without hidden folders."""
    paths = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
    return sorted(
        path
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def reproduction_json(reproduction: Reproduction, figures: Sequence[Figure]) -> Json:
    return {
        "paper": reproduction.paper,
        "figures": [dict(zip(COLUMNS, figure.row(), strict=True)) for figure in figures],
        "counts": {str(status): count for status, count in _counts(figures).items()},
    }


def _counts(figures: Sequence[Figure]) -> dict[Status, int]:
    """Return how many figures of the paper have each status."""
    found = Counter(figure.status for figure in figures)
    return {status: found[status] for status in Status}


def summary(figures: Sequence[Figure]) -> str:
    """Return a sentence with the number of figures by status."""
    counts = _counts(figures)
    parts = ", ".join(f"{count} {status}" for status, count in counts.items())
    return f"Of {sum(counts.values())} figures of the paper: {parts}."


def reproduction_text(reproduction: Reproduction, figures: Sequence[Figure]) -> str:
    """Return the tables for a terminal."""
    tables = [
        text_table((title, "Paper", "Recomputed", "Note"), _with_notes_last(rows))
        for title, rows in _tables(figures)
    ]
    return "\n\n".join([reproduction.paper, *tables, summary(figures)])


def reproduction_markdown(reproduction: Reproduction, figures: Sequence[Figure]) -> str:
    """Return the tables for a document."""
    parts = [f"# {reproduction.title}: {reproduction.paper}"]
    for title, rows in _tables(figures):
        lines = [f"| {title} | Paper | Recomputed | Note |", "| --- | ---: | ---: | --- |"]
        lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, summary(figures)]) + "\n"


def _tables(figures: Sequence[Figure]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    for title, group in groupby(figures, key=lambda figure: figure.table):
        yield (
            title,
            [
                (
                    figure.figure,
                    _cell(figure.paper, figure.digits),
                    _cell(figure.recomputed, figure.digits),
                    figure.explanation,
                )
                for figure in group
            ],
        )


def _cell(number: Number, digits: int) -> str:
    if number is None:
        return "–"
    return f"{number:.{digits}f}" if isinstance(number, float) else f"{number:,}"


def _with_notes_last(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Pad the notes, because tables align all columns but the first to the right."""
    width = max(len(row[-1]) for row in rows)
    return [(*row[:-1], row[-1].ljust(width)) for row in rows]
