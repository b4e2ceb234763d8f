"""Sizes of images as files state them."""

import math

from schemes.contract.errors import FieldError

MAX_SIDE = 1_000_000
Size = tuple[int, int]


def stated_size(width: object, height: object) -> Size | None:
    """Return the width and height, of which 0 was not stated, or None if neither was.

    Raise FieldError for a side that is not a whole number of pixels. Numbers may be texts.
    """
    size = _side(width, "width"), _side(height, "height")
    return size if any(size) else None


def _side(value: object, name: str) -> int:
    if type(value) is int and 0 < value <= MAX_SIDE:
        return value
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return 0
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number = float(value)
    except (ValueError, OverflowError):
        number = 0
    if not (0 < number <= MAX_SIDE and number.is_integer()):
        raise FieldError(name, f"{str(value)[:40]!r} is not a whole number of pixels.")
    return int(number)
