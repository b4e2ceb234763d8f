"""The JSON Lines format of the QA-SRL Bank 2.0 (FitzGerald et al. 2018), one sentence per line."""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, cast

from pydantic_core import to_json

from schemes.base import (
    ContentError,
    ErrorSink,
    ExportRow,
    FieldError,
    FileError,
    GoldRecord,
    ItemRecord,
    Json,
    SentenceRecord,
)
from schemes.english.forms import forms_from_names
from schemes.qasrl.published_csv import SEPARATOR, SLOT_FIELDS
from schemes.qasrl.reading import verb_phrase_of
from schemes.qasrl.slots import Slots

# A sentence with all its questions needs about 20 kB.
MAX_LINE_BYTES = 8 << 20
_GZIP = b"\x1f\x8b"
_EMPTY = "_"
# Level 2 is much faster than level 6 and its files are only slightly larger.
_LEVEL = 2
# Prefix of a source whose judgment is the gold's, a consolidator or an expert.
GOLD = "gold-"
_slot_values = itemgetter(*SLOT_FIELDS)


def looks_like_bank(path: Path) -> bool:
    return ".jsonl" in path.suffixes or ".json" in path.suffixes


def read_bank_sentences(path: Path, *, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    """Yield the sentences of a file.

    `metadata["items"]` has the targets of the sentence's verbs, including forms.
    """
    seen: set[str] = set()
    for line, entry in _entries(path, on_error):
        try:
            external_id, tokens = _text(entry, "sentenceId"), _tokens(entry)
            if external_id in seen:
                raise FieldError("sentenceId", "is repeated; line left out.")
            items = [_target(verb) for verb in _verbs(entry)]
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        seen.add(external_id)
        yield SentenceRecord(external_id, tokens, line, {"items": items})


def read_bank_items(path: Path, *, on_error: ErrorSink) -> Iterator[ItemRecord]:
    """Yield the verbs of all sentences."""
    for record in read_bank_gold(path, on_error=on_error):
        yield record.item


def read_bank_gold(path: Path, *, on_error: ErrorSink) -> Iterator[GoldRecord]:
    """Yield a record per verb: its questions with the distinct spans of valid judgments.

    If a verb has judgments of a GOLD source, as in our own exports, only these count. The
    provenance of a question has its first source as `worker_id`. Its other fields are empty.
    """
    for line, entry in _entries(path, on_error):
        try:
            records = list(_gold_records(entry, line))
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        yield from records


def write_bank(rows: Iterable[ExportRow], path: Path) -> int:
    """Stream the rows to a file. Return the number of sentences.

    The same rows give the same bytes. Raises ValueError if the rows of a sentence are not adjacent.
    """
    count, seen = 0, set()
    with path.open("wb") as file, _deterministic_gzip(file) as packed:
        for external_id, group in groupby(rows, key=lambda row: row.external_id):
            if external_id in seen:
                raise ValueError(f"the rows of sentence {external_id} must stand together")
            seen.add(external_id)
            packed.write(to_json(_sentence_json(list(group))) + b"\n")
            count += 1
    return count


def _entries(path: Path, on_error: ErrorSink) -> Iterator[tuple[int, Json]]:
    line = 0
    try:
        with _opened(path) as file:
            for raw in iter(partial(file.readline, MAX_LINE_BYTES + 1), b""):
                line += 1
                if len(raw) > MAX_LINE_BYTES:
                    raise FileError(path.name, line, "is longer than 8 MiB; is this the file?")
                if not raw.strip():
                    continue
                try:
                    yield line, _entry(raw)
                except FieldError as bad:
                    on_error(bad.at(path, line))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"ends in the middle or is damaged ({error}); fetch the file again."
        raise FileError(path.name, line + 1, message) from error
    except OSError as error:
        raise FileError(path.name, None, f"cannot be read ({error.strerror}).") from error
    if not line:
        raise FileError(path.name, None, "is empty; expected one sentence per line.")


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def _entry(raw: bytes) -> Json:
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise FieldError("", f"is not JSON ({str(error)[:80]}); line left out.") from error
    if not isinstance(entry, dict):
        raise FieldError("", "is not a JSON object; line left out.")
    return entry


def _gold_records(entry: Json, line: int) -> Iterator[GoldRecord]:
    external_id, tokens = _text(entry, "sentenceId"), _tokens(entry)
    for verb in _verbs(entry):
        target = _target(verb)
        if target["verb_idx"] >= len(tokens):
            raise FieldError("verbIndex", f"{target['verb_idx']} is on no token; line left out.")
        item = ItemRecord(external_id, str(target["verb_idx"]), target, line)
        labels = _mapping(verb, "questionLabels")
        judged = any(
            _is_gold(judgment) for label in labels.values() for judgment in _judgments(label)
        )
        questions, provenance = [], []
        for text, label in labels.items():
            answers = _answers(label, len(tokens), gold_only=judged)
            if judged and not answers:
                continue  # invalid or redundant in gold
            questions.append({"question": text, "answers": answers})
            provenance.append(_ids(_first_source(label)))
        yield GoldRecord(item, {"questions": questions}, provenance, line)


def _text(entry: Json, field: str) -> str:
    value = entry.get(field)
    if not isinstance(value, str) or not value.strip() or not _is_clean(value):
        raise FieldError(field, "must be a text; line left out.")
    return value


def _is_clean(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _tokens(entry: Json) -> tuple[str, ...]:
    value = entry.get("sentenceTokens")
    if not isinstance(value, list) or not value:
        raise FieldError("sentenceTokens", "must be a list of tokens; line left out.")
    for token in value:
        if not isinstance(token, str) or not token or " " in token or not _is_clean(token):
            raise FieldError("sentenceTokens", "contains an invalid token; line left out.")
    return tuple(value)


def _mapping(entry: Json, field: str) -> Json:
    value = entry.get(field)
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        raise FieldError(field, "must be a map of objects; line left out.")
    return value


def _verbs(entry: Json) -> list[Json]:
    return sorted(_mapping(entry, "verbEntries").values(), key=_verb_index)


def _verb_index(verb: Json) -> int:
    value = verb.get("verbIndex")
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FieldError("verbIndex", "must be a position; line left out.")
    return value


def _target(verb: Json) -> Json:
    names = verb.get("verbInflectedForms")
    if not isinstance(names, dict):
        raise FieldError("verbInflectedForms", "must be a map; line left out.")
    try:
        forms = forms_from_names(names)
    except ContentError as error:
        raise FieldError("verbInflectedForms", str(error)) from error
    return {"verb_idx": _verb_index(verb), "forms": forms.by_name()}


def _judgments(label: Json) -> list[Json]:
    return [
        judgment for judgment in _listed(label, "answerJudgments") if isinstance(judgment, dict)
    ]


def _is_gold(judgment: Json) -> bool:
    return str(judgment.get("sourceId", "")).startswith(GOLD)


def _answers(label: Json, length: int, *, gold_only: bool) -> list[list[int]]:
    spans: set[tuple[int, int]] = set()
    for judgment in _judgments(label):
        if gold_only and not _is_gold(judgment):
            continue
        if judgment.get("isValid") is True:
            spans.update(_span(span, length) for span in _listed(judgment, "spans"))
    return [list(span) for span in sorted(spans)]


def _listed(entry: Json, field: str) -> list[Any]:
    value = entry.get(field)
    if not isinstance(value, list):
        raise FieldError(field, "must be a list; line left out.")
    return value


def _span(span: object, length: int) -> tuple[int, int]:
    if (
        isinstance(span, list)
        and len(span) == 2
        and all(type(end) is int for end in span)
        and 0 <= span[0] < span[1] <= length
    ):
        return span[0], span[1]
    raise FieldError("spans", f"{str(span)[:40]} is no span of the sentence; line left out.")


def _first_source(label: Json) -> str:
    sources = label.get("questionSources")
    if not isinstance(sources, list):
        return ""
    return min((source for source in sources if isinstance(source, str)), default="")


def _ids(worker_id: str) -> Json:
    return {"worker_id": worker_id, "assign_id": "", "source_assign_id": ""}


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
    for question, ids in zip(row.content["questions"], row.provenance, strict=True):
        source = str(ids.get("worker_id", ""))
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
    gold = GOLD + row.judged.by
    labels: dict[str, _Label] = {}
    for question in row.content["questions"]:
        labels[question["question"]] = label = _Label(question)
        label.judge(gold, question["answers"])
    for question in row.judged.consolidation.get("questions", ()):
        if question["verdict"] == "invalid" and question["question"] not in labels:
            label = labels.setdefault(question["question"], _Label(question))
            label.judge(gold, None)
    for source, content in row.judged.generations:
        for question in content.get("questions", ()):
            label = labels.setdefault(question["question"], _Label(question))
            label.sources.append(source)
            if row.judged.validations and not label.judgments:
                label.judge(gold, None)
            label.judge(source, question["answers"])
    for source, content in row.judged.validations:
        for question in content["questions"]:
            if question["verdict"] != "redundant":
                valid = question["verdict"] == "valid"
                labels[question["question"]].judge(source, question["answers"] if valid else None)
    for label in labels.values():
        label.sources = sorted(set(label.sources)) or [gold]
    return labels


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
