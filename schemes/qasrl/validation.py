"""Gold worked out of validators' judgments (FitzGerald et al. 2018, section 2).

Each validator answers the questions anew or calls them invalid or redundant, without having seen
the generator's answers; the generator's own answers are one more judgment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from schemes.base import Json
from schemes.qasrl.content import asked_questions

# Stored beside every figure: a change of the rule gets a new name.
RULE = "qasrl.validation.v1"

Span = tuple[int, int]


@dataclass(slots=True)
class _Candidate:
    """A span that somebody gave as an answer to a valid question, and who did."""

    question: int
    span: Span
    by_generator: bool = False
    validators: list[int] = field(default_factory=list)

    @property
    def rank(self) -> tuple[int, bool, int, int, int]:
        """The first goes first: most judges, the generator's own, shorter, as it stands."""
        start, end = self.span
        votes = len(self.validators) + self.by_generator
        return -votes, not self.by_generator, end - start, start, self.question

    def who(self) -> Json:
        return {"generator": self.by_generator, "validators": self.validators}


def gold_of_validations(
    sources: Sequence[Json], validations: Sequence[Json], *, agree: int
) -> tuple[Json, list[Json]]:
    """Gold and its provenance; see `schemes.base.Scheme.gold_of_validations`.

    A question is valid when at least `agree` validators say so; a redundant one is not said to be.
    Its answers are the spans of all who found it valid, the generator's among them. Where two of
    them share a word, the one that more judges gave stays, then the generator's own, then the
    shorter, then the first in the sentence. A valid question whose answers all give way to those of
    others has no place in gold: it asks for what another one has.
    """
    asked = asked_questions(sources)
    valid = {at: votes for at in range(len(asked)) if (votes := _votes(validations, at)) >= agree}
    chosen = _without_overlaps(_candidates(asked, validations, valid))
    questions, provenance = [], []
    for at, source in _places(sources):
        answers = sorted((one for one in chosen if one.question == at), key=lambda one: one.span)
        if not answers:
            continue
        spans = [list(one.span) for one in answers]
        questions.append(
            {
                "question": asked[at]["question"],
                "answers": spans,
                "slots": asked[at]["slots"],
            }
        )
        provenance.append(
            {
                "source": source,
                "state": "kept" if spans == asked[at]["answers"] else "edited",
                "valid": valid[at],
                "answers": [one.who() for one in answers],
            }
        )
    return {"questions": questions}, provenance


def count_same_verdicts(one: Json, other: Json) -> tuple[int, int]:
    """(questions that both judged alike, questions); see `schemes.base.Scheme`."""
    pairs = list(zip(one["questions"], other["questions"], strict=True))
    return sum(a["verdict"] == b["verdict"] for a, b in pairs), len(pairs)


def _votes(validations: Sequence[Json], at: int) -> int:
    return sum(one["questions"][at]["verdict"] == "valid" for one in validations)


def _places(sources: Sequence[Json]) -> Iterator[tuple[int, int]]:
    """Each asked question's place among all of them, and its source's."""
    at = 0
    for position, source in enumerate(sources):
        for _ in source["questions"]:
            yield at, position
            at += 1


def _candidates(
    asked: Sequence[Json], validations: Sequence[Json], valid: dict[int, int]
) -> list[_Candidate]:
    found: dict[tuple[int, Span], _Candidate] = {}

    def candidate(at: int, span: Sequence[int]) -> _Candidate:
        start, end = span
        return found.setdefault((at, (start, end)), _Candidate(at, (start, end)))

    for at in valid:
        for span in asked[at]["answers"]:
            candidate(at, span).by_generator = True
        for position, validation in enumerate(validations):
            for span in validation["questions"][at]["answers"]:
                candidate(at, span).validators.append(position)
    return list(found.values())


def _without_overlaps(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    taken: set[int] = set()
    for one in sorted(candidates, key=lambda one: one.rank):
        words = range(*one.span)
        if taken.isdisjoint(words):
            taken.update(words)
            chosen.append(one)
    return chosen
