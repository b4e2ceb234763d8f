"""Jobs that a worker process of the site runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

R = TypeVar("R", bound=Mapping[str, Any])


@dataclass(frozen=True, slots=True)
class Job(Generic[R]):
    """A job: its path below /api/v1/, and its record when it was queued."""

    path: str
    record: R
