"""Resources of a project, such as lexica, and precedents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemes.contract.values import Json, Noun


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


@dataclass(frozen=True, slots=True)
class ResourceBrowser:
    """Pages for staff that show a resource's entries, such as those of a lexicon.

    `search` returns the matching entries, the best first, and all entries for an empty query.
    `describe` returns what an entry's page shows, or None if there is no such entry. The template is
    `templates/schemes/<scheme>/<resource>.html`, and `help` describes what a query searches.
    """

    noun: Noun
    help: str
    search: Callable[[Json, str], Sequence[ResourceEntry]]
    describe: Callable[[Json, str], Json | None]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a project, such as a lexicon.

    `parse` checks an uploaded JSON value and raises ContentError. `look_up` answers a query of the
    worker's page. `formats` maps command-line names to readers of a file or folder. A reader gets the
    path and the current value, if there is one, and returns the new value, or raises FileError.
    `empty` is the value to which switches apply before an import, if it is valid.
    `index` returns the part of the value that workers' pages download once per version. `lost` returns
    a sentence for each part of an annotation that the value lacks. `count` returns numbers of parts by
    name. `add_labels` returns the value with the labels of an annotation that it lacks, and these labels.
    It raises ContentError if they are too many. No function changes a value, because a process shares it
    between requests.
    """

    label: str
    parse: Callable[[object], Json]
    look_up: Callable[[Json, str], list[Json]]
    formats: Mapping[str, Callable[[Path, Json | None], object]] = field(default_factory=dict)
    index: Callable[[Json], Json] | None = None
    lost: Callable[[Json, Json], list[str]] = lambda value, content: []
    count: Callable[[Json], Mapping[str, int]] = lambda value: {}
    switches: Sequence[ResourceSwitch] = ()
    presets: Sequence[ResourcePreset] = ()
    add_labels: Callable[[Json, Json], tuple[Json, list[str]]] | None = None
    empty: Json | None = None
    browser: ResourceBrowser | None = None


@dataclass(frozen=True, slots=True)
class Precedents:
    """How other workers annotated similar items, for a worker's page.

    `like` returns the fields of a target that similar items share, from the page's query.
    `summarize` returns the page's answer from their annotations.
    """

    like: Callable[[str], Json]
    summarize: Callable[[Iterable[Json]], list[Json]]
