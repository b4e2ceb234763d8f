"""Skill, difficulty and certainty, compared with known skills and with a plain second implementation."""

import math
import random

import numpy as np
import pytest
from scipy import optimize

from metrics.capture_recapture import Captures, sum_captures
from metrics.judgment_model import (
    NODES,
    PRIORS,
    ItemJudgments,
    Judgments,
    PartJudgments,
    fit_judgments,
)

pytestmark = pytest.mark.slow
ANNOTATORS = "abcdefgh"
JUDGES = "vwx"


def logistic(value):
    return 1 / (1 + math.exp(-value))


class Crowd:
    """A crowd with known skills that annotates items of known difficulty."""

    def __init__(self, seed, items=400, annotators=2, spread=0.8):
        rng = random.Random(seed)
        self.finds = {name: rng.uniform(0.5, 2.5) for name in ANNOTATORS}
        self.invents = {name: rng.uniform(-3, -1) for name in ANNOTATORS}
        self.keeps = {name: rng.uniform(1.5, 3.5) for name in JUDGES}
        self.passes = {name: rng.uniform(-1.5, 0.5) for name in JUDGES}
        self.difficulties = [rng.gauss(0, spread) for _ in range(items)]
        # The truth of each part in the data, and the numbers of all right parts
        self.truth, self.right_parts, self.items = [], [], []
        for difficulty in self.difficulties:
            names = rng.sample(ANNOTATORS, annotators)
            judge = rng.choice(JUDGES)
            parts, truth = [], []
            everything = [True] * rng.randint(1, 6) + [False] * rng.randint(0, 5)
            for is_right in everything:
                found = frozenset(
                    name
                    for name in names
                    if rng.random()
                    < logistic(self.finds[name] - difficulty if is_right else self.invents[name])
                )
                keeps = logistic(
                    self.keeps[judge] - difficulty if is_right else self.passes[judge] + difficulty
                )
                if found:
                    kept = rng.random() < keeps
                    parts.append(PartJudgments(found, ((judge, kept),), in_gold=kept))
                    truth.append(is_right)
            self.items.append(ItemJudgments(tuple(names), tuple(parts)))
            self.truth.append(truth)
            self.right_parts.append(sum(everything))


def plain_log_posterior(items, values):
    """Follow the docstring with loops over items, nodes, parts and people.

    `values` maps (parameter, person) to log-odds, and "right" and "spread" to theirs.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    total = sum(
        -((value - PRIORS[key if isinstance(key, str) else key[0]][0]) ** 2)
        / (2 * PRIORS[key if isinstance(key, str) else key[0]][1] ** 2)
        for key, value in values.items()
    )
    share = logistic(values["right"])
    for item in items:
        likelihood = 0.0
        for node, weight in zip(nodes, weights / weights.sum(), strict=True):
            difficulty = math.exp(values["spread"]) * node
            finds = {n: logistic(values["finds", n] - difficulty) for n in item.annotators}
            invents = {n: logistic(values["invents", n]) for n in item.annotators}
            product = weight
            for part in item.parts:
                if not part.found_by:
                    continue
                chances = []
                for of_class, rates in ((share, finds), (1 - share, invents)):
                    chance = of_class / (1 - math.prod(1 - rate for rate in rates.values()))
                    for name, rate in rates.items():
                        chance *= rate if name in part.found_by else 1 - rate
                    chances.append(chance)
                for name, kept in part.kept:
                    rates = (
                        logistic(values["keeps", name] - difficulty),
                        logistic(values["passes", name] + difficulty),
                    )
                    chances = [
                        chance * (rate if kept else 1 - rate)
                        for chance, rate in zip(chances, rates, strict=True)
                    ]
                product *= sum(chances)
            likelihood += product
        total += math.log(likelihood)
    return total


def named(items, values):
    """Return an array of parameters by their names, as `Judgments` orders them."""
    annotators = dict.fromkeys(name for item in items for name in item.annotators)
    judges = dict.fromkeys(n for item in items for part in item.parts for n, _ in part.kept)
    keys = [("finds", n) for n in annotators] + [("invents", n) for n in annotators]
    keys += [("keeps", n) for n in judges] + [("passes", n) for n in judges]
    return dict(zip([*keys, "right", "spread"], values, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_posterior_and_gradient_equal_those_of_plain_loops(seed):
    items = Crowd(seed, items=12, annotators=random.Random(seed).randint(1, 4)).items
    items += [
        ItemJudgments(("a", "b"), ()),
        ItemJudgments(("a",), (PartJudgments(frozenset(), (("v", True),)),)),
    ]
    judgments = Judgments(items)
    rng = np.random.default_rng(seed)
    at = judgments.start() + rng.normal(0, 0.7, len(judgments.start()))
    value, gradient = judgments.log_posterior(at)
    assert value == pytest.approx(plain_log_posterior(items, named(items, at)), rel=1e-9)

    def plain(values):
        return plain_log_posterior(items, named(items, values))

    assert gradient == pytest.approx(optimize.approx_fprime(at, plain, 1e-6), abs=1e-3)


def test_mode_is_the_one_that_another_optimiser_finds():
    items = Crowd(3, items=60).items
    judgments = Judgments(items)

    def loss(values):
        value, gradient = judgments.log_posterior(values)
        return -value, -gradient

    other = optimize.minimize(loss, judgments.start(), jac=True, method="L-BFGS-B", tol=1e-12)
    fitted = fit_judgments(items)
    assert fitted.log_posterior == pytest.approx(-other.fun, abs=1e-4)
    assert fitted.right.value == pytest.approx(logistic(other.x[-2]), abs=1e-3)
    assert fitted.spread.value == pytest.approx(math.exp(other.x[-1]), abs=1e-2)


def deviations(crowd, fitted):
    """Yield the errors of estimated skills in units of their standard errors."""
    for skills, names, truths in (
        (fitted.annotators, ("finds", "invents"), (crowd.finds, crowd.invents)),
        (fitted.judges, ("keeps", "passes"), (crowd.keeps, crowd.passes)),
    ):
        for name, skill in skills.items():
            for column, truth in zip(names, truths, strict=True):
                estimate = getattr(skill, column)
                yield column, (estimate.value - logistic(truth[name])) / estimate.error


def test_skills_are_recovered_and_intervals_cover_them():
    """Of 95 % intervals of normal errors, 95 % cover the true skill."""
    errors = {}
    for seed in range(12):
        crowd = Crowd(seed)
        for column, error in deviations(crowd, fit_judgments(crowd.items)):
            errors.setdefault(column, []).append(error)
    covered = {
        column: sum(abs(error) < 1.96 for error in of_column) / len(of_column)
        for column, of_column in errors.items()
    }
    for column in ("finds", "invents"):  # 96 intervals each
        assert 0.87 <= covered[column] <= 1, covered
    for column in ("keeps", "passes"):  # 36 intervals each
        assert 0.8 <= covered[column] <= 1, covered
    assert abs(np.mean(errors["finds"])) < 0.5


def test_more_items_give_smaller_errors_and_closer_estimates():
    few, many = Crowd(1, items=100), Crowd(1, items=1600)
    errors, distances = [], []
    for crowd in (few, many):
        annotators = fit_judgments(crowd.items).annotators
        errors.append(np.mean([skill.finds.error for skill in annotators.values()]))
        distances.append(
            np.mean(
                [abs(s.finds.value - logistic(crowd.finds[name])) for name, s in annotators.items()]
            )
        )
    assert errors[1] < errors[0] / 2
    assert distances[1] < distances[0]
    assert distances[1] < 0.05


def test_probabilities_are_calibrated():
    crowd = Crowd(5, items=1500)
    fitted = fit_judgments(crowd.items)
    pairs = [
        (probability, right)
        for item, truth in zip(fitted.items, crowd.truth, strict=True)
        for probability, right in zip(item.probabilities, truth, strict=True)
    ]
    pairs.sort()
    for chunk in np.array_split(np.array(pairs, float), 8):
        expected, actual = chunk.mean(axis=0)
        assert abs(expected - actual) < 0.08


def test_expected_coverage_is_closer_than_that_of_equally_hard_items():
    """Chapman's estimate takes all items for equally hard, and is too high where they differ."""
    crowd = Crowd(6, items=2500, spread=1.2)
    # Only right parts, so that Chapman's estimate counts no inventions
    items = [
        ItemJudgments(
            item.annotators,
            tuple(part for part, right in zip(item.parts, truth, strict=True) if right),
        )
        for item, truth in zip(crowd.items, crowd.truth, strict=True)
    ]
    fitted = fit_judgments(items)
    found = sum(len(item.parts) for item in items)
    actual = found / sum(crowd.right_parts)
    missed = sum(item.missed for item in fitted.items)
    ours = found / (found + missed)
    captures = sum_captures(
        Captures(
            *(sum(name in part.found_by for part in item.parts) for name in item.annotators),
            sum(len(part.found_by) == 2 for part in item.parts),
        )
        for item in items
    )
    assert abs(ours - actual) < abs(captures.coverage - actual)
    assert abs(ours - actual) < 0.03


def test_harder_items_get_a_higher_difficulty():
    crowd = Crowd(7, items=1000, annotators=4, spread=1.2)
    fitted = fit_judgments(crowd.items)
    estimated = [item.difficulty.value for item in fitted.items]
    assert np.corrcoef(crowd.difficulties, estimated)[0, 1] > 0.5


def test_order_and_names_change_nothing():
    items = Crowd(8, items=80).items
    renamed = [
        ItemJudgments(
            tuple(name.upper() for name in item.annotators),
            tuple(
                PartJudgments(
                    frozenset(name.upper() for name in part.found_by), part.kept, part.in_gold
                )
                for part in item.parts
            ),
        )
        for item in reversed(items)
    ]
    first, second = fit_judgments(items), fit_judgments(renamed)
    assert first.log_posterior == pytest.approx(second.log_posterior, abs=1e-4)
    for name, skill in first.annotators.items():
        assert skill.finds.value == pytest.approx(
            second.annotators[name.upper()].finds.value, abs=1e-2
        )


def test_without_parts_there_is_no_model():
    assert fit_judgments([]) is None
    assert fit_judgments([ItemJudgments(("a", "b"), ())]) is None


def test_without_a_second_annotator_there_is_no_coverage():
    items = [
        ItemJudgments(("a",), (PartJudgments(frozenset("a"), (("v", True), ("w", True))),)),
        ItemJudgments(("b", "c"), (PartJudgments(frozenset("bc"), (("v", True),)),)),
    ]
    fitted = fit_judgments(items)
    assert not fitted.annotators["a"].is_compared
    assert (fitted.items[0].coverage, fitted.items[0].missed) == (None, None)
    assert 0 < fitted.items[1].coverage < 1


def test_a_part_that_a_judge_added_counts_as_covered():
    plain = ItemJudgments(("a", "b"), (PartJudgments(frozenset("a"), (("v", True),)),))
    added = ItemJudgments(("a", "b"), (*plain.parts, PartJudgments(frozenset(), (("v", True),))))
    without, with_added = fit_judgments([*Crowd(9, items=50).items, plain, added]).items[-2:]
    assert with_added.missed < without.missed
    assert with_added.coverage > without.coverage
    assert len(with_added.probabilities) == 2


def test_progress_may_end_the_search():
    class EndedError(Exception):
        pass

    def end(done):
        if done == 5:
            raise EndedError

    with pytest.raises(EndedError):
        fit_judgments(Crowd(1, items=20).items, progress=end)
