"""Items and gold of custom schemes, from files.

An item is a row or sentence of a file, with all texts of the definition. Its target is
`{"texts": {key: [start, end]}}` with the half-open range of each text in the tokens, or `{}` for a single
text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from schemes.conllu_files import read_conllu
from schemes.contract.corpus import Corpus, MoveGold, ScaleGold
from schemes.contract.errors import ContentError, ErrorSink, FieldError, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import Fit, GoldRecord, ItemRecord, PositionMap, SentenceRecord
from schemes.custom.definition import BoxesField, Definition, Field, QuestionsField, SpansField
from schemes.custom.entries import LOCAL_KEY, Entry, fields_of, parts_of
from schemes.custom.form import Form
from schemes.custom.formats import brat, conll, conllu, jsonl, label_studio, tables
from schemes.custom.formats.tags import BIO, IOBES
from schemes.custom.items import TEXTS, in_order
from schemes.layouts import Column, Layout, LayoutKind
from schemes.table_sentences import TABLE
from schemes.text_lines import numbered_lines

JSONL, CSV = "custom-jsonl", "custom-csv"
TEXT, CONLLU, BRAT = "text", "conllu", "brat"
CONLL_BIO, CONLL_IOBES = "conll-bio", "conll-iobes"
LABEL_STUDIO, PREDICTIONS = "label-studio", "label-studio-predictions"
HEADLINE_WORDS = 10
_IDS = "ids"

# Returns the items of a file
Read = Callable[[Path, ErrorSink], Iterator[Entry]]


class CustomCorpus(Corpus):
    """Items and gold of a definition. With `stands_for_all`, it has the formats of all definitions."""

    def __init__(self, form: Form, *, stands_for_all: bool = False) -> None:
        definition = self._definition = form.definition
        columns = tables.Columns(definition)
        has_spans = stands_for_all or bool(conll.spans_fields(definition))
        is_single = len(definition.texts) == 1
        needs_image = definition.image == "required"
        self.needs_images = definition.image != "none"
        lines = Layout(
            LayoutKind.JSON_LINES,
            columns=(
                Column("id", is_required=False),
                Column("text" if is_single else "texts"),
                *((Column("texts", is_required=False, instead_of="text"),) if is_single else ()),
                Column("tokens", is_required=False, instead_of="text" if is_single else ""),
            ),
        )
        tasks = Layout(LayoutKind.JSON_LIST, keys=("data",))
        self._sentences: dict[str, Read] = {
            TABLE: partial(_table, definition, with_gold=False),
            JSONL: partial(_jsonl, definition),
            LABEL_STUDIO: partial(_label_studio, definition, with_gold=False),
        }
        self.layouts = {
            JSONL: lines,
            LABEL_STUDIO: tasks,
            BRAT: Layout(LayoutKind.ARCHIVE),
            TABLE: columns.sentences(),
        }
        if not needs_image:
            self._sentences[BRAT] = partial(_brat, definition)
        else:
            del self.layouts[BRAT]
        self.formats: Mapping[str, Sequence[str]] = {
            TABLE: [".csv", ".tsv", ".xlsx"],
            JSONL: [".jsonl"],
            LABEL_STUDIO: [".json"],
        }
        if is_single and not needs_image:
            self.formats |= {TEXT: [".txt"], CONLLU: [".conllu", ".conll"]}
            self.layouts |= {TEXT: Layout(LayoutKind.TEXT), CONLLU: Layout(LayoutKind.CONLLU)}
            self._sentences[TEXT] = partial(_text, definition)
            self._sentences[CONLLU] = partial(_conllu, definition, with_gold=False)
        if BRAT in self._sentences:
            self.formats |= {BRAT: [".zip"]}
        self._gold: dict[str, Read] = {
            JSONL: partial(_jsonl, definition),
            CSV: partial(_table, definition, with_gold=True),
            LABEL_STUDIO: partial(_label_studio, definition, with_gold=True),
            PREDICTIONS: partial(_label_studio, definition, with_gold=True, predictions=True),
        }
        self.gold_layouts = {
            JSONL: Layout(LayoutKind.JSON_LINES, keys=("answers",)),
            LABEL_STUDIO: Layout(LayoutKind.JSON_LIST, keys=("data", "annotations")),
        }
        if has_spans:
            self._gold |= {
                BRAT: partial(_brat, definition),
                CONLL_BIO: partial(_conll, definition, tagging=BIO),
                CONLL_IOBES: partial(_conll, definition, tagging=IOBES),
            }
            self.gold_layouts |= {
                BRAT: Layout(LayoutKind.ARCHIVE),
                CONLL_BIO: Layout(LayoutKind.BIO),
                CONLL_IOBES: Layout(LayoutKind.IOBES),
            }
            if is_single:
                self._gold[CONLLU] = partial(_conllu, definition, with_gold=True)
                self.gold_layouts[CONLLU] = Layout(LayoutKind.CONLLU)
        # Last, because any table fits it.
        self.gold_layouts[CSV] = columns.gold()
        self.gold_formats = tuple(self._gold)
        self.item_layouts = {_IDS: columns.items()}

    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        """Yield the items of a file as sentences. Raise FileError."""
        if fmt == CONLLU and fmt in self._sentences:
            yield from read_conllu(path, on_error=on_error, metadata=lambda words: {})
            return
        if fmt not in self._sentences:
            known = ", ".join(self.formats)
            message = f"{fmt!r} is not a format of items. Known formats: {known}."
            raise FileError(path.name, None, message)
        for entry in self._sentences[fmt](path, on_error):
            if problem := self._problem(entry):
                on_error(FileError(path.name, entry.line, problem[1], field=problem[0]))
            else:
                yield entry.sentence()

    def _problem(self, entry: Entry) -> tuple[str, str] | None:
        """Return the field and a sentence about what an item lacks, or None."""
        if not entry.parts:
            return "texts", "has no words."
        if self._definition.image == "required" and not entry.image:
            return "image", "is empty."
        return None

    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        """Yield the items of tables with the ids of sentences. Raise FileError."""
        for path in paths:
            for line, external_id in tables.read_ids(path, self._definition, on_error):
                yield ItemRecord(external_id, LOCAL_KEY, {}, line=line, file=path.name)

    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        """Yield the gold of files. Raise FileError."""
        if fmt not in self._gold:
            known = ", ".join(self.gold_formats)
            message = f"{fmt!r} is not a format of answers. Known formats: {known}."
            raise FileError(paths[0].name, None, message)
        for path in paths:
            for entry in self._gold[fmt](path, on_error):
                yield replace(entry.gold(), empty=self._empty(entry))

    def _empty(self, entry: Entry) -> tuple[str, ...]:
        """Return the paths of fields whose parts have words, and which an annotated item lacks."""
        if entry.answers is None:
            return ()
        return tuple(
            f"answers.{field.key}"
            for field in self._definition.fields
            if isinstance(field, SpansField | QuestionsField) and not entry.answers.get(field.key)
        )

    def find_items(self, external_id: str, context: ItemContext) -> list[ItemRecord]:
        """Return the sentence as an item."""
        return [ItemRecord(external_id, LOCAL_KEY, {})]

    def complete_item(self, item: ItemRecord, context: ItemContext) -> ItemRecord:
        """Add the ranges of the texts. Raise ContentError if the sentence has other texts."""
        if len(self._definition.texts) == 1:
            return replace(item, target={})
        ranges = context.metadata.get(TEXTS)
        keys = [text.key for text in self._definition.texts]
        if not isinstance(ranges, Mapping) or in_order(ranges) != keys:
            has = ", ".join(in_order(ranges)) if isinstance(ranges, Mapping) else "one text"
            message = f"the sentence has {has}, but the definition {', '.join(keys)}."
            raise ContentError(TEXTS, f"{message} Import it again with a column per text.")
        return replace(item, target={TEXTS: {key: list(ranges[key]) for key in keys}})

    def item_key_of_row(self, row: Mapping[str, str]) -> tuple[str, str] | None:
        """Return the item in the column `item`, which may be the id alone, as in corpora."""
        item = row.get("item", "")
        return (item, LOCAL_KEY) if item and "/" not in item else super().item_key_of_row(row)

    def headline(self, context: ItemContext) -> str:
        """Return the first words of the first text."""
        ranges = context.target.get(TEXTS) or {"": [0, len(context.tokens)]}
        start, end = min(ranges.values())
        last = min(end, start + HEADLINE_WORDS)
        return context.span_text(start, last) + (" …" if end > last else "")

    def fit_gold(self, record: GoldRecord, context: ItemContext) -> Fit:
        """Refuse a record whose texts are other parts of the sentence. Raise ContentError."""
        stated, stored = record.item.target.get(TEXTS), context.target.get(TEXTS)
        if stated and record.item.stated.tokens and stated != stored:
            raise ContentError(TEXTS, "the texts of the sentence end at other words.")
        return Fit(record)

    @property
    def move_gold(self) -> MoveGold:
        """Return the function that moves spans to other tokens."""
        return self._moved

    @property
    def scale_gold(self) -> ScaleGold | None:
        """Return the function that scales boxes to another image, if there are boxes."""
        has_boxes = any(isinstance(field, BoxesField) for field in self._definition.fields)
        return self._scaled if has_boxes else None

    def _moved(self, record: GoldRecord, positions: PositionMap) -> GoldRecord:
        """Return a record with the positions of another tokenization. Raise ContentError."""
        ranges = record.item.target.get(TEXTS, {})
        target = {
            TEXTS: {
                key: list(positions.span(start, end, f"{TEXTS}.{key}"))
                for key, (start, end) in ranges.items()
            }
        }
        item = replace(record.item, target=target if ranges else {})
        return replace(self._changed(record, partial(_moved_value, positions)), item=item)

    def _scaled(self, record: GoldRecord, across: float, down: float) -> GoldRecord:
        return self._changed(record, partial(_scaled_value, across, down))

    def _changed(self, record: GoldRecord, change: Callable[[Field, Any], Any]) -> GoldRecord:
        answers = record.content.get("answers", {})
        changed = {
            field.key: change(field, value) for field, value in fields_of(self._definition, answers)
        }
        # Unknown fields stay, because the parser refuses them.
        return replace(record, content={**record.content, "answers": {**answers, **changed}})


def _moved_value(positions: PositionMap, field: Field, value: Any) -> Any:
    if not isinstance(field, SpansField | QuestionsField) or not isinstance(value, list):
        return value
    return [
        _moved_part(positions, field, part, f"answers.{field.key}.{at}")
        for at, part in enumerate(value)
    ]


def _moved_part(positions: PositionMap, field: Field, part: Any, path: str) -> Any:
    """Return a span or question with other positions. Raise ContentError."""
    match part:
        case {"start": int(start), "end": int(end)} if isinstance(field, SpansField):
            start, end = positions.span(start, end, path)
            return {**part, "start": start, "end": end}
        case {"answers": [*spans]} if isinstance(field, QuestionsField):
            return {**part, "answers": [_moved_span(positions, span, path) for span in spans]}
    return part


def _moved_span(positions: PositionMap, span: Any, path: str) -> Any:
    match span:
        case [int(start), int(end)]:
            return list(positions.span(start, end, path))
    return span


def _scaled_value(across: float, down: float, field: Field, value: Any) -> Any:
    if not isinstance(field, BoxesField) or not isinstance(value, list):
        return value
    return [_scaled_box(across, down, part) for part in value]


def _scaled_box(across: float, down: float, part: Any) -> Any:
    match part:
        case {"box": [int() | float(), int() | float(), int() | float(), int() | float()]}:
            x1, y1, x2, y2 = part["box"]
            box = [round(x1 * across), round(y1 * down), round(x2 * across), round(y2 * down)]
            return {**part, "box": box}
    return part


def _table(
    definition: Definition, path: Path, on_error: ErrorSink, *, with_gold: bool
) -> Iterator[Entry]:
    return tables.read(path, definition, on_error, with_gold=with_gold)


def _jsonl(definition: Definition, path: Path, on_error: ErrorSink) -> Iterator[Entry]:
    return jsonl.read(path, definition, on_error)


def _label_studio(
    definition: Definition,
    path: Path,
    on_error: ErrorSink,
    *,
    with_gold: bool,
    predictions: bool = False,
) -> Iterator[Entry]:
    return label_studio.read(
        path, definition, on_error, with_gold=with_gold, predictions=predictions
    )


def _brat(definition: Definition, path: Path, on_error: ErrorSink) -> Iterator[Entry]:
    return brat.read(path, definition, on_error)


def _conll(
    definition: Definition, path: Path, on_error: ErrorSink, *, tagging: Any
) -> Iterator[Entry]:
    return conll.read(path, definition, on_error, tagging=tagging)


def _conllu(
    definition: Definition, path: Path, on_error: ErrorSink, *, with_gold: bool
) -> Iterator[Entry]:
    return conllu.read(path, definition, on_error, with_gold=with_gold)


def _text(definition: Definition, path: Path, on_error: ErrorSink) -> Iterator[Entry]:
    """Yield an item for each line that is not empty. The file is the document."""
    key = definition.texts[0].key
    count = 0
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            parts = parts_of(definition, {key: text})
        except FieldError as error:
            on_error(error.at(path, line))
            continue
        count += 1
        yield Entry(external_id=f"{path.stem}:{line}", line=line, parts=parts, document=path.stem)
    if not count:
        raise FileError(path.name, None, "contains no words; expected a text per line.")
