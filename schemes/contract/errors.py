"""The errors of schemes."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

from schemes.contract.texts import Translatable


class ContentError(ValueError):
    """Invalid content. `path` locates the error, for example `units[2].spans[0]`."""

    def __init__(self, path: str, message: str, **values: Any) -> None:
        """Create an error. Pages translate the message, and then put in its values: `%(name)s`."""
        self.path = path
        self.message = Translatable(message, **values)
        super().__init__(f"{path}: {self.message}" if path else self.message)


class UnknownLabelError(ContentError):
    """A label that the resource of this name lacks."""

    def __init__(self, path: str, message: str, *, resource: str, **values: Any) -> None:
        super().__init__(path, message, **values)
        self.resource = resource


@dataclass(frozen=True, slots=True)
class WordsInText:
    """Words that a refused record states for a half-open range of characters.

    `field` is the path of their field in the content.
    """

    field: str
    start: int
    end: int
    text: str


class FileError(ValueError):
    """An unreadable file or row. `line` counts from 1 and includes the header.

    `items` are the items that are left out because of it, as pairs of sentence and local key, if the
    reader knows them. `words` are those that a left out record states. They may belong to another one.
    """

    def __init__(
        self,
        file: str,
        line: int | None,
        message: str,
        *,
        field: str = "",
        items: Iterable[tuple[str, str]] = (),
        words: Iterable[WordsInText] = (),
    ) -> None:
        line = line or None
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {field + ': ' if field else ''}{message}")
        self.file = file
        self.line = line
        self.field = field
        self.message = message
        self.items = frozenset(items)
        self.words = tuple(words)


class MissingPartError(ValueError):
    """The scheme lacks an optional part that was requested."""


class FieldError(ValueError):
    """An invalid value of a field, before its file and line are known."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message

    def at(self, path: Path, line: int) -> FileError:
        return FileError(path.name, line, self.message, field=self.field)


class ErrorSink(Protocol):
    def __call__(self, error: FileError, /) -> None: ...


def refuse(error: FileError) -> NoReturn:
    """Raise the error, for readers that need whole files, such as scores."""
    raise error
