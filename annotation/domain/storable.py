"""JSON from outside, made such that every database can hold it.

PostgreSQL's text and jsonb hold neither NUL nor half a surrogate pair. Nobody types the first; the
second is what a script leaves that cut an emoji in two.
"""

import re
from collections.abc import Mapping
from typing import Any

_NUL_OR_HALF = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The same value; in its strings, keys too, NUL is left out and half a pair becomes U+FFFD.

    Raises RecursionError where it is nested too deeply to be anybody's work.
    """
    if isinstance(value, str):
        return _NUL_OR_HALF.sub(_replaced, value)
    if isinstance(value, Mapping):
        return {storable(key): storable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [storable(each) for each in value]
    return value


def _replaced(found: re.Match[str]) -> str:
    return "" if found[0] == "\x00" else "\ufffd"
