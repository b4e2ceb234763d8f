"""Texts and gold in JSON Lines, one item per line: `{"id", "texts": {key: text}, "answers"}`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schemes.contract.corpus import Corpus
from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, ItemRecord, SentenceRecord
from schemes.contract.values import Json
from schemes.custom.definition import Definition
from schemes.custom.form import ANSWERS, Form
from schemes.custom.items import TEXTS, join_texts
from schemes.json_values import json_object

FORMAT = "custom-jsonl"
LOCAL_KEY = "0"


class CustomCorpus(Corpus):
    """Items of the texts that a definition declares."""

    formats = {FORMAT: [".jsonl"]}
    gold_formats = (FORMAT,)
    line_formats = ()

    def __init__(self, form: Form) -> None:
        self._form = form
        self.needs_images = form.definition.image == "required"

    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        for line, row in _rows(path, on_error):
            joined = join_texts(self._form.definition, row[TEXTS])
            yield SentenceRecord(
                external_id=row["id"],
                tokens=joined.tokens,
                line=line,
                metadata=joined.target,
                image=row.get("image", ""),
                text=joined.text,
                offsets=joined.offsets,
            )

    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        for path in paths:
            for line, row in _rows(path, on_error):
                yield ItemRecord(row["id"], LOCAL_KEY, {}, line)

    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        for path in paths:
            for line, row in _rows(path, on_error):
                item = ItemRecord(row["id"], LOCAL_KEY, {}, line)
                yield GoldRecord(item, {ANSWERS: row.get(ANSWERS, {})}, [], line)

    def find_items(self, external_id: str, context: ItemContext) -> list[ItemRecord]:
        record = ItemRecord(external_id, LOCAL_KEY, {})
        return [self.complete_item(record, context)]

    def complete_item(self, item: ItemRecord, context: ItemContext) -> ItemRecord:
        target = target_of(self._form.definition, context)
        return ItemRecord(
            item.external_id, item.local_key, target, item.line, item.file, item.stated
        )

    def headline(self, context: ItemContext) -> str:
        return context.span_text(0, min(8, len(context.tokens)))


def target_of(definition: Definition, context: ItemContext) -> Json:
    """Return the ranges of the texts, or of the whole sentence for the first text if unknown."""
    if len(definition.texts) < 2:
        return {}
    ranges = context.metadata.get(TEXTS)
    if not isinstance(ranges, dict):
        end = len(context.tokens)
        ranges = {
            text.key: [0, end] if at == 0 else [end, end]
            for at, text in enumerate(definition.texts)
        }
    return {TEXTS: ranges}


def _rows(path: Path, on_error: ErrorSink) -> Iterator[tuple[int, Json]]:
    with path.open(encoding="utf-8") as file:
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                row = json_object(text)
                if not isinstance(row.get("id"), str) or not isinstance(row.get(TEXTS), dict):
                    raise FieldError("id", "each row needs id and texts.")
            except FieldError as error:
                on_error(FileError(path.name, line, error.message, field=error.field))
                continue
            yield line, row
