"""What an upload of a release would do, before anything is sent."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

from audit.errors import TouchstoneError
from releases.domain.release_files import ReleaseFiles
from releases.enums import Service
from releases.models import Publication, Release


class PublishingError(TouchstoneError):
    """The service refuses the upload or does not answer. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a release goes. The repository and its visibility are for the Hub only."""

    service: Service
    repository: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file of the upload. `change` is "new", "replaced", "removed" or "kept"."""

    name: str
    bytes: int
    change: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What an upload would do.

    `place` is the address that the release would have, or would get. `confirmation` is what a person
    enters to confirm the upload. `shown` is what the service would show, `notes` what people should
    know, and `problems` what would make the upload fail.
    """

    target: Target
    account: str
    place: str
    summary: str
    confirmation: str
    files: Sequence[PlannedFile] = ()
    shown: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    problems: Sequence[str] = field(default=())

    @property
    def total_bytes(self) -> int:
        return sum(file.bytes for file in self.files if file.change in ("new", "replaced"))

    @property
    def digest(self) -> str:
        """Return a value that changes with the plan."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class Publisher(Protocol):
    """A service that releases are published on. All methods raise PublishingError."""

    def plan(self, release: Release, target: Target) -> Plan:
        """Return what an upload would do. Only reads are sent."""

    def upload(self, publication: Publication, files: ReleaseFiles) -> None:
        """Upload and publish the files, and store what is known about the publication.

        It can be repeated after it ended anywhere, and then continues. It does nothing twice.
        """


def details_problems(release: Release) -> list[str]:
    """Return what every service needs and the release lacks."""
    problems = []
    if not release.is_built:
        problems.append("The files of the release have not been written.")
    if not release.details["licence"]:
        problems.append("The release has no licence. Make another release with a licence.")
    if not release.details["authors"]:
        problems.append("The release has no authors. Make another release that names them.")
    return problems


def details_notes(release: Release) -> list[str]:
    """Return what people should know about the release before others can read it."""
    notes = []
    if not release.details["text_licence"]:
        notes.append(
            "The licence of the texts is not stated. Check that you may redistribute them."
        )
    if release.facts["simulated"]:
        notes.append(
            "Simulated workers did the work. The figures say nothing about real annotators."
        )
    return notes


def shown_details(release: Release, licence: str) -> list[tuple[str, str]]:
    """Return the details that all services show."""
    names = [
        f"{author['given']} {author['family']}".strip() for author in release.details["authors"]
    ]
    return [
        ("Title", release.facts["title"]),
        ("Version", release.version),
        ("Authors", ", ".join(names)),
        ("Licence", licence),
    ]
