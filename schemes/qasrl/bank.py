"""JSON Lines of the QA-SRL Bank 2.0 (FitzGerald et al. 2018), gzipped: one sentence a line."""

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
    FileError,
    GoldRecord,
    ItemRecord,
    Json,
    SentenceRecord,
)
from schemes.qasrl.forms import forms_from_names
from schemes.qasrl.published_csv import SEPARATOR, SLOT_FIELDS
from schemes.qasrl.reading import verb_phrase_of
from schemes.qasrl.slots import Slots

# A sentence with all its questions takes some 20 kB.
MAX_LINE_BYTES = 8 << 20
_GZIP = b"\x1f\x8b"
_EMPTY = "_"
# A third of the time of level 6, for files a fifth larger.
_LEVEL = 2
# Before the id of a source whose judgment is the gold's: a consolidator's or an expert's.
GOLD = "gold-"
_slot_values = itemgetter(*SLOT_FIELDS)


class _LineError(ValueError):
    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def looks_like_bank(path: Path) -> bool:
    return ".jsonl" in path.suffixes or ".json" in path.suffixes


def read_bank_sentences(path: Path, *, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    """Streams; `metadata["items"]` has the targets of the sentence's verbs, forms included."""
    seen: set[str] = set()
    for line, entry in _entries(path, on_error):
        try:
            external_id, tokens = _text(entry, "sentenceId"), _tokens(entry)
            if external_id in seen:
                raise _LineError("sentenceId", "stood above; line left out.")
            items = [_target(verb) for verb in _verbs(entry)]
        except _LineError as bad:
            on_error(FileError(path.name, line, bad.message, field=bad.field))
            continue
        seen.add(external_id)
        yield SentenceRecord(external_id, tokens, line, {"items": items})


def read_bank_items(path: Path, *, on_error: ErrorSink) -> Iterator[ItemRecord]:
    """The verbs of all sentences."""
    for record in read_bank_gold(path, on_error=on_error):
        yield record.item


def read_bank_gold(path: Path, *, on_error: ErrorSink) -> Iterator[GoldRecord]:
    """A record per verb: its questions with the distinct spans that a valid judgment gives.

    Where a verb has judgments of a GOLD source (our own exports), only these make its gold.

    Provenance of a question: `worker_id` is its first source, the rest is empty.
    """
    for line, entry in _entries(path, on_error):
        try:
            records = list(_gold_records(entry, line))
        except _LineError as bad:
            on_error(FileError(path.name, line, bad.message, field=bad.field))
            continue
        yield from records


def write_bank(rows: Iterable[ExportRow], path: Path) -> int:
    """Streams; returns the number of sentences. The same rows give the same bytes.

    Raises ValueError where the rows of a sentence do not stand together.
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


# --- reading ---------------------------------------------------------------------------------


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
                except _LineError as bad:
                    on_error(FileError(path.name, line, bad.message, field=bad.field))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"ends in the middle or is damaged ({error}); fetch the file again."
        raise FileError(path.name, line + 1, message) from error
    except OSError as error:
        raise FileError(path.name, None, f"cannot be read ({error.strerror}).") from error
    if not line:
        raise FileError(path.name, None, "is empty; a sentence a line is expected.")


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def _entry(raw: bytes) -> Json:
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _LineError("", f"is not JSON ({str(error)[:80]}); line left out.") from error
    if not isinstance(entry, dict):
        raise _LineError("", "is not a JSON object; line left out.")
    return entry


def _gold_records(entry: Json, line: int) -> Iterator[GoldRecord]:
    external_id, tokens = _text(entry, "sentenceId"), _tokens(entry)
    for verb in _verbs(entry):
        target = _target(verb)
        if target["verb_idx"] >= len(tokens):
            raise _LineError("verbIndex", f"{target['verb_idx']} is on no token; line left out.")
        item = ItemRecord(external_id, str(target["verb_idx"]), target, line)
        labels = _mapping(verb, "questionLabels")
        judged = any(_is_gold(one) for label in labels.values() for one in _judgments(label))
        questions, provenance = [], []
        for text, label in labels.items():
            answers = _answers(label, len(tokens), gold_only=judged)
            if judged and not answers:
                continue  # invalid or redundant, so the consolidator
            questions.append({"question": text, "answers": answers})
            provenance.append(_ids(_first_source(label)))
        yield GoldRecord(item, {"questions": questions}, provenance, line)


def _text(entry: Json, field: str) -> str:
    value = entry.get(field)
    if not isinstance(value, str) or not value.strip() or not _is_clean(value):
        raise _LineError(field, "must be a text; line left out.")
    return value


def _is_clean(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _tokens(entry: Json) -> tuple[str, ...]:
    value = entry.get("sentenceTokens")
    if not isinstance(value, list) or not value:
        raise _LineError("sentenceTokens", "must be a list of tokens; line left out.")
    for token in value:
        if not isinstance(token, str) or not token or " " in token or not _is_clean(token):
            raise _LineError("sentenceTokens", "holds something that is no token; line left out.")
    return tuple(value)


def _mapping(entry: Json, field: str) -> Json:
    value = entry.get(field)
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise _LineError(field, "must be a map of objects; line left out.")
    return value


def _verbs(entry: Json) -> list[Json]:
    verbs = list(_mapping(entry, "verbEntries").values())
    verbs.sort(key=_verb_index)
    return verbs


def _verb_index(verb: Json) -> int:
    value = verb.get("verbIndex")
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _LineError("verbIndex", "must be a position; line left out.")
    return value


def _target(verb: Json) -> Json:
    try:
        forms = forms_from_names(_plain_mapping(verb, "verbInflectedForms"))
    except ContentError as error:
        raise _LineError("verbInflectedForms", str(error)) from error
    return {"verb_idx": _verb_index(verb), "forms": forms.by_name()}


def _plain_mapping(entry: Json, field: str) -> Json:
    value = entry.get(field)
    if not isinstance(value, dict):
        raise _LineError(field, "must be a map; line left out.")
    return value


def _judgments(label: Json) -> list[Json]:
    return [one for one in _listed(label, "answerJudgments") if isinstance(one, dict)]


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
        raise _LineError(field, "must be a list; line left out.")
    return value


def _span(span: object, length: int) -> tuple[int, int]:
    if (
        isinstance(span, list)
        and len(span) == 2
        and all(type(each) is int for each in span)
        and 0 <= span[0] < span[1] <= length
    ):
        return span[0], span[1]
    raise _LineError("spans", f"{str(span)[:40]} is no span of the sentence; line left out.")


def _first_source(label: Json) -> str:
    sources = label.get("questionSources")
    texts = [each for each in sources if isinstance(each, str)] if isinstance(sources, list) else []
    return min(texts, default="")


def _ids(worker_id: str) -> Json:
    return {"worker_id": worker_id, "assign_id": "", "source_assign_id": ""}


# --- writing ---------------------------------------------------------------------------------


def _deterministic_gzip(file: IO[bytes]) -> gzip.GzipFile:
    """No name and no time in the header: they would differ from one export to the next."""
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
    """A question with those who asked it and what each annotator said of it."""

    question: Json
    sources: list[str] = field(default_factory=list)
    judgments: list[Json] = field(default_factory=list)

    def judge(self, source: str, spans: list[list[int]] | None) -> None:
        """An annotator's word: the answers, or None for a question that is not valid."""
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
    """Gold of which nothing is known but who it came from."""
    labels = {}
    for question, ids in zip(row.content["questions"], row.provenance, strict=True):
        source = str(ids.get("worker_id", ""))
        label = labels[question["question"]] = _Label(question, [source])
        label.judge(source, question["answers"])
    return labels


def _judged_labels(row: ExportRow) -> dict[str, _Label]:
    """The gold's questions first, then those that only annotators asked. The consolidator's word, under
    a GOLD source, comes first among the judgments; a redundant question has none. Validators give
    their judgments after the generator; what they did not find valid together is not so in gold."""
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


@lru_cache(maxsize=1 << 14)
def _grammar_json(*values: Any) -> Json:
    """Of the values of SLOT_FIELDS: there are far fewer of them than questions."""
    slots = Slots(**dict(zip(SLOT_FIELDS, values, strict=True)))
    phrase = verb_phrase_of(slots)
    negated = "not " if "not" in slots.verb_prefix.split(SEPARATOR) else ""
    return {
        "questionSlots": {
            "wh": slots.wh,
            "aux": slots.aux or _EMPTY,
            "subj": slots.subj or _EMPTY,
            "verb": f"{negated}{phrase.verb_shape}",
            "obj": slots.obj or _EMPTY,
            "prep": slots.prep or _EMPTY,
            "obj2": slots.obj2 or _EMPTY,
        },
        "tense": phrase.tense,
        "isPerfect": phrase.is_perfect,
        "isProgressive": phrase.is_progressive,
        "isNegated": slots.is_negated,
        "isPassive": slots.is_passive,
    }


# Of a question outside the template nothing is known.
_UNKNOWN: Json = {
    "questionSlots": dict.fromkeys(("wh", "aux", "subj", "verb", "obj", "prep", "obj2"), _EMPTY),
    "tense": "",
    "isPerfect": False,
    "isProgressive": False,
    "isNegated": False,
    "isPassive": False,
}
