"""Falling agreement raises an alarm. Steady agreement raises false alarms as rarely as documented."""

import random

import pytest

from metrics.drift import BLOCK, FALSE_ALARMS, fall_p_value, has_fallen


def worker(rng, level, items):
    """Return item figures of a worker. They cluster at 0 and 1, because items have few answers."""
    figures = []
    for _ in range(items):
        answers = rng.randint(1, 5)
        figures.append(sum(rng.random() < level for _ in range(answers)) / answers)
    return figures


def test_too_few_items_raise_no_alarm():
    assert fall_p_value([], [1.0]) == fall_p_value([1.0], []) == 1
    assert fall_p_value([1.0] * 40, [1.0] * 20) == 1
    assert has_fallen([]) is None
    assert has_fallen([1.0] * BLOCK + [0.0] * (BLOCK - 1)) is None


def test_clear_fall_raises_an_alarm_and_a_rise_does_not():
    rng = random.Random(1)
    good, bad = worker(rng, 0.9, 3 * BLOCK), worker(rng, 0.4, BLOCK)
    assert has_fallen([*good, *bad]) < 0.001
    assert has_fallen([*worker(rng, 0.4, 3 * BLOCK), *worker(rng, 0.9, BLOCK)]) is None


def test_block_is_judged_once_and_only_when_full():
    rng = random.Random(1)
    fallen = [*worker(rng, 0.9, 3 * BLOCK), *worker(rng, 0.4, BLOCK)]
    assert has_fallen(fallen, known=len(fallen)) is None
    assert has_fallen([*fallen, 1.0], known=len(fallen)) is None
    assert has_fallen([*fallen, 1.0], known=len(fallen) - 1) is not None
    assert has_fallen(fallen[:-1]) is None


def alarm_rate(workers, blocks, level_of):
    """Return the share of checks that raised an alarm. Each block from the second on is checked once."""
    rng = random.Random(7)
    alarms = checks = 0
    for _ in range(workers):
        series = []
        for block in range(blocks):
            series += worker(rng, level_of(block), BLOCK)
            if block:
                checks += 1
                alarms += has_fallen(series) is not None
    return alarms / checks


@pytest.mark.slow
def test_steady_workers_raise_no_more_false_alarms_than_documented():
    rate = alarm_rate(400, 11, lambda block: 0.8)
    # There are 4,000 checks, so the standard error of the rate is 0.0011.
    assert rate <= FALSE_ALARMS + 3 * 0.0011


@pytest.mark.parametrize(("after", "at_least"), [(0.6, 0.4), (0.5, 0.8)])
def test_fall_from_eighty_per_cent_is_detected_in_its_first_block(after, at_least):
    rng = random.Random(11)
    alarms = sum(
        has_fallen([*worker(rng, 0.8, 4 * BLOCK), *worker(rng, after, BLOCK)]) is not None
        for _ in range(300)
    )
    assert alarms / 300 >= at_least


def test_p_values_are_those_of_scipy():
    from scipy.stats import mannwhitneyu  # takes a second, also in each process that only collects

    rng = random.Random(3)
    for _ in range(300):
        levels = rng.choice([1, 2, 5, 1000])
        before, latest = (
            [rng.randint(0, levels) / levels for _ in range(rng.randint(1, 50))] for _ in range(2)
        )
        if len({*before, *latest}) == 1:
            continue
        expected = mannwhitneyu(latest, before, alternative="less", method="asymptotic").pvalue
        assert fall_p_value(before, latest) == pytest.approx(expected, rel=1e-9)
