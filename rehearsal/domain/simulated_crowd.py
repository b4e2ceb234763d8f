"""A crowd of simulated people and the content that each would write for an item.

The content depends on the seed, the person's name and the item's key only, so that the same people
write the same in every rehearsal. Only generators get the reference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemes.contract.errors import MissingPartError
from schemes.contract.items import ItemContext
from schemes.contract.simulation import Simulation
from schemes.contract.values import Json
from schemes.simulated_person import Person


@dataclass(frozen=True, slots=True)
class SimulatedItem:
    """An item with its context."""

    key: str
    context: ItemContext


def names_of(count: int) -> list[str]:
    """Return the names of people. They are the same in all projects, so that people are too."""
    return [str(number) for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class SimulatedCrowd:
    """`skill` is that of the crowd. `skills` are exact ones of some people, by name."""

    simulation: Simulation
    skill: float
    seed: int
    skills: Mapping[str, float] = field(default_factory=dict)

    def person(self, name: str) -> Person:
        person = Person.drawn(self.skill, f"{self.seed}:{name}")
        return replace(person, skill=self.skills[name]) if name in self.skills else person

    def generation(self, reference: Json, item: SimulatedItem, name: str) -> Json:
        return self.simulation.generate(
            reference, item.context, self.person(name), self._seed(item, name)
        )

    def revision(self, reference: Json, item: SimulatedItem, name: str, attempt: str) -> Json:
        return self.simulation.generate(
            reference,
            item.context,
            self.person(name).more_careful(),
            self._seed(item, name, attempt),
        )

    def consolidation(self, sources: Sequence[Json], item: SimulatedItem, name: str) -> Json:
        if self.simulation.consolidate is None:
            raise MissingPartError("The scheme does not simulate consolidators.")
        return self.simulation.consolidate(
            sources,
            item.context,
            self.person(name).more_careful(),
            self._seed(item, name, "consolidation"),
        )

    def validation(self, sources: Sequence[Json], item: SimulatedItem, name: str) -> Json:
        if self.simulation.validate is None:
            raise MissingPartError("The scheme does not simulate validators.")
        return self.simulation.validate(
            sources, item.context, self.person(name), self._seed(item, name, "validation")
        )

    def _seed(self, item: SimulatedItem, name: str, *more: str) -> str:
        return ":".join([str(self.seed), name, item.key, *more])
