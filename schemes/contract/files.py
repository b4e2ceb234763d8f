"""Files of gold and submissions."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from schemes.contract.records import ExportRow, SentenceRecord, SubmittedRow
from schemes.contract.values import Json


class SentenceSink(Protocol):
    def __call__(self, sentence: SentenceRecord) -> object: ...


class WriteFileSet(Protocol):
    """Stream rows to the paths by ending. Return how many rows each file has."""

    def __call__(
        self, rows: Iterable[ExportRow], paths: Mapping[str, Path]
    ) -> Mapping[str, int]: ...


@dataclass(frozen=True, slots=True)
class FileSet:
    """A format with several files.

    `endings` are the ends of their names. `sentences` is the ending of a file that has the sentences
    and no gold, if there is any.
    """

    endings: Sequence[str]
    write: WriteFileSet
    sentences: str = ""


class WriteFolder(Protocol):
    """Write rows as files in a folder. Return counts for the manifest."""

    def __call__(self, rows: Iterable[ExportRow], folder: Path) -> Json: ...


class WriteSubmissions(Protocol):
    """Stream submissions to the path. Return how many rows the file has."""

    def __call__(self, rows: Iterable[SubmittedRow], path: Path) -> int: ...


class HoldsTarget(Protocol):
    """Return True if a format has a place for a target."""

    def __call__(self, target: Json) -> bool: ...


class SentenceFile(Protocol):
    """Open a file of the sentences beside the gold.

    With `documents`, it names the documents of sentences, because the ids do not.
    """

    def __call__(
        self, path: Path, *, documents: bool = False
    ) -> AbstractContextManager[SentenceSink]: ...


class Exports(Protocol):
    """Files of gold in the scheme's own formats. Every scheme also has JSON Lines.

    `formats` maps command-line names to file suffixes. `file_sets` are formats with several files, and
    `folders` formats with any number of files in a folder. `submissions` are formats that can hold
    every submission. `holds` are formats that have a place for some targets only, such as nouns.

    Rows of formats in `with_metadata` have the sentences' metadata and images, and those in
    `with_source_workers` the merged annotators. `with_judgments` are formats that store every
    judgment, which may include "jsonl". `sentence_file` is None if there is no such file. `beside` has
    the texts of files that another program needs to read a format, by format and name.
    """

    formats: Mapping[str, str] = {}
    file_sets: Mapping[str, FileSet] = {}
    folders: Mapping[str, WriteFolder] = {}
    submissions: Mapping[str, WriteSubmissions] = {}
    holds: Mapping[str, HoldsTarget] = {}
    with_judgments: Sequence[str] = ()
    with_source_workers: Sequence[str] = ()
    with_metadata: Sequence[str] = ()
    beside: Mapping[str, Mapping[str, str]] = {}

    @property
    def sentence_file(self) -> SentenceFile | None:
        """Return the function that opens the file of sentences, if there is one."""
        return None

    def write(self, rows: Iterable[ExportRow], path: Path, fmt: str) -> int:
        """Stream rows to a file in one of `formats`. Return how many rows the file has."""
        return 0

    def left_out(self, content: Json, fmt: str) -> int:
        """Return how many units of content one of the scheme's own formats has no place for."""
        return 0
