"""JSON of files from outside, in which each key and each character has one meaning.

Python's reader keeps the last of several values of a key, and reads NUL and halves of surrogate pairs,
which no database stores.
"""

import json
import re
from collections import Counter
from typing import Any, NoReturn

from schemes.contract.errors import FieldError
from schemes.contract.values import Json

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# The same characters as escapes. Whole pairs and escaped backslashes match too.
_MAY_BE_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_MAX_SHOWN = 80


class RepeatedKeyError(ValueError):
    """An object with a key twice."""

    def __init__(self, key: str) -> None:
        self.key = UNSTORABLE.sub("\ufffd", key)
        super().__init__(f"has the key “{self.key[:_MAX_SHOWN]}” twice")


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        numbers = Counter(name for name, _ in pairs)
        raise RepeatedKeyError(next(name for name, number in numbers.items() if number > 1))
    return unique


# Raises RepeatedKeyError. Otherwise it is Python's own.
DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def json_value(text: str | bytes) -> Any:
    """Return the value of JSON text.

    Raise FieldError for text that is not JSON, a repeated key, and characters that can't be stored.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text))
        value = DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise FieldError("", f"{json_problem(error)}.") from None
    if _MAY_BE_UNSTORABLE.search(text):
        check_storable(value)
    return value


def is_json(text: str) -> bool:
    """Return True for objects and for lists of them, and False for names such as "[1]"."""
    if not text.startswith(("[", "{")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) or all(isinstance(part, dict | list) for part in value)


def json_object(text: str | bytes) -> Json:
    """Return a JSON object. Raise FieldError as `json_value` does, and for other values."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise FieldError("", "is not a JSON object.")
    return value


def json_problem(error: Exception) -> str:
    """Return why text is not JSON, as the end of a sentence."""
    if isinstance(error, RepeatedKeyError):
        return str(error)
    return f"is not JSON ({str(error)[:_MAX_SHOWN]})"


def check_storable(value: Any) -> None:
    """Raise FieldError, with the path as its field, for a text or key that can't be stored."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        path, part = pending.pop()
        if isinstance(part, str) and UNSTORABLE.search(part):
            _refuse(path)
        elif isinstance(part, list):
            pending += [(f"{path}[{at}]", member) for at, member in enumerate(part)]
        elif isinstance(part, dict):
            for key, member in part.items():
                # Cut, because a long key would be copied for each value below it.
                place = (f"{path}.{key}" if path else key)[:_MAX_SHOWN]
                if UNSTORABLE.search(key):
                    _refuse(UNSTORABLE.sub("\ufffd", place))
                pending.append((place, member))


def _refuse(path: str) -> NoReturn:
    raise FieldError(path[:_MAX_SHOWN], "has a NUL or half of a character.")
