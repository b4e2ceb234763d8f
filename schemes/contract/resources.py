"""Resources of a project, such as lexica, and precedents."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from schemes.contract.values import Json, Noun
from schemes.contract.written_resources import WrittenResource


@dataclass(frozen=True, slots=True)
class ResourceSwitch:
    """A setting within a resource that is on or off.

    `key` is its field in the value. `on` and `off` are the options of commands that change it.
    """

    key: str
    label: str
    on: str
    off: str


@dataclass(frozen=True, slots=True)
class ResourcePreset:
    """A field of a resource with named values, such as inventories of labels.

    `key` is the field in the value, and the option of commands.
    """

    key: str
    label: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ResourceEntry:
    """An entry of a resource in a list."""

    name: str
    text: str
    detail: str = ""


class ResourceBrowser(Protocol):
    """Pages for staff that show a resource's entries, such as those of a lexicon.

    The template is `templates/schemes/<scheme>/<resource>.html`, and `help` describes what a query
    searches.
    """

    noun: Noun
    help: str

    @abstractmethod
    def search(self, value: Json, query: str) -> Sequence[ResourceEntry]:
        """Return the matching entries, the best first, and all entries for an empty query."""

    @abstractmethod
    def describe(self, value: Json, name: str) -> Json | None:
        """Return what an entry's page shows, or None if there is no such entry."""


class ReadResource(Protocol):
    """Return the new value of a resource from a file or folder. Raise FileError.

    `current` is its value, if there is one.
    """

    def __call__(self, path: Path, current: Json | None) -> object: ...


class IndexResource(Protocol):
    """Return the part of a resource's value that workers' pages download once per version."""

    def __call__(self, value: Json) -> Json: ...


class AddLabels(Protocol):
    """Return the value with the labels of an annotation that it lacks, and these labels.

    Raise ContentError if they are too many.
    """

    def __call__(self, value: Json, content: Json) -> tuple[Json, list[str]]: ...


class Resource(Protocol):
    """A resource of a project, such as a lexicon.

    `formats` maps command-line names to readers. `empty` is the value to which switches apply before
    an import, if it is valid. `written` is None unless staff write the resource as text. `index` and
    `add_labels` are None if the resource has no such function.
    No function changes a value, because a process shares it between requests.
    """

    label: str
    formats: Mapping[str, ReadResource] = {}
    switches: Sequence[ResourceSwitch] = ()
    presets: Sequence[ResourcePreset] = ()
    empty: Json | None = None
    browser: ResourceBrowser | None = None
    written: WrittenResource | None = None

    @abstractmethod
    def parse(self, value: object) -> Json:
        """Check an uploaded JSON value. Raise ContentError."""

    @abstractmethod
    def look_up(self, value: Json, query: str) -> list[Json]:
        """Answer a query of the worker's page."""

    def lost(self, value: Json, content: Json) -> list[str]:
        """Return a sentence for each part of an annotation that the value lacks."""
        return []

    def count(self, value: Json) -> Mapping[str, int]:
        """Return numbers of parts by name."""
        return {}

    @property
    def index(self) -> IndexResource | None:
        """Return the function that makes the index, if there is one."""
        return None

    @property
    def add_labels(self) -> AddLabels | None:
        """Return the function that adds labels, if there is one."""
        return None


class Precedents(Protocol):
    """How other workers annotated similar items, for a worker's page."""

    @abstractmethod
    def like(self, query: str) -> Json:
        """Return the fields of a target that similar items share, from the page's query."""

    @abstractmethod
    def summarize(self, contents: Iterable[Json]) -> list[Json]:
        """Return the page's answer from annotations of similar items."""
