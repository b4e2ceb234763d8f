"""What the files of a format look like, from which the format is recognised."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class LayoutKind(StrEnum):
    """The kinds of files that formats use.

    A table has rows under a header: CSV with any separator, a workbook, or JSON objects. JSON Lines
    have an object per line. JSON is a single object, and a JSON list has objects. Files in BIO and IOBES
    have a token per line with its tags.
    """

    TABLE = "table"
    JSON_LINES = "json-lines"
    JSON = "json"
    JSON_LIST = "json-list"
    CONLLU = "conllu"
    BIO = "bio"
    IOBES = "iobes"
    TEXT = "text"
    ARCHIVE = "archive"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `names` are other usual names of the column, and `pattern` is a regular expression for its values.
    Both help to guess the column in a file. A required column may be replaced by the column that names
    it in `instead_of`. `description` explains the column to the person who chooses it.
    """

    name: str
    is_required: bool = True
    names: tuple[str, ...] = ()
    pattern: str = ""
    instead_of: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a format's files.

    `columns` are those of a table, or the keys of the objects in JSON Lines. `keys` are those that the
    objects of a JSON file have, and `any_keys` those of which they have at least one.
    """

    kind: LayoutKind
    columns: tuple[Column, ...] = ()
    keys: tuple[str, ...] = ()
    any_keys: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_required)

    def missing(self, names: Mapping[str, object] | set[str]) -> list[str]:
        """Return the required columns that a header with these names lacks."""
        replaced = {column.instead_of for column in self.columns if column.name in names}
        return [name for name in self.required if name not in names and name not in replaced]
