"""What every operation is given, and how it is found."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marketplace.models import Requester

Params = dict[str, Any]
Output = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls and when. Lists show nothing that was written after `visible_until`."""

    requester: Requester
    now: datetime
    visible_until: datetime


Operation = Callable[[Call, Params], Output]
OPERATIONS: dict[str, Operation] = {}


def operation(handler: Operation) -> Operation:
    """Registers `create_hit_type` as CreateHITType, and so on."""
    name = "".join(_WORDS.get(word, word.capitalize()) for word in handler.__name__.split("_"))
    OPERATIONS[name] = handler
    return handler


_WORDS = {"hit": "HIT", "hits": "HITs", "url": "URL"}
