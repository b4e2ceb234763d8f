"""XML and text files of a folder or a zip archive, read one at a time in bounded memory.

Entities and external references are refused, and so are archives that unpack to too much. Archives
are never unpacked to a disk, so the paths in them are only names.
"""

import lzma
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO
from unicodedata import normalize
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers.expat import ErrorString

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from schemes.archives import DAMAGED, check_directory, check_members
from schemes.contract.errors import FileError
from schemes.text_lines import LONE_RETURN

MAX_FILES = 100_000
MAX_FILE_BYTES = 32 << 20
MAX_TOTAL_BYTES = 512 << 20
MAX_DEPTH = 50
_CHUNK = 1 << 16


class LinedElement(Element):
    """An element with the line on which it starts."""

    line = 0


@dataclass
class Budget:
    """The number of bytes that may still be read."""

    left: int = field(default_factory=lambda: MAX_TOTAL_BYTES)


@dataclass(frozen=True)
class XmlFile:
    """A file of a release. `path` is relative to the folder or archive."""

    path: PurePosixPath
    open: Callable[[], IO[bytes]]
    budget: Budget

    @property
    def name(self) -> str:
        return str(self.path)[-200:]

    def error(self, message: str, line: int | None = None) -> FileError:
        return FileError(self.name, line, message)

    def lines(self) -> list[str]:
        """Return the lines of a text file, which end in LF or CRLF. Raise FileError."""
        try:
            with self.open() as file:
                data = file.read(min(MAX_FILE_BYTES, max(self.budget.left, 0)) + 1)
        except (*DAMAGED, ValueError) as error:
            raise self.error("cannot be read; copy or download it again.") from error
        self.budget.left -= len(data)
        if len(data) > MAX_FILE_BYTES or self.budget.left < 0:
            raise self.error(f"is larger than {MAX_FILE_BYTES >> 20} MiB, or others before it are.")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.error("is not UTF-8 text; is this the right file?") from error
        # Not splitlines(), which also splits at characters such as U+2028 and form feed.
        lines = [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]
        for number, line in enumerate(lines, start=1):
            if "\r" in line:
                raise self.error(LONE_RETURN, number)
            if "\x00" in line:
                raise self.error("contains a NUL byte; this is not a text file.", number)
        return lines

    def elements(self, wanted: str) -> Iterator[LinedElement]:
        """Yield the complete elements of a tag, which are emptied afterwards.

        Tags have no namespace. Raise FileError for anything but safe, complete XML.
        """
        finished: list[LinedElement] = []
        builder = _Builder(wanted, finished.append, self)
        parser = DefusedXMLParser(target=builder)
        builder.line_of = lambda: parser.parser.CurrentLineNumber
        try:
            with self.open() as file:
                yield from self._parsed(parser, file, finished)
        except ParseError as error:
            message = f"is not complete XML ({ErrorString(error.code)})."
            raise self.error(message, error.position[0]) from error
        except DefusedXmlException as error:
            message = "declares entities or refers to other files, which is not allowed."
            raise self.error(message, parser.parser.CurrentLineNumber) from error
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError) as error:
            raise self.error("is damaged in the archive; copy or download it again.") from error
        except (RuntimeError, NotImplementedError) as error:
            message = "is encrypted or packed in an unknown way; pack it as a plain zip file."
            raise self.error(message) from error
        except (LookupError, ValueError) as error:
            if isinstance(error, FileError):
                raise
            message = "has an unknown encoding; save it as UTF-8."
            raise self.error(message, parser.parser.CurrentLineNumber) from error
        except OSError as error:
            message = f"cannot be read ({error.strerror or error})."
            raise self.error(message) from error

    def _parsed(
        self, parser: DefusedXMLParser, file: IO[bytes], finished: list[LinedElement]
    ) -> Iterator[LinedElement]:
        size = 0
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            self.budget.left -= len(chunk)
            if size > MAX_FILE_BYTES:
                raise self.error(f"is larger than {MAX_FILE_BYTES >> 20} MiB.")
            if self.budget.left < 0:
                raise self.error(f"exceeds {MAX_TOTAL_BYTES >> 20} MiB with the files before it.")
            parser.feed(chunk)
            yield from _emptied(finished)
        parser.close()
        yield from _emptied(finished)


@contextmanager
def xml_files(path: Path, suffixes: Collection[str] = (".xml",)) -> Iterator[list[XmlFile]]:
    """Open a folder or a zip archive and return its files of these suffixes in order.

    Raise FileError.
    """
    if path.is_dir():
        yield _files_of_folder(path, suffixes)
        return
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        message = f"cannot be opened ({error.strerror}); check the path."
        raise FileError(path.name, None, message) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        message = "is neither a folder nor a complete zip file."
        raise FileError(path.name, None, message) from error
    with archive:
        yield _files_of_archive(archive, path, suffixes)


def _files_of_folder(folder: Path, suffixes: Collection[str]) -> list[XmlFile]:
    budget = Budget()
    paths: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(parent, name) for name in names if _is_wanted(PurePosixPath(name), suffixes)]
        _check_number(len(paths), folder)
    files = [
        XmlFile(PurePosixPath(path.relative_to(folder)), partial(_open, path), budget)
        for path in sorted(paths)
    ]
    _check_names([file.path for file in files], "folder")
    return files


def _files_of_archive(
    archive: zipfile.ZipFile, path: Path, suffixes: Collection[str]
) -> list[XmlFile]:
    budget = Budget()
    check_directory(archive, path)
    check_members(archive, path)
    wanted = [
        (PurePosixPath(entry.filename.replace("\\", "/")), entry)
        for entry in archive.infolist()
        if not entry.is_dir()
    ]
    wanted = [(name, entry) for name, entry in wanted if _is_wanted(name, suffixes)]
    _check_number(len(wanted), path)
    _check_names([name for name, _ in wanted], "archive")
    entries = dict(wanted)
    return [XmlFile(name, partial(archive.open, entries[name]), budget) for name in sorted(entries)]


def _open(path: Path) -> IO[bytes]:
    return path.open("rb")


def _is_wanted(path: PurePosixPath, suffixes: Collection[str]) -> bool:
    hidden = path.name.startswith(".") or "__MACOSX" in path.parts
    return path.suffix.lower() in suffixes and not hidden


def _check_names(names: Iterable[PurePosixPath], place: str) -> None:
    """Raise FileError for a path that is in an archive or folder twice, in any Unicode normal form."""
    for name, number in Counter(normalize("NFC", str(name)) for name in names).items():
        if number > 1:
            raise FileError(name[-200:], None, f"is in the {place} {number} times.")


def _check_number(number: int, path: Path) -> None:
    if number > MAX_FILES:
        raise FileError(path.name, None, f"has more than {MAX_FILES:,} files.")


def _emptied(finished: list[LinedElement]) -> Iterator[LinedElement]:
    for element in finished:
        yield element
        element.clear()
    finished.clear()


class _Builder(TreeBuilder):
    """A tree builder that reports complete elements and drops others' namespaces."""

    def __init__(
        self, wanted: str, report: Callable[[LinedElement], object], file: XmlFile
    ) -> None:
        super().__init__(element_factory=self._element)
        self.line_of: Callable[[], int] = int
        self._wanted = wanted
        self._report = report
        self._file = file
        self._depth = 0

    def _element(self, tag: str, attributes: dict[str, str]) -> LinedElement:
        element = LinedElement(tag.rpartition("}")[2], attributes)
        element.line = self.line_of()
        return element

    def start(self, tag: str, attrs: dict[str, str]) -> Element:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._file.error("has elements nested too deeply.", self.line_of())
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:
        self._depth -= 1
        element = super().end(tag)
        if isinstance(element, LinedElement) and element.tag == self._wanted:
            self._report(element)
        return element
