"""Regular expressions of text fields, in an engine that takes linear time."""

from functools import lru_cache
from typing import Any

_MAX_MEMORY = 1 << 20


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return the compiled pattern. Raise ValueError with what is wrong with it."""
    import re2  # noqa: PLC0415 - most definitions have no pattern

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if isinstance(error, re2.error) else "not valid text"
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(text) from None


def matches(pattern: str, text: str) -> bool:
    """Return True if the pattern matches the whole text."""
    return compiled(pattern).fullmatch(text) is not None
