"""Validation of QA-SRL content. Input becomes normalised JSON or raises a ContentError.

Schema version 1.

- generation: `{"questions": [{"question", "answers", "slots", "picked"}], "no_question": ""}`
- gold: `{"questions": [{"question", "answers", "slots", "implied"}]}`
- consolidation: `{"questions": [{"question", "answers", "slots", "source", "verdict", "same_as"}]}`
- validation: `{"questions": [{"question", "answers", "slots", "verdict", "same_as"}]}`, the validated
  questions in their order, question with the validator's own answers

Generation, gold and consolidation of a noun also have `is_verbal`, whether the noun describes an
action or event. If it is false, there are no questions. Content of verbs never has it.

`picked` is the rank of the suggestion that the worker picked, from 1, or null for a question that
was typed. It is absent if that is not known. In a consolidation, questions that the consolidator wrote
or rewrote have it. Gold does not have it.

`implied` of a role is true if the sentence only implies its arguments, and false if they are explicit. It
is absent if nobody was asked. Only gold, and what experts and consolidators write, has it.

`context_answers` are answers in the neighbours of the sentence, `[{"sentence", "start", "end",
"text"}]`: the sentence's id, a half-open token range in it, and its text. A question without any lacks
the field. If it has some, `answers` may be empty. Annotators and experts mark them, and a merge keeps
those of its sources.

`answers` are half-open token ranges `[start, end)` in ascending order. `slots` is `slots.Slots` as
JSON, or null if the question is outside the template. Slots of gold and of systems, which come from
files, must have words of the question. They are kept if they are in its order, or if the question is
outside the template. Other slots are computed here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field

from schemes.content_models import Strict, clean_text, json_schemas, validated
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Tokens
from schemes.qasrl.reading import finished
from schemes.qasrl.review_reasons import sound_questions
from schemes.qasrl.slots import (
    Slots,
    are_in_order,
    contradiction,
    strict_match_key,
    words_of_no_slot,
)
from schemes.qasrl.targets import is_noun, question_spellings
from schemes.qasrl.walker import Walker, open_item, split

SCHEMA_VERSION = 1
MAX_QUESTIONS = 60  # per person and verb
MAX_GOLD_QUESTIONS = 1000
MAX_ANSWERS = 60
MAX_QUESTION_LENGTH = 200
MAX_REASON_LENGTH = 1000
MAX_SLOT_LENGTH = 60
MAX_RANK = 100

Span = tuple[int, int]


_Answers = Annotated[
    list[Annotated[list[int], Field(min_length=2, max_length=2)]], Field(max_length=MAX_ANSWERS)
]
_Text = Annotated[str, Field(max_length=MAX_QUESTION_LENGTH)]


class _Question(Strict):
    question: _Text
    answers: _Answers
    slots: Any = None
    implied: bool | None = None


class _ContextAnswer(Strict):
    # The page may repeat the text. That of the sentence is stored.
    sentence: str
    start: int
    end: int
    text: str = ""


class _Asked(_Question):
    context_answers: Annotated[list[_ContextAnswer], Field(max_length=MAX_ANSWERS)] = []
    picked: Annotated[int, Field(ge=1, le=MAX_RANK)] | None = None


class _Generation(Strict):
    questions: Annotated[list[_Asked], Field(max_length=MAX_QUESTIONS)]
    no_question: Annotated[str, Field(max_length=MAX_REASON_LENGTH)] = ""
    is_verbal: bool | None = None


_Slot = Annotated[str, Field(max_length=MAX_SLOT_LENGTH)]


class _PublishedSlots(Strict):
    wh: Annotated[str, Field(min_length=1, max_length=MAX_SLOT_LENGTH)]
    aux: _Slot
    subj: _Slot
    verb_prefix: _Slot
    verb_slot_inflection: _Slot
    obj: _Slot
    prep: _Slot
    obj2: _Slot
    is_passive: bool
    is_negated: bool


class _PublishedQuestion(_Question):
    slots: _PublishedSlots | None = None


class _Gold(Strict):
    # Merged annotations may have more questions than a single annotator may write.
    questions: Annotated[list[_PublishedQuestion], Field(max_length=MAX_GOLD_QUESTIONS)]
    is_verbal: bool | None = None


class _Source(Strict):
    submission: int
    question: int


class _Judged(_Asked):
    source: _Source | None
    verdict: Literal["keep", "invalid", "redundant"]
    same_as: int | None = None


class _Consolidation(Strict):
    # The limit depends on the sources, because all their questions are judged.
    questions: list[_Judged]
    is_verbal: bool | None = None


class _Verdict(Strict):
    # The page may repeat the question. The stored question's text and slots are used.
    question: _Text = ""
    slots: Any = None
    answers: _Answers
    verdict: Literal["valid", "invalid", "redundant"]
    same_as: int | None = None


class _Validation(Strict):
    questions: Annotated[list[_Verdict], Field(max_length=4 * MAX_QUESTIONS)]


JSON_SCHEMAS = json_schemas(
    generation=_Generation, gold=_Gold, consolidation=_Consolidation, validation=_Validation
)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A question of the content with its path."""

    path: str
    question: str
    answers: tuple[Span, ...]
    slots: Json | None
    implied: bool | None = None
    context_answers: tuple[Json, ...] = ()

    def as_json(self) -> Json:
        answers = [list(span) for span in self.answers]
        content: Json = {"question": self.question, "answers": answers, "slots": self.slots}
        if self.implied is not None:
            content["implied"] = self.implied
        if self.context_answers:
            content["context_answers"] = list(self.context_answers)
        return content


def parse_generation(content: object, context: ItemContext) -> Json:
    """Parse a generator's content. Raises ContentError.

    A free-form question is stored with null slots, if the context allows it. Answers in the context
    must lie in its neighbours, if it allows them.
    """
    generation = validated(_Generation, content)
    questions = [
        replace(question, context_answers=_context_answers(question.path, by, context))
        for question, by in zip(
            _placed(generation.questions, context), generation.questions, strict=True
        )
    ]
    _check_template(questions, context)
    _check_kept(questions, context)
    reason = clean_text(generation.no_question, "no_question")
    step = _verbal_step(generation.is_verbal, questions, context, default=True)
    if not questions and not reason and step.get("is_verbal", True):
        raise ContentError("questions", "ask a question, or explain why no question is possible.")
    if not context.asks_implied:
        questions = [replace(question, implied=None) for question in questions]
    asked = [
        {**question.as_json(), **by.model_dump(include={"picked"} & by.model_fields_set)}
        for question, by in zip(questions, generation.questions, strict=True)
    ]
    return {"questions": asked, "no_question": reason, **step}


def parse_gold(content: object, context: ItemContext) -> Json:
    """Parse gold content, which may have no questions. Raises ContentError.

    Slots in the input must not contradict the question.
    """
    gold = validated(_Gold, content)
    questions = _placed(gold.questions, context)
    _check_kept(questions, context)
    step = _verbal_step(gold.is_verbal, questions, context, default=bool(questions))
    return {"questions": [question.as_json() for question in questions], **step}


def parse_system(content: object, context: ItemContext) -> Json:
    """Parse a program's output as a source for a merge. Raises ContentError.

    Questions may repeat and answers may overlap. Questions without answers are dropped.
    """
    output = validated(_Gold, content)
    questions = _placed(output.questions, context)
    step = _verbal_step(output.is_verbal, questions, context, default=bool(questions))
    return {"questions": [question.as_json() for question in questions if question.answers], **step}


def parse_consolidation(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a consolidator's content. Raises ContentError.

    Every source question must be judged once. The kept questions must be valid gold. Answers in the
    context are those of the source, whatever the content has.
    """
    consolidation = validated(_Consolidation, content)
    judged = consolidation.questions
    _check_size(judged, sources)
    _check_sources(judged, sources)
    questions = [
        replace(question, context_answers=_answers_of_source(by.source, sources))
        for question, by in zip(_placed(judged, context), judged, strict=True)
    ]
    _check_verdicts(judged)
    pairs = list(zip(questions, judged, strict=True))
    own = [question for question, by in pairs if not _is_asked(question, by.source, sources)]
    _check_template(own, context)
    kept = [question for question, by in pairs if by.verdict == "keep"]
    _check_kept(kept, context)
    default = bool(kept) or any(source.get("is_verbal", True) for source in sources)
    step = _verbal_step(consolidation.is_verbal, kept, context, default=default)
    return {
        "questions": [
            {
                **question.as_json(),
                **by.model_dump(include={"source", "verdict", "same_as"}),
                **by.model_dump(include={"picked"} & by.model_fields_set),
            }
            for question, by in pairs
        ],
        **step,
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
        raise ContentError(
            "questions",
            "%(judged)s are judged of %(asked)s asked.",
            judged=len(judged),
            asked=len(asked),
        )
    pairs = [
        (_answered(f"questions[{position}]", question, by, context.tokens), by)
        for position, (question, by) in enumerate(zip(asked, judged, strict=True))
    ]
    _check_repeats(judged)
    _check_kept([question for question, by in pairs if by.verdict == "valid"], context)
    return {
        "questions": [
            {**question.as_json(), "verdict": by.verdict, "same_as": by.same_as}
            for question, by in pairs
        ]
    }


def count_units(content: Json, role: str) -> int:
    """Return the number of questions. For a consolidator, sound ones from annotators count."""
    if role != "consolidator":
        return len(content["questions"])
    by_annotator: dict[int, list[Json]] = {}
    for question in content["questions"]:
        if question["source"] is not None:
            by_annotator.setdefault(question["source"]["submission"], []).append(question)
    return sum(sound_questions(questions) for questions in by_annotator.values())


def count_parts(content: Json) -> Json:
    """Return the numbers of roles (questions) and arguments (answers in the sentence)."""
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


def joint_step(sources: Sequence[Json]) -> Json:
    """Return `is_verbal` of several sources as a dictionary, true if any source says so."""
    steps = [source["is_verbal"] for source in sources if "is_verbal" in source]
    return {"is_verbal": any(steps)} if steps else {}


def _verbal_step(
    is_verbal: bool | None, questions: Sequence[_Placed], context: ItemContext, *, default: bool
) -> Json:
    """Return the checked `is_verbal` of a noun as a dictionary, empty for verbs."""
    if not is_noun(context.target):
        if is_verbal is not None:
            raise ContentError("is_verbal", "is for nouns only.")
        return {}
    chosen = default if is_verbal is None else is_verbal
    if questions and not chosen:
        raise ContentError(
            "is_verbal",
            "a noun with questions describes an event. Remove the questions or choose Yes.",
        )
    return {"is_verbal": chosen}


def _placed(questions: Sequence[_Question], context: ItemContext) -> list[_Placed]:
    reader = _Reader(context.target)
    placed = []
    for position, question in enumerate(questions):
        path = f"questions[{position}]"
        text, slots = reader.read(clean_text(question.question, f"{path}.question"))
        if isinstance(question, _PublishedQuestion) and question.slots:
            published = Slots(**question.slots.model_dump())
            reader.check(text, published, f"{path}.slots", is_read=slots is not None)
            if slots is None or are_in_order(text, published):
                slots = published.by_name()
        if not text:
            raise ContentError(f"{path}.question", "is empty.")
        answers = tuple(sorted(_spans(question.answers, len(context.tokens), f"{path}.answers")))
        placed.append(_Placed(path, text, answers, slots, question.implied))
    return placed


def _context_answers(path: str, question: _Asked, context: ItemContext) -> tuple[Json, ...]:
    """Return the answers in the neighbours with their texts, as these are ordered."""
    path = f"{path}.context_answers"
    if question.context_answers and not context.allows_context_answers:
        raise ContentError(path, "this project has no answers in the context. Remove them.")
    neighbours = (*context.neighbours.before, *context.neighbours.after)
    places = {neighbour.external_id: at for at, neighbour in enumerate(neighbours)}
    marked = []
    for position, answer in enumerate(question.context_answers):
        where = f"{path}[{position}]"
        if answer.sentence not in places:
            raise ContentError(
                f"{where}.sentence",
                "“%(sentence)s” is not in the context that the page shows.",
                sentence=answer.sentence[:80],
            )
        at = places[answer.sentence]
        _check_span(answer.start, answer.end, len(neighbours[at].tokens), where)
        marked.append((at, answer.start, answer.end))
    marked.sort()
    for (first, _, end), (other, start, _) in pairwise(marked):
        if first == other and start < end:
            raise ContentError(path, "two answers to the question share a word of the context.")
    return tuple(
        {
            "sentence": neighbours[at].external_id,
            "start": start,
            "end": end,
            "text": neighbours[at].span_text(start, end),
        }
        for at, start, end in marked
    )


def _answers_of_source(source: _Source | None, sources: Sequence[Json]) -> tuple[Json, ...]:
    """Return the answers in the context of an annotator's question, which no merge changes."""
    if source is None:
        return ()
    asked = sources[source.submission]["questions"][source.question]
    return tuple(asked.get("context_answers", ()))


class _Reader:
    """A reader of questions about one target.

    It accepts all spellings of the verb, and all prepositions of the closed list, although the page
    offers only those of the sentence.
    """

    def __init__(self, target: Json) -> None:
        spellings = question_spellings(target)
        self._walker = Walker(open_item(*spellings, is_noun=is_noun(target)))
        self._forms: dict[str, set[str]] = {}
        for forms in spellings:
            for name, form in forms.by_name().items():
                self._forms.setdefault(forms.inflection_of(name), set()).add(form)

    def read(self, text: str) -> tuple[str, Json | None]:
        """Return the question as stored, and its slots or None."""
        body = text.rstrip("? ")
        reading = self._walker.read(body)
        if reading is None:
            return (finished(body) if body else "", None)
        words = " ".join(word.text for word in split(body).words)
        return finished(words), reading.slots.by_name()

    def check(self, question: str, slots: Slots, path: str, *, is_read: bool) -> None:
        """Raise ContentError if slots contradict a question, or have other words than its verb."""
        if message := contradiction(question, slots):
            raise ContentError(path, message)
        if is_read:
            return
        others = words_of_no_slot(question, slots)
        forms = self._forms.get(slots.verb_slot_inflection) or set().union(*self._forms.values())
        if not (len(others) == 1 and others[0] in forms):
            verb = " ".join(others)
            raise ContentError(
                path,
                "leave “%(verb)s” of “%(question)s”, which is no such form of the verb.",
                verb=verb,
                question=question,
            )


def _spans(answers: Sequence[Sequence[int]], length: int, path: str) -> Iterator[Span]:
    for position, (start, end) in enumerate(answers):
        _check_span(start, end, length, f"{path}[{position}]")
        yield start, end


def _check_span(start: int, end: int, length: int, path: str) -> None:
    """Raise ContentError for a span outside a sentence of this length, and for an empty one."""
    if not 0 <= start < length or end > length:
        raise ContentError(
            path,
            "[%(start)s, %(end)s] is not in the sentence, which has %(length)s tokens.",
            start=start,
            end=end,
            length=length,
        )
    if start >= end:
        raise ContentError(
            path, "[%(start)s, %(end)s] ends before it starts.", start=start, end=end
        )


def _check_template(questions: Sequence[_Placed], context: ItemContext) -> None:
    """Check that all questions fit the template, unless free-form questions are allowed."""
    if context.free_form:
        return
    for question in questions:
        if question.slots is None:
            raise ContentError(
                f"{question.path}.question",
                "“%(question)s” doesn't fit the question template. Choose suggested words.",
                question=question.question,
            )


def _is_asked(question: _Placed, source: _Source | None, sources: Sequence[Json]) -> bool:
    """Return True if an annotator asked the question with the same text."""
    if source is None:
        return False
    asked: str = sources[source.submission]["questions"][source.question]["question"]
    return question.question.casefold() == asked.casefold()


def _check_kept(questions: Sequence[_Placed], context: ItemContext) -> None:
    """Check that all questions differ and have answers, and that no answers in the sentence overlap."""
    seen: dict[str, str] = {}
    owner: list[tuple[int, int, _Placed]] = []
    for question in questions:
        if not question.answers and not question.context_answers:
            raise ContentError(f"{question.path}.answers", "the question needs an answer.")
        same = seen.setdefault(question.question.casefold(), question.path)
        if same != question.path:
            raise ContentError(
                f"{question.path}.question", "is asked already, in %(place)s.", place=same
            )
        owner.extend((start, end, question) for start, end in question.answers)
    owner.sort(key=lambda entry: entry[:2])
    for (_, end, first), (start, last, other) in pairwise(owner):
        if start < end:
            words = context.span_text(start, min(end, last))[:80]
            raise ContentError(
                f"{other.path}.answers",
                "“%(words)s” already belongs to an answer of “%(question)s”.",
                words=words,
                question=first.question,
            )


def _check_size(judged: Sequence[_Judged], sources: Sequence[Json]) -> None:
    """Raise ContentError if there are more new questions than a person may write."""
    most = sum(len(source["questions"]) for source in sources) + MAX_QUESTIONS
    if len(judged) > most:
        raise ContentError(
            "questions",
            "has too many entries; at most %(max_length)s are taken.",
            max_length=most,
        )


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
        raise ContentError(
            "questions",
            "“%(question)s” of annotator %(number)s is not judged.",
            question=text,
            number=submission + 1,
        )


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
        raise ContentError(
            f"{path}.question", "is not “%(question)s”, as was asked.", question=asked["question"]
        )
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
