"""The contract of an annotation scheme: plain values in, plain values out.

A scheme handles payloads only. It has no access to workers, money or tables, and the apps call it
only through this protocol. Spans are half-open token ranges `[start, end)`. Content is JSON.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol

from metrics.alignment import LabelledSpans
from metrics.corrections import Decision
from metrics.counts import Counts

Json = dict[str, Any]
Tokens = Sequence[str]


class ContentError(ValueError):
    """Invalid content. `path` locates the error, for example `questions[2].answers[0]`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message


class FileError(ValueError):
    """An unreadable file or row. `line` counts from 1 and includes the header."""

    def __init__(self, file: str, line: int | None, message: str, *, field: str = "") -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {field + ': ' if field else ''}{message}")
        self.file = file
        self.line = line
        self.field = field
        self.message = message


def refuse(error: FileError) -> NoReturn:
    """Raise the error, for readers that need whole files, such as scores."""
    raise error


class FieldError(ValueError):
    """An invalid value of a field, before its file and line are known."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message

    def at(self, path: Path, line: int) -> FileError:
        return FileError(path.name, line, self.message, field=self.field)


@dataclass(frozen=True, slots=True)
class SentenceRecord:
    """A sentence read from a file. `line` is its line number, for messages."""

    external_id: str
    tokens: tuple[str, ...]
    line: int
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """A unit of annotation.

    `local_key` is unique within the sentence. `target` is defined by the scheme.
    """

    external_id: str
    local_key: str
    target: Json
    line: int = 0


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """The reference annotation of an item, as read from a file.

    `provenance` has one entry per question or equivalent unit: the ids of the worker and of the source
    assignments, where the file has them.
    """

    item: ItemRecord
    content: Json
    provenance: list[Json]
    line: int


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A gold item to be written. Its ids are safe to publish."""

    external_id: str
    tokens: tuple[str, ...]
    target: Json
    content: Json
    provenance: list[Json]
    judged: "Judged | None" = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgments that led to an item's gold, for formats that store every judgment.

    `generations` has each annotator's id and content. `consolidation` is the content of the annotator
    who merged them, and `by` is that annotator's id. It is empty if an expert wrote the gold or if the
    gold was computed from validations. `validations` has each validator's id and content.
    """

    generations: list[tuple[str, Json]]
    by: str
    consolidation: Json
    validations: list[tuple[str, Json]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A submission compared with a reference.

    `counts` maps figures ("UA", "LA") to counts. `rows` are the aligned JSON objects of a feedback
    page. Each row's `state` is matched, missed, extra, redundant or label-differs.
    """

    counts: Mapping[str, Counts]
    rows: list[Json]
    rule: str


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """The outcome of one source in a merge, as counts.

    Its questions were kept, edited, merged into another question, or dropped. `answers_kept` counts its
    distinct answers that are in the result exactly, `answers_edited` those with other boundaries.
    """

    questions: int = 0
    kept: int = 0
    edited: int = 0
    merged: int = 0
    dropped: int = 0
    answers: int = 0
    answers_kept: int = 0
    answers_edited: int = 0

    def __add__(self, other: "SourceOutcome") -> "SourceOutcome":
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.__slots__)
        return SourceOutcome(*(left + right for left, right in pairs))


@dataclass(frozen=True, slots=True)
class Trace:
    """A retrospective analysis of a merge.

    `provenance` has one JSON object per question of the result. `fates` has one outcome per source.
    """

    provenance: list[Json]
    fates: list[SourceOutcome]


class Scheme(Protocol):
    """The contract of a scheme. `schemes.registry` lists all schemes."""

    name: str
    title: str
    schema_version: int
    # Names of the rules behind its decisions, by purpose. A changed rule gets a new name.
    rules: Mapping[str, str]
    # Supported formats by their command-line names. Corpus formats list their file extensions.
    corpus_formats: Mapping[str, Sequence[str]]
    export_formats: Sequence[str]

    def find_items(
        self, external_id: str, tokens: Tokens, metadata: Json | None = None
    ) -> list[ItemRecord]:
        """Return the items of a sentence for which no item file was given.

        Readers may store known targets in `metadata["items"]`. If so, they are used and none are
        detected.
        """
        ...

    def complete_item(self, item: ItemRecord, tokens: Tokens) -> ItemRecord:
        """Return the item with the fields that its pages need added to the target.

        Raises ContentError (path `verb_idx` ...) if the sentence has no such item.
        """
        ...

    def headline(self, tokens: Tokens, target: Json) -> str:
        """Return a short label that identifies the item in a list."""
        ...

    def search_texts(self, content: Json, target: Json) -> tuple[list[str], list[str]]:
        """Return the texts by which gold is searched.

        The first list has its questions or equivalent units, the second the forms of the target.
        """
        ...

    def shared_page_data(self) -> Json:
        """Return the page script's data that all items of the scheme share."""
        ...

    def page_data(self, tokens: Tokens, target: Json) -> Json:
        """Return the generation page's data for an item, such as a grammar."""
        ...

    def lay_out(self, sources: Sequence[Json], *, tokens: Tokens, target: Json) -> Json:
        """Align parsed submissions for the consolidation page, labelled by position."""
        ...

    def asked_of_validators(self, sources: Sequence[Json]) -> Json:
        """Return what the validation page shows: no answers and no annotators."""
        ...

    # Each parser returns normalised JSON or raises ContentError.
    def parse_generation(self, content: object, *, tokens: Tokens, target: Json) -> Json: ...

    def parse_consolidation(
        self, content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
    ) -> Json: ...

    def parse_validation(
        self, content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
    ) -> Json: ...

    def parse_gold(self, content: object, *, tokens: Tokens, target: Json) -> Json: ...

    def parse_system(self, content: object, *, tokens: Tokens, target: Json) -> Json:
        """Parse a program's output as a source for a merge. It may contradict itself."""
        ...

    def gold_of(self, consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
        """Return gold content and its provenance.

        Provenance has `{"source": position or None, "state": state}` per question. The state is
        kept, edited or new.
        """
        ...

    def gold_of_validations(
        self, sources: Sequence[Json], validations: Sequence[Json], *, agree: int
    ) -> tuple[Json, list[Json]]:
        """Return the gold content that at least `agree` validators find valid, and its provenance.

        Provenance has `{"source", "state", "valid", "answers"}` per question. `valid` counts the
        validators who found it valid. `answers` has `{"generator": bool, "validators": positions}`
        per answer, for those who gave exactly this span. The order of the validators does not
        affect the content.
        """
        ...

    def count_same_verdicts(self, one: Json, other: Json) -> tuple[int, int]:
        """Compare two validations of an item. Return (equal verdicts, all verdicts)."""
        ...

    def trace(self, consolidation: Json, sources: Sequence[Json]) -> Trace:
        """Return the origins of a parsed consolidation's questions and answers."""
        ...

    def as_source(self, content: Json) -> Json:
        """Return parsed content of any kind as a source for a merge.

        All sources have the same fields, so that none reveals its origin.
        """
        ...

    def keep_all(self, source: Json) -> Json:
        """Return a consolidation that keeps all of one source, to start a correction from."""
        ...

    def count_units(self, content: Json, *, role: str) -> int:
        """Return the number of units that pay depends on. For QA-SRL, these are questions.

        A consolidator is paid for the units judged.
        """
        ...

    # The content of simulated workers in a rehearsal.
    def simulate_generation(
        self, reference: Json, *, tokens: Tokens, skill: float, seed: str
    ) -> Json:
        """Return a generator's content: the reference with errors, none at `skill` 1."""
        ...

    def simulate_consolidation(
        self, reference: Json, sources: Sequence[Json], *, skill: float, seed: str
    ) -> Json:
        """Return a consolidator's content. At skill 1 its gold equals the reference."""
        ...

    def invent_reference(self, tokens: Tokens, target: Json) -> Json:
        """Return made-up content for an item without a reference, for simulated workers."""
        ...

    def simulate_validation(
        self, reference: Json, asked: Json, *, tokens: Tokens, skill: float, seed: str
    ) -> Json:
        """Return a validator's content for the output of `asked_of_validators`.

        At skill 1 the reference's questions are valid, with its answers, and all others invalid.
        """
        ...

    def split_by_source(self, reference: Json, provenance: Sequence[Json]) -> list[Json]:
        """Return each generator's part of a published gold, in a stable order."""
        ...

    def labelled_spans(self, content: Json) -> LabelledSpans:
        """Return the distinct answer spans of content with their labels.

        Raises ContentError.
        """
        ...

    def compare(
        self,
        *,
        reference: Json,
        predicted: Json,
        tokens: Tokens,
        target: Json,
        decisions: Iterable[Decision] = (),
    ) -> Comparison:
        """Compare an annotation with a reference. `decisions` override automatic matches.

        Raises ValueError for a decision about an absent span and for contradicting decisions.
        """
        ...

    def remarks_on(
        self, comparison: Comparison, *, tokens: Tokens, target: Json
    ) -> list[tuple[str, str]]:
        """Return likely remarks on the rows as pairs (error code, sentence)."""
        ...

    def guideline_section(self, code: str, *, role: str) -> str:
        """Return the anchor of the guideline section that an error violates, or ""."""
        ...

    def read_sentences(
        self, path: Path, *, fmt: str, on_error: "ErrorSink"
    ) -> Iterator[SentenceRecord]:
        """Yield the sentences of a file.

        Bad rows go to `on_error`, which may raise, and are skipped. Raises FileError if the file is
        unreadable.
        """
        ...

    def read_items(self, path: Path, *, on_error: "ErrorSink") -> Iterator[ItemRecord]: ...

    def read_gold(self, path: Path, *, fmt: str, on_error: "ErrorSink") -> Iterator[GoldRecord]: ...

    def write_gold(self, rows: Iterable[ExportRow], path: Path, *, fmt: str) -> int:
        """Stream the rows to `path`. Return the number of rows written in the format."""
        ...

    def sentence_file(self, path: Path) -> AbstractContextManager["SentenceSink"]:
        """Open `path` to write sentences in the published format."""
        ...


class SentenceSink(Protocol):
    def __call__(self, sentence: SentenceRecord) -> object: ...


class ErrorSink(Protocol):
    def __call__(self, error: FileError) -> None: ...
