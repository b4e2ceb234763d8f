"""Convert JSON from outside into values that every database can store.

PostgreSQL's text and jsonb accept neither NUL nor half a surrogate pair, such as a script leaves by
splitting an emoji. Its JSON has no NaN and no infinity.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

_NUL_OR_HALF = re.compile("[\x00\ud800-\udfff]")
# The same characters in JSON text, literal or escaped. A whole pair matches too.
_MAY_HOLD = re.compile("[\x00\ud800-\udfff]|\\\\u(?:0000|[dD][89a-fA-F])")


class UnstorableError(ValueError):
    """A value that no database stores. The message is for the person who sent it."""


_MAX_BRACKETS = 200  # text with fewer of them cannot be nested too deeply


def load_storable(text: str) -> Any:
    """Parse JSON and return a value that every database can store (see `storable`).

    Raise ValueError for text that is not JSON and for numbers that are not finite, and RecursionError
    for text that is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse_number, parse_float=_finite_float)
    brackets = text.count("{") + text.count("[")
    return storable(value) if brackets > _MAX_BRACKETS or _MAY_HOLD.search(text) else value


def _refuse_number(name: str) -> NoReturn:
    raise UnstorableError(f"{name[:40]} is not a finite number.")


def _finite_float(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse_number(digits)


def storable(value: Any) -> Any:
    """Return the value without NUL in its strings and keys, and with U+FFFD for unpaired surrogates.

    Raise RecursionError for a value that is nested too deeply.
    """
    if isinstance(value, str):
        return _NUL_OR_HALF.sub(_replacement, value)
    if isinstance(value, Mapping):
        return {storable(key): storable(member) for key, member in value.items()}
    if isinstance(value, list):
        return [storable(member) for member in value]
    return value


def _replacement(match: re.Match[str]) -> str:
    return "" if match[0] == "\x00" else "\ufffd"
