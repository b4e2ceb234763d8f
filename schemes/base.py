"""What an annotation scheme is: plain values in, plain values out.

A scheme knows payloads and nothing of workers, money or tables. The rest of the house calls it
through this protocol only. Spans are half-open token ranges `[start, end)`; content is JSON.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
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
    merged them (empty where nobody did: an expert wrote the gold anew, or it was worked out of
    validations), `by` their id. `validations` has each validator's id and content.
    """

    generations: list[tuple[str, Json]]
    by: str
    consolidation: Json
    validations: list[tuple[str, Json]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A submission against a reference: counts by figure ("UA", "LA"), and the aligned rows.

    Each row is a JSON object that a feedback page prints; its `state` is one of matched, missed,
    extra, redundant, label-differs.
    """

    counts: Mapping[str, Counts]
    rows: list[Json]
    rule: str


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one source in a merge, in numbers.

    Its questions were kept as they are, edited, merged into another one's, or dropped; of its
    distinct answers, so many stand in the result exactly, and so many with other ends.
    """

    questions: int = 0
    kept: int = 0
    edited: int = 0
    merged: int = 0
    dropped: int = 0
    answers: int = 0
    answers_kept: int = 0
    answers_edited: int = 0

    def __add__(self, other: "Fate") -> "Fate":
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.__slots__)
        return Fate(*(one + two for one, two in pairs))


@dataclass(frozen=True, slots=True)
class Trace:
    """A merge looked at afterwards: per question of the result, where it and its answers came from
    (JSON); per source, its fate."""

    provenance: list[Json]
    fates: list[Fate]


class Scheme(Protocol):
    """The contract of one scheme; `schemes.registry` lists those there are."""

    name: str
    title: str
    schema_version: int
    # What its decisions follow, by purpose: a change of a rule gets a new name.
    rules: Mapping[str, str]
    # Columns or file formats understood, by the names that the command line uses; of a corpus' formats
    # the endings by which their files can be told.
    corpus_formats: Mapping[str, Sequence[str]]
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

    def search_texts(self, content: Json, target: Json) -> tuple[list[str], list[str]]:
        """What gold is searched by: its questions (or what the scheme has in their place), and the
        forms of the target."""
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

    def asked_of_validators(self, sources: Sequence[Json]) -> Json:
        """What the validation page shows of the parsed generations: no answers, and not whose it is."""
        ...

    # --- content, parsed at the edge: each returns normalised JSON or raises ContentError
    def parse_generation(self, content: object, *, tokens: Tokens, target: Json) -> Json: ...

    def parse_consolidation(
        self, content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
    ) -> Json: ...

    def parse_validation(
        self, content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
    ) -> Json: ...

    def parse_gold(self, content: object, *, tokens: Tokens, target: Json) -> Json: ...

    def parse_system(self, content: object, *, tokens: Tokens, target: Json) -> Json:
        """What a program wrote, as a source to be merged; it may contradict itself."""
        ...

    def gold_of(self, consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
        """Gold content and, per question, `{"source": position or None, "state": state}`.

        `state` is kept, edited or new.
        """
        ...

    def gold_of_validations(
        self, sources: Sequence[Json], validations: Sequence[Json], *, agree: int
    ) -> tuple[Json, list[Json]]:
        """Gold content of what at least `agree` validators find valid and, per question, `{"source",
        "state", "valid", "answers"}`: how many found it valid and, per answer, `{"generator": bool,
        "validators": positions}`, who gave exactly it. The order of the validators changes nothing.
        """
        ...

    def count_same_verdicts(self, one: Json, other: Json) -> tuple[int, int]:
        """Of two validations of the same item: (judged alike, judged)."""
        ...

    def trace(self, consolidation: Json, sources: Sequence[Json]) -> Trace:
        """What a parsed consolidation took from whom, question by question and answer by answer."""
        ...

    def as_source(self, content: Json) -> Json:
        """Parsed content of any kind as a source to be merged: all sources have the same fields, so
        that none of them tells what it was."""
        ...

    def keep_all(self, source: Json) -> Json:
        """The consolidation of one source that takes everything over as it is: where a correction
        begins."""
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

    def invent_reference(self, tokens: Tokens, target: Json) -> Json:
        """Some annotation of an item that has no reference, for simulated workers to write from."""
        ...

    def simulate_validation(
        self, reference: Json, asked: Json, *, tokens: Tokens, skill: float, seed: str
    ) -> Json:
        """A validator's content of what `asked_of_validators` shows: at skill 1 the reference's
        questions are valid, with its answers, and all others invalid."""
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

    def guideline_section(self, code: str, *, role: str) -> str:
        """The heading (as it stands in an address) of the scheme's guidelines for the role that an
        error of this code breaks; empty where there is none."""
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

    def sentence_file(self, path: Path) -> AbstractContextManager["SentenceSink"]:
        """Opens `path` for the sentences that the sink is given, as the field publishes them."""
        ...


class SentenceSink(Protocol):
    def __call__(self, sentence: SentenceRecord) -> object: ...


class ErrorSink(Protocol):
    def __call__(self, error: FileError) -> None: ...
