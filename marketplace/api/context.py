"""The context of an API call, and the registry of operations."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marketplace.models import Requester

Params = dict[str, Any]
Output = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """An authenticated API call. Lists omit rows written after `visible_until`."""

    requester: Requester
    now: datetime
    visible_until: datetime


Operation = Callable[[Call, Params], Output | None]
OPERATIONS: dict[str, Operation] = {}


def operation(handler: Operation) -> Operation:
    """Register a handler under the API's name, such as CreateHITType for create_hit_type."""
    name = "".join(_ACRONYMS.get(part, part.capitalize()) for part in handler.__name__.split("_"))
    OPERATIONS[name] = handler
    return handler


_ACRONYMS = {"hit": "HIT", "hits": "HITs", "url": "URL"}
