"""Dawid-Skene and MACE, compared with plain second implementations and with numbers of Crowd-Kit."""

import math
import random
from collections import defaultdict

import numpy as np
import pytest
from scipy import special

from metrics.annotator_models import dawid_skene, digamma, mace

# Of three annotators, the third is often wrong.
ROWS = (
    "1ax 1bx 1cy 2ax 2bx 2cx 3ay 3by 3cx 4ay 4bx 4cy 5az 5bz 5cy 6az 6by 6cz 7ax 7bx 7cy 8ay 8by 8cy "
    "9az 9bz 9cx"
)
VOTES = [tuple(row) for row in ROWS.split()]
# From crowdkit.aggregation.MACE(n_restarts=1) of Crowd-Kit 1.4.2
MACE_OF_CROWD_KIT = {
    "1": {"x": 0.995716, "y": 0.002568, "z": 0.001715},
    "2": {"x": 0.997808, "y": 0.001096, "z": 0.001096},
    "3": {"x": 0.002677, "y": 0.995615, "z": 0.001707},
    "4": {"x": 0.059722, "y": 0.93225, "z": 0.008028},
    "5": {"x": 0.001571, "y": 0.002353, "z": 0.996075},
    "6": {"x": 0.007197, "y": 0.054127, "z": 0.938676},
    "7": {"x": 0.995716, "y": 0.002568, "z": 0.001715},
    "8": {"x": 0.001143, "y": 0.997715, "z": 0.001143},
    "9": {"x": 0.002464, "y": 0.001571, "z": 0.995965},
}
# From crowdkit.aggregation.DawidSkene(n_iter=1000, tol=-1), which is certain of each label
DAWID_SKENE_OF_CROWD_KIT = dict(zip("123456789", "xxyxzzxyz", strict=True))


def random_votes(seed, tasks=40):
    """Return votes of annotators who know the label with different probability and else guess."""
    rng = random.Random(seed)
    labels = "xyzw"[: rng.randint(2, 4)]
    skills = {name: rng.random() for name in "abcdef"[: rng.randint(3, 6)]}
    votes = []
    for task in range(tasks):
        truth = rng.choice(labels)
        for name, skill in skills.items():
            if rng.random() < 0.8:
                label = truth if rng.random() < skill else rng.choice(labels)
                votes.append((task, name, label))
    rng.shuffle(votes)
    return votes


def names_of(votes, side):
    return list(dict.fromkeys(vote[side] for vote in votes))


def normalized(weights):
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def close(ours, theirs, tolerance):
    return all(
        abs(ours[task][label] - share) <= tolerance
        for task, shares in theirs.items()
        for label, share in shares.items()
    )


def plain_dawid_skene(votes, rounds):
    """Follow the paper with dictionaries: shares of votes, then matrices and labels in turn."""
    labels, by_task = names_of(votes, 2), defaultdict(list)
    for task, name, label in votes:
        by_task[task].append((name, label))
    shares = {
        task: normalized({label: sum(x == label for _, x in rows) for label in labels})
        for task, rows in by_task.items()
    }
    for _ in range(rounds):
        frequencies = {
            label: sum(share[label] for share in shares.values()) / len(shares) for label in labels
        }
        counts, totals = defaultdict(float), defaultdict(float)
        for task, name, given in votes:
            for true in labels:
                counts[name, given, true] += shares[task][true]
                totals[name, true] += shares[task][true]
        for task, rows in by_task.items():
            weights = {}
            for true in labels:
                weight = frequencies[true]
                for name, given in rows:
                    weight *= max(counts[name, given, true], 1e-10) / max(totals[name, true], 1e-10)
                weights[true] = weight
            shares[task] = normalized(weights)
    return shares


def plain_mace(votes, modes, guesses, rounds):
    """Follow the paper with dictionaries, from a given start. Return the shares and likelihood."""
    labels, by_task = names_of(votes, 2), defaultdict(list)
    for task, name, label in votes:
        by_task[task].append((name, label))

    def expected():
        shares, likelihood = {}, 0.0
        guessed, known = defaultdict(float), defaultdict(float)
        for task, rows in by_task.items():
            weights = {}
            for true in labels:
                weight = 1 / len(labels)
                for name, given in rows:
                    weight *= modes[name][0] * guesses[name][given] + modes[name][1] * (
                        given == true
                    )
                weights[true] = weight
            likelihood += math.log(sum(weights.values()))
            shares[task] = normalized(weights)
            for name, given in rows:
                for true in labels:
                    guess = modes[name][0] * guesses[name][given]
                    knows = modes[name][1] * (given == true)
                    guessed[name, given] += shares[task][true] * guess / (guess + knows)
                    known[name] += shares[task][true] * knows / (guess + knows)
        return shares, likelihood, guessed, known

    shares, likelihood, guessed, known = expected()
    for _ in range(rounds):
        for name in names_of(votes, 1):
            counts = {label: guessed[name, label] + 10 for label in labels}
            guesses[name] = {label: mean_share(counts, label) for label in labels}
            pair = {0: sum(counts.values()) - 10 * len(labels) + 0.5, 1: known[name] + 0.5}
            modes[name] = {mode: mean_share(pair, mode) for mode in pair}
        shares, likelihood, guessed, known = expected()
    return shares, likelihood


def mean_share(counts, name):
    total = float(special.digamma(sum(counts.values())))
    return math.exp(float(special.digamma(counts[name])) - total)


@pytest.mark.parametrize("seed", range(12))
def test_dawid_skene_is_that_of_a_plain_implementation(seed):
    votes = random_votes(seed)
    ours = dawid_skene(votes, max_iterations=30, tolerance=-1)
    assert close(ours, plain_dawid_skene(votes, 30), 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_mace_is_the_best_run_of_a_plain_implementation(seed):
    votes = random_votes(seed)
    annotators, labels = names_of(votes, 1), names_of(votes, 2)
    rng = np.random.default_rng(seed)
    runs = []
    for _ in range(3):
        modes = rng.uniform(1, 2.5, (len(annotators), 2))
        guesses = rng.uniform(1, 2.5, (len(annotators), len(labels)))
        start = [
            {
                name: normalized(dict(enumerate(row)))
                for name, row in zip(annotators, rows, strict=True)
            }
            for rows in (modes, guesses)
        ]
        named = {
            name: dict(zip(labels, shares.values(), strict=True))
            for name, shares in start[1].items()
        }
        runs.append(plain_mace(votes, start[0], named, 20))
    best, _ = max(runs, key=lambda run: run[1])
    assert close(mace(votes, restarts=3, iterations=20, seed=seed), best, 1e-9)


def test_numbers_are_those_of_crowd_kit():
    found = dawid_skene(VOTES, max_iterations=1000, tolerance=-1)
    assert {task: max(shares, key=shares.get) for task, shares in found.items()} == (
        DAWID_SKENE_OF_CROWD_KIT
    )
    assert all(max(shares.values()) > 0.999999 for shares in found.values())
    assert close(mace(VOTES), MACE_OF_CROWD_KIT, 1e-4)


@pytest.mark.parametrize("method", [dawid_skene, mace])
def test_names_and_their_order_do_not_matter(method):
    votes = random_votes(3)
    renamed = [
        (f"t{-task}", f"z{name}" if name < "c" else name, label) for task, name, label in votes
    ]
    found, again = method(votes), method(renamed)
    for task, shares in found.items():
        assert again[f"t{-task}"] == pytest.approx(shares)
    backwards = method(votes[::-1])
    assert all(backwards[task] == pytest.approx(shares, abs=0.02) for task, shares in found.items())


@pytest.mark.parametrize("method", [dawid_skene, mace])
def test_many_votes_on_a_task_do_not_underflow(method):
    rng = random.Random(1)
    truth = dict(enumerate("xyyx"))
    votes = [
        (task, name, label if rng.random() < 0.8 else rng.choice("xy"))
        for task, label in truth.items()
        for name in range(2000)
    ]
    for task, shares in method(votes).items():
        assert sum(shares.values()) == pytest.approx(1)
        assert shares[truth[task]] > 0.99


@pytest.mark.parametrize("method", [dawid_skene, mace])
def test_without_votes_there_is_nothing(method):
    assert method([]) == {}
    assert method([("t", "a", "x")]) == {"t": {"x": pytest.approx(1)}}


def test_digamma_is_that_of_scipy():
    values = np.array([1e-3, 0.5, 1, 1.5, 2, 5.9, 6, 10, 10.5, 1e3, 1e6])
    assert digamma(values) == pytest.approx(special.digamma(values), rel=1e-9)
