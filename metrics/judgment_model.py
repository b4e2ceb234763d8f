"""Skill of people, difficulty of items and certainty of parts, from judgments without gold.

An annotator of an item finds a part of it or not. A judge keeps a found part or rejects it. Whether an
expert would keep the part is unknown. The model is a latent class model with two classes of parts, as in
Dawid and Skene 1979, whose rates depend on the item as in a Rasch model:

- A right part is found with the log-odds `finds - difficulty`, and kept with `keeps - difficulty`.
- A wrong part is found with the log-odds `invents`, and kept with `passes + difficulty`.
- Difficulties are normal with mean 0. `right` is the share of right parts among those found.

A part that nobody found is not in the data. The rates of finding are therefore those given that at least
one annotator found the part, as in capture-recapture (Huggins 1989). All parameters have weak normal
priors on the scale of log-odds. The estimates are the mode of the posterior, with the difficulties
integrated over Gauss-Hermite nodes, and standard errors come from its curvature.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]

# Nodes of the integral over difficulty
NODES = 11
# Means and standard deviations of the priors, on the scale of log-odds. The last one is that of the
# logarithm of the difficulties' standard deviation.
PRIORS = {
    "finds": (1.0, 1.5),
    "invents": (-2.0, 1.5),
    "keeps": (2.0, 1.5),
    "passes": (-1.0, 1.5),
    "right": (1.0, 1.5),
    "spread": (-0.5, 0.7),
}
_STEP = 1e-5


@dataclass(frozen=True, slots=True)
class PartJudgments:
    """A possible part of an item, with the annotators who found it and the verdicts of judges.

    A part that no annotator found was added by a judge. It does not contribute to the estimates.
    """

    found_by: frozenset[Hashable]
    kept: tuple[tuple[Hashable, bool], ...] = ()
    in_gold: bool = True


@dataclass(frozen=True, slots=True)
class ItemJudgments:
    """The judgments of an item: all annotators who searched it, and the parts that anybody found."""

    annotators: tuple[Hashable, ...]
    parts: tuple[PartJudgments, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class AnnotatorSkill:
    """The shares of right and of wrong parts that an annotator finds, on an item of mean difficulty.

    The share of wrong parts refers to those that any of the item's annotators could have invented.
    `is_compared` is False for annotators who shared no item with another one. Their shares are the
    prior's.
    """

    finds: Estimate
    invents: Estimate
    items: int
    is_compared: bool


@dataclass(frozen=True, slots=True)
class JudgeSkill:
    """The shares of right and of wrong parts that a judge keeps, on an item of mean difficulty."""

    keeps: Estimate
    passes: Estimate
    parts: int


@dataclass(frozen=True, slots=True)
class ItemCertainty:
    """An item's difficulty, its parts' probabilities of being right, and its expected coverage.

    `coverage` is the expected share of the item's right parts that the gold has, and `missed` the
    expected number of right parts that nobody found. They are None if an annotator of the item shared
    no item with another one. The coverage is also None without a part.
    """

    difficulty: Estimate
    probabilities: tuple[float, ...]
    coverage: float | None
    missed: float | None


@dataclass(frozen=True, slots=True)
class KnownSkills:
    """Estimates of an earlier fit, with which new items are judged.

    `finds` and `invents` are the shares of right and wrong parts that each annotator finds, on an item
    of mean difficulty. `right` is the share of right parts among those that `annotators` people of mean
    skill found, and `spread` the standard deviation of difficulties.
    """

    finds: Mapping[Hashable, float]
    invents: Mapping[Hashable, float]
    right: float
    spread: float
    annotators: int

    def right_odds(self, people: Iterable[Hashable]) -> float:
        """Return the log-odds that a part is right which at least one of these people found.

        A single skilled annotator finds nearly as many right parts as several, and fewer wrong ones.
        """
        typical = [_mean_share(self.finds, "finds")], [_mean_share(self.invents, "invents")]
        own: tuple[list[float], list[float]] = ([], [])
        for name in people:
            own[0].append(self.finds.get(name, typical[0][0]))
            own[1].append(self.invents.get(name, typical[1][0]))
        everybody = [shares * self.annotators for shares in typical]
        ours, theirs = (_found(right) / _found(wrong) for right, wrong in (own, everybody))
        return _log_odds(self.right) + float(np.log(ours / theirs))


@dataclass(frozen=True, slots=True)
class FittedJudgments:
    """The estimates of a model, in the order of the items.

    `right` is the share of right parts among those found, and `spread` the standard deviation of
    difficulties. `log_posterior` is that of the mode, up to a constant.
    """

    annotators: dict[Hashable, AnnotatorSkill]
    judges: dict[Hashable, JudgeSkill]
    items: list[ItemCertainty]
    right: Estimate
    spread: Estimate
    log_posterior: float

    def skills(self, *, annotators: int) -> KnownSkills:
        """Return what is known of the annotators who shared an item with another one.

        `annotators` is the number of people who annotated a fitted item.
        """
        compared = {name: skill for name, skill in self.annotators.items() if skill.is_compared}
        return KnownSkills(
            finds={name: skill.finds.value for name, skill in compared.items()},
            invents={name: skill.invents.value for name, skill in compared.items()},
            right=self.right.value,
            spread=self.spread.value,
            annotators=annotators,
        )


def fit_judgments(
    items: Sequence[ItemJudgments], *, progress: Callable[[int], object] = lambda done: None
) -> FittedJudgments | None:
    """Fit the model to the judgments of items. Return None if no annotator found a part.

    `progress` gets the number of evaluations of the posterior so far, and may raise an exception.
    """
    judgments = Judgments(items)
    if not judgments.parts:
        return None
    evaluations = 0

    def evaluate(values: Floats) -> tuple[float, Floats]:
        nonlocal evaluations
        evaluations += 1
        progress(evaluations)
        return judgments.log_posterior(values)

    mode, highest = _maximise(evaluate, judgments.start())
    errors = np.sqrt(np.diag(np.linalg.inv(_information(evaluate, mode))))
    return FittedJudgments(
        annotators=judgments.annotator_skills(mode, errors),
        judges=judgments.judge_skills(mode, errors),
        items=judgments.certainties(mode),
        right=_share(mode[-2], errors[-2]),
        spread=Estimate(float(np.exp(mode[-1])), float(np.exp(mode[-1]) * errors[-1])),
        log_posterior=highest,
    )


def expected_certainties(
    items: Sequence[ItemJudgments], skills: KnownSkills
) -> list[ItemCertainty]:
    """Return what annotations are expected to be worth before anybody judges them.

    Verdicts of judges are ignored. An annotator without known skills has the mean of those with some, on
    the scale of log-odds, or that of the prior.
    """
    by_people: dict[frozenset[Hashable], list[int]] = {}
    for at, item in enumerate(items):
        by_people.setdefault(frozenset(item.annotators), []).append(at)
    found: dict[int, ItemCertainty] = {}
    for people, places in by_people.items():
        unjudged = [
            ItemJudgments(
                items[at].annotators,
                tuple(PartJudgments(part.found_by) for part in items[at].parts),
            )
            for at in places
        ]
        judgments = Judgments(unjudged, compares_all=True)
        certainties = judgments.certainties_with(skills, skills.right_odds(people))
        found |= dict(zip(places, certainties, strict=True))
    return [found[at] for at in range(len(items))]


@dataclass(slots=True)
class _Rows:
    """Judgments of parts by people, as positions, and 1 where the part was found or kept."""

    parts: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)

    def add(self, part: int, person: int, answer: bool) -> None:
        self.parts.append(part)
        self.people.append(person)
        self.answers.append(int(answer))


@dataclass(frozen=True, slots=True)
class _Expected:
    """What follows from parameters: values by item or part (rows) and node of difficulty (columns)."""

    log_likelihood: float
    weights: Floats  # of the nodes of each item
    right: Floats  # probabilities of the parts at each node
    found: tuple[Floats, Floats]  # rates of right and wrong found parts, by row of `searches`
    kept: tuple[Floats, Floats]  # rates of right and wrong parts, by row of verdicts
    missed: Floats  # the rate at which all annotators of an item miss a right part


class Judgments:
    """The judgments of items as arrays, and the posterior of parameters given them.

    Parameters are one array: `finds` and `invents` of all annotators, `keeps` and `passes` of all
    judges, `right`, and the logarithm of the standard deviation of difficulties. With `compares_all`, the
    skill of every annotator is taken for known.
    """

    def __init__(self, items: Sequence[ItemJudgments], *, compares_all: bool = False) -> None:
        self._items = items
        self._annotators = _positions(name for item in items for name in item.annotators)
        self._judges = _positions(
            name for item in items for part in item.parts for name, _ in part.kept
        )
        self._places: list[list[int | None]] = []
        item_of_part: list[int] = []
        searched, kept = _Rows(), _Rows()
        for at, item in enumerate(items):
            places: list[int | None] = []
            for part in item.parts:
                if not part.found_by:
                    places.append(None)
                    continue
                place = len(item_of_part)
                places.append(place)
                item_of_part.append(at)
                for name in item.annotators:
                    searched.add(place, self._annotators[name], name in part.found_by)
                for name, answer in part.kept:
                    kept.add(place, self._judges[name], answer)
            self._places.append(places)
        self.parts = len(item_of_part)
        self._item_of_part = np.array(item_of_part, np.int64)
        self._found = _as_arrays(searched)
        self._kept = _as_arrays(kept)
        pairs = [
            (at, self._annotators[n]) for at, item in enumerate(items) for n in item.annotators
        ]
        self._pairs = np.array(pairs, np.int64).reshape(-1, 2)
        least = 1 if compares_all else 2
        self._compared = {
            name for item in items if len(item.annotators) >= least for name in item.annotators
        }
        # Nodes and weights of the standard normal distribution
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        self._nodes: Floats = nodes
        self._log_weights: Floats = np.log(weights / weights.sum())
        means, deviations = zip(*(PRIORS[name] for name in self._names()), strict=True)
        self._means, self._deviations = np.array(means), np.array(deviations)

    def _names(self) -> list[str]:
        annotators, judges = len(self._annotators), len(self._judges)
        return (
            ["finds"] * annotators
            + ["invents"] * annotators
            + ["keeps"] * judges
            + ["passes"] * judges
            + ["right", "spread"]
        )

    def start(self) -> Floats:
        """Return the parameters with which the search starts, the means of their priors."""
        return self._means.copy()

    def log_posterior(self, values: Floats) -> tuple[float, Floats]:
        """Return the logarithm of the posterior, up to a constant, and its gradient."""
        expected = self._expect(values)
        off = (values - self._means) / self._deviations
        gradient = self._gradient(values, expected) - off / self._deviations
        return expected.log_likelihood - 0.5 * float(off @ off), gradient

    def _split(self, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        annotators, judges = len(self._annotators), len(self._judges)
        ends = np.cumsum([annotators, annotators, judges, judges])
        finds, invents, keeps, passes, _ = np.split(values, ends)
        return finds, invents, keeps, passes

    def _expect(self, values: Floats) -> _Expected:
        difficulty = np.exp(values[-1]) * self._nodes
        parts, finders, found = self._found
        judged, judges, kept = self._kept
        logits = self._logits(values, difficulty)
        right, wrong = (
            _sums(parts, _log_chances(logits[at])[found, finders], self.parts)
            + _sums(judged, _log_chances(logits[at + 2])[kept, judges], self.parts)
            for at in (0, 1)
        )
        log_missed, log_missed_wrong = map(self._log_missed, logits[:2])
        right -= np.log(-np.expm1(log_missed))[self._item_of_part]
        wrong -= np.log(-np.expm1(log_missed_wrong))[self._item_of_part]
        right -= np.logaddexp(0, -values[-2])
        wrong -= np.logaddexp(0, values[-2])
        either = np.logaddexp(right, wrong)
        by_item = self._log_weights + _sums(self._item_of_part, either, len(self._items))
        highest = by_item.max(axis=1, keepdims=True)
        totals = np.exp(by_item - highest).sum(axis=1, keepdims=True)
        item_of_row = self._item_of_part[parts]
        return _Expected(
            log_likelihood=float((np.log(totals) + highest).sum()),
            weights=np.exp(by_item - highest) / totals,
            right=np.exp(right - either),
            found=(
                _logistic(logits[0])[finders] / -np.expm1(log_missed)[item_of_row],
                _logistic(logits[1])[finders] / -np.expm1(log_missed_wrong)[item_of_row],
            ),
            kept=(_logistic(logits[2])[judges], _logistic(logits[3])[judges]),
            missed=np.exp(log_missed),
        )

    def _logits(self, values: Floats, difficulty: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the log-odds of finding and keeping right and wrong parts, by person and node.

        The order is finding right, finding wrong, keeping right and keeping wrong parts.
        """
        finds, invents, keeps, passes = (part[:, None] for part in self._split(values))
        same = np.zeros_like(difficulty)
        return finds - difficulty, invents + same, keeps - difficulty, passes + difficulty

    def _log_missed(self, logits: Floats) -> Floats:
        """Return the logarithm of the rate at which all annotators of an item miss a part."""
        missed = -np.logaddexp(0, logits)[self._pairs[:, 1]]
        return np.minimum(_sums(self._pairs[:, 0], missed, len(self._items)), -1e-12)

    def _gradient(self, values: Floats, expected: _Expected) -> Floats:
        parts, finders, found = self._found
        judged, judges, kept = self._kept
        weights = expected.weights[self._item_of_part]
        right, wrong = weights * expected.right, weights * (1 - expected.right)
        of_rows = (
            right[parts] * (found[:, None] - expected.found[0]),
            wrong[parts] * (found[:, None] - expected.found[1]),
            right[judged] * (kept[:, None] - expected.kept[0]),
            wrong[judged] * (kept[:, None] - expected.kept[1]),
        )
        people = (finders, finders, judges, judges)
        sizes = (len(self._annotators), len(self._annotators), len(self._judges), len(self._judges))
        by_person = [
            np.bincount(who, rows.sum(axis=1), size)
            for who, rows, size in zip(people, of_rows, sizes, strict=True)
        ]
        share = float(_logistic(values[-2:-1])[0])
        by_node = (of_rows[3].sum(axis=0) - of_rows[0].sum(axis=0)) - of_rows[2].sum(axis=0)
        spread = float(by_node @ (np.exp(values[-1]) * self._nodes))
        return np.array([*np.concatenate(by_person), right.sum() - share * self.parts, spread])

    def annotator_skills(self, values: Floats, errors: Floats) -> dict[Hashable, AnnotatorSkill]:
        """Return the annotators' skills at these parameters."""
        finds, invents, _, _ = self._split(values)
        finds_error, invents_error, _, _ = self._split(errors)
        items = np.bincount(self._pairs[:, 1], minlength=len(self._annotators))
        return {
            name: AnnotatorSkill(
                finds=_share(finds[at], finds_error[at]),
                invents=_share(invents[at], invents_error[at]),
                items=int(items[at]),
                is_compared=name in self._compared,
            )
            for name, at in self._annotators.items()
        }

    def judge_skills(self, values: Floats, errors: Floats) -> dict[Hashable, JudgeSkill]:
        """Return the judges' skills at these parameters."""
        _, _, keeps, passes = self._split(values)
        _, _, keeps_error, passes_error = self._split(errors)
        parts = np.bincount(self._kept[1], minlength=len(self._judges))
        return {
            name: JudgeSkill(
                keeps=_share(keeps[at], keeps_error[at]),
                passes=_share(passes[at], passes_error[at]),
                parts=int(parts[at]),
            )
            for name, at in self._judges.items()
        }

    def certainties(self, values: Floats) -> list[ItemCertainty]:
        """Return the certainty of each item at these parameters."""
        expected = self._expect(values)
        difficulty = np.exp(values[-1]) * self._nodes
        *_, keeps, passes = self._logits(values, difficulty)
        certainties = []
        for at, item in enumerate(self._items):
            weights = expected.weights[at]
            right = np.array(
                [
                    expected.right[place]
                    if place is not None
                    else self._added(part, (keeps, passes), float(values[-2]))
                    for part, place in zip(item.parts, self._places[at], strict=True)
                ]
            ).reshape(-1, NODES)
            mean = float(weights @ difficulty)
            spread = float(weights @ (difficulty - mean) ** 2) ** 0.5
            coverage = missed = None
            if self._compared.issuperset(item.annotators):
                found = np.array([bool(part.found_by) for part in item.parts], bool)
                in_gold = np.array([part.in_gold for part in item.parts], bool)
                odds = expected.missed[at] / (1 - expected.missed[at])
                unseen = right[found].sum(axis=0) * odds
                left = np.maximum(0, unseen - right[~found].sum(axis=0))
                missed = float(weights @ left)
                everything = right.sum(axis=0) + left
                if item.parts:
                    coverage = float(weights @ (right[in_gold].sum(axis=0) / everything))
            probabilities = tuple(float(weights @ row) for row in right)
            certainties.append(
                ItemCertainty(Estimate(mean, spread), probabilities, coverage, missed)
            )
        return certainties

    def certainties_with(self, skills: KnownSkills, right: float) -> list[ItemCertainty]:
        """Return the certainty of each item with these skills. The items must have no verdicts.

        `right` are the log-odds of right parts among those found.
        """
        values = self.start()
        for at, kind in enumerate(("finds", "invents")):
            shares = getattr(skills, kind)
            mean = _mean_share(shares, kind)
            for name, place in self._annotators.items():
                values[at * len(self._annotators) + place] = _log_odds(shares.get(name, mean))
        values[-2], values[-1] = right, np.log(skills.spread)
        return self.certainties(values)

    def _added(
        self,
        part: PartJudgments,
        rates: tuple[Floats, Floats],
        right: float,
    ) -> Floats:
        """Return the probabilities of a part that judges added, by node, from their verdicts alone.

        `rates` are the log-odds of keeping right and wrong parts, and `right` those of right parts.
        """
        log_odds = np.full(NODES, right)
        for name, answer in part.kept:
            at = self._judges[name]
            log_odds += _log_chances(rates[0][at])[int(answer)]
            log_odds -= _log_chances(rates[1][at])[int(answer)]
        return _logistic(log_odds)


def _positions(names: Iterable[Hashable]) -> dict[Hashable, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


def _as_arrays(rows: _Rows) -> tuple[Positions, Positions, Positions]:
    parts, people, answers = (
        np.array(column, np.int64) for column in (rows.parts, rows.people, rows.answers)
    )
    return parts, people, answers


def _sums(positions: Positions, rows: Floats, size: int) -> Floats:
    """Return the sums of the rows by position, for positions below `size`."""
    places = (positions[:, None] * NODES + np.arange(NODES)).ravel()
    sums: Floats = np.bincount(places, rows.ravel(), size * NODES).astype(float)
    return sums.reshape(size, NODES)


def _mean_share(shares: Mapping[Hashable, float], kind: str) -> float:
    """Return the mean on the scale of log-odds, or that of the prior without any."""
    mean = np.mean([_log_odds(share) for share in shares.values()]) if shares else PRIORS[kind][0]
    return float(_logistic(np.array([mean]))[0])


def _found(shares: Iterable[float]) -> float:
    """Return the chance that at least one of these people finds a part."""
    return 1 - float(np.prod([1 - share for share in shares]))


def _log_odds(share: float) -> float:
    bounded = min(max(share, 1e-6), 1 - 1e-6)
    return float(np.log(bounded / (1 - bounded)))


def _logistic(values: Floats) -> Floats:
    shares: Floats = np.exp(-np.logaddexp(0, -values))
    return shares


def _log_chances(logits: Floats) -> Floats:
    """Return the logarithms of the chances of no (first) and yes (second)."""
    return -np.array([np.logaddexp(0, logits), np.logaddexp(0, -logits)])


def _share(logit: float, error: float) -> Estimate:
    share = float(_logistic(np.array([logit]))[0])
    return Estimate(share, share * (1 - share) * float(error))


def _maximise(
    evaluate: Callable[[Floats], tuple[float, Floats]], start: Floats, *, max_iterations: int = 500
) -> tuple[Floats, float]:
    """Return the highest point of a smooth function and its value there, by BFGS.

    `evaluate` returns the value and the gradient. The search ends when no component of the gradient
    exceeds 1e-6 of the value, or no step along it is an improvement.
    """
    at = start
    value, gradient = evaluate(at)
    inverse = np.eye(len(at)) / max(1.0, float(np.abs(gradient).max()))
    for _ in range(max_iterations):
        if np.abs(gradient).max() <= 1e-6 * max(1.0, abs(value)):
            break
        direction = inverse @ gradient
        slope = float(gradient @ direction)
        scale = 1.0
        while True:
            step = scale * direction
            higher, next_gradient = evaluate(at + step)
            if higher >= value + 1e-4 * scale * slope or scale < 1e-10:
                break
            scale /= 2
        if higher <= value:
            break
        change = gradient - next_gradient
        curvature = float(change @ step)
        if curvature > 1e-12:
            left = np.eye(len(at)) - np.outer(step, change) / curvature
            inverse = left @ inverse @ left.T + np.outer(step, step) / curvature
        at, value, gradient = at + step, higher, next_gradient
    return at, value


def _information(evaluate: Callable[[Floats], tuple[float, Floats]], mode: Floats) -> Floats:
    """Return the negative second derivatives at the mode, from differences of gradients."""
    rows = []
    for at in range(len(mode)):
        step = np.zeros(len(mode))
        step[at] = _STEP
        rows.append((evaluate(mode - step)[1] - evaluate(mode + step)[1]) / (2 * _STEP))
    information = np.array(rows)
    symmetric: Floats = (information + information.T) / 2
    return symmetric
