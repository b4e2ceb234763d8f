"""AnswerFormatRegex: regular expressions of requesters, which answers must contain a match of.

RE2 searches in linear time, so that no expression of a requester can occupy a server process. It has no
backreferences and no look-around.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

import re2

from marketplace.domain.xml_document import SchemaError, check_attributes

#: MTurk's default.
DEFAULT_PROBLEM = "Invalid input supplied."
MAX_PATTERN_LENGTH = 1_000


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    pattern: str
    #: The error for answers without a match.
    problem: str
    ignores_case: bool

    def matches(self, text: str) -> bool:
        """Return True if the text contains a match."""
        return _compiled(self.pattern, self.ignores_case).search(text) is not None


def read_answer_format(element: Element) -> AnswerFormat:
    """Return the expression of an element. Raise SchemaError if RE2 does not accept it."""
    check_attributes(element, ("regex", "errorText", "flags"))
    pattern, flags = element.get("regex"), element.get("flags", "")
    if pattern is None or len(pattern) > MAX_PATTERN_LENGTH:
        raise SchemaError(
            f"AnswerFormatRegex must have a regex of at most {MAX_PATTERN_LENGTH} characters."
        )
    if flags not in ("", "i"):
        raise SchemaError('The flags of AnswerFormatRegex can only be "i".')
    ignores_case = flags == "i"
    try:
        _compiled(pattern, ignores_case)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0].decode() if isinstance(error, re2.error) else "not valid text"
        raise SchemaError(
            f"{pattern!r} is not a regular expression of RE2, which has no backreferences and no "
            f"look-around: {reason}."
        ) from None
    problem = " ".join((element.get("errorText") or DEFAULT_PROBLEM).split())
    return AnswerFormat(pattern, problem, ignores_case)


@lru_cache(maxsize=256)
def _compiled(pattern: str, ignores_case: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignores_case
    return re2.compile(pattern, options)
