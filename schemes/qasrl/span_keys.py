"""Keys of aligned rows: a token span as text."""

import re

from metrics.spans import Span

_KEY = re.compile(r"(\d{1,6})-(\d{1,6})", re.ASCII)


def key_of(span: Span) -> str:
    return f"{span[0]}-{span[1]}"


def span_of(key: str) -> Span:
    """Return the span of a key. Raise ValueError for another text."""
    match = _KEY.fullmatch(key)
    if match is None:
        raise ValueError(f"{key!r} is not a span")
    return int(match[1]), int(match[2])
