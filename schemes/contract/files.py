"""Files of gold and submissions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from schemes.contract.records import ExportRow, SentenceRecord, SubmittedRow
from schemes.contract.values import Json


class SentenceSink(Protocol):
    def __call__(self, sentence: SentenceRecord) -> object: ...


@dataclass(frozen=True, slots=True)
class FileSet:
    """A format with several files. `endings` are the ends of their names.

    `write` streams rows to the paths by ending, and returns how many rows each file has. `sentences`
    is the ending of a file that has the sentences and no gold, if there is any.
    """

    endings: Sequence[str]
    write: Callable[[Iterable[ExportRow], Mapping[str, Path]], Mapping[str, int]]
    sentences: str = ""


class SentenceFile(Protocol):
    def __call__(
        self, path: Path, *, documents: bool = False
    ) -> AbstractContextManager[SentenceSink]: ...


@dataclass(frozen=True, slots=True)
class Exports:
    """Files of gold in the scheme's own formats. Every scheme also has JSON Lines.

    `formats` maps command-line names to file suffixes. `write` streams rows to the path and returns
    how many rows the file has. `file_sets` are formats with several files, and `folders` are formats
    with any number of files in a folder, which return counts for the manifest. `holds` are formats
    that have a place for some targets only, such as nouns. Rows of formats in `with_metadata` have
    the sentences' metadata and images, and those in `with_source_workers` the merged annotators.
    `with_judgments` are formats that store every judgment, which may include "jsonl". `sentence_file`
    opens a file of the sentences beside the gold, with their documents if the ids do not name them.
    `submissions` maps formats that can hold every submission to writers, which stream submissions to the
    path and return how many rows the file has. `left_out` returns how many units of content the
    scheme's own formats have no place for.
    """

    formats: Mapping[str, str] = field(default_factory=dict)
    write: Callable[[Iterable[ExportRow], Path, str], int] = lambda rows, path, fmt: 0
    file_sets: Mapping[str, FileSet] = field(default_factory=dict)
    folders: Mapping[str, Callable[[Iterable[ExportRow], Path], Json]] = field(default_factory=dict)
    sentence_file: SentenceFile | None = None
    holds: Mapping[str, Callable[[Json], bool]] = field(default_factory=dict)
    with_judgments: Sequence[str] = ()
    with_source_workers: Sequence[str] = ()
    with_metadata: Sequence[str] = ()
    submissions: Mapping[str, Callable[[Iterable[SubmittedRow], Path], int]] = field(
        default_factory=dict
    )
    left_out: Callable[[Json], int] = lambda content: 0
