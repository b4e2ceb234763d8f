"""The contract for scoring several systems against a reference, for evaluation pages.

A scheme's scoring reads the same files and has the same figures as its `evaluate` command.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

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
    """Figures by type, such as the recall of each question word. `unit` is what `count` counts."""

    title: str
    unit: str
    measures: Sequence[Measure]
    rows: Mapping[str, TypeRow]


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

    `variants` maps the keys of alternative tasks to their labels, the default first. It is empty if
    there is only one. `documents` is the unit of the bootstrap. `file_help` describes the files, and
    `sentences_help` an optional file of sentences, or is "".
    """

    noun: Noun
    documents: Noun
    measures: Sequence[Measure]
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
