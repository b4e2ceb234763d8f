"""Output of QA-SRL parsers in JSON Lines, one sentence per line.

Three layouts are read. That of AllenNLP's predictors has `words` and `verbs`, each with `index` and
`qa_pairs` of `question` and `spans` (`start` and `end`, both inclusive, `text`, `score`). That of the
parsers of the QA-SRL Bank has `sentenceTokens` and `verbs`, each with `verbIndex`,
`verbInflectedForms` and a beam: questions with their answer spans, or spans with their questions,
all with probabilities. That of QASem has `qasrl` and `qanom`, lists of predicates with `predicate_idx`,
`predicate`, `verb_form` and `QAs` of `question` and `answers`, which are texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.spans import Span
from schemes.contract.errors import ErrorSink, FieldError
from schemes.contract.records import GoldRecord, ItemRecord, Stated, StatedWords
from schemes.contract.values import Json
from schemes.english.forms import VerbForms
from schemes.qasrl.json_lines import (
    check_verb,
    json_lines,
    list_field,
    position_field,
    span_field,
    text_field,
    tokens_field,
    verb_forms_field,
)
from schemes.qasrl.reading import finished, question_of, slots_of_shape
from schemes.qasrl.targets import NOUN
from schemes.stated import same_words, shown

_TOKEN_FIELDS = ("words", "sentenceTokens", "tokens")
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
    ids: Mapping[tuple[str, ...], Sequence[str]] | None = None,
) -> Iterator[GoldRecord]:
    """Yield a record per verb. Answers without a probability are always accepted.

    Of several questions for a span in a beam of spans, the most probable one is used. `ids` maps the
    tokens of sentences to their ids, for sentences without an id. Other tokens are then an error.
    """
    for line, entry in json_lines(path, on_error):
        try:
            tokens = _stated_tokens(entry)
            external_id = _external_id(entry, tokens, ids or {})
            verbs = _verbs(entry)
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        for number, (layout, verb) in enumerate(verbs, start=1):
            try:
                beam = layout(verb, tokens)
                questions = beam.questions(thresholds)
            except FieldError as bad:
                message = f"{bad.message} Predicate {number} of the line is left out."
                on_error(FieldError(bad.field, message).at(path, line))
                continue
            stated = Stated(tokens=tokens, words=beam.words)
            item = ItemRecord(external_id, str(beam.verb_idx), beam.target, line, path.name, stated)
            content = {"questions": [question for question in questions if question["answers"]]}
            yield GoldRecord(item, content, [{} for _ in content["questions"]], line)


def _stated_tokens(entry: Json) -> tuple[str, ...]:
    """Return the sentence's tokens, or nothing if the layout may lack them."""
    fields = [name for name in _TOKEN_FIELDS if name in entry]
    if not fields and _is_qasem(entry):
        return ()
    tokens = tokens_field(entry, fields[0] if fields else "sentenceTokens")
    for field in fields[1:]:
        if tokens_field(entry, field) != tokens:
            raise FieldError(field, f"has other tokens than {fields[0]}.")
    return tokens


def _is_qasem(entry: Json) -> bool:
    return "qasrl" in entry or "qanom" in entry


def _verbs(entry: Json) -> list[tuple["_Layout", Json]]:
    """Return the entries of predicates with their layouts."""
    if _is_qasem(entry):
        pairs: list[tuple[_Layout, Json]] = []
        for field, layout in (("qasrl", _QasemVerb), ("qanom", _QasemNoun)):
            pairs += [(layout, verb) for verb in _objects(entry, field)] if field in entry else []
        return pairs
    return [
        (_QaPairs if "qa_pairs" in verb else _BankBeam, verb) for verb in _objects(entry, "verbs")
    ]


def _external_id(
    entry: Json, tokens: tuple[str, ...], ids: Mapping[tuple[str, ...], Sequence[str]]
) -> str:
    fields = [field for field in _ID_FIELDS if field in entry]
    named = text_field(entry, fields[0]) if fields else ""
    for field in fields[1:]:
        if text_field(entry, field) != named:
            raise FieldError(field, f"is not the {fields[0]} {named!r}.")
    if not ids:
        if not named:
            message = "the sentence has no id; its tokens need a sentences file."
            raise FieldError("sentenceId", message)
        return named
    known = ids.get(tokens, ())
    if not known:
        raise FieldError("", "its tokens are not those of a sentence in the sentences file.")
    if named:
        if named not in known:
            raise FieldError(fields[0], f"its tokens are those of {known[0]}, not {named}.")
        return named
    if len(known) > 1:
        message = (
            f"is missing, and its tokens are those of {len(known)} sentences, first {known[0]}."
        )
        raise FieldError("sentenceId", message)
    return known[0]


def _objects(entry: Json, field: str) -> list[Json]:
    objects = list_field(entry, field)
    if not all(isinstance(value, dict) for value in objects):
        raise FieldError(field, "must be a list of objects.")
    return objects


def _probability(entry: Json, field: str, default: float) -> float:
    value = entry.get(field, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FieldError(field, "must be a number.")
    if not 0 <= value <= 1:  # includes NaN
        raise FieldError(field, f"{value} is not a probability.")
    return float(value)


def _position(verb: Json, field: str, tokens: tuple[str, ...]) -> int:
    at = position_field(verb, field)
    if tokens and at >= len(tokens):
        raise FieldError(field, f"{at} is on no token.")
    return at


class _QaPairs:
    """A verb of AllenNLP's layout."""

    def __init__(self, verb: Json, tokens: tuple[str, ...]) -> None:
        self._verb, self._tokens = verb, tokens
        self.verb_idx = _position(verb, "index", tokens)
        self.target: Json = {"verb_idx": self.verb_idx, "verb": tokens[self.verb_idx]}
        self.words = _stated_verb(verb, "verb", self.verb_idx)

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
        words = self._tokens[start:end]
        text = span.get("text", " ".join(words))
        if not isinstance(text, str) or not same_words(text, words):
            message = f"{start} to {last} is “{shown(words)}”, not {str(text)[:40]!r}."
            raise FieldError("spans", message)
        return start, end


class _BankBeam:
    """A verb of the layout of the QA-SRL Bank's parsers."""

    def __init__(self, verb: Json, tokens: tuple[str, ...]) -> None:
        self._length = len(tokens)
        self._beam = _objects(verb, "questions" if "questions" in verb else "beam")
        self._forms = verb_forms_field(verb)
        self.verb_idx = _position(verb, "verbIndex", tokens)
        check_verb(self.verb_idx, self._forms, tokens)
        self.target: Json = {"verb_idx": self.verb_idx, "forms": self._forms.by_name()}
        self.words: tuple[StatedWords, ...] = ()

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


class _QasemVerb:
    """A verb of QASem's layout, whose answers are texts."""

    _kind: Json = {}

    def __init__(self, verb: Json, tokens: tuple[str, ...]) -> None:
        self._verb = verb
        self.verb_idx = _position(verb, "predicate_idx", tokens)
        self.target: Json = {"verb_idx": self.verb_idx, "verb": verb.get("predicate"), **self._kind}
        if self._kind and "verb_form" in verb:
            self.target["verb_form"] = text_field(verb, "verb_form")
        self.words = _stated_verb(verb, "predicate", self.verb_idx)

    def questions(self, thresholds: Thresholds) -> list[Json]:
        """Return the questions with their answers as texts, equal questions once."""
        merged: dict[str, dict[str, None]] = {}
        for pair in _objects(self._verb, "QAs"):
            # Questions of this layout have a blank before the question mark.
            words = " ".join(text_field(pair, "question").rstrip("? ").split())
            answers = list_field(pair, "answers")
            if not all(isinstance(answer, str) and answer.strip() for answer in answers):
                raise FieldError("answers", "must be a list of texts.")
            merged.setdefault(finished(words), {}).update(dict.fromkeys(answers))
        return [{"question": text, "answers": list(answers)} for text, answers in merged.items()]


class _QasemNoun(_QasemVerb):
    _kind: Json = {"kind": NOUN}


_Layout = type[_QaPairs] | type[_BankBeam] | type[_QasemVerb]


def _stated_verb(verb: Json, field: str, at: int) -> tuple[StatedWords, ...]:
    if verb.get(field) is None:
        return ()
    return (StatedWords(field, (at,), text_field(verb, field), is_lemma=True),)


def _text_of(values: object, forms: VerbForms) -> tuple[str, Json]:
    """Return the text of a question and its slots."""
    slots = slots_of_shape(values, forms)
    if slots is None:
        raise FieldError("questionSlots", "must have the seven slots of a question.")
    return question_of(slots, forms), {"slots": slots.by_name()}


def _question(text: str, spans: set[Span], slots: Json | None = None) -> Json:
    question = {"question": text, "answers": [list(span) for span in sorted(spans)]}
    return {**question, "slots": slots} if slots else question
