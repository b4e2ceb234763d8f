"""QA-SRL content, parsed at the edge: what workers send becomes normalised JSON or a ContentError.

Schema version 1.

- generation: `{"questions": [{"question", "answers", "slots"}], "no_question": ""}`
- gold: `{"questions": [{"question", "answers", "slots"}]}`
- consolidation: `{"questions": [{"question", "answers", "slots", "source", "verdict", "same_as"}]}`
- validation: `{"questions": [{"question", "answers", "slots", "verdict", "same_as"}]}`, the questions
  that were asked, in their order, each with the validator's own answers

`answers` are half-open token ranges `[start, end)` in ascending order. `slots` is what the question
says (`slots.Slots` as JSON), null where the text is outside the template; it is always worked out
here and never believed.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemes.base import ContentError, Json, Tokens
from schemes.qasrl.forms import forms_from_names
from schemes.qasrl.reading import finished, question_of
from schemes.qasrl.slots import Slots, strict_match_key
from schemes.qasrl.tracing import state_of
from schemes.qasrl.verbs import candidate_forms
from schemes.qasrl.walker import Walker, open_item

SCHEMA_VERSION = 1
MAX_QUESTIONS = 60  # that one person writes about one verb, in one go
MAX_GOLD_QUESTIONS = 1000
MAX_ANSWERS = 60
MAX_QUESTION_LENGTH = 200
MAX_REASON_LENGTH = 1000

Span = tuple[int, int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


_Model = TypeVar("_Model", bound=_Strict)


_Answers = Annotated[
    list[Annotated[list[int], Field(min_length=2, max_length=2)]], Field(max_length=MAX_ANSWERS)
]
_Text = Annotated[str, Field(max_length=MAX_QUESTION_LENGTH)]


class _Question(_Strict):
    question: _Text
    answers: _Answers
    slots: Any = None


class _Generation(_Strict):
    questions: Annotated[list[_Question], Field(max_length=MAX_QUESTIONS)]
    no_question: Annotated[str, Field(max_length=MAX_REASON_LENGTH)] = ""


class _Gold(_Strict):
    # What was merged of several annotators may be more than one of them may write.
    questions: Annotated[list[_Question], Field(max_length=MAX_GOLD_QUESTIONS)]


class _Source(_Strict):
    submission: int
    question: int


class _Judged(_Question):
    source: _Source | None
    verdict: Literal["keep", "invalid", "redundant"]
    same_as: int | None = None


class _Consolidation(_Strict):
    # Every source question is judged here: how many there may be depends on the sources.
    questions: list[_Judged]


class _Verdict(_Strict):
    # The page may say which question it means; the asked one's own words and slots are what counts.
    question: _Text = ""
    slots: Any = None
    answers: _Answers
    verdict: Literal["valid", "invalid", "redundant"]
    same_as: int | None = None


class _Validation(_Strict):
    questions: Annotated[list[_Verdict], Field(max_length=4 * MAX_QUESTIONS)]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A question of the content with the path at which it stands."""

    path: str
    question: str
    answers: tuple[Span, ...]
    slots: Json | None

    def as_json(self) -> Json:
        answers = [list(span) for span in self.answers]
        return {"question": self.question, "answers": answers, "slots": self.slots}


def parse_generation(content: object, *, tokens: Tokens, target: Json) -> Json:
    """Raises ContentError; a question outside the template is kept, with null for its slots."""
    given = _validated(_Generation, content)
    questions = _placed(given.questions, tokens, target)
    _check_kept(questions, tokens)
    reason = _clean(given.no_question, "no_question")
    if not questions and not reason:
        raise ContentError("questions", "ask a question, or say why none can be asked.")
    return {"questions": [each.as_json() for each in questions], "no_question": reason}


def parse_gold(content: object, *, tokens: Tokens, target: Json) -> Json:
    """Raises ContentError; no questions at all are allowed: nothing could be asked."""
    questions = _placed(_validated(_Gold, content).questions, tokens, target)
    _check_kept(questions, tokens)
    return {"questions": [each.as_json() for each in questions]}


def parse_system(content: object, *, tokens: Tokens, target: Json) -> Json:
    """What a parser wrote, as a source to be merged: redundant as it may be, with questions twice and
    answers that overlap. Raises ContentError; questions without an answer are left out."""
    questions = _placed(_validated(_Gold, content).questions, tokens, target)
    return {"questions": [each.as_json() for each in questions if each.answers]}


def parse_consolidation(
    content: object, *, tokens: Tokens, target: Json, sources: Sequence[Json]
) -> Json:
    """Raises ContentError; every source question is judged once, what is kept is gold as it is."""
    judged = _validated(_Consolidation, content).questions
    _check_size(judged, sources)
    questions = _placed(judged, tokens, target)
    kept = [each for each, by in zip(questions, judged, strict=True) if by.verdict == "keep"]
    _check_sources(judged, sources)
    _check_verdicts(judged)
    _check_kept(kept, tokens)
    return {
        "questions": [
            {
                **each.as_json(),
                "source": by.source.model_dump() if by.source else None,
                "verdict": by.verdict,
                "same_as": by.same_as,
            }
            for each, by in zip(questions, judged, strict=True)
        ]
    }


def asked_questions(sources: Sequence[Json]) -> list[Json]:
    """The questions that validators judge, in the order in which they see them."""
    return [question for source in sources for question in source["questions"]]


def parse_validation(content: object, *, tokens: Tokens, sources: Sequence[Json]) -> Json:
    """Raises ContentError; each asked question is judged, a valid one answered, a redundant one says
    which valid one it repeats, and no word belongs to two answers."""
    asked = asked_questions(sources)
    judged = _validated(_Validation, content).questions
    if len(judged) != len(asked):
        raise ContentError("questions", f"{len(judged)} are judged of {len(asked)} asked.")
    placed = [
        _answered(f"questions[{position}]", question, by, tokens)
        for position, (question, by) in enumerate(zip(asked, judged, strict=True))
    ]
    _check_repeats(judged)
    valid = [one for one, by in zip(placed, judged, strict=True) if by.verdict == "valid"]
    _check_kept(valid, tokens)
    return {
        "questions": [
            {**each.as_json(), "verdict": by.verdict, "same_as": by.same_as}
            for each, by in zip(placed, judged, strict=True)
        ]
    }


def gold_of(consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
    """The kept questions as gold and, per question, `{"source": position or None, "state"}` with
    kept, edited or new for a state."""
    kept = [each for each in consolidation["questions"] if each["verdict"] == "keep"]
    questions = [{name: each[name] for name in ("question", "answers", "slots")} for each in kept]
    return {"questions": questions}, [_origin(each, sources) for each in kept]


def count_units(content: Json, *, role: str) -> int:
    """Questions written; of a consolidator, those judged: the ones that came from an annotator."""
    if role != "consolidator":
        return len(content["questions"])
    return sum(each["source"] is not None for each in content["questions"])


def slots_from_json(values: Json) -> Slots:
    """The slots of content that has been parsed before."""
    return Slots(**values)


def match_key(question: Json) -> tuple[Any, ...]:
    """STRICT-MATCH of a parsed question; outside the template, only the same text is the same."""
    if question["slots"] is None:
        return ("text", question["question"].casefold())
    return strict_match_key(slots_from_json(question["slots"]))


def as_source(content: Json) -> Json:
    """A generation, gold or a system's output, all with the same fields. Why somebody asked nothing is
    left out: only people say so."""
    names = ("question", "answers", "slots")
    questions = [{name: one.get(name) for name in names} for one in content["questions"]]
    return {"questions": questions, "no_question": ""}


def keep_all(source: Json) -> Json:
    """A consolidation in which every question of the only source is kept."""
    return {
        "questions": [
            {
                "question": one["question"],
                "answers": one["answers"],
                "source": {"submission": 0, "question": position},
                "verdict": "keep",
                "same_as": None,
            }
            for position, one in enumerate(source["questions"])
        ]
    }


def _origin(question: Json, sources: Sequence[Json]) -> Json:
    source = question["source"]
    return {
        "source": source["submission"] if source else None,
        "state": state_of(question, sources),
    }


# --- shape -----------------------------------------------------------------------------------


def _validated(model: type[_Model], content: object) -> _Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ContentError(_path(first["loc"]), _sentence(first)) from None


def _path(location: Iterable[int | str]) -> str:
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            name = "".join(c if c.isprintable() else "\ufffd" for c in step[:40])
            path += f".{name}" if path else name
    return path


_SENTENCES = {
    "missing": "is missing.",
    "extra_forbidden": "is not a known field.",
    "model_type": "must be an object.",
    "list_type": "must be a list.",
    "string_type": "must be a text.",
    "string_unicode": "holds characters that are no text.",
    "int_type": "must be a whole number.",
    "int_from_float": "must be a whole number.",
    "string_too_long": "is too long; at most {max_length} characters are taken.",
    "too_long": "has too many entries; at most {max_length} are taken.",
    "too_short": "has too few entries; an answer is [start, end].",
    "literal_error": "must be {expected}.",
}


def _sentence(error: Any) -> str:
    template = _SENTENCES.get(error["type"])
    return template.format(**error.get("ctx", {})) if template else f"{error['msg']}."


# --- questions and answers -------------------------------------------------------------------


def _placed(questions: Sequence[_Question], tokens: Tokens, target: Json) -> list[_Placed]:
    reader = _Reader(target)
    placed = []
    for position, each in enumerate(questions):
        path = f"questions[{position}]"
        text, slots = reader.read(_clean(each.question, f"{path}.question"))
        if not text:
            raise ContentError(f"{path}.question", "is empty.")
        answers = tuple(sorted(_spans(each.answers, len(tokens), f"{path}.answers")))
        placed.append(_Placed(path, text, answers, slots))
    return placed


class _Reader:
    """Reads questions about one target, by its forms, or else by another spelling of its verb.

    The whole closed list of prepositions counts: the page keeps to the sentence's own, but what
    was asked nevertheless has slots all the same.
    """

    def __init__(self, target: Json) -> None:
        self._walker = Walker(open_item(forms_from_names(target["forms"], path="target.forms")))
        self._verb = str(target["verb"])

    def read(self, text: str) -> tuple[str, Json | None]:
        """The question as it is stored, and its slots if it is in the template."""
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


def _clean(text: str, path: str) -> str:
    """Blanks made single. What no database or page can hold is refused."""
    if not text.isprintable():
        for character in text:
            category = unicodedata.category(character)
            if category == "Cs" or (category == "Cc" and not character.isspace()):
                raise ContentError(path, "holds a control character; type it anew.")
    return " ".join(text.split())


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
    """Each has an answer, no two are equal, no token belongs to two answers."""
    seen: dict[str, str] = {}
    owner: list[tuple[int, int, _Placed]] = []
    for each in questions:
        if not each.answers:
            raise ContentError(f"{each.path}.answers", "the question needs an answer.")
        same = seen.setdefault(each.question.casefold(), each.path)
        if same != each.path:
            raise ContentError(f"{each.path}.question", f"is asked already, in {same}.")
        owner.extend((start, end, each) for start, end in each.answers)
    owner.sort(key=lambda entry: entry[:2])
    for (_, end, first), (start, last, other) in pairwise(owner):
        if start < end:
            words = " ".join(tokens[start : min(end, last)])[:80]
            raise ContentError(
                f"{other.path}.answers",
                f"“{words}” already belongs to an answer of “{first.question}”.",
            )


# --- what a consolidator decided -------------------------------------------------------------


def _check_size(judged: Sequence[_Judged], sources: Sequence[Json]) -> None:
    """All that was asked, and as many more as one person may write; nothing longer is looked at."""
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
    for position, each in enumerate(judged):
        if each.source is None:
            continue
        key = (each.source.submission, each.source.question)
        path = f"questions[{position}].source"
        if key not in known:
            raise ContentError(path, "names a question that no annotator asked.")
        if key not in waiting:
            raise ContentError(path, "names a question that is judged twice.")
        waiting.remove(key)
    if waiting:
        submission, question = min(waiting)
        text = sources[submission]["questions"][question]["question"]
        raise ContentError("questions", f"“{text}” of annotator {submission + 1} is not judged.")


def _check_verdicts(judged: Sequence[_Judged]) -> None:
    for position, each in enumerate(judged):
        path = f"questions[{position}]"
        if each.source is None and each.verdict != "keep":
            raise ContentError(f"{path}.verdict", "a question of your own is kept or deleted.")
        if each.same_as is None:
            continue
        if each.verdict != "redundant":
            raise ContentError(f"{path}.same_as", "is only for redundant questions.")
        if not 0 <= each.same_as < len(judged) or judged[each.same_as].verdict != "keep":
            raise ContentError(f"{path}.same_as", "must name a question that is kept.")


# --- what a validator decided ----------------------------------------------------------------


def _answered(path: str, asked: Json, by: _Verdict, tokens: Tokens) -> _Placed:
    if by.question and by.question != asked["question"]:
        raise ContentError(f"{path}.question", f"is not “{asked['question']}”, as was asked.")
    if by.answers and by.verdict != "valid":
        raise ContentError(f"{path}.answers", "are for valid questions only.")
    answers = tuple(sorted(_spans(by.answers, len(tokens), f"{path}.answers")))
    return _Placed(path, asked["question"], answers, asked["slots"])


def _check_repeats(judged: Sequence[_Verdict]) -> None:
    for position, each in enumerate(judged):
        path = f"questions[{position}].same_as"
        if each.verdict != "redundant":
            if each.same_as is not None:
                raise ContentError(path, "is only for redundant questions.")
        elif each.same_as is None:
            raise ContentError(path, "says which question this one repeats.")
        elif not 0 <= each.same_as < len(judged) or judged[each.same_as].verdict != "valid":
            raise ContentError(path, "must name a question that is valid.")
