"""Output of QA-SRL parsers in JSON Lines, one sentence per line.

Two layouts are read. That of AllenNLP's predictors has `words` and `verbs`, each with `index` and
`qa_pairs` of `question` and `spans` (`start` and `end`, both inclusive, `text`, `score`). That of the
parsers of the QA-SRL Bank has `sentenceTokens` and `verbs`, each with `verbIndex`,
`verbInflectedForms` and a beam: questions with their answer spans, or spans with their questions,
all with probabilities.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.spans import Span
from schemes.base import ErrorSink, FieldError, GoldRecord, ItemRecord, Json
from schemes.english.forms import VerbForms
from schemes.qasrl.json_lines import (
    json_lines,
    list_field,
    position_field,
    span_field,
    text_field,
    tokens_field,
    verb_forms_field,
)
from schemes.qasrl.reading import question_of, slots_of_shape

_ID_FIELDS = ("sentenceId", "qasrl_id", "sentence_id", "id")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least probabilities of an answer and of a question.

    A question that is invalid with a probability above 1 - `answer` is left out.
    """

    answer: float = 0.5
    question: float = 0.0


def read_parser_output(
    path: Path,
    *,
    on_error: ErrorSink,
    thresholds: Thresholds = Thresholds(),
    ids: Mapping[tuple[str, ...], str] | None = None,
) -> Iterator[GoldRecord]:
    """Yield a record per verb. Answers without a probability are always accepted.

    Of several questions for a span in a beam of spans, the most probable one is used. `ids` maps the
    tokens of sentences to their ids, for sentences without an id. Other tokens are then an error.
    """
    for line, entry in json_lines(path, on_error):
        try:
            records = list(_records(entry, line, thresholds, ids or {}))
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        yield from records


def _records(
    entry: Json, line: int, thresholds: Thresholds, ids: Mapping[tuple[str, ...], str]
) -> Iterator[GoldRecord]:
    tokens = tokens_field(entry, "words" if "words" in entry else "sentenceTokens")
    external_id = _external_id(entry, tokens, ids)
    for verb in _objects(entry, "verbs"):
        beam: _Beam = _QaPairs(verb, tokens) if "qa_pairs" in verb else _BankBeam(verb, tokens)
        if beam.verb_idx >= len(tokens):
            raise FieldError("verbs", f"{beam.verb_idx} is on no token; line left out.")
        questions = beam.questions(thresholds)
        item = ItemRecord(external_id, str(beam.verb_idx), beam.target, line)
        content = {"questions": [question for question in questions if question["answers"]]}
        provenance: list[Json] = [{} for _ in content["questions"]]
        yield GoldRecord(item, content, provenance, line)


def _external_id(entry: Json, tokens: tuple[str, ...], ids: Mapping[tuple[str, ...], str]) -> str:
    named = [text_field(entry, field) for field in _ID_FIELDS if field in entry]
    if tokens in ids:
        return named[0] if named else ids[tokens]
    if ids:
        raise FieldError("", "its tokens are not those of a sentence in the sentences file.")
    if not named:
        raise FieldError("sentenceId", "the sentence has no id; its tokens need a sentences file.")
    return named[0]


def _objects(entry: Json, field: str) -> list[Json]:
    objects = list_field(entry, field)
    if not all(isinstance(value, dict) for value in objects):
        raise FieldError(field, "must be a list of objects; line left out.")
    return objects


def _probability(entry: Json, field: str, default: float) -> float:
    value = entry.get(field, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FieldError(field, "must be a number; line left out.")
    return float(value)


class _QaPairs:
    """A verb of AllenNLP's layout."""

    def __init__(self, verb: Json, tokens: tuple[str, ...]) -> None:
        self._verb, self._tokens = verb, tokens
        self.verb_idx = position_field(verb, "index")
        word = tokens[self.verb_idx] if self.verb_idx < len(tokens) else ""
        self.target: Json = {"verb_idx": self.verb_idx, "verb": word}

    def questions(self, thresholds: Thresholds) -> list[Json]:
        merged: dict[str, set[Span]] = {}
        for pair in _objects(self._verb, "qa_pairs"):
            spans = [
                self._span(span)
                for span in _objects(pair, "spans")
                if _probability(span, "score", 1.0) >= thresholds.answer
            ]
            merged.setdefault(text_field(pair, "question"), set()).update(spans)
        return [_question(text, spans) for text, spans in merged.items()]

    def _span(self, span: Json) -> Span:
        last = position_field(span, "end")
        start, end = span_field([position_field(span, "start"), last + 1], len(self._tokens))
        words = " ".join(self._tokens[start:end])
        if span.get("text", words) != words:
            message = f"{start} to {last} is “{words}”, not {str(span['text'])[:40]!r}."
            raise FieldError("spans", message)
        return start, end


class _BankBeam:
    """A verb of the layout of the QA-SRL Bank's parsers."""

    def __init__(self, verb: Json, tokens: tuple[str, ...]) -> None:
        self._length = len(tokens)
        self._beam = _objects(verb, "questions" if "questions" in verb else "beam")
        self._forms = verb_forms_field(verb)
        self.verb_idx = position_field(verb, "verbIndex")
        self.target: Json = {"verb_idx": self.verb_idx, "forms": self._forms.by_name()}

    def questions(self, thresholds: Thresholds) -> list[Json]:
        merged: dict[str, Json] = {}
        by_span: dict[Span, tuple[float, Json]] = {}
        for entry in self._beam:
            if "answerSpans" in entry:
                self._add_question(entry, thresholds, merged)
            else:
                self._add_span(entry, thresholds, by_span)
        for span, (_, slots) in by_span.items():
            self._add(merged, slots, {span})
        return [_question(text, **question) for text, question in merged.items()]

    def _add_question(self, entry: Json, thresholds: Thresholds, merged: dict[str, Json]) -> None:
        """Add a question with its answers."""
        is_invalid = _probability(entry, "invalidProb", 0.0) > 1 - thresholds.answer
        if is_invalid or _probability(entry, "questionProb", 1.0) < thresholds.question:
            return
        answers = [self._answer(answer) for answer in list_field(entry, "answerSpans")]
        spans = {span for span, probability in answers if probability >= thresholds.answer}
        self._add(merged, entry.get("questionSlots"), spans)

    def _add_span(
        self, entry: Json, thresholds: Thresholds, by_span: dict[Span, tuple[float, Json]]
    ) -> None:
        """Add the most probable question of a span, which may have several entries."""
        span, probability = self._answer(entry)
        if probability < thresholds.answer:
            return
        for question in _objects(entry, "questions") if "questions" in entry else [entry]:
            weight = _probability(question, "questionProb", 1.0)
            is_better = span not in by_span or weight > by_span[span][0]
            if weight >= thresholds.question and is_better:
                by_span[span] = weight, question.get("questionSlots", {})

    def _answer(self, answer: Any) -> tuple[Span, float]:
        """Return a span and its probability, which are an object or a pair."""
        if isinstance(answer, dict):
            span = span_field(answer.get("span"), self._length)
            return span, _probability(answer, "spanProb", 1.0)
        if not isinstance(answer, list) or len(answer) != 2:
            raise FieldError("answerSpans", "must be pairs of a span and a probability.")
        return span_field(answer[0], self._length), _probability({"p": answer[1]}, "p", 1.0)

    def _add(self, merged: dict[str, Json], slots: object, spans: set[Span]) -> None:
        text, fields = _text_of(slots, self._forms)
        merged.setdefault(text, {"spans": set(), **fields})["spans"].update(spans)


_Beam = _QaPairs | _BankBeam


def _text_of(values: object, forms: VerbForms) -> tuple[str, Json]:
    """Return the text of a question and its slots."""
    slots = slots_of_shape(values, forms)
    if slots is None:
        raise FieldError("questionSlots", "must have the seven slots of a question.")
    return question_of(slots, forms), {"slots": slots.by_name()}


def _question(text: str, spans: set[Span], slots: Json | None = None) -> Json:
    question = {"question": text, "answers": [list(span) for span in sorted(spans)]}
    return {**question, "slots": slots} if slots else question
