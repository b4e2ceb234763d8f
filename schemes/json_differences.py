"""Readable differences between two JSON values."""

import json
from collections.abc import Iterator
from itertools import zip_longest

ABSENT = object()
LONGEST = 120


def value_differences(ours: object, theirs: object, path: str = "") -> Iterator[str]:
    """Yield a sentence for each difference, located by its position in the JSON."""
    if ours == theirs and type(ours) is type(theirs):
        return
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in dict.fromkeys([*ours, *theirs]):
            inner = f"{path}, {name}" if path else str(name)
            yield from value_differences(ours.get(name, ABSENT), theirs.get(name, ABSENT), inner)
    elif isinstance(ours, list) and isinstance(theirs, list):
        for number, (mine, other) in enumerate(zip_longest(ours, theirs, fillvalue=ABSENT), 1):
            yield from value_differences(mine, other, f"{path} {number}".strip())
    else:
        where = f"{path}: " if path else ""
        yield f"{where}ours is {shown_value(ours)}, the marketplace's {shown_value(theirs)}."


def shown_value(value: object) -> str:
    """Return a value in quotes, shortened, or "empty"."""
    if value is ABSENT or value in (None, "", {}, []):
        return "empty"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"“{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}”"
