"""What a requester enters about a release: version, licences, authors and answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from audit.errors import TouchstoneError

VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_ORCID = re.compile(r"(?:https?://orcid\.org/)?([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X])")
ORCID_ADDRESS = "https://orcid.org/"


class ReleaseDetailsError(TouchstoneError):
    """The details of a release are incomplete or wrong. The message names the field or line."""


@dataclass(frozen=True, slots=True)
class Author:
    """An author of a dataset. `orcid` has the form 0000-0000-0000-0000, or is ""."""

    family: str
    given: str = ""
    orcid: str = ""
    affiliation: str = ""

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def sorted_name(self) -> str:
        return f"{self.family}, {self.given}" if self.given else self.family


@dataclass(frozen=True, slots=True)
class ReleaseDetails:
    """The details of a release.

    `partitions` are those of the released sentences, and none means all. Sentences without a partition
    have "". `licence` is that of the annotations and `text_licence` that of the texts, as SPDX
    identifiers. With `images`, the images of the sentences are released too. `answers` are what the
    authors wrote about `releases.domain.topics`, by key.
    """

    version: str
    licence: str
    authors: Sequence[Author]
    partitions: Sequence[str] = ()
    source: str = ""
    text_licence: str = ""
    notes: str = ""
    funding: str = ""
    contact: str = ""
    url: str = ""
    images: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "partitions": list(self.partitions)}


def details_of_json(stored: Mapping[str, Any]) -> ReleaseDetails:
    """Return the details that `as_json` gave."""
    authors = [Author(**author) for author in stored["authors"]]
    return ReleaseDetails(**{**stored, "authors": authors})


def parse_version(text: str) -> tuple[int, int]:
    """Return the numbers of a version such as 1.0. Raise ReleaseDetailsError."""
    match = VERSION.fullmatch(text)
    if not match:
        raise ReleaseDetailsError(f"{text!r} is no version. Enter two numbers, such as 1.0.")
    return int(match[1]), int(match[2])


def parse_authors(text: str) -> list[Author]:
    """Return the authors of a text with one per line: family name, given name; ORCID; affiliation.

    ORCID and affiliation can be left out. Raise ReleaseDetailsError.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise ReleaseDetailsError("Enter at least one author.")
    return [_author(number, line) for number, line in lines]


def parse_orcid(text: str) -> str:
    """Return an ORCID iD without its address, or "" for "". Raise ReleaseDetailsError."""
    match = _ORCID.fullmatch(text.strip())
    if not text.strip():
        return ""
    if not match or not is_orcid(match[1]):
        raise ReleaseDetailsError(f"{text!r} is no ORCID iD.")
    return match[1]


def _author(number: int, line: str) -> Author:
    name, *others = (part.strip() for part in line.split(";"))
    family, _, given = (part.strip() for part in name.partition(","))
    if not family or len(others) > 2:
        raise ReleaseDetailsError(
            f"Author in line {number}: write “Family name, given name; ORCID; affiliation”."
        )
    orcid, affiliation = "", ""
    for other in others:
        match = _ORCID.fullmatch(other)
        if match and not is_orcid(match[1]):
            raise ReleaseDetailsError(
                f"Author in line {number}: {match[1]} is no ORCID iD, because its last digit is wrong."
            )
        if match:
            orcid = match[1]
        elif other and affiliation:
            raise ReleaseDetailsError(
                f"Author in line {number}: {affiliation!r} is no ORCID iD. Write it like "
                "0000-0000-0000-0000."
            )
        else:
            affiliation = affiliation or other
    return Author(family, given, orcid, affiliation)


def authors_text(authors: Sequence[Author]) -> str:
    """Return the text from which `parse_authors` reads these authors."""
    return "\n".join(
        "; ".join(filter(None, [author.sorted_name, author.orcid, author.affiliation]))
        for author in authors
    )


def is_orcid(text: str) -> bool:
    """Return True if the last character is the check digit of the others (ISO 7064, MOD 11-2)."""
    total = 0
    for digit in text.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return text[-1] == ("X" if check == 10 else str(check))
