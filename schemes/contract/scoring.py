"""The contract for scoring several systems against a reference, for evaluation pages.

A scheme's scoring reads the same files and has the same figures as its `evaluate` command.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from schemes.contract.records import ExportRow
from schemes.contract.values import Noun

if TYPE_CHECKING:  # numpy is slow to import
    from metrics.document_bootstrap import DocumentScores


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure of a system, a share in [0, 1]. The main measures are tested and drawn."""

    key: str
    title: str
    is_main: bool = False


@dataclass(frozen=True, slots=True)
class TypeRow:
    """Figures of a system on the reference's `count` units of a type, by measure."""

    count: int
    figures: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeTable:
    """Figures by type, such as the recall of each question word. `unit` is what `count` counts.

    Figures with a sign are differences of shares, and are drawn as a heat map.
    """

    title: str
    unit: str
    measures: Sequence[Measure]
    rows: Mapping[str, TypeRow]
    is_signed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSystem:
    """A system's scores by document, its tables by type, and facts about its file.

    `facts` are counts with their description, such as {"predicates that the reference lacks": 3}.
    """

    scores: "DocumentScores"
    types: Sequence[TypeTable]
    facts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSystems:
    """The systems in the order of their files, all on the same items and documents.

    `facts` are those of the reference's files.
    """

    items: int
    documents: int
    systems: Sequence[ScoredSystem]
    facts: Mapping[str, int] = field(default_factory=dict)


def nonzero(facts: Mapping[str, int]) -> dict[str, int]:
    """Return the facts that are worth stating."""
    return {name: count for name, count in facts.items() if count}


class SystemScoring(Protocol):
    """How a scheme scores systems.

    `ranked_by` is the main measure by which benchmarks rank systems, unless organisers choose another.
    `item_measure` is the title of the scores of single items. `variants` maps the keys of alternative
    tasks to their labels, the default first. It is empty if there is only one. `documents` is the unit
    of the bootstrap. `file_help` describes the files, and `sentences_help` an optional file of
    sentences, or is "".
    """

    noun: Noun
    documents: Noun
    measures: Sequence[Measure]
    ranked_by: str
    item_measure: str
    variants: Mapping[str, str]
    file_help: str
    sentences_help: str
    export_format: str

    def reference_files(self, folder: Path, variant: str) -> list[Path]:
        """Return the reference files of an export in `export_format`."""

    def score(
        self,
        *,
        reference: Sequence[Path],
        systems: Sequence[Path],
        variant: str = "",
        sentences: Sequence[Path] = (),
        skip_bad_rows: bool = False,
    ) -> ScoredSystems:
        """Score each system's file.

        Raise FileError for files that can't be read, for a reference without items, and for bad rows
        unless these are skipped with their items. Raise UsageError for options that don't fit.
        """

    def write_reference(
        self, rows: Iterable[ExportRow], folder: Path, variant: str = ""
    ) -> Sequence[Path]:
        """Write the rows as references of a benchmark, and return the paths that `score` reads.

        The folder may get further files, for `further_tables`. Messages about a system's file must not
        show the annotations of these references.
        """

    def write_blind(self, rows: Iterable[ExportRow], folder: Path, variant: str = "") -> None:
        """Write the inputs of systems to the folder, for the items of the references, without gold."""

    def item_keys(self, path: Path, variant: str = "") -> Iterator[str]:
        """Yield the key of each item that a reference or a system's file annotates.

        Items that the file repeats are yielded again. Raise FileError for files and rows that can't be
        read.
        """

    def item_scores(
        self, reference: Sequence[Path], system: Path, variant: str = ""
    ) -> Mapping[str, float | None]:
        """Return the score in [0, 1] of each item of the reference by its key, or None."""

    def further_tables(
        self, folder: Path, reference: Sequence[Path], system: Path, variant: str = ""
    ) -> Sequence[TypeTable]:
        """Return tables that also need further files in the folder of `write_reference`."""
