"""AnswerFormatRegex: regular expressions of requesters, which answers must contain a match of."""

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from marketplace.domain import regex_search
from marketplace.domain.xml_document import SchemaError, check_attributes

#: MTurk's default.
DEFAULT_PROBLEM = "Invalid input supplied."
LONGEST_PATTERN = 1_000
PROGRAM = Path(regex_search.__file__)
#: More than the program's own limit, which applies first.
TIMEOUT_SECONDS = regex_search.CPU_SECONDS + 4


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    pattern: str
    #: The error for answers without a match.
    problem: str
    ignores_case: bool


def read_answer_format(element: Element) -> AnswerFormat:
    """Return the expression of an element. Raise SchemaError if it does not compile."""
    check_attributes(element, ("regex", "errorText", "flags"))
    pattern, flags = element.get("regex"), element.get("flags", "")
    if pattern is None or len(pattern) > LONGEST_PATTERN:
        raise SchemaError(
            f"AnswerFormatRegex must have a regex of at most {LONGEST_PATTERN} characters."
        )
    if flags not in ("", "i"):
        raise SchemaError('The flags of AnswerFormatRegex can only be "i".')
    with warnings.catch_warnings(action="ignore"):
        try:
            re.compile(pattern, re.ASCII)
        except (re.error, ValueError, OverflowError, RecursionError):
            raise SchemaError(f"{pattern!r} is not a regular expression.") from None
    problem = " ".join((element.get("errorText") or DEFAULT_PROBLEM).split())
    return AnswerFormat(pattern, problem, flags == "i")


def find_matches(searches: Sequence[tuple[AnswerFormat, str]]) -> list[bool]:
    """Return for each text whether it contains a match.

    If the expressions exceed the limits on time or memory, all texts count as matches. A worker cannot
    correct a requester's expression, and requesters have to check answers anyway.
    """
    if not searches:
        return []
    queries = [[search.pattern, search.ignores_case, text] for search, text in searches]
    try:
        completed = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-I", "-S", PROGRAM],
            input=json.dumps(queries).encode(),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
    except subprocess.SubprocessError:
        return [True] * len(searches)
    matches: list[bool] = json.loads(completed.stdout)
    return matches
