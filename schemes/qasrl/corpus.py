"""Sentences, items and gold of QA-SRL, from files."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from schemes.conllu_files import read_conllu
from schemes.contract.corpus import Corpus
from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.records import GoldRecord, ItemRecord, SentenceRecord
from schemes.contract.values import Json
from schemes.plain_text import read_text
from schemes.qasrl import bank, fitting, gold_csv, items
from schemes.qasrl.annotation_files import GOLD_OPTIONS, selection_of
from schemes.qasrl.context_answers import is_outside
from schemes.qasrl.layouts import GOLD_LAYOUTS, ITEM_LAYOUTS, LAYOUTS
from schemes.qasrl.parser_output import read_parser_output
from schemes.qasrl.published_csv import read_sentence_rows
from schemes.qasrl.simulated_generator import generation_of, question_of
from schemes.qasrl.stated_rows import stated_by_row
from schemes.table_sentences import TABLE, read_table

_SENTENCE_READERS = {
    "qasrl-csv": read_sentence_rows,
    "qasrl-bank": bank.read_bank_sentences,
    "conllu": partial(read_conllu, metadata=items.items_of_words),
    "text": read_text,
    TABLE: read_table,
}
_GOLD_READERS = {
    "qasrl-csv": lambda path, on_error, selection: gold_csv.read_gold_csv(path, on_error=on_error),
    "qasrl-bank": lambda path, on_error, selection: bank.read_bank_gold(
        path,
        on_error=on_error,
        validity=selection.validity,
        with_models=selection.with_models,
    ),
    "qasrl-parser": lambda path, on_error, selection: read_parser_output(
        path, on_error=on_error, thresholds=selection.thresholds
    ),
}


def known_format(table: Any, fmt: str, path: Path) -> Any:
    """Return the table's entry of a format. Raise FileError."""
    if fmt not in table:
        message = f"{fmt!r} is not a format of QA-SRL files. Known formats: {', '.join(table)}."
        raise FileError(path.name, None, message)
    return table[fmt]


class QasrlCorpus(Corpus):
    """The published files of QA-SRL, and sentences in CoNLL-U, plain text and tables."""

    formats = {
        "qasrl-csv": [".csv"],
        "qasrl-bank": [".jsonl", ".jsonl.gz", ".json", ".json.gz"],
        "conllu": [".conllu", ".conllup", ".conll"],
        "text": [".txt"],
        TABLE: [".tsv", ".xlsx"],
    }
    gold_formats = tuple(_GOLD_READERS)
    gold_options = GOLD_OPTIONS
    searches = items.SEARCHES
    layouts = LAYOUTS
    gold_layouts = GOLD_LAYOUTS
    item_layouts = ITEM_LAYOUTS
    find_items = staticmethod(items.find_verbs)
    complete_item = staticmethod(items.complete_item)
    headline = staticmethod(items.headline)
    order = staticmethod(items.order)
    group = staticmethod(items.group)
    position = staticmethod(items.position)
    item_key_of_row = staticmethod(items.item_key_of_row)
    stated_by_row = staticmethod(stated_by_row)
    item_type = staticmethod(items.item_type)
    move_gold = staticmethod(fitting.move_gold)
    fit_gold = staticmethod(fitting.fit_gold)

    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        return iter(known_format(_SENTENCE_READERS, fmt, path)(path, on_error=on_error))

    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        """Read items from QA files in CSV or from JSON Lines of the QA-SRL Bank."""
        for path in paths:
            reader = bank.read_bank_items if bank.looks_like_bank(path) else gold_csv.read_items
            yield from reader(path, on_error=on_error)

    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        read, selection = known_format(_GOLD_READERS, fmt, paths[0]), selection_of(options)
        return chain.from_iterable(read(path, on_error, selection) for path in paths)

    def split_gold(self, content: Json, provenance: Sequence[Json]) -> list[Json]:
        """Return one generation per source, in the order of the ids.

        The source is the `source_assign_id`, else the `assign_id`, else the `worker_id`. A question
        with several rows belongs to the source of each row, with that row's answers.
        """
        by_source: dict[str, list[dict[str, Any]]] = {}
        for question, origin in zip(content["questions"], provenance, strict=True):
            if is_outside(question):
                continue
            for row in origin.get("rows", [{**origin, "answers": question["answers"]}]):
                names = ("source_assign_id", "assign_id", "worker_id")
                source = next((row[name] for name in names if row.get(name)), "")
                questions = by_source.setdefault(source, [])
                questions.append(question_of({**question, "answers": row["answers"]}))
        return [generation_of(by_source[source]) for source in sorted(by_source)]


CORPUS = QasrlCorpus()
