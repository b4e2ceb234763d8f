"""Deliberate faults for tests and rehearsals, configured by MARKETPLACE_FAULTS.

The setting is a comma-separated list of `name=number`. docs/marketplace.md describes the names.
"""

import random
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import lru_cache


class FaultsError(ValueError):
    """An invalid value of MARKETPLACE_FAULTS."""


@dataclass(frozen=True, slots=True)
class Faults:
    """The configured faults: probabilities in [0, 1], `lag` and `hang` in seconds."""

    throttle: float = 0.0
    fail: float = 0.0
    timeout_after_success: float = 0.0
    hang: float = 0.0
    lag: float = 0.0
    repeat_notifications: float = 0.0
    reorder_notifications: float = 0.0
    reuse_assignment_ids: float = 0.0
    seed: float = 0.0
    _random: random.Random = field(default_factory=random.Random, repr=False, compare=False)

    def happens(self, fault: str) -> bool:
        """Return True with the probability of this fault."""
        chance: float = getattr(self, fault)
        return self._random.random() < chance

    def visible_until(self, now: datetime) -> datetime:
        """Return the time up to which lists show changes."""
        return now - timedelta(seconds=self.lag) if self.lag else now


#: The settings that are not probabilities.
UNLIMITED = ("hang", "lag", "seed")


@lru_cache(maxsize=8)
def parse_faults(text: str) -> Faults:
    """Parse the setting. Calls with equal text share a Faults and its random generator."""
    names = {f.name for f in fields(Faults) if not f.name.startswith("_")}
    values: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = part.partition("=")
        if name not in names:
            raise FaultsError(
                f"MARKETPLACE_FAULTS: unknown fault {name!r}; choose from {', '.join(sorted(names))}."
            )
        try:
            values[name] = float(number)
        except ValueError:
            raise FaultsError(f"MARKETPLACE_FAULTS: {part!r} needs a number.") from None
        if values[name] < 0 or (name not in UNLIMITED and values[name] > 1):
            raise FaultsError(f"MARKETPLACE_FAULTS: {part!r} is out of range.")
    seed = values.get("seed")
    return Faults(**values, _random=random.Random(seed))  # noqa: S311 - not for secrets
