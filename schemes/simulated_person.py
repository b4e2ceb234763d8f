"""A simulated worker's skill and habit, and the error rates that follow from them."""

import random
from dataclasses import dataclass, replace

# The skill for which schemes state their error rates. It is the default of rehearsals.
TYPICAL_SKILL = 0.9
# What a person's skill lacks differs by up to this share from what the crowd's skill lacks.
_SPREAD = 0.4


@dataclass(frozen=True, slots=True)
class Person:
    """A simulated worker.

    `skill` is from 0 to 1, and a worker of skill 1 never errs. `boldness` is from -1 to 1. A bold
    worker misses half as much as others and invents twice as much, a timid one the reverse.
    """

    skill: float
    boldness: float = 0.0

    @classmethod
    def drawn(cls, skill: float, seed: str) -> "Person":
        """Return someone of a crowd of this skill. The same seed gives the same person."""
        rng = random.Random(f"{seed}:person")  # noqa: S311
        own = 1 - (1 - skill) * rng.uniform(1 - _SPREAD, 1 + _SPREAD)
        return cls(max(0.0, own), rng.uniform(-1, 1))

    def more_careful(self) -> "Person":
        """Return the person at work that asks for more care: judging others, and revising."""
        return replace(self, skill=(1 + self.skill) / 2)

    def is_exact(self) -> bool:
        return self.skill >= 1

    def errs(self, rate: float, rng: random.Random) -> bool:
        """Return True if the person makes an error that has this rate at TYPICAL_SKILL."""
        return rng.random() < self._rate(rate, self._lapses())

    def misses(self, rate: float, rng: random.Random) -> bool:
        """Return True if the person leaves out a part that others miss at this rate."""
        return rng.random() < self._rate(rate, self._lapses() * 2**-self.boldness)

    def invents(self, rate: float, rng: random.Random) -> bool:
        """Return True if the person adds a part that others invent at this rate."""
        return rng.random() < self._rate(rate, self._lapses() * 2**self.boldness)

    def _lapses(self) -> float:
        """Return the person's errors relative to those at TYPICAL_SKILL."""
        return max(0.0, 1 - self.skill) / (1 - TYPICAL_SKILL)

    @staticmethod
    def _rate(rate: float, lapses: float) -> float:
        """Return the rate of several occasions for the error. It never exceeds 1."""
        return float(1 - (1 - rate) ** lapses)
