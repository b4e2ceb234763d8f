"""Faults that tests inject: refusals for load, server errors, lost answers and delays."""

import re
import threading
from dataclasses import dataclass
from enum import Enum
from random import Random


class Fault(Enum):
    THROTTLE = "429 without an effect"
    SERVER_ERROR = "503 without an effect"
    ERROR_AFTER = "502 after the effect"
    DROP_BEFORE = "no answer and no effect"
    DROP_AFTER = "no answer after the effect"
    DELAY = "the answer comes late"


@dataclass
class Rule:
    """A fault for requests that match. `times` limits how often it applies."""

    method: str
    pattern: re.Pattern[str]
    fault: Fault
    probability: float
    times: int | None
    seconds: float
    retry_after: int | None


class Faults:
    """The rules, and the requests that they were applied to."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)
        self._lock = threading.Lock()
        self._rules: list[Rule] = []
        self.applied: list[tuple[str, str, Fault]] = []

    def add(
        self,
        fault: Fault,
        method: str = "*",
        path: str = "*",
        *,
        probability: float = 1.0,
        times: int | None = None,
        seconds: float = 0.2,
        retry_after: int | None = None,
    ) -> None:
        """Add a rule. In `path`, which has no prefix /api/v1, `*` matches any text."""
        pattern = re.compile(".*".join(map(re.escape, path.split("*"))))
        rule = Rule(method, pattern, fault, probability, times, seconds, retry_after)
        with self._lock:
            self._rules.append(rule)

    def once(self, fault: Fault, method: str = "*", path: str = "*", **options: float) -> None:
        """Apply a fault to the next request that matches."""
        self.add(fault, method, path, times=1, **options)  # type: ignore[arg-type]

    def clear(self) -> None:
        with self._lock:
            self._rules.clear()

    def pick(self, method: str, path: str) -> Rule | None:
        """Return the rule for a request, if any."""
        with self._lock:
            for rule in self._rules:
                if rule.method not in ("*", method) or not rule.pattern.fullmatch(path):
                    continue
                if rule.times == 0 or self._random.random() >= rule.probability:
                    continue
                if rule.times is not None:
                    rule.times -= 1
                self.applied.append((method, path, rule.fault))
                return rule
        return None
