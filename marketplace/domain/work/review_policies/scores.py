"""Scores of review policies, in whole percent rounded down. Plain values in, plain values out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from marketplace.domain.work.review_policies.answers import SEPARATOR, Values

#: Longer answers are not compared.
MAX_ANSWER_LENGTH = 256
Answers = Mapping[str, Values]


def percent(part: int, whole: int) -> int:
    return 100 * part // whole if whole else 0


def known_answers(answers: Answers, key: Mapping[str, Sequence[str]]) -> dict[str, bool]:
    """Return whether each question of the key has exactly the correct values."""
    empty: Values = frozenset()
    return {
        question: answers.get(question, empty) == frozenset(values)
        for question, values in key.items()
    }


@dataclass(frozen=True, slots=True)
class AgreedAnswer:
    values: Values
    score: int

    @property
    def text(self) -> str:
        return SEPARATOR.join(sorted(self.values))


@dataclass(frozen=True, slots=True)
class WorkerAgreement:
    """How many of a worker's answers equal the agreed ones. `score` is None without agreed ones."""

    correct: int
    incorrect: int

    @property
    def score(self) -> int | None:
        judged = self.correct + self.incorrect
        return percent(self.correct, judged) if judged else None


def agreed_answers(
    assignments: Sequence[Answers], questions: Sequence[str], *, threshold: int
) -> dict[str, AgreedAnswer | None]:
    """Return the answer of each question that more than `threshold` percent of workers gave.

    Two answers that are equally frequent are no agreement.
    """
    return {question: _agreed(assignments, question, threshold) for question in questions}


def _agreed(assignments: Sequence[Answers], question: str, threshold: int) -> AgreedAnswer | None:
    counts = Counter(
        values for answers in assignments if (values := _comparable(answers, question)) is not None
    )
    ranked = counts.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    values, count = ranked[0]
    score = percent(count, counts.total())
    return AgreedAnswer(values, score) if score > threshold else None


def _comparable(answers: Answers, question: str) -> Values | None:
    values = answers.get(question, frozenset())
    return values if len(SEPARATOR.join(values)) <= MAX_ANSWER_LENGTH else None


def worker_agreement(
    answers: Answers, agreed: Mapping[str, AgreedAnswer | None]
) -> WorkerAgreement:
    matches = [
        values == answer.values
        for question, answer in agreed.items()
        if answer and (values := _comparable(answers, question)) is not None
    ]
    return WorkerAgreement(correct=sum(matches), incorrect=len(matches) - sum(matches))


def hit_agreement(agreed: Mapping[str, AgreedAnswer | None]) -> int:
    """Return the percentage of questions with an agreed answer."""
    return percent(sum(answer is not None for answer in agreed.values()), len(agreed))
