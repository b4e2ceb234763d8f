"""Text for CSV files that spreadsheets open."""

import re

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def no_formula(value: object) -> object:
    """Return the value, quoted if it is text that a spreadsheet would read as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
