"""Resources of a project, such as lexica, and precedents."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from schemes.contract.items import ItemContext
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


class ResourceProposals(Protocol):
    """Entries that annotations use and a resource lacks. Staff accept or reject them.

    An entry is a tuple of short texts, such as a word and its sense, and `parts` are their headings.
    `fields` are the fields of an annotation's content that make an entry.
    """

    noun: Noun
    parts: Sequence[str]
    fields: Sequence[str]

    @abstractmethod
    def missing(
        self, value: Json, used: Iterable[tuple[str, ...]]
    ) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Return the entries that the value lacks, by the fields' values of annotations."""

    @abstractmethod
    def add(self, value: Json, entries: Mapping[tuple[str, ...], int]) -> Json:
        """Return the value with these entries, each with the number of its annotations."""


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


@dataclass(frozen=True, slots=True)
class MappedContent:
    """An annotation in the form of a later version of a resource.

    `lost` has a sentence for each part that the version has no place for, and `missing` says what the
    version requires in addition, or "". `units` has the earlier position of each unit, of
    `units_before` in all.
    """

    content: Json
    lost: Sequence[str] = ()
    missing: str = ""
    units: Sequence[int] = ()
    units_before: int = 0


class ContentMapping(Protocol):
    """A mapping of annotations from a version of a resource to a later one."""

    @abstractmethod
    def map_content(self, content: Json, context: ItemContext) -> MappedContent:
        """Return an annotation of the item in the form of the later version."""

    @abstractmethod
    def map_judgment(self, judgment: Json, units: Sequence[int]) -> Json:
        """Return a validation of an annotation whose units have these earlier positions."""


class Resource(Protocol):
    """A resource of a project, such as a lexicon.

    `formats` maps command-line names to readers. `empty` is the value to which switches apply before
    an import, if it is valid. `written` is None unless staff write the resource as text, and `proposals`
    unless annotations can add to it. `index` and `add_labels` are None if the resource has no such
    function.
    No function changes a value, because a process shares it between requests.
    """

    label: str
    formats: Mapping[str, ReadResource] = {}
    switches: Sequence[ResourceSwitch] = ()
    presets: Sequence[ResourcePreset] = ()
    empty: Json | None = None
    browser: ResourceBrowser | None = None
    written: WrittenResource | None = None
    proposals: ResourceProposals | None = None

    @abstractmethod
    def parse(self, value: object) -> Json:
        """Check an uploaded JSON value. Raise ContentError."""

    def check_change(self, before: Json, after: Json) -> None:
        """Raise ContentError if a value can't follow another one, although it is valid."""
        return

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

    def mapping(self, versions: Sequence[Json]) -> ContentMapping | None:
        """Return what maps annotations to the last version, if versions change them.

        `versions` are the values from the one with which the annotations were made, in order.
        """
        return None


@dataclass(frozen=True, slots=True)
class PrecedentQuery:
    """The annotations that a page asks for: fields of their items' targets, and of their content."""

    target: Json = field(default_factory=dict)
    content: Json = field(default_factory=dict)


class Precedents(Protocol):
    """How others annotated similar items, for a worker's page."""

    @abstractmethod
    def parse_query(self, query: str) -> PrecedentQuery:
        """Return the annotations that answer the page's query."""

    @abstractmethod
    def summarize(self, query: str, contents: Iterable[Json]) -> list[Json]:
        """Return the page's answer from these annotations."""
