"""The QA-SRL scheme. It delegates to the modules of this package."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.corrections import Decision
from schemes.base import (
    Comparison,
    ContentError,
    ErrorSink,
    ExportRow,
    FileError,
    GoldRecord,
    ItemRecord,
    Json,
    SentenceRecord,
    Tokens,
)
from schemes.qasrl import bank, comparison, gold_csv, hints, simulation, tracing, validation
from schemes.qasrl import content as qasrl_content
from schemes.qasrl.alignment import align
from schemes.qasrl.conllu_files import read_conllu
from schemes.qasrl.forms import forms_from_names
from schemes.qasrl.grammar import automaton, item_table
from schemes.qasrl.plain_text import read_text
from schemes.qasrl.predicates import find_predicates
from schemes.qasrl.published_csv import read_sentence_rows, sentence_file
from schemes.qasrl.ranking import ranking_table
from schemes.qasrl.verbs import verb_forms

_SENTENCE_READERS = {
    "qasrl-csv": read_sentence_rows,
    "qasrl-bank": bank.read_bank_sentences,
    "conllu": read_conllu,
    "text": read_text,
}
_GOLD_READERS = {"qasrl-csv": gold_csv.read_gold_csv, "qasrl-bank": bank.read_bank_gold}
_GOLD_WRITERS = {"qasrl-csv": gold_csv.write_gold_csv, "qasrl-bank": bank.write_bank}
_AROUND = 3


class QasrlScheme:
    """The QA-SRL scheme.

    The target is `{"verb_idx", "verb", "forms": {"stem", "presentSingular3rd", "presentParticiple",
    "past", "pastParticiple"}}`. The local key is verb_idx as text. For content, see `content.py`.
    """

    name = "qasrl"
    title = "QA-SRL"
    schema_version = qasrl_content.SCHEMA_VERSION
    rules: Mapping[str, str] = {
        "comparison": comparison.RULE,
        "equivalence": "qasrl.strict-match.v1",
        "validation": validation.RULE,
        "trace": tracing.RULE,
    }
    corpus_formats: Mapping[str, Sequence[str]] = {
        "qasrl-csv": [".csv"],
        "qasrl-bank": [".jsonl", ".jsonl.gz", ".json", ".json.gz"],
        "conllu": [".conllu", ".conll"],
        "text": [".txt"],
    }
    export_formats: Sequence[str] = tuple(_GOLD_WRITERS)

    def find_items(
        self, external_id: str, tokens: Tokens, metadata: Json | None = None
    ) -> list[ItemRecord]:
        targets = (metadata or {}).get("items")
        if targets is None:
            targets = [{"verb_idx": at} for at in find_predicates(tokens)]
        return [
            ItemRecord(external_id, str(target["verb_idx"]), dict(target)) for target in targets
        ]

    def complete_item(self, item: ItemRecord, tokens: Tokens) -> ItemRecord:
        """Add the verb and, if missing, its five forms.

        Raises ContentError (path `verb_idx`, `forms.<name>`).
        """
        verb_idx = item.target.get("verb_idx")
        if type(verb_idx) is not int or not 0 <= verb_idx < len(tokens):
            message = f"{verb_idx} is on no token; the sentence has {len(tokens)}."
            raise ContentError("verb_idx", message)
        names = item.target.get("forms")
        forms = forms_from_names(names) if names is not None else verb_forms(tokens[verb_idx])
        verb = tokens[verb_idx].lower()
        target = {"verb_idx": verb_idx, "verb": verb, "forms": forms.by_name()}
        return ItemRecord(item.external_id, str(verb_idx), target, item.line)

    def headline(self, tokens: Tokens, target: Json) -> str:
        at = target["verb_idx"]
        start, end = max(0, at - _AROUND), at + _AROUND + 1
        before = "… " if start else ""
        after = " …" if end < len(tokens) else ""
        words = [*tokens[start:at], f"[{tokens[at]}]", *tokens[at + 1 : end]]
        return f"{before}{' '.join(words)}{after}"

    def search_texts(self, content: Json, target: Json) -> tuple[list[str], list[str]]:
        questions = [question["question"] for question in content.get("questions", [])]
        forms = target.get("forms", {})
        return questions, [target.get("verb", ""), forms.get("stem", "")]

    def shared_page_data(self) -> Json:
        """Return `automaton` for the Walker of static/js/schemes/qasrl/grammar.js."""
        return {"automaton": automaton()}

    def page_data(self, tokens: Tokens, target: Json) -> Json:
        """Return `item`, the item's part of the grammar, and `ranking` for suggestions."""
        forms = forms_from_names(target["forms"], path="target.forms")
        return {
            "item": item_table(forms, tokens),
            "ranking": ranking_table(tokens, target["verb_idx"], forms),
        }

    def lay_out(self, sources: Sequence[Json], *, tokens: Tokens, target: Json) -> Json:
        """Align the sources (see `alignment.align`)."""
        return align(sources)

    def asked_of_validators(self, sources: Sequence[Json]) -> Json:
        """Return `{"questions": [text, ...]}`."""
        questions = qasrl_content.asked_questions(sources)
        return {"questions": [question["question"] for question in questions]}

    parse_generation = staticmethod(qasrl_content.parse_generation)
    parse_consolidation = staticmethod(qasrl_content.parse_consolidation)
    parse_gold = staticmethod(qasrl_content.parse_gold)
    parse_system = staticmethod(qasrl_content.parse_system)
    gold_of = staticmethod(qasrl_content.gold_of)
    gold_of_validations = staticmethod(validation.gold_of_validations)
    count_same_verdicts = staticmethod(validation.count_same_verdicts)
    trace = staticmethod(tracing.trace)
    as_source = staticmethod(qasrl_content.as_source)
    keep_all = staticmethod(qasrl_content.keep_all)
    count_units = staticmethod(qasrl_content.count_units)

    def parse_validation(
        self, content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
    ) -> Json:
        return qasrl_content.parse_validation(content, tokens=tokens, sources=sources)

    simulate_generation = staticmethod(simulation.simulate_generation)
    simulate_consolidation = staticmethod(simulation.simulate_consolidation)
    invent_reference = staticmethod(simulation.invent_reference)
    split_by_source = staticmethod(simulation.split_by_source)

    def simulate_validation(
        self, reference: Json, asked: Json, *, tokens: Tokens, skill: float, seed: str
    ) -> Json:
        return simulation.simulate_validation(
            reference, asked["questions"], tokens=tokens, skill=skill, seed=seed
        )

    labelled_spans = staticmethod(comparison.labelled_spans)

    def compare(
        self,
        *,
        reference: Json,
        predicted: Json,
        tokens: Tokens,
        target: Json,
        decisions: Iterable[Decision] = (),
    ) -> Comparison:
        return comparison.compare(reference=reference, predicted=predicted, decisions=decisions)

    def remarks_on(
        self, comparison: Comparison, *, tokens: Tokens, target: Json
    ) -> list[tuple[str, str]]:
        return hints.remarks_on(comparison.rows, tokens=tokens, target=target)

    def guideline_section(self, code: str, *, role: str) -> str:
        return hints.SECTIONS.get(role, {}).get(code, "")

    def read_sentences(
        self, path: Path, *, fmt: str, on_error: ErrorSink
    ) -> Iterator[SentenceRecord]:
        return iter(_known(_SENTENCE_READERS, fmt, path)(path, on_error=on_error))

    def read_items(self, path: Path, *, on_error: ErrorSink) -> Iterator[ItemRecord]:
        """Read items from a QA file in CSV or from JSON Lines of the QA-SRL Bank."""
        reader = bank.read_bank_items if bank.looks_like_bank(path) else gold_csv.read_items
        return reader(path, on_error=on_error)

    def read_gold(self, path: Path, *, fmt: str, on_error: ErrorSink) -> Iterator[GoldRecord]:
        return iter(_known(_GOLD_READERS, fmt, path)(path, on_error=on_error))

    def write_gold(self, rows: Iterable[ExportRow], path: Path, *, fmt: str) -> int:
        return int(_known(_GOLD_WRITERS, fmt, path)(rows, path))

    sentence_file = staticmethod(sentence_file)


def _known(table: Any, fmt: str, path: Path) -> Any:
    if fmt not in table:
        message = f"{fmt!r} is not a format of QA-SRL files. Known formats: {', '.join(table)}."
        raise FileError(path.name, None, message)
    return table[fmt]
