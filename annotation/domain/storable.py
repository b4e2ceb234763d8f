"""JSON from outside, made such that every database can hold it.

PostgreSQL's text and jsonb hold neither NUL nor half a surrogate pair. Nobody types the first; the
second is what a script leaves that cut an emoji in two.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_NUL_OR_HALF = re.compile("[\x00\ud800-\udfff]")
# The same as JSON's text may hold them, written out or escaped; a whole pair is escaped so, too.
_MAY_HOLD = re.compile("[\x00\ud800-\udfff]|\\\\u(?:0000|[dD][89a-fA-F])")
_MOST_BRACKETS = 200  # with fewer of them nothing can be nested too deeply


def load_storable(text: str) -> Any:
    """JSON as `storable` makes it, which is not asked where the text shows that it has nothing to do.

    Raises ValueError for no JSON, RecursionError like `storable`.
    """
    value = json.loads(text)
    brackets = text.count("{") + text.count("[")
    return storable(value) if brackets > _MOST_BRACKETS or _MAY_HOLD.search(text) else value


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
