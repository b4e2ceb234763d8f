"""Readable differences between two JSON values."""

import json
from collections.abc import Iterator
from itertools import zip_longest

ABSENT = object()
LONGEST = 120


def value_differences(own_copy: object, other_copy: object, path: str = "") -> Iterator[str]:
    """Yield a sentence for each difference, located by its position in the JSON."""
    if own_copy == other_copy and type(own_copy) is type(other_copy):
        return
    if isinstance(own_copy, dict) and isinstance(other_copy, dict):
        for name in dict.fromkeys([*own_copy, *other_copy]):
            inner = f"{path}, {name}" if path else str(name)
            yield from value_differences(
                own_copy.get(name, ABSENT), other_copy.get(name, ABSENT), inner
            )
    elif isinstance(own_copy, list) and isinstance(other_copy, list):
        for number, (mine, other) in enumerate(
            zip_longest(own_copy, other_copy, fillvalue=ABSENT), 1
        ):
            yield from value_differences(mine, other, f"{path} {number}".strip())
    else:
        where = f"{path}: " if path else ""
        yield f"{where}ours is {shown_value(own_copy)}, the marketplace's {shown_value(other_copy)}."


def shown_value(value: object) -> str:
    """Return a value in quotes, shortened, or "empty"."""
    if value is ABSENT or value in (None, "", {}, []):
        return "empty"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"“{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}”"
