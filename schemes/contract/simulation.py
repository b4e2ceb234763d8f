"""Content of simulated workers, and a sample corpus for them."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.simulated_person import Person


class Judge(Protocol):
    """Return a simulated person's judgment of sources. The seed makes it reproducible.

    Judges never get the reference. A judge of skill 1 accepts all that sources have, because it
    expects exact sources.
    """

    def __call__(
        self, sources: Sequence[Json], context: ItemContext, person: Person, seed: str
    ) -> Json: ...


class Simulation(Protocol):
    """Content of simulated workers.

    `nothing` is the content of a generator of whom gold has nothing. `published` has the paper's figures
    as texts, by the keys of `rehearsal.domain.figures`.
    """

    nothing: Json
    published: Mapping[str, str] = {}

    @abstractmethod
    def generate(self, reference: Json, context: ItemContext, person: Person, seed: str) -> Json:
        """Return a reference with a person's errors. A person of skill 1 makes none.

        The seed makes the content reproducible.
        """

    @abstractmethod
    def invent(self, context: ItemContext) -> Json:
        """Return made-up content for an item without a reference."""

    @property
    def consolidate(self) -> Judge | None:
        """Return the simulation of consolidators, if there is one."""
        return None

    @property
    def validate(self) -> Judge | None:
        """Return the simulation of validators, if there is one."""
        return None


class DrawImages(Protocol):
    """Draw the images of the sentences into a folder."""

    def __call__(self, folder: Path) -> None: ...


@dataclass(frozen=True, slots=True)
class Sample:
    """A small corpus for demos and rehearsals.

    `gold` are files with an expert's annotations in the scheme's first gold format, and also the list
    of items. `resources` has a format and file per resource. `rounds` has the items of the training
    rounds, and `given` the annotations that consolidators merge in their round. Without it, there is
    no such round. `protocol` is the one that a demo shows. `images` draws the images of the sentences
    into a folder.
    """

    format: str
    sentences: Path
    gold: Sequence[Path]
    rounds: Path
    given: Path | None = None
    resources: Mapping[str, tuple[str, Path]] = field(default_factory=dict)
    protocol: str = "consolidation"
    images: DrawImages | None = None
