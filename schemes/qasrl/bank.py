"""The JSON Lines format of the QA-SRL Bank 2.0 (FitzGerald et al. 2018), one sentence per line."""

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from io import BufferedWriter
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from orjson import OPT_APPEND_NEWLINE, dumps

from schemes.contract.errors import ErrorSink, FieldError
from schemes.contract.records import (
    ExportRow,
    GoldRecord,
    ItemRecord,
    Judged,
    SentenceRecord,
    Stated,
)
from schemes.contract.values import Json, Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.context_answers import answered_in_sentence, is_outside
from schemes.qasrl.json_lines import (
    check_verb,
    json_lines,
    list_field,
    mapping_field,
    position_field,
    span_field,
    text_field,
    tokens_field,
    verb_forms_field,
)
from schemes.qasrl.published_csv import SEPARATOR, SLOT_FIELDS
from schemes.qasrl.reading import slots_of_shape, verb_phrase_of
from schemes.qasrl.slots import Slots
from schemes.row_files import is_row_file

_EMPTY = "_"
# Level 2 is much faster than level 6 and its files are only slightly larger.
_LEVEL = 2
# Lines are compressed together, because each write of a gzip file costs as much as a short line.
_BUFFER = 1 << 16
# The Bank's prefixes of annotators and of programs.
ANNOTATOR, _PROGRAM = "turk-", "model-"
# Suffix of a source whose judgment is the gold's, a consolidator or an expert. The Bank marks its
# rounds alike ("-expansion", "-eval").
GOLD = "-gold"
# The name of a count of questions that were left out
MODEL_QUESTIONS = "questions_of_models_left_out"
_slot_values = itemgetter(*SLOT_FIELDS)


@dataclass(frozen=True, slots=True)
class Validity:
    """The least number of valid judgments `min_valid` of every `of`, and of at least that many."""

    min_valid: int
    of: int

    def accepts(self, judgments: Sequence[Json]) -> bool:
        valid = sum(judgment.get("isValid") is True for judgment in judgments)
        return len(judgments) >= self.of and valid * self.of >= self.min_valid * len(judgments)


def looks_like_bank(path: Path) -> bool:
    is_json = ".jsonl" in path.suffixes or ".json" in path.suffixes
    return is_json and not (path.is_file() and is_row_file(path))


def read_bank_sentences(path: Path, *, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    """Yield the sentences of a file.

    `metadata["items"]` has the targets of the sentence's verbs, including forms.
    """
    seen: set[str] = set()
    for line, entry in json_lines(path, on_error):
        try:
            external_id, tokens = text_field(entry, "sentenceId"), tokens_field(entry)
            if external_id in seen:
                raise FieldError("sentenceId", "is repeated.")
            verbs = mapping_field(entry, "verbEntries")
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        seen.add(external_id)
        items = []
        for key, verb in verbs.items():
            try:
                items.append(_target(key, verb, tokens))
            except FieldError as bad:
                on_error(_without_verb(bad, key).at(path, line))
        items.sort(key=itemgetter("verb_idx"))
        yield SentenceRecord(external_id, tokens, line, {"items": items})


def read_bank_items(path: Path, *, on_error: ErrorSink) -> Iterator[ItemRecord]:
    """Yield the verbs of all sentences."""
    for record in read_bank_gold(path, on_error=on_error):
        yield record.item


def read_bank_gold(
    path: Path,
    *,
    on_error: ErrorSink,
    validity: Validity | None = None,
    with_models: bool = False,
) -> Iterator[GoldRecord]:
    """Yield a record per verb: its questions with the distinct spans of valid judgments.

    Questions that `validity` does not accept are left out, and questions without a valid judgment
    always are. Questions that only models asked are left out and counted in `notes`, unless
    `with_models`. If a verb has judgments of a GOLD source, as in our own exports, only these count for
    spans, and neither validity nor sources are checked. The provenance of a question has its first
    source as `worker_id`. Its other fields are empty.
    """
    for line, entry in json_lines(path, on_error):
        try:
            external_id, tokens = text_field(entry, "sentenceId"), tokens_field(entry)
            verbs = mapping_field(entry, "verbEntries")
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        records = []
        for key, verb in verbs.items():
            try:
                target = _target(key, verb, tokens)
                notes: Counter[str] = Counter()
                content, provenance = _content(verb, tokens, validity, with_models, notes)
            except FieldError as bad:
                on_error(_without_verb(bad, key).at(path, line))
                continue
            local_key = str(target["verb_idx"])
            item = ItemRecord(
                external_id, local_key, target, line, path.name, Stated(tokens=tokens)
            )
            is_blank = not content["questions"]
            record = GoldRecord(item, content, provenance, line, is_blank=is_blank, notes=notes)
            records.append(record)
        yield from sorted(records, key=lambda record: int(record.item.local_key))


def _without_verb(bad: FieldError, key: str) -> FieldError:
    """Return the error of a verb, which is left out."""
    return FieldError(bad.field, f"{bad.message} The verb {key[:40]} is left out.")


def write_bank(rows: Iterable[ExportRow], path: Path) -> int:
    """Stream the rows of verbs to a file. Return the number of sentences.

    The same rows give the same bytes. Raises ValueError if the rows of a sentence are not adjacent.
    """
    count, seen = 0, set()
    with (
        path.open("wb") as file,
        _deterministic_gzip(file) as gzip_file,
        BufferedWriter(gzip_file, _BUFFER) as packed,
    ):
        for external_id, group in groupby(rows, key=lambda row: row.external_id):
            if external_id in seen:
                raise ValueError(f"the rows of sentence {external_id} must stand together")
            seen.add(external_id)
            packed.write(dumps(_sentence_json(list(group)), option=OPT_APPEND_NEWLINE))
            count += 1
    return count


def _content(
    verb: Json,
    tokens: Tokens,
    validity: Validity | None,
    with_models: bool,
    notes: Counter[str],
) -> tuple[Json, list[Json]]:
    """Return the content of a verb and its provenance. Raise FieldError."""
    forms = verb_forms_field(verb)
    labels = mapping_field(verb, "questionLabels")
    judged = any(_is_gold(judgment) for label in labels.values() for judgment in _judgments(label))
    questions, provenance = [], []
    for text, label in labels.items():
        if label.get("questionString", text) != text:
            raise FieldError("questionString", f"differs from its key {text[:80]!r}.")
        if not judged and validity and not validity.accepts(_judgments(label)):
            continue
        answers = _answers(label, len(tokens), gold_only=judged)
        if answers and not (judged or with_models) and _is_of_models(label):
            notes[MODEL_QUESTIONS] += 1
        elif answers:
            slots = _slots(label, forms)
            questions.append({"question": text, "answers": answers, **slots})
            provenance.append(
                {"worker_id": _first_source(label), "assign_id": "", "source_assign_id": ""}
            )
    return {"questions": questions}, provenance


def _slots(label: Json, forms: VerbForms) -> Json:
    """Return the field `slots`, if the label has them."""
    slots = slots_of_shape(label.get("questionSlots"), forms)
    return {"slots": slots.by_name()} if slots else {}


def _target(key: str, verb: Json, tokens: Tokens) -> Json:
    """Return the target of a verb. Raise FieldError if the verb is not at its position."""
    at, forms = position_field(verb, "verbIndex"), verb_forms_field(verb)
    if key != str(at):
        raise FieldError("verbIndex", f"is {at} in the entry {key[:40]!r}.")
    if at >= len(tokens):
        raise FieldError("verbIndex", f"{at} is on no token.")
    check_verb(at, forms, tokens)
    return {"verb_idx": at, "forms": forms.by_name()}


def _judgments(label: Json) -> list[Json]:
    judgments = list_field(label, "answerJudgments")
    if not all(isinstance(judgment, dict) for judgment in judgments):
        raise FieldError("answerJudgments", "must be a list of objects.")
    return judgments


def _is_gold(judgment: Json) -> bool:
    return str(judgment.get("sourceId", "")).endswith(GOLD)


def _answers(label: Json, length: int, *, gold_only: bool) -> list[list[int]]:
    spans: set[tuple[int, int]] = set()
    for judgment in _judgments(label):
        if gold_only and not _is_gold(judgment):
            continue
        if not isinstance(judgment.get("isValid"), bool):
            raise FieldError("isValid", "must be true or false.")
        if judgment["isValid"]:
            given = list_field(judgment, "spans")
            if not given:
                raise FieldError("spans", "are missing, although the question is valid.")
            spans.update(span_field(span, length) for span in given)
    return [list(span) for span in sorted(spans)]


def _is_of_models(label: Json) -> bool:
    """Return True if all sources of a question are programs."""
    sources = label.get("questionSources")
    return (
        isinstance(sources, list)
        and bool(sources)
        and all(isinstance(source, str) and source.startswith(_PROGRAM) for source in sources)
    )


def _first_source(label: Json) -> str:
    sources = label.get("questionSources")
    if not isinstance(sources, list):
        return ""
    first = min((source for source in sources if isinstance(source, str)), default="")
    return first.removeprefix(ANNOTATOR)


@lru_cache(maxsize=1 << 12)
def _source(annotator: str) -> str:
    """Return an annotator's id as the Bank's readers expect it."""
    return annotator if annotator.startswith(_PROGRAM) else f"{ANNOTATOR}{annotator}"


def _deterministic_gzip(file: IO[bytes]) -> gzip.GzipFile:
    """Return a gzip writer whose header has neither name nor time."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=_LEVEL)


def _sentence_json(rows: Sequence[ExportRow]) -> Json:
    ordered = sorted(rows, key=lambda row: int(row.target["verb_idx"]))
    return {
        "sentenceId": rows[0].external_id,
        "sentenceTokens": list(rows[0].tokens),
        "verbEntries": {str(row.target["verb_idx"]): _verb_json(row) for row in ordered},
    }


def _verb_json(row: ExportRow) -> Json:
    labels = _judged_labels(row) if row.judged else _plain_labels(row)
    return {
        "verbIndex": row.target["verb_idx"],
        "verbInflectedForms": row.target["forms"],
        "questionLabels": {text: label.as_json() for text, label in labels.items()},
    }


@dataclass(slots=True)
class _Label:
    """A question with its sources and judgments."""

    question: Json
    sources: list[str] = field(default_factory=list)
    judgments: list[Json] = field(default_factory=list)

    def judge(self, source: str, spans: list[list[int]] | None) -> None:
        """Add an annotator's answers, or None for an invalid question."""
        judgment: Json = {"sourceId": source, "isValid": spans is not None}
        if spans is not None:
            judgment["spans"] = spans
        if judgment not in self.judgments:
            self.judgments.append(judgment)

    def as_json(self) -> Json:
        slots = self.question.get("slots")
        return {
            "questionString": self.question["question"],
            "questionSources": self.sources,
            "answerJudgments": self.judgments,
            **(_grammar_json(*_slot_values(slots)) if slots else _UNKNOWN),
        }


def _plain_labels(row: ExportRow) -> dict[str, _Label]:
    """Return the labels of gold whose only known judgments are its own."""
    labels = {}
    for question, ids in answered_in_sentence(row):
        source = _source(str(ids.get("worker_id", "")))
        label = labels[question["question"]] = _Label(question, [source])
        label.judge(source, question["answers"])
    return labels


def _judged_labels(row: ExportRow) -> dict[str, _Label]:
    """Return the gold's questions, followed by those that only annotators asked.

    The consolidator's judgment has a GOLD source and comes first. A redundant question has none.
    The judgments of validators follow the generator's. Questions that too few validators found
    valid are invalid in gold.
    """
    assert row.judged
    consolidator = _source(row.judged.by)
    gold = f"{consolidator}{GOLD}"
    labels: dict[str, _Label] = {}
    for question, _ in answered_in_sentence(row):
        labels[question["question"]] = label = _Label(question)
        label.judge(gold, question["answers"])
    for question in row.judged.consolidation.get("questions", ()):
        is_out = question["verdict"] == "invalid" and not is_outside(question)
        if is_out and question["question"] not in labels:
            label = labels.setdefault(question["question"], _Label(question))
            label.judge(gold, None)
    _add_generations(labels, row.judged, gold)
    for annotator, content in row.judged.validations:
        source = _source(annotator)
        for question in content["questions"]:
            if question["verdict"] != "redundant":
                valid = question["verdict"] == "valid"
                labels[question["question"]].judge(source, question["answers"] if valid else None)
    for label in labels.values():
        if len(label.sources) != 1:
            label.sources = sorted(set(label.sources)) or [consolidator]
    return labels


def _add_generations(labels: dict[str, _Label], judged: Judged, gold: str) -> None:
    """Add the annotators' questions. In validated gold, those that it does not have are invalid."""
    has_validations = bool(judged.validations)
    for annotator, content in judged.generations:
        source = _source(annotator)
        for question in content.get("questions", ()):
            if is_outside(question):
                continue
            text = question["question"]
            label = labels.get(text)
            if label is None:
                label = labels[text] = _Label(question)
            label.sources.append(source)
            if has_validations and not label.judgments:
                label.judge(gold, None)
            label.judge(source, question["answers"])


_SLOTS = ("wh", "aux", "subj", "verb", "obj", "prep", "obj2")


@lru_cache(maxsize=1 << 14)
def _grammar_json(*values: Any) -> Json:
    """Return the grammar fields for the values of SLOT_FIELDS, cached because they recur."""
    slots = Slots(**dict(zip(SLOT_FIELDS, values, strict=True)))
    phrase = verb_phrase_of(slots)
    negated = "not " if "not" in slots.verb_prefix.split(SEPARATOR) else ""
    texts = {**slots.by_name(), "verb": f"{negated}{phrase.verb_shape}"}
    return {
        "questionSlots": {name: texts[name] or _EMPTY for name in _SLOTS},
        "tense": phrase.tense,
        "isPerfect": phrase.is_perfect,
        "isProgressive": phrase.is_progressive,
        "isNegated": slots.is_negated,
        "isPassive": slots.is_passive,
    }


# The fields of a question outside the template.
_UNKNOWN: Json = {
    "questionSlots": dict.fromkeys(_SLOTS, _EMPTY),
    "tense": "",
    "isPerfect": False,
    "isProgressive": False,
    "isNegated": False,
    "isPassive": False,
}
