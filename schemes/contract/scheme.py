"""An annotation scheme as a set of parts."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from schemes.contract.aggregation import Aggregation
from schemes.contract.comparison import Comparison
from schemes.contract.content import Content, Total
from schemes.contract.corpus import Corpus
from schemes.contract.equivalence import Equivalence
from schemes.contract.errors import MissingPartError
from schemes.contract.external import ExternalComparison
from schemes.contract.files import Exports
from schemes.contract.judging import Merging, Validating
from schemes.contract.pages import NoPageData, Pages, Tutorial, Views
from schemes.contract.practice import Practice
from schemes.contract.resources import Precedents, Resource
from schemes.contract.scoring import SystemScoring
from schemes.contract.search import Search
from schemes.contract.simulation import Sample, Simulation
from schemes.contract.statistics import Statistics
from schemes.contract.values import Json
from schemes.contract.vocabulary import Vocabulary

Part = TypeVar("Part")


# The resource with a project's definition, in schemes that projects declare.
DEFINITION = "definition"


class Declaration(Protocol):
    """How a project declares its scheme by data.

    The definition is the project's resource DEFINITION. `starters` maps names to titles of definitions
    to start from, the default first.
    """

    starters: Mapping[str, str]

    @abstractmethod
    def starter(self, name: str) -> Json:
        """Return a parsed definition to start from."""

    @abstractmethod
    def build(self, definition: Json) -> "Scheme":
        """Return the scheme that a parsed definition declares. Its name is that of this scheme."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """An annotation scheme as a set of parts. `schemes.registry` lists all schemes.

    `summary` describes in a few words what is annotated. `tutorials` maps roles to tutorials for a
    worker's first task. `equivalence` compares labels beyond the automatic rule. `external` maps keys
    to comparisons with other resources. `scoring` scores systems for evaluation pages. `declaration`
    builds the scheme of a project from its definition, and is None in schemes that are the same in all
    projects. `limits` are sentences for data cards about what is not annotated.
    """

    name: str
    title: str
    vocabulary: Vocabulary
    corpus: Corpus
    content: Content
    comparison: Comparison
    views: Views
    pages: Pages = field(default_factory=NoPageData)
    exports: Exports | None = None
    merging: Merging | None = None
    validating: Validating | None = None
    aggregation: Aggregation | None = None
    equivalence: Equivalence | None = None
    simulation: Simulation | None = None
    practice: Practice | None = None
    tutorials: Mapping[str, Callable[[], Tutorial]] = field(default_factory=dict)
    search: Search | None = None
    external: Mapping[str, ExternalComparison] = field(default_factory=dict)
    limits: Sequence[str] = ()
    summary: str = ""
    guidelines: Path | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    precedents: Precedents | None = None
    statistics: Statistics | None = None
    scoring: SystemScoring | None = None
    declaration: "Declaration | None" = None
    sample: Sample | None = None

    def get_merging(self) -> Merging:
        """Return the part for consolidation. Raise MissingPartError."""
        return self._required(self.merging, "consolidation")

    def get_validating(self) -> Validating:
        """Return the part for validation. Raise MissingPartError."""
        return self._required(self.validating, "validation")

    def get_simulation(self) -> Simulation:
        """Return the part for simulated workers. Raise MissingPartError."""
        return self._required(self.simulation, "simulated workers")

    def get_statistics(self) -> Statistics:
        """Return the part for statistics. Raise MissingPartError."""
        return self._required(self.statistics, "statistics")

    def get_scoring(self) -> SystemScoring:
        """Return the part for scoring systems. Raise MissingPartError."""
        return self._required(self.scoring, "the evaluation of systems")

    def totals_of_gold(self, *, validated: bool) -> Sequence[Total]:
        """Return the totals of gold: of its content, and of its provenance if it is validated."""
        origins = self.validating.totals if validated and self.validating else ()
        return (*self.content.totals, *origins)

    def _required(self, part: Part | None, name: str) -> Part:
        if part is None:
            raise MissingPartError(f"The scheme {self.title} does not support {name}.")
        return part

    @property
    def rules(self) -> dict[str, str]:
        """Return the names of the rules behind the scheme's decisions, by purpose."""
        rules = {"comparison": self.comparison.rule}
        if self.merging:
            rules["trace"] = self.merging.rule
        if self.validating:
            rules["validation"] = self.validating.rule
        return rules
