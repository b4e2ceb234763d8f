"""Content of simulated workers, and a sample corpus for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.simulated_person import Person


@dataclass(frozen=True, slots=True)
class Simulation:
    """Content of simulated workers. The seed makes it reproducible.

    `generate` returns a reference with a person's errors. `consolidate` and `validate` judge sources,
    and never get the reference. A person of skill 1 makes no errors: such generators return the
    reference, and such judges accept all that sources have, because they expect exact sources. `invent`
    returns made-up content for an item without a reference. `split` returns each generator's part of
    published gold in a stable order. `published` has the paper's figures as texts, by the keys of
    `rehearsal.domain.figures`.
    """

    generate: Callable[[Json, ItemContext, Person, str], Json]
    invent: Callable[[ItemContext], Json]
    split: Callable[[Json, Sequence[Json]], list[Json]]
    nothing: Json
    consolidate: Callable[[Sequence[Json], ItemContext, Person, str], Json] | None = None
    validate: Callable[[Sequence[Json], ItemContext, Person, str], Json] | None = None
    published: Mapping[str, str] = field(default_factory=dict)


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
    images: Callable[[Path], None] | None = None
