"""Validation of QA-SRL content. Input becomes normalised JSON or raises a ContentError.

Schema version 1.

- generation: `{"questions": [{"question", "answers", "slots"}], "no_question": ""}`
- gold: `{"questions": [{"question", "answers", "slots"}]}`
- consolidation: `{"questions": [{"question", "answers", "slots", "source", "verdict", "same_as"}]}`
- validation: `{"questions": [{"question", "answers", "slots", "verdict", "same_as"}]}`, the validated
  questions in their order, question with the validator's own answers

`answers` are half-open token ranges `[start, end)` in ascending order. `slots` is `slots.Slots` as
JSON, or null if the question is outside the template. Slots are always computed here, and any in
the input are ignored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field

from schemes.base import ContentError, ItemContext, Json, Tokens
from schemes.content_models import Strict, clean_text, validated
from schemes.english.forms import forms_from_names
from schemes.english.verbs import candidate_forms
from schemes.qasrl.reading import finished, question_of
from schemes.qasrl.slots import Slots, strict_match_key
from schemes.qasrl.tracing import state_of
from schemes.qasrl.walker import Walker, open_item

SCHEMA_VERSION = 1
MAX_QUESTIONS = 60  # per person and verb
MAX_GOLD_QUESTIONS = 1000
MAX_ANSWERS = 60
MAX_QUESTION_LENGTH = 200
MAX_REASON_LENGTH = 1000

Span = tuple[int, int]


_Answers = Annotated[
    list[Annotated[list[int], Field(min_length=2, max_length=2)]], Field(max_length=MAX_ANSWERS)
]
_Text = Annotated[str, Field(max_length=MAX_QUESTION_LENGTH)]


class _Question(Strict):
    question: _Text
    answers: _Answers
    slots: Any = None


class _Generation(Strict):
    questions: Annotated[list[_Question], Field(max_length=MAX_QUESTIONS)]
    no_question: Annotated[str, Field(max_length=MAX_REASON_LENGTH)] = ""


class _Gold(Strict):
    # Merged annotations may have more questions than a single annotator may write.
    questions: Annotated[list[_Question], Field(max_length=MAX_GOLD_QUESTIONS)]


class _Source(Strict):
    submission: int
    question: int


class _Judged(_Question):
    source: _Source | None
    verdict: Literal["keep", "invalid", "redundant"]
    same_as: int | None = None


class _Consolidation(Strict):
    # The limit depends on the sources, because all their questions are judged.
    questions: list[_Judged]


class _Verdict(Strict):
    # The page may repeat the question. The stored question's text and slots are used.
    question: _Text = ""
    slots: Any = None
    answers: _Answers
    verdict: Literal["valid", "invalid", "redundant"]
    same_as: int | None = None


class _Validation(Strict):
    questions: Annotated[list[_Verdict], Field(max_length=4 * MAX_QUESTIONS)]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A question of the content with its path."""

    path: str
    question: str
    answers: tuple[Span, ...]
    slots: Json | None

    def as_json(self) -> Json:
        answers = [list(span) for span in self.answers]
        return {"question": self.question, "answers": answers, "slots": self.slots}


def parse_generation(content: object, context: ItemContext) -> Json:
    """Parse a generator's content. Raises ContentError.

    A question outside the template is stored with null slots.
    """
    generation = validated(_Generation, content)
    questions = _placed(generation.questions, context)
    _check_kept(questions, context.tokens)
    reason = clean_text(generation.no_question, "no_question")
    if not questions and not reason:
        raise ContentError("questions", "ask a question, or say why none can be asked.")
    return {"questions": [question.as_json() for question in questions], "no_question": reason}


def parse_gold(content: object, context: ItemContext) -> Json:
    """Parse gold content, which may have no questions. Raises ContentError."""
    questions = _placed(validated(_Gold, content).questions, context)
    _check_kept(questions, context.tokens)
    return {"questions": [question.as_json() for question in questions]}


def parse_system(content: object, context: ItemContext) -> Json:
    """Parse a program's output as a source for a merge. Raises ContentError.

    Questions may repeat and answers may overlap. Questions without answers are dropped.
    """
    questions = _placed(validated(_Gold, content).questions, context)
    return {"questions": [question.as_json() for question in questions if question.answers]}


def parse_consolidation(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a consolidator's content. Raises ContentError.

    Every source question must be judged once. The kept questions must be valid gold.
    """
    judged = validated(_Consolidation, content).questions
    _check_size(judged, sources)
    questions = _placed(judged, context)
    _check_sources(judged, sources)
    _check_verdicts(judged)
    pairs = list(zip(questions, judged, strict=True))
    _check_kept([question for question, by in pairs if by.verdict == "keep"], context.tokens)
    return {
        "questions": [
            {**question.as_json(), **by.model_dump(include={"source", "verdict", "same_as"})}
            for question, by in pairs
        ]
    }


def asked_questions(sources: Sequence[Json]) -> list[Json]:
    """Return the questions that validators judge, in display order."""
    return [question for source in sources for question in source["questions"]]


def parse_validation(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a validator's content. Raises ContentError.

    Every question must be judged. Valid ones need answers that share no token, and redundant ones
    must name the valid question that they repeat.
    """
    asked = asked_questions(sources)
    judged = validated(_Validation, content).questions
    if len(judged) != len(asked):
        raise ContentError("questions", f"{len(judged)} are judged of {len(asked)} asked.")
    pairs = [
        (_answered(f"questions[{position}]", question, by, context.tokens), by)
        for position, (question, by) in enumerate(zip(asked, judged, strict=True))
    ]
    _check_repeats(judged)
    _check_kept([question for question, by in pairs if by.verdict == "valid"], context.tokens)
    return {
        "questions": [
            {**question.as_json(), "verdict": by.verdict, "same_as": by.same_as}
            for question, by in pairs
        ]
    }


def gold_of(consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
    """Return the kept questions as gold, and their provenance.

    Provenance has `{"source": position or None, "state"}` per question. The state is kept, edited
    or new.
    """
    kept = [question for question in consolidation["questions"] if question["verdict"] == "keep"]
    names = ("question", "answers", "slots")
    questions = [{name: question[name] for name in names} for question in kept]
    return {"questions": questions}, [_origin(question, sources) for question in kept]


def count_units(content: Json, role: str) -> int:
    """Return the number of questions. For a consolidator, only those from annotators count."""
    if role != "consolidator":
        return len(content["questions"])
    return sum(question["source"] is not None for question in content["questions"])


def count_parts(content: Json) -> Json:
    """Return the numbers of roles (questions) and arguments (answers)."""
    questions = content.get("questions", [])
    return {
        "roles": len(questions),
        "arguments": sum([len(question.get("answers", ())) for question in questions]),
    }


def match_key(question: Json) -> tuple[Any, ...]:
    """Return the STRICT-MATCH key of a parsed question, or its text outside the template."""
    if question["slots"] is None:
        return ("text", question["question"].casefold())
    return strict_match_key(Slots(**question["slots"]))


def as_source(content: Json) -> Json:
    """Return a generation, gold or a system's output with the same fields.

    The reason for asking nothing is dropped, because only people give one.
    """
    names = ("question", "answers", "slots")
    questions = [{name: question.get(name) for name in names} for question in content["questions"]]
    return {"questions": questions, "no_question": ""}


def keep_all(source: Json) -> Json:
    """Return a consolidation that keeps every question of the only source."""
    return {
        "questions": [
            {
                "question": question["question"],
                "answers": question["answers"],
                "source": {"submission": 0, "question": position},
                "verdict": "keep",
                "same_as": None,
            }
            for position, question in enumerate(source["questions"])
        ]
    }


def _origin(question: Json, sources: Sequence[Json]) -> Json:
    position = question["source"] and question["source"]["submission"]
    return {"source": position, "state": state_of(question, sources)}


def _placed(questions: Sequence[_Question], context: ItemContext) -> list[_Placed]:
    reader = _Reader(context.target)
    placed = []
    for position, question in enumerate(questions):
        path = f"questions[{position}]"
        text, slots = reader.read(clean_text(question.question, f"{path}.question"))
        if not text:
            raise ContentError(f"{path}.question", "is empty.")
        answers = tuple(sorted(_spans(question.answers, len(context.tokens), f"{path}.answers")))
        placed.append(_Placed(path, text, answers, slots))
    return placed


class _Reader:
    """A reader of questions about one target.

    It tries the target's forms, then other spellings of its verb. It accepts all prepositions of
    the closed list, although the page offers only those of the sentence.
    """

    def __init__(self, target: Json) -> None:
        self._walker = Walker(open_item(forms_from_names(target["forms"], path="target.forms")))
        self._verb = str(target["verb"])

    def read(self, text: str) -> tuple[str, Json | None]:
        """Return the question as stored, and its slots or None."""
        body = text.rstrip("? ")
        for walker in self._walkers():
            reading = walker.read(body)
            if reading is not None:
                spelt = question_of(
                    reading.slots,
                    walker.forms,
                    has_separate_not=reading.has_separate_not,
                    has_it=reading.has_it,
                )
                return spelt, reading.slots.by_name()
        return (finished(body) if body else "", None)

    def _walkers(self) -> Iterator[Walker]:
        yield self._walker
        for forms in candidate_forms(self._verb):
            yield Walker(open_item(forms))


def _spans(answers: Sequence[Sequence[int]], length: int, path: str) -> Iterator[Span]:
    for position, (start, end) in enumerate(answers):
        where = f"{path}[{position}]"
        if not 0 <= start < length or end > length:
            raise ContentError(
                where, f"[{start}, {end}] is not in the sentence, which has {length} tokens."
            )
        if start >= end:
            raise ContentError(where, f"[{start}, {end}] ends before it starts.")
        yield start, end


def _check_kept(questions: Sequence[_Placed], tokens: Tokens) -> None:
    """Check that all questions differ and have answers, and that no answers overlap."""
    seen: dict[str, str] = {}
    owner: list[tuple[int, int, _Placed]] = []
    for question in questions:
        if not question.answers:
            raise ContentError(f"{question.path}.answers", "the question needs an answer.")
        same = seen.setdefault(question.question.casefold(), question.path)
        if same != question.path:
            raise ContentError(f"{question.path}.question", f"is asked already, in {same}.")
        owner.extend((start, end, question) for start, end in question.answers)
    owner.sort(key=lambda entry: entry[:2])
    for (_, end, first), (start, last, other) in pairwise(owner):
        if start < end:
            words = " ".join(tokens[start : min(end, last)])[:80]
            raise ContentError(
                f"{other.path}.answers",
                f"“{words}” already belongs to an answer of “{first.question}”.",
            )


def _check_size(judged: Sequence[_Judged], sources: Sequence[Json]) -> None:
    """Raise ContentError if there are more new questions than a person may write."""
    most = sum(len(source["questions"]) for source in sources) + MAX_QUESTIONS
    if len(judged) > most:
        raise ContentError("questions", f"has too many entries; at most {most} are taken.")


def _check_sources(judged: Sequence[_Judged], sources: Sequence[Json]) -> None:
    waiting = {
        (submission, question)
        for submission, source in enumerate(sources)
        for question in range(len(source["questions"]))
    }
    known = frozenset(waiting)
    for position, question in enumerate(judged):
        if question.source is None:
            continue
        key = (question.source.submission, question.source.question)
        path = f"questions[{position}].source"
        if key not in known:
            raise ContentError(path, "names a question that no annotator asked.")
        if key not in waiting:
            raise ContentError(path, "names a question that is judged twice.")
        waiting.remove(key)
    if waiting:
        submission, number = min(waiting)
        text = sources[submission]["questions"][number]["question"]
        raise ContentError("questions", f"“{text}” of annotator {submission + 1} is not judged.")


def _check_verdicts(judged: Sequence[_Judged]) -> None:
    for position, question in enumerate(judged):
        path = f"questions[{position}]"
        if question.source is None and question.verdict != "keep":
            raise ContentError(f"{path}.verdict", "a question of your own is kept or deleted.")
        if question.same_as is None:
            continue
        if question.verdict != "redundant":
            raise ContentError(f"{path}.same_as", "is only for redundant questions.")
        if not 0 <= question.same_as < len(judged) or judged[question.same_as].verdict != "keep":
            raise ContentError(f"{path}.same_as", "must name a question that is kept.")


def _answered(path: str, asked: Json, by: _Verdict, tokens: Tokens) -> _Placed:
    if by.question and by.question != asked["question"]:
        raise ContentError(f"{path}.question", f"is not “{asked['question']}”, as was asked.")
    if by.answers and by.verdict != "valid":
        raise ContentError(f"{path}.answers", "are for valid questions only.")
    answers = tuple(sorted(_spans(by.answers, len(tokens), f"{path}.answers")))
    return _Placed(path, asked["question"], answers, asked["slots"])


def _check_repeats(judged: Sequence[_Verdict]) -> None:
    for position, question in enumerate(judged):
        path = f"questions[{position}].same_as"
        if question.verdict != "redundant":
            if question.same_as is not None:
                raise ContentError(path, "is only for redundant questions.")
        elif question.same_as is None:
            raise ContentError(path, "must name the question that this one repeats.")
        elif not 0 <= question.same_as < len(judged) or judged[question.same_as].verdict != "valid":
            raise ContentError(path, "must name a question that is valid.")
