"""Probabilities of labels, from votes of annotators whose reliability is estimated with them.

A vote is (task, annotator, label). All names are hashable. An annotator votes at most once on a task.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vote = tuple[Hashable, Hashable, Hashable]
# The probability of each label of each task
Posteriors = dict[Hashable, dict[Hashable, float]]
Floats = NDArray[np.float64]

_SMALLEST = 1e-10
# The priors of MACE: Beta(0.5, 0.5) on competence and a symmetric Dirichlet on the labels of guesses
_COMPETENCE_PRIOR, _GUESS_PRIOR = 0.5, 10.0
_NOISE = 1.5


@dataclass(frozen=True, slots=True)
class _Votes:
    """The votes as positions of their tasks, annotators and labels."""

    tasks: NDArray[np.int64]
    annotators: NDArray[np.int64]
    labels: NDArray[np.int64]
    names: tuple[Sequence[Hashable], Sequence[Hashable], Sequence[Hashable]]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return the numbers of tasks, annotators and labels."""
        tasks, annotators, labels = map(len, self.names)
        return tasks, annotators, labels

    def by_task(self, rows: Floats) -> Floats:
        """Return the sums of the votes' rows for each task."""
        total = np.zeros((self.shape[0], rows.shape[1]))
        np.add.at(total, self.tasks, rows)
        return total

    def by_answer(self, rows: Floats) -> Floats:
        """Return the sums of the votes' rows for each annotator and label."""
        _, annotators, labels = self.shape
        total = np.zeros((annotators, labels, *rows.shape[1:]))
        np.add.at(total, (self.annotators, self.labels), rows)
        return total

    def named(self, posteriors: Floats) -> Posteriors:
        tasks, _, labels = self.names
        return {
            task: dict(zip(labels, map(float, row), strict=True))
            for task, row in zip(tasks, posteriors, strict=True)
        }


def dawid_skene(
    votes: Sequence[Vote], *, max_iterations: int = 100, tolerance: float = 1e-6
) -> Posteriors:
    """Return the probabilities of labels if each annotator has a confusion matrix.

    The matrices and the frequencies of labels maximise the likelihood of the votes, by EM from the
    shares of votes. It ends when the log-likelihood per vote grows by less than `tolerance`. Dawid and
    Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm", 1979.
    """
    if not votes:
        return {}
    indexed = _indexed(votes)
    posteriors = indexed.by_task(np.eye(indexed.shape[2])[indexed.labels])
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    before = -np.inf
    for _ in range(max_iterations):
        given = indexed.by_answer(posteriors[indexed.tasks])
        matrices = _log(given) - _log(given.sum(axis=1, keepdims=True))
        answers = matrices[indexed.annotators, indexed.labels]
        joint = indexed.by_task(answers) + _log(posteriors.mean(axis=0))
        posteriors, likelihood = _normalized(joint)
        if likelihood - before < tolerance * len(votes):
            break
        before = likelihood
    return indexed.named(posteriors)


def mace(
    votes: Sequence[Vote], *, restarts: int = 10, iterations: int = 50, seed: int = 0
) -> Posteriors:
    """Return the probabilities of labels if each annotator either knows the label or guesses.

    How often an annotator guesses, and which labels, is estimated with variational Bayes, of several
    random starts the one with the highest likelihood. Hovy et al., "Learning Whom to Trust with MACE",
    NAACL 2013.
    """
    if not votes:
        return {}
    indexed = _indexed(votes)
    rng = np.random.default_rng(seed)
    best, posteriors = -np.inf, np.empty(0)
    for _ in range(restarts):
        found, likelihood = _mace_run(indexed, iterations, rng)
        if likelihood > best:
            best, posteriors = likelihood, found
    return indexed.named(posteriors)


def _mace_run(votes: _Votes, iterations: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return the probabilities of labels and the log-likelihood from a random start."""
    _, annotators, labels = votes.shape
    # The shares of guesses and of known labels, and the labels of guesses
    modes = _shares(rng.uniform(1, 1 + _NOISE, (annotators, 2)))
    guesses = _shares(rng.uniform(1, 1 + _NOISE, (annotators, labels)))
    posteriors, likelihood, guessed, known = _mace_expectation(votes, modes, guesses)
    for _ in range(iterations):
        counts = np.stack([guessed.sum(axis=1), known], axis=1)
        modes = _variational(counts, _COMPETENCE_PRIOR)
        guesses = _variational(guessed, _GUESS_PRIOR)
        posteriors, likelihood, guessed, known = _mace_expectation(votes, modes, guesses)
    return posteriors, likelihood


def _mace_expectation(
    votes: _Votes, modes: Floats, guesses: Floats
) -> tuple[Floats, float, Floats, Floats]:
    """Return the probabilities of labels, their log-likelihood, and the expected counts.

    These are each annotator's guesses by label, and the votes for known labels.
    """
    labels = votes.shape[2]
    guess = modes[votes.annotators, 0] * guesses[votes.annotators, votes.labels]
    knows = modes[votes.annotators, 1]
    likelihoods = guess[:, None] + knows[:, None] * np.eye(labels)[votes.labels]
    posteriors, likelihood = _normalized(votes.by_task(_log(likelihoods)) - np.log(labels))
    of_votes = posteriors[votes.tasks]
    guessed = votes.by_answer((of_votes * guess[:, None] / likelihoods).sum(axis=1))
    right = of_votes[np.arange(len(of_votes)), votes.labels] * knows / (guess + knows)
    known = np.zeros(votes.shape[1])
    np.add.at(known, votes.annotators, right)
    return posteriors, likelihood, guessed, known


def _indexed(votes: Sequence[Vote]) -> _Votes:
    tasks, annotators, labels = (
        {name: at for at, name in enumerate(dict.fromkeys(vote[side] for vote in votes))}
        for side in range(3)
    )
    places = np.array([(tasks[t], annotators[a], labels[name]) for t, a, name in votes], np.int64)
    return _Votes(
        tasks=places[:, 0],
        annotators=places[:, 1],
        labels=places[:, 2],
        names=(tuple(tasks), tuple(annotators), tuple(labels)),
    )


def _log(values: Floats) -> Floats:
    return np.log(np.maximum(values, _SMALLEST))


def _normalized(joint: Floats) -> tuple[Floats, float]:
    """Return the rows of log-probabilities as probabilities, and the sum of their logarithms."""
    highest = joint.max(axis=1, keepdims=True)
    rows = np.exp(joint - highest)
    totals = rows.sum(axis=1, keepdims=True)
    return rows / totals, float((np.log(totals) + highest).sum())


def _shares(rows: Floats) -> Floats:
    shares: Floats = rows / rows.sum(axis=1, keepdims=True)
    return shares


def _variational(counts: Floats, prior: float) -> Floats:
    """Return the geometric means of shares whose posterior is a Dirichlet distribution."""
    rows = counts + prior
    shares: Floats = np.exp(digamma(rows) - digamma(rows.sum(axis=1, keepdims=True)))
    return shares


def digamma(values: Floats) -> Floats:
    """Return the logarithmic derivative of the gamma function of positive values.

    The asymptotic series is precise from 6 on, and digamma(x) = digamma(x + 1) - 1 / x.
    """
    shifted, result = values.astype(float), np.zeros_like(values, dtype=float)
    for _ in range(6):
        result -= 1 / shifted
        shifted = shifted + 1
    inverse = 1 / shifted**2
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    result += np.log(shifted) - 0.5 / shifted - series
    return result
