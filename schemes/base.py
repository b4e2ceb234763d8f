"""What an annotation scheme is: plain values in, plain values out.

A scheme knows payloads and nothing of workers, money or tables. The rest of the house calls it
through this protocol only. Spans are half-open token ranges `[start, end)`; content is JSON.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from metrics.alignment import LabelledSpans
from metrics.corrections import Decision
from metrics.counts import Counts

Json = dict[str, Any]
Tokens = Sequence[str]


class ContentError(ValueError):
    """Content that the scheme refuses: `path` says where, as in `questions[2].answers[0]`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message


class FileError(ValueError):
    """A file, or a row of it, that a reader refuses. `line` counts from 1, the header included."""

    def __init__(self, file: str, line: int | None, message: str, *, field: str = "") -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {field + ': ' if field else ''}{message}")
        self.file = file
        self.line = line
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class SentenceRecord:
    """A sentence as a file gives it. `line` is where it stood, for messages."""

    external_id: str
    tokens: tuple[str, ...]
    line: int
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """A unit of annotation; `local_key` is unique in its sentence, `target` the scheme's own."""

    external_id: str
    local_key: str
    target: Json
    line: int = 0


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """One item's reference annotation as a file gives it.

    `provenance` has an entry per question (or what the scheme has in its place): ids of the worker
    and of the assignments it came from, as far as the file tells.
    """

    item: ItemRecord
    content: Json
    provenance: list[Json]
    line: int


@dataclass(frozen=True, slots=True)
class ExportRow:
    """What a writer needs to know of one gold item; ids are those that may leave the house."""

    external_id: str
    tokens: tuple[str, ...]
    target: Json
    content: Json
    provenance: list[Json]
    judged: "Judged | None" = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What people said of an item on its way to gold, for formats that keep every judgment.

    `generations` has each annotator's id and content; `consolidation` is the content of the one who
    merged them (empty where an expert wrote the gold anew), `by` their id.
    """

    generations: list[tuple[str, Json]]
    by: str
    consolidation: Json


@dataclass(frozen=True, slots=True)
class Comparison:
    """A submission against a reference: counts by figure ("UA", "LA"), and the aligned rows.

    Each row is a JSON object that a feedback page prints; its `state` is one of matched, missed,
    extra, redundant, label-differs.
    """

    counts: Mapping[str, Counts]
    rows: list[Json]
    rule: str


class Scheme(Protocol):
    """The contract of one scheme; `schemes.registry` lists those there are."""

    name: str
    title: str
    schema_version: int
    # What its decisions follow, by purpose: a change of a rule gets a new name.
    rules: Mapping[str, str]
    # Columns or file formats understood, by the names that the command line uses.
    corpus_formats: Sequence[str]
    export_formats: Sequence[str]

    # --- items
    def find_items(
        self, external_id: str, tokens: Tokens, metadata: Json | None = None
    ) -> list[ItemRecord]:
        """The items of a sentence when no file of items gives them.

        A reader that knows them leaves their targets in the sentence's `metadata["items"]`: these
        are taken then, and nothing is guessed.
        """
        ...

    def complete_item(self, item: ItemRecord, tokens: Tokens) -> ItemRecord:
        """The item with what its pages need added to its target.

        Raises ContentError (path `verb_idx` ...) when the sentence has no such item.
        """
        ...

    def headline(self, tokens: Tokens, target: Json) -> str:
        """A few words that name the item in a list."""
        ...

    # --- pages
    def shared_page_data(self) -> Json:
        """What the page's script needs once, the same for every item of the scheme."""
        ...

    def page_data(self, tokens: Tokens, target: Json) -> Json:
        """What the generation page's script needs beyond tokens and target, such as a grammar."""
        ...

    def lay_out(self, sources: Sequence[Json], *, tokens: Tokens, target: Json) -> Json:
        """Several parsed submissions, labelled by position, aligned for the consolidation page."""
        ...

    # --- content, parsed at the edge: each returns normalised JSON or raises ContentError
    def parse_generation(self, content: object, *, tokens: Tokens, target: Json) -> Json: ...

    def parse_consolidation(
        self, content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
    ) -> Json: ...

    def parse_gold(self, content: object, *, tokens: Tokens, target: Json) -> Json: ...

    def gold_of(self, consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
        """Gold content and, per question, `{"source": position or None, "state": state}`.

        `state` is kept, edited or new.
        """
        ...

    def write_lines(self, gold: Json, *, tokens: Tokens) -> str:
        """Gold as text that an expert can correct in a plain field."""
        ...

    def read_lines(self, text: str, *, tokens: Tokens) -> Json:
        """The content of such a text, for `parse_gold`. Raises ContentError."""
        ...

    def count_units(self, content: Json, *, role: str) -> int:
        """The number of units that pay depends on: for QA-SRL, questions.

        A consolidator's are those judged.
        """
        ...

    # --- rehearsal: what simulated workers write
    def simulate_generation(
        self, reference: Json, *, tokens: Tokens, skill: float, seed: str
    ) -> Json:
        """A generator's content: the reference's with errors, fewer the nearer `skill` is to 1."""
        ...

    def simulate_consolidation(
        self, reference: Json, sources: Sequence[Json], *, skill: float, seed: str
    ) -> Json:
        """A consolidator's content: at skill 1 its gold is exactly the reference."""
        ...

    def split_by_source(self, reference: Json, provenance: Sequence[Json]) -> list[Json]:
        """What each of a published gold's generators wrote of it, in a stable order."""
        ...

    # --- figures
    def labelled_spans(self, content: Json) -> LabelledSpans:
        """The distinct answer spans of content, each with its labels. Raises ContentError."""
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
        """With people's `decisions` in place of the automatic ones that they speak of.

        Raises ValueError for a decision about a span that is not there, and for two that contradict.
        """
        ...

    def remarks_on(
        self, comparison: Comparison, *, tokens: Tokens, target: Json
    ) -> list[tuple[str, str]]:
        """What a trainer is likely to say about these rows: (code of the error, a sentence)."""
        ...

    # --- files
    def read_sentences(
        self, path: Path, *, fmt: str, on_error: "ErrorSink"
    ) -> Iterator[SentenceRecord]:
        """Streams; a bad row goes to `on_error` (which may raise) and the next one is read.
        A file that cannot be read at all raises FileError."""
        ...

    def read_items(self, path: Path, *, on_error: "ErrorSink") -> Iterator[ItemRecord]: ...

    def read_gold(self, path: Path, *, fmt: str, on_error: "ErrorSink") -> Iterator[GoldRecord]: ...

    def write_gold(self, rows: Iterable[ExportRow], path: Path, *, fmt: str) -> int:
        """Streams the rows to `path`; returns how many rows of the format were written."""
        ...

    def write_sentences(self, sentences: Iterable[SentenceRecord], path: Path) -> int:
        """Streams the sentences to `path`, as the field publishes them; returns how many."""
        ...


class ErrorSink(Protocol):
    def __call__(self, error: FileError) -> None: ...
