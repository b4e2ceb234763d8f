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


def forward(name: str, function: Callable[..., object], **parameters: str) -> None:
    """Register an operation that passes parameters to a domain function, by keyword.

    The function also receives the requester and the time. Its defaults apply to missing parameters.
    """

    def handle(call: Call, params: Params) -> None:
        values = {
            keyword: params[parameter]
            for keyword, parameter in parameters.items()
            if parameter in params
        }
        function(requester=call.requester, now=call.now, **values)

    OPERATIONS[name] = handle


_ACRONYMS = {"hit": "HIT", "hits": "HITs", "url": "URL"}
