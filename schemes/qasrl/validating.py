"""Gold computed from validators' judgments (FitzGerald et al. 2018, section 2).

The module is the part `validating` of the scheme.

Each validator answers the questions or marks them as invalid or redundant, without seeing the
generator's answers. The generator's own answers are one more judgment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from schemes.contract.content import Total
from schemes.contract.values import Json
from schemes.qasrl.content import asked_questions, joint_step, parse_validation

# Stored with every figure. A changed rule gets a new name.
rule = "qasrl.validation.v1"
totals: Sequence[Total] = ()
disputes = None
parse = parse_validation

Span = tuple[int, int]


@dataclass(slots=True)
class _Candidate:
    """A span given as an answer to a valid question, with those who gave it."""

    question: int
    span: Span
    by_generator: bool = False
    validators: list[int] = field(default_factory=list)

    @property
    def rank(self) -> tuple[int, bool, int, int, int]:
        """Return the sort key: most judges, the generator's, shorter, first in the sentence."""
        start, end = self.span
        votes = len(self.validators) + self.by_generator
        return -votes, not self.by_generator, end - start, start, self.question

    def who(self) -> Json:
        return {"generator": self.by_generator, "validators": self.validators}


def gold_of(
    sources: Sequence[Json], validations: Sequence[Json], agree: int
) -> tuple[Json, list[Json]]:
    """Return gold and its provenance.

    Provenance has `{"source", "state", "valid", "answers"}` per question. `answers` has `{"generator":
    bool, "validators": positions}` per answer, for those who gave exactly this span. The order of the
    validators does not affect the content.

    A question is valid if at least `agree` validators mark it as valid. Its answers are the spans
    of all who did, and the generator's. If two spans overlap, the one with more judges wins, then
    the generator's, then the shorter, then the first in the sentence. A valid question that loses
    all its answers is dropped, because another question covers them. Validators judge questions only,
    so whether a noun is verbal is the generator's decision.
    """
    questions_asked = asked_questions(sources)
    valid = {
        at: votes
        for at in range(len(questions_asked))
        if (votes := _votes(validations, at)) >= agree
    }
    chosen = _without_overlaps(_candidates(questions_asked, validations, valid))
    questions, provenance = [], []
    for at, source in _places(sources):
        answers = sorted(
            (answer for answer in chosen if answer.question == at), key=lambda answer: answer.span
        )
        if not answers:
            continue
        spans = [list(answer.span) for answer in answers]
        questions.append(
            {
                "question": questions_asked[at]["question"],
                "answers": spans,
                "slots": questions_asked[at]["slots"],
            }
        )
        provenance.append(
            {
                "source": source,
                "state": "kept" if spans == questions_asked[at]["answers"] else "edited",
                "valid": valid[at],
                "answers": [answer.who() for answer in answers],
            }
        )
    return {"questions": questions, **joint_step(sources)}, provenance


def asked(sources: Sequence[Json]) -> Json:
    """Return `{"questions": [text, ...]}`."""
    return {"questions": [question["question"] for question in asked_questions(sources)]}


def is_empty(sources: Sequence[Json]) -> bool:
    return not asked_questions(sources)


def same_verdicts(first: Json, second: Json) -> tuple[int, int]:
    """Return (questions with equal verdicts, questions)."""
    pairs = list(zip(first["questions"], second["questions"], strict=True))
    return sum(a["verdict"] == b["verdict"] for a, b in pairs), len(pairs)


def verdicts(content: Json) -> tuple[int, int]:
    """Return (valid questions, questions)."""
    questions = content["questions"]
    return sum(question["verdict"] == "valid" for question in questions), len(questions)


def method(validators: int, agree: int) -> str:
    """Describe validation for a data card."""
    return (
        f"One trained worker wrote questions and answers for each item. {validators} other workers, "
        "who did not see these answers, answered the questions or marked them as invalid. The gold "
        f"has each question that at least {agree} of them found valid, with the answers of those "
        "workers and of its author. Of answers that share a word, it has the one that most people "
        "gave. The protocol is that of FitzGerald et al., Large-Scale QA-SRL Parsing, ACL 2018."
    )


def _votes(validations: Sequence[Json], at: int) -> int:
    return sum(validation["questions"][at]["verdict"] == "valid" for validation in validations)


def _places(sources: Sequence[Json]) -> Iterator[tuple[int, int]]:
    """Yield the position of each question among all, and that of its source."""
    at = 0
    for position, source in enumerate(sources):
        for _ in source["questions"]:
            yield at, position
            at += 1


def _candidates(
    asked: Sequence[Json], validations: Sequence[Json], valid: dict[int, int]
) -> list[_Candidate]:
    by_span: dict[tuple[int, Span], _Candidate] = {}

    def candidate(at: int, span: Sequence[int]) -> _Candidate:
        start, end = span
        return by_span.setdefault((at, (start, end)), _Candidate(at, (start, end)))

    for at in valid:
        for span in asked[at]["answers"]:
            candidate(at, span).by_generator = True
        for position, validation in enumerate(validations):
            for span in validation["questions"][at]["answers"]:
                candidate(at, span).validators.append(position)
    return list(by_span.values())


def _without_overlaps(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    taken: set[int] = set()
    for candidate in sorted(candidates, key=lambda candidate: candidate.rank):
        words = range(*candidate.span)
        if taken.isdisjoint(words):
            taken.update(words)
            chosen.append(candidate)
    return chosen
