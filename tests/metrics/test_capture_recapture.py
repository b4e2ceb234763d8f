"""The estimate of the parts that two independent annotators both missed."""

import random

import pytest

from metrics.capture_recapture import Captures, estimate_coverage, sum_captures


def test_chapmans_estimator():
    """The estimate follows Seber's form, N = (n1 + 1)(n2 + 1) / (m + 1) - 1."""
    captures = Captures(first=30, second=20, both=15)
    total = 31 * 21 / 16 - 1
    assert captures.union == 35
    assert captures.only_one == 20
    assert captures.missed == pytest.approx(total - 35)
    assert captures.coverage == pytest.approx(35 / total)


def test_nothing_is_missed_if_one_annotator_found_all_parts_of_the_other():
    assert Captures(10, 7, 7).missed == 0
    assert Captures(0, 0, 0).coverage is None


def test_estimate_without_recaptures_is_finite():
    assert Captures(3, 4, 0).missed == 12


def simulated(parts: int, rates: tuple[float, float], rng: random.Random) -> Captures:
    captures_by_part = [[rng.random() < rate for rate in rates] for _ in range(parts)]
    return Captures(
        *(sum(column) for column in zip(*captures_by_part, strict=True)),
        sum(a and b for a, b in captures_by_part),
    )


def test_estimates_of_independent_annotators_are_unbiased():
    rng = random.Random(7)
    projects = [
        estimate_coverage([simulated(4, (0.8, 0.7), rng) for _ in range(300)], seed=project)
        for project in range(60)
    ]
    # Both miss 0.2 * 0.3 of the 1,200 parts.
    truth = 1200 * 0.2 * 0.3
    mean = sum(project.captures.missed for project in projects) / len(projects)
    assert mean == pytest.approx(truth, rel=0.05)
    covered = sum(project.missed.low <= truth <= project.missed.high for project in projects)
    assert covered >= 52  # 57 are expected for 95 % intervals


def test_same_seed_gives_the_same_interval():
    items = [Captures(3, 2, 1), Captures(4, 4, 4), Captures(2, 3, 2)]
    assert estimate_coverage(items, seed=3) == estimate_coverage(items, seed=3)
    assert sum_captures(items) == Captures(9, 9, 7)


def test_estimate_without_items_has_no_interval():
    estimate = estimate_coverage([])
    assert (estimate.items, estimate.captures) == (0, Captures(0, 0, 0))
    assert estimate.coverage.low is None
