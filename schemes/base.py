"""The contract of an annotation scheme: plain values in, plain values out.

A scheme is a set of parts (`Scheme`). It has no access to workers, money or tables, and the apps use
it only through its parts. Optional parts may be None, and pages then hide what needs them. Content
and targets are JSON in the scheme's own format, which the apps store but do not read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from schemes.figures import Figure
from schemes.json_differences import value_differences
from schemes.layouts import Layout
from schemes.original_text import Offset, Offsets, ShownToken, shown_tokens, span_text, words_text
from schemes.simulated_person import Person

if TYPE_CHECKING:
    from schemes.system_scores import SystemScoring

Json = dict[str, Any]
Tokens = Sequence[str]
# Half-open `[x1, y1, x2, y2)` in pixels.
Box = Sequence[int]
Part = TypeVar("Part")


class ContentError(ValueError):
    """Invalid content. `path` locates the error, for example `units[2].spans[0]`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message


class UnknownLabelError(ContentError):
    """A label that the resource of this name lacks."""

    def __init__(self, path: str, message: str, *, resource: str) -> None:
        super().__init__(path, message)
        self.resource = resource


class FileError(ValueError):
    """An unreadable file or row. `line` counts from 1 and includes the header.

    `items` are the items that are left out because of it, as pairs of sentence and local key, if the
    reader knows them.
    """

    def __init__(
        self,
        file: str,
        line: int | None,
        message: str,
        *,
        field: str = "",
        items: Iterable[tuple[str, str]] = (),
    ) -> None:
        line = line or None
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {field + ': ' if field else ''}{message}")
        self.file = file
        self.line = line
        self.field = field
        self.message = message
        self.items = frozenset(items)


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
    def __call__(self, error: FileError) -> None: ...


def refuse(error: FileError) -> NoReturn:
    """Raise the error, for readers that need whole files, such as scores."""
    raise error


@dataclass(frozen=True, slots=True)
class Image:
    """An image with its size in pixels. `url` is the address for the worker's page."""

    name: str
    width: int
    height: int
    url: str = ""


class Suggestions(StrEnum):
    """The units that a page suggests before they are written.

    `GRAMMAR` ranks them by the sentence alone. `LEARNED` ranks them by what annotators wrote before.
    """

    OFF = "off"
    GRAMMAR = "grammar"
    LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another sentence of the document, which pages show as context. Fields as in ItemContext."""

    external_id: str
    tokens: Tokens
    text: str = ""
    offsets: Offsets = ()

    @property
    def shown_text(self) -> str:
        return self.text or " ".join(self.tokens)

    def span_text(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to before `end` as it was written."""
        return span_text(self.tokens, self.text, self.offsets, start, end)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The sentences before and after a sentence in its document, in their order.

    A side of a long document is cut if further sentences are not shown.
    """

    before: Sequence[Neighbour] = ()
    after: Sequence[Neighbour] = ()
    is_cut_before: bool = False
    is_cut_after: bool = False

    @property
    def summary(self) -> str:
        """Return the numbers of sentences, such as "2 sentences before, 1 sentence after"."""
        counts = ((len(self.before), "before"), (len(self.after), "after"))
        parts = [f"{_SENTENCE.count(count)} {place}" for count, place in counts if count]
        return ", ".join(parts) or "too long to show"


@dataclass(frozen=True, slots=True)
class ItemContext:
    """An item, or a sentence without a target.

    `resources` maps the names of the project's resources (such as a lexicon) to plain values.
    `free_form` allows units outside the scheme's template, if it has one. `suggestions` are those of
    the item's page. `asks_implied` is set if people mark what the text only implies, and
    `allows_context_answers` if answers may lie in the neighbours. `text` is the sentence as it was
    written, or "", and `offsets` has the range of each token in it, if they are known. `neighbours`
    are those that the item's page shows, for pages and submissions only.
    """

    tokens: Tokens
    target: Json = field(default_factory=dict)
    image: Image | None = None
    metadata: Json = field(default_factory=dict)
    resources: Mapping[str, Any] = field(default_factory=dict)
    free_form: bool = True
    suggestions: Suggestions = Suggestions.GRAMMAR
    asks_implied: bool = False
    allows_context_answers: bool = False
    text: str = ""
    offsets: Offsets = ()
    neighbours: Neighbours = Neighbours()

    def span_text(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to before `end` as it was written."""
        return span_text(self.tokens, self.text, self.offsets, start, end)

    def words_text(self, positions: Sequence[int]) -> str:
        """Return the text of tokens in ascending order as it was written."""
        return words_text(self.tokens, self.text, self.offsets, positions)

    def shown_tokens(self) -> list[ShownToken]:
        """Return the tokens as pages show them."""
        return shown_tokens(self.tokens, self.text, self.offsets)


@dataclass(frozen=True, slots=True)
class SentenceRecord:
    """A sentence read from a file. `line` is its line number, for messages.

    `text` is the sentence as it was written, if the file has it. `offsets` has the range of each
    token in it, if the reader knows more than `schemes.original_text.align`. `image` is the name of
    its image file, if it describes one, and `image_size` its width and height, if the file states
    them.
    """

    external_id: str
    tokens: tuple[str, ...]
    line: int
    metadata: Json = field(default_factory=dict)
    image: str = ""
    text: str = ""
    image_size: tuple[int, int] | None = None
    offsets: tuple[Offset, ...] = ()


@dataclass(frozen=True, slots=True)
class StatedWords:
    """Words that a file states beside token positions.

    `field` and `line` name their place in messages. Without a line, it is that of the record. `place`
    has the positions as the file writes them, if it counts differently. A lemma is compared with all
    forms of its word. Without a text, the positions need only be in the sentence.
    """

    field: str
    positions: tuple[int, ...]
    text: str
    is_lemma: bool = False
    line: int = 0
    place: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file states about an item's sentence or image beside positions and coordinates.

    Empty fields were not stated. Imports compare the others with what is stored, see
    `schemes.stated`. `text` is that of the whole sentence.
    """

    tokens: tuple[str, ...] = ()
    text: str = ""
    words: tuple[StatedWords, ...] = ()
    image: str = ""
    image_size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """A unit of annotation. `local_key` is unique within the sentence.

    `file` is the name of its file, for messages, where several files were read. `stated` is what the
    file says twice about the item, or about its gold.
    """

    external_id: str
    local_key: str
    target: Json
    line: int = 0
    file: str = ""
    stated: Stated = Stated()


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """The reference annotation of an item, as read from a file.

    `provenance` has one entry per unit of the content: the ids of the worker and of the source
    assignments, where the file has them. `neighbours` are the sentence ids and local keys of records
    that may have lost a row to this record, if its own id or position is wrong. `is_blank` is True if
    the file annotates nothing, which is no gold, although it names the item. `places` has the file and
    line of fields of the content that are not at `line`, by paths as in ContentError. `notes` counts what
    the reader left out.
    """

    item: ItemRecord
    content: Json
    provenance: list[Json]
    line: int
    neighbours: tuple[tuple[str, str], ...] = ()
    is_blank: bool = False
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fit:
    """A gold record adapted to its stored item. `notes` counts changes, such as clipped boxes."""

    record: GoldRecord
    notes: Mapping[str, int] = field(default_factory=dict)


class PositionMap(Protocol):
    """A map of positions from a file's tokens to those of the stored sentence."""

    def span(self, start: int, end: int, field: str) -> tuple[int, int]:
        """Return the half-open range of the same words. Raise ContentError."""
        ...

    def position(self, at: int, field: str) -> int:
        """Return the position of the same word. Raise ContentError if it isn't a single token."""
        ...


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A gold item to be written. Its ids are safe to publish.

    `origin` has the ids of those who annotated the item, for formats that write items without units.
    Like the origins in `provenance`, it has `worker_id`, `assign_id`, and `source_worker_ids`, a list,
    in formats with source workers.
    `metadata` and `image` are those of the sentence, for formats that need them. `text` and `offsets`
    are those of `ItemContext`. `document` is the document or image of the sentence, or "".
    """

    external_id: str
    tokens: tuple[str, ...]
    target: Json
    content: Json
    provenance: list[Json]
    judged: "Judged | None" = None
    metadata: Json = field(default_factory=dict)
    image: Image | None = None
    text: str = ""
    offsets: Offsets = ()
    origin: Json = field(default_factory=dict)
    document: str = ""


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
class SubmittedRow:
    """An accepted submission to be written. Its ids are safe to publish."""

    external_id: str
    tokens: tuple[str, ...]
    target: Json
    role: str
    worker_id: str
    assign_id: str
    content: Json
    text: str = ""
    offsets: Offsets = ()
    document: str = ""


@dataclass(frozen=True, slots=True)
class Noun:
    """A countable noun of the interface."""

    singular: str
    plural: str

    def count(self, number: int) -> str:
        """Return the number with the noun, for example "1 label" or "1,200 labels"."""
        return f"{number:,} {self.singular if number == 1 else self.plural}"


_SENTENCE = Noun("sentence", "sentences")


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """The title and description of a role's HITs."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The scheme's words.

    `item` is the unit of annotation, and `unit` is the unit of pay. `tasks` maps roles to texts, and
    `keywords` are those of HITs. `pay_presets` maps names to pay schemes (see
    `crowd.domain.pay_scheme`), the default first, and `pay_titles` are their names for people.
    """

    item: Noun
    unit: Noun
    tasks: Mapping[str, TaskTexts]
    keywords: str
    pay_presets: Mapping[str, Mapping[str, Mapping[str, int]]]
    pay_titles: Mapping[str, str] = field(default_factory=dict)

    def pay_title(self, preset: str) -> str:
        """Return a preset's name for people."""
        return self.pay_titles.get(preset, preset)


def item_of_row(row: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the sentence's id and the local key in the column `item`, or None."""
    external_id, _, local_key = row.get("item", "").rpartition("/")
    return (external_id, local_key) if external_id and local_key else None


def json_differences(ours: object, theirs: object, context: ItemContext) -> list[str]:
    """Return a sentence for each difference of two JSON values."""
    return list(value_differences(ours, theirs))


@dataclass(frozen=True, slots=True)
class ReaderOption:
    """An option of commands that read gold, such as a threshold.

    `kind` converts the option's text. Formats to which an option does not apply ignore it.
    """

    key: str
    flag: str
    kind: Callable[[str], Any]
    metavar: str
    help: str


@dataclass(frozen=True, slots=True)
class ItemSearch:
    """A kind of items that can be found in sentences. `label` names it on pages."""

    label: str
    find: Callable[[str, ItemContext], list[ItemRecord]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Reading of corpora and gold, and items of sentences.

    `formats` maps command-line names to file extensions. Readers pass bad rows to the error sink,
    which may raise, and skip them. They raise FileError for an unreadable file or an unknown format.
    Items and gold may be in several files, which some formats join. `read_gold` receives values of
    `gold_options` as keyword arguments, if there are any.

    `find_items` returns the items of a sentence without an item file. If several kinds of items can be
    searched, `searches` has them by the name of the command's option, the default first. Readers may
    store known targets in `metadata["items"]`. `complete_item` adds the fields that pages need to the
    target, and raises ContentError if the sentence has no such item. `headline` identifies an item in a
    list, and `order` is its place in the sentence. Sentences describe images if the corpus
    `needs_images`, and imports add the name of the image's file to `metadata["image"]`. `group` returns
    the document or image of a sentence by its id, or "" if it has none, and `position` its place there,
    or 0. Readers that know them store them in `metadata["document"]` and `metadata["position"]`.
    `item_key_of_row` returns the sentence's id and the local key of the item in a row of a CSV file, or
    None. Its column `item` has
    both, separated by a slash. `stated_by_row` returns what the row states about it, and raises
    ContentError. `item_type` returns the type of an item for reports by type, or "".
    `line_formats` are those with text on every line, so that an empty line may be a mistake.
    `layouts`, `gold_layouts` and `item_layouts` have the layouts of the formats of sentences, gold and
    items, from which formats are recognised. Formats without a layout must be named.
    `move_gold` returns a record with the positions of another tokenization, and `scale_gold` one for an
    image of another size, by factors of width and height. `fit_gold` adapts a record to its stored
    item. They raise ContentError.
    """

    formats: Mapping[str, Sequence[str]]
    gold_formats: Sequence[str]
    read_sentences: Callable[[Path, str, ErrorSink], Iterator[SentenceRecord]]
    read_items: Callable[[Sequence[Path], ErrorSink], Iterator[ItemRecord]]
    read_gold: Callable[..., Iterator[GoldRecord]]
    find_items: Callable[[str, ItemContext], list[ItemRecord]]
    complete_item: Callable[[ItemRecord, ItemContext], ItemRecord]
    headline: Callable[[ItemContext], str]
    order: Callable[[Json], int] = lambda target: 0
    needs_images: bool = False
    group: Callable[[str], str] = lambda external_id: ""
    position: Callable[[str], int] = lambda external_id: 0
    item_key_of_row: Callable[[Mapping[str, str]], tuple[str, str] | None] = item_of_row
    stated_by_row: Callable[[Mapping[str, str]], Stated] = lambda row: Stated()
    item_type: Callable[[ItemContext], str] = lambda context: ""
    gold_options: Sequence[ReaderOption] = ()
    searches: Mapping[str, ItemSearch] = field(default_factory=dict)
    line_formats: Sequence[str] = ("text",)
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    gold_layouts: Mapping[str, Layout] = field(default_factory=dict)
    item_layouts: Mapping[str, Layout] = field(default_factory=dict)
    move_gold: Callable[[GoldRecord, PositionMap], GoldRecord] | None = None
    scale_gold: Callable[[GoldRecord, float, float], GoldRecord] | None = None
    fit_gold: Callable[[GoldRecord, ItemContext], Fit] = lambda record, context: Fit(record)

    def search_of(self, name: str) -> Callable[[str, ItemContext], list[ItemRecord]]:
        """Return the search of this name, or `find_items` for ""."""
        return self.searches[name].find if name else self.find_items


@dataclass(frozen=True, slots=True)
class Total:
    """A count of a content's parts, such as its spans."""

    key: str
    noun: Noun


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason why a person should check content before its bonus is paid.

    `text` is a sentence for the worker and the reviewer.
    """

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckedWork:
    """Parsed content that is checked for doubts, and other accepted work to compare it with.

    `others` is the content of the item by other workers in the role. `recent` is the newest content of
    other items by the same worker in the role, the newest first. Both are read when they are iterated,
    so doubts that need not look at them cost nothing.
    """

    content: Json
    context: ItemContext
    role: str
    others: Iterable[Json] = ()
    recent: Iterable[Json] = ()


@dataclass(frozen=True, slots=True)
class FreeForm:
    """The texts of the setting that allows units outside the scheme's template.

    `code` is that of the doubts about such units.
    """

    code: str
    label: str
    help_text: str


@dataclass(frozen=True, slots=True)
class ImpliedSetting:
    """The texts of the setting that asks experts and consolidators what the text only implies."""

    label: str
    help_text: str


@dataclass(frozen=True, slots=True)
class ContextAnswersSetting:
    """The texts of the setting that lets annotators mark answers in the context of a sentence."""

    label: str
    help_text: str


@dataclass(frozen=True, slots=True)
class SuggestionSetting:
    """The texts of the setting that chooses what a worker's page suggests.

    `learned_from` names the data of learned suggestions. `ranks` returns, for each unit of parsed
    content, the rank of the suggestion that was picked, or None if the unit was typed. Units without
    a record are left out.
    """

    label: str
    help_text: str
    learned_from: str
    ranks: Callable[[Json], Sequence[int | None]]


@dataclass(frozen=True, slots=True)
class Content:
    """Parsing and counting of content. Parsers return normalised JSON or raise ContentError.

    `empty` is a valid annotation without units, for items that a worker left out. `parse_system`
    parses a program's output as a source for a merge, which may contradict itself. `count_units`
    returns the number of units that pay depends on, by role. `count` returns the numbers of `totals`
    by key. `differences` describes how two copies of a submission differ, one sentence each.
    A generator with a lower mean number of units per item than `least_units` is flagged. `doubts`
    returns the reasons to hold the bonus of work. `free_form` is None if every
    unit fits the scheme's template. `is_blank` is True for content of a file that annotates nothing,
    which is no gold. `skip_field` is the field with the reason of a skip, if items can be skipped.
    `json_schemas` has the JSON Schema of each kind of content, such as generation and gold.
    """

    schema_version: int
    empty: Json
    parse_generation: Callable[[object, ItemContext], Json]
    parse_gold: Callable[[object, ItemContext], Json]
    parse_system: Callable[[object, ItemContext], Json]
    count_units: Callable[[Json, str], int]
    totals: Sequence[Total] = ()
    count: Callable[[Json], Mapping[str, int]] = lambda content: {}
    differences: Callable[[object, object, ItemContext], list[str]] = json_differences
    least_units: float = 0.0
    doubts: Callable[[CheckedWork], list[Doubt]] = lambda work: []
    free_form: FreeForm | None = None
    is_blank: Callable[[Json], bool] = lambda content: False
    skip_field: str = ""
    json_schemas: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowSide:
    """One side of an aligned row.

    `key` identifies it in decisions. `labels` are texts such as class names, and `value` is the text
    that they describe. `boxes` are those that it has in the image. Sides of different groups can't be
    paired.
    """

    key: str
    labels: Sequence[str]
    value: str = ""
    boxes: Sequence[Box] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """A row of a comparison, as pages show it.

    `state` is one of ROW_STATES. `label` names the result, and `detail` describes a difference.
    `decisions` are the kinds of decisions that are possible on this row alone.
    """

    state: str
    label: str
    reference: RowSide | None
    predicted: RowSide | None
    detail: str = ""
    decisions: Sequence[str] = ()


# Matched exactly, matched with another extent, matched with another label, only in the reference,
# only in the prediction, repeated in the prediction without a cost, and accepted by a person.
ROW_STATES = (
    "found",
    "extent-differs",
    "label-differs",
    "missed",
    "extra",
    "redundant",
    "approved",
)


@dataclass(frozen=True, slots=True)
class StateText:
    """The label of a row state, and its explanation for workers."""

    label: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Compared:
    """An annotation compared with a reference.

    `measures` has a JSON value per figure (see `schemes.figures`). `rows` are in display order.
    """

    measures: Mapping[str, Json]
    rows: Sequence[AlignedRow]


@dataclass(frozen=True, slots=True)
class DecisionKind:
    """A person's decision on aligned rows.

    A kind with `pairs` joins a missed row with an unmatched one of the prediction. `about` groups
    kinds that replace each other.
    """

    key: str
    label: str
    action: str
    about: str
    pairs: bool = False


@dataclass(frozen=True, slots=True)
class RowDecision:
    """A decision on the sides of a row, by their keys.

    `reference` is None for a decision on the prediction alone.
    """

    kind: str
    reference: str | None
    predicted: str


@dataclass(frozen=True, slots=True)
class AnswerCategory:
    """A category of an error analysis, which a person gives to a part of a prediction.

    `shortcut` is the letter that chooses it. Parts of a category that `is_correct` count as right,
    although the reference lacks them. Those of one that `is_repeat` count neither as right nor as wrong.
    """

    key: str
    label: str
    explanation: str
    shortcut: str
    is_correct: bool = False
    is_repeat: bool = False


CORRECT = AnswerCategory(
    "correct", "Correct", "The reference should have it.", "c", is_correct=True
)
REPEATED = AnswerCategory(
    "redundant", "Redundant", "It repeats another part of the annotation.", "r", is_repeat=True
)
WRONG = AnswerCategory("wrong", "Wrong", "It is not correct.", "w")


class Compare(Protocol):
    """Compare a prediction with a reference. `decisions` override automatic matches.

    Raise ValueError for a decision about an unknown row and for contradicting decisions.
    """

    def __call__(
        self,
        reference: Json,
        predicted: Json,
        context: ItemContext,
        decisions: Iterable[RowDecision] = (),
    ) -> Compared: ...


class Measure(Protocol):
    """Return the measures of a comparison without its rows, by figure. `target` is the item's."""

    def __call__(
        self,
        reference: Json,
        predicted: Json,
        target: Json,
        decisions: Iterable[RowDecision] = (),
    ) -> Mapping[str, Json]: ...


class CountKept(Protocol):
    """Return how many paid units of the predicted content the reference has."""

    def __call__(self, reference: Json, predicted: Json) -> int: ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison with a reference.

    `count_kept` returns how many paid units of an annotator's content (`Content.count_units`) the
    reference has. A unit of the reference counts once, so that repeats are not kept.

    `rule` names the definitions of the figures and is stored with each result. A changed definition
    gets a new name. `states` has the texts of the row states that occur. `hints` returns likely
    remarks on the rows as (error code, sentence), and `section` the anchor of the guideline section
    of an error code and role, or "". `categories` are those of error analyses.

    `round_thresholds` maps the round numbers of a training preset to values by figure that suggest
    a pass. Other keys of theirs are `units_per_item` and `seconds_per_item`.
    """

    figures: Sequence[Figure]
    rule: str
    compare: Compare
    measure: Measure
    count_kept: CountKept
    states: Mapping[str, StateText]
    decisions: Sequence[DecisionKind] = ()
    hints: Callable[[Compared, ItemContext], list[tuple[str, str]]] = lambda compared, context: []
    section: Callable[[str, str], str] = lambda code, role: ""
    round_thresholds: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    categories: Sequence[AnswerCategory] = (CORRECT, REPEATED, WRONG)

    def figure(self, key: str) -> Figure:
        """Return the declared figure. Raise KeyError."""
        return {figure.key: figure for figure in self.figures}[key]


@dataclass(frozen=True, slots=True)
class Trace:
    """A retrospective analysis of a merge.

    `provenance` has one JSON object per unit of the result, with `source` and `unit` (the positions of
    its origin, or None) and `state`. `outcomes` has the counts of
    `Merging.outcomes` for each source, and `summary` counts the parts of the result.
    """

    provenance: list[Json]
    outcomes: list[Mapping[str, int]]
    summary: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Share:
    """The share of two outcomes, such as kept spans of all spans."""

    key: str
    label: str
    part: Sequence[str]
    whole: str


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """A unit of a source, by positions of source and unit, and its outcome.

    `state` is kept, edited, invalid or redundant, or "" if the unit was not judged. `into` is the unit
    of the result that replaces it, if its text differs.
    """

    source: int
    unit: int
    label: str
    values: Sequence[str]
    state: str = ""
    into: str = ""


def consolidation_method(generators: int) -> str:
    """Describe consolidation for a data card."""
    return (
        f"{generators} trained workers annotated each item independently. Another worker, who had "
        "annotated neither, merged their work into one annotation."
    )


def validation_method(validators: int, agree: int) -> str:
    """Describe validation for a data card."""
    return (
        f"One trained worker annotated each item. {validators} other workers judged the annotation, "
        f"and the gold has the units that at least {agree} of them found valid."
    )


def without_order(source: Json) -> Json:
    """Return the source with its lists of units, answers and boxes in a fixed order.

    Lists of numbers, such as spans, keep theirs.
    """
    return {name: _in_fixed_order(value) for name, value in source.items()}


def _in_fixed_order(value: Any) -> Any:
    if isinstance(value, dict):
        return without_order(value)
    if not isinstance(value, list | tuple):
        return value
    values = [_in_fixed_order(entry) for entry in value]
    has_numbers = any(isinstance(entry, int | float) for entry in values)
    return values if has_numbers else sorted(values, key=repr)


@dataclass(frozen=True, slots=True)
class Merging:
    """Consolidation: one annotation made of several sources.

    `lay_out` aligns parsed sources for the page. `gold_of` returns gold and its provenance, which has
    `{"source": position or None, "state": kept, edited or new}` per unit. `as_source` returns parsed
    content of any kind as a source, all with the same fields, so that none reveals its origin.
    `keep_all` returns a consolidation that keeps all of one source, to start a correction from.
    `judged` returns the sources' units with their outcomes in a consolidation, or without outcomes if
    there is none. `summary` and `outcomes` (key, label) and `shares` describe merge reports.
    `method` returns sentences for data cards from the number of generators per item. `union` returns
    all that any of several annotations has, without a decision between them. Two sources are the same
    annotation if `comparable` returns equal values for them.
    """

    lay_out: Callable[[Sequence[Json], ItemContext], Json]
    parse: Callable[[object, ItemContext, Sequence[Json]], Json]
    gold_of: Callable[[Json, Sequence[Json]], tuple[Json, list[Json]]]
    trace: Callable[[Json, Sequence[Json]], Trace]
    judged: Callable[[Json | None, Sequence[Json], ItemContext], list[JudgedUnit]]
    rule: str
    as_source: Callable[[Json], Json] = dict
    keep_all: Callable[[Json], Json] = dict
    summary: Sequence[tuple[str, str]] = ()
    outcomes: Sequence[tuple[str, str]] = ()
    shares: Sequence[Share] = ()
    method: Callable[[int], str] = consolidation_method
    union: Callable[[Sequence[Json]], Json] | None = None
    comparable: Callable[[Json], Json] = without_order


@dataclass(frozen=True, slots=True)
class Validating:
    """Validation: gold computed from the judgments of several validators on one source.

    `asked` returns what the page shows: no answers and no annotators. `gold_of` returns gold that at
    least `agree` validators support, and its provenance: `{"source", "state", "valid", ...}` per unit,
    where `valid` counts the validators. `is_empty` is True for sources that leave nothing to
    validate. `same_verdicts` returns (equal verdicts, all verdicts) of two validations, and
    `verdicts` (valid, all) of a single one. `Comparison.measure` accepts two validations as well.

    A list named `validators` in a provenance has positions of validators. Exports replace them by
    ids. `method` returns sentences for data cards from the numbers of validators and of those who
    must agree. `totals` are numbers in the provenance that exports add up.

    Verification needs `disputes`. It returns the parts of the source that fewer than `agree`
    validators support, as the generator's page shows them on a revision, or an empty object.
    """

    asked: Callable[[Sequence[Json]], Json]
    parse: Callable[[object, ItemContext, Sequence[Json]], Json]
    gold_of: Callable[[Sequence[Json], Sequence[Json], int], tuple[Json, list[Json]]]
    is_empty: Callable[[Sequence[Json]], bool]
    same_verdicts: Callable[[Json, Json], tuple[int, int]]
    verdicts: Callable[[Json], tuple[int, int]]
    rule: str
    method: Callable[[int, int], str] = validation_method
    totals: Sequence[Total] = ()
    disputes: Callable[[Sequence[Json], Sequence[Json], int], Json] | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """Data of workers' pages: what all items of a page share, and an item's own data.

    `roles` are the roles whose pages need the data. The script of a role's page is
    `static/js/schemes/<scheme>/<role>.js`, which exports `mount(root, data, onChange)` (see
    `static/js/work/contract.js`). Its optional template is `templates/schemes/<scheme>/<role>.html`.
    `suggestions` is None if pages suggest no units, `implied` is None if they can't mark what is
    only implied, and `context_answers` is None if all answers lie in the sentence.
    """

    shared: Callable[[Sequence[ItemContext]], Json] = lambda contexts: {}
    item: Callable[[ItemContext], Json] = lambda context: {}
    roles: Sequence[str] = ("generator", "consolidator", "validator")
    suggestions: SuggestionSetting | None = None
    implied: ImpliedSetting | None = None
    context_answers: ContextAnswersSetting | None = None


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A unit of content on a page: its label, its values, and the spans to mark in the sentence.

    `state` is a judgment such as "redundant". `boxes` are those to draw in the image.
    """

    label: str
    values: Sequence[str] = ()
    spans: Sequence[tuple[int, int]] = ()
    state: str = ""
    boxes: Sequence[Box] = ()


@dataclass(frozen=True, slots=True)
class Views:
    """Display of content on pages for staff.

    `units` returns the units of content, in the order of its provenance, or None for content of another
    shape, such as an arbitrary copy of the marketplace. `remark` returns a sentence
    about what units do not show, or "". `marked` returns the token positions of a target.
    """

    units: Callable[[object, ItemContext], Sequence[ShownUnit] | None]
    remark: Callable[[Json], str] = lambda content: ""
    marked: Callable[[Json], Sequence[int]] = lambda target: ()


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


@dataclass(frozen=True, slots=True)
class Simulation:
    """Content of simulated workers. The seed makes it reproducible.

    `generate` returns a reference with a person's errors. `consolidate` and `validate` judge sources,
    and never get the reference. A person of skill 1 makes no errors: such generators return the
    reference, and such judges accept all that sources have, because they expect exact sources. `invent`
    returns made-up content for an item without a reference. `split` returns each generator's part of
    published gold in a stable order. `published` has the paper's figures as texts, by the keys of
    `rehearsal.domain.figures`.
    """

    generate: Callable[[Json, ItemContext, Person, str], Json]
    invent: Callable[[ItemContext], Json]
    split: Callable[[Json, Sequence[Json]], list[Json]]
    nothing: Json
    consolidate: Callable[[Sequence[Json], ItemContext, Person, str], Json] | None = None
    validate: Callable[[Sequence[Json], ItemContext, Person, str], Json] | None = None
    published: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exercise:
    """A practice exercise. `reference` is gold content."""

    title: str
    lesson: str
    context: ItemContext
    reference: Json
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """An aligned row with an explanation for the worker who wrote the prediction."""

    aligned: AlignedRow
    explanation: str


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """An answer compared with the reference. `summary` is a sentence or two."""

    summary: str
    rows: Sequence[ExplainedRow]


@dataclass(frozen=True, slots=True)
class Practice:
    """Exercises. `check` compares an answer with the reference and raises ContentError."""

    exercises: Callable[[], Sequence[Exercise]]
    check: Callable[[Exercise, object], PracticeResult]


@dataclass(frozen=True, slots=True)
class Goal:
    """A condition on a page's content: the value at `path` is not empty, or equals `value`.

    A path has names and positions, such as "questions.0.answers". "*" matches any position.
    """

    path: str
    value: object = None


@dataclass(frozen=True, slots=True)
class TutorialStep:
    """A step of a tutorial. It ends when all goals are reached, or when the worker continues."""

    title: str
    text: str
    goals: Sequence[Goal] = ()


@dataclass(frozen=True, slots=True)
class Tutorial:
    """Steps on a role's page with an example. `sources` are the annotations of an example to judge.

    `picture` is the path of the example's image among the static files.
    """

    context: ItemContext
    steps: Sequence[TutorialStep]
    sources: Sequence[Json] = ()
    picture: str = ""


@dataclass(frozen=True, slots=True)
class SearchField:
    """A field of the gold search, with the texts of content or target that it searches."""

    label: str
    texts: Callable[[Json, ItemContext], list[str]]


@dataclass(frozen=True, slots=True)
class Search:
    """Search of gold by its content and by its target."""

    content: SearchField
    target: SearchField


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An item's gold with the id of its sentence."""

    external_id: str
    context: ItemContext
    content: Json


@dataclass(frozen=True, slots=True)
class ExternalTable:
    """Figures as a table. After the first, cells are shares in [0, 1] or None."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExternalCase:
    """A case of a comparison that people should look at, with the sentence's id.

    `row` has the gold as its reference and the other resource as its prediction.
    """

    external_id: str
    row: AlignedRow


@dataclass(frozen=True, slots=True)
class ExternalComparison:
    """Comparison of gold with a file in the format of another resource, such as a treebank.

    `help` describes the file and `matching` how its sentences are found. `compare` returns figures as
    JSON, or None if the file and the gold share no item, and raises FileError. `table` and `text` show
    the figures on pages and in a terminal. `cases` returns some cases from the figures for the page, and
    `cases_title` is their heading.
    """

    key: str
    label: str
    help: str
    matching: str
    compare: Callable[[Path, Iterable[GoldItem], ErrorSink], Json | None]
    table: Callable[[Json], ExternalTable]
    text: Callable[[Json], str]
    cases: Callable[[Json], Sequence[ExternalCase]] = lambda figures: ()
    cases_title: str = ""


@dataclass(frozen=True, slots=True)
class AnnotatedItem:
    """An annotated item for statistics.

    `steps` has the seconds and moves of all its annotators by step of the page. `provenance` is that of
    gold.
    """

    external_id: str
    context: ItemContext
    content: Json
    steps: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    provenance: Sequence[Json] = ()


@dataclass(frozen=True, slots=True)
class StatisticsTable:
    """A table of texts and numbers. None is an undefined number."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often each category occurs, most frequent first."""

    title: str
    counts: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of annotated items in groups, such as all gold or a partition.

    `figures` (key, label) are the rows of a table whose columns are groups. `count` returns the figures
    of a group by key, in one pass over its items. `steps` (key, label) are those of the worker's page.
    `tables` and `frequencies` describe the gold in more detail. `is_skipped` is True for content of a
    worker who could not annotate the item.
    """

    figures: Sequence[tuple[str, str]]
    count: Callable[[Iterable[AnnotatedItem]], Mapping[str, int | float | None]]
    is_skipped: Callable[[Json], bool]
    steps: Sequence[tuple[str, str]] = ()
    tables: Callable[[Sequence[AnnotatedItem]], Sequence[StatisticsTable]] = lambda items: ()
    frequencies: Callable[[Sequence[AnnotatedItem]], Frequencies | None] = lambda items: None


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


@dataclass(frozen=True, slots=True)
class Sample:
    """A small corpus for demos and rehearsals.

    `gold` are files with an expert's annotations in the scheme's first gold format, and also the list
    of items. `resources` has a format and file per resource. `rounds` has the items of the training
    rounds, and `given` the annotations that consolidators merge in their round. Without it, there is
    no such round. `protocol` is the one that a demo shows. `images` draws the images of the sentences
    into a folder.
    """

    format: str
    sentences: Path
    gold: Sequence[Path]
    rounds: Path
    given: Path | None = None
    resources: Mapping[str, tuple[str, Path]] = field(default_factory=dict)
    protocol: str = "consolidation"
    images: Callable[[Path], None] | None = None


@dataclass(frozen=True, slots=True)
class Scheme:
    """An annotation scheme as a set of parts. `schemes.registry` lists all schemes.

    `summary` describes in a few words what is annotated. `tutorials` maps roles to tutorials for a
    worker's first task. `external` maps keys to comparisons with other resources. `scoring` scores
    systems for evaluation pages. `limits` are sentences for data cards about what is not annotated.
    """

    name: str
    title: str
    vocabulary: Vocabulary
    corpus: Corpus
    content: Content
    comparison: Comparison
    views: Views
    pages: Pages = field(default_factory=Pages)
    exports: Exports | None = None
    merging: Merging | None = None
    validating: Validating | None = None
    simulation: Simulation | None = None
    practice: Practice | None = None
    tutorials: Mapping[str, Callable[[], Tutorial]] = field(default_factory=dict)
    search: Search | None = None
    external: Mapping[str, ExternalComparison] = field(default_factory=dict)
    limits: Sequence[str] = ()
    summary: str = ""
    guidelines: Path | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    precedents: Precedents | None = None
    statistics: Statistics | None = None
    scoring: "SystemScoring | None" = None
    sample: Sample | None = None

    def get_merging(self) -> Merging:
        """Return the part for consolidation. Raise MissingPartError."""
        return self._required(self.merging, "consolidation")

    def get_validating(self) -> Validating:
        """Return the part for validation. Raise MissingPartError."""
        return self._required(self.validating, "validation")

    def get_simulation(self) -> Simulation:
        """Return the part for simulated workers. Raise MissingPartError."""
        return self._required(self.simulation, "simulated workers")

    def get_statistics(self) -> Statistics:
        """Return the part for statistics. Raise MissingPartError."""
        return self._required(self.statistics, "statistics")

    def get_scoring(self) -> "SystemScoring":
        """Return the part for scoring systems. Raise MissingPartError."""
        return self._required(self.scoring, "the evaluation of systems")

    def totals_of_gold(self, *, validated: bool) -> Sequence[Total]:
        """Return the totals of gold: of its content, and of its provenance if it is validated."""
        origins = self.validating.totals if validated and self.validating else ()
        return (*self.content.totals, *origins)

    def _required(self, part: Part | None, name: str) -> Part:
        if part is None:
            raise MissingPartError(f"The scheme {self.title} does not support {name}.")
        return part

    @property
    def rules(self) -> dict[str, str]:
        """Return the names of the rules behind the scheme's decisions, by purpose."""
        rules = {"comparison": self.comparison.rule}
        if self.merging:
            rules["trace"] = self.merging.rule
        if self.validating:
            rules["validation"] = self.validating.rule
        return rules
