import random

import pytest

from metrics.counts import Counts, MacroAverage, macro_average, mean, micro_sum, ratio


def test_counts_give_precision_recall_and_f1():
    counts = Counts(tp=155, fp=12, fn=22)
    assert counts.precision == 155 / 167
    assert counts.recall == 155 / 177
    assert counts.f1 == pytest.approx(2 / (167 / 155 + 177 / 155))


def test_ratios_with_a_zero_denominator_are_none():
    assert (Counts().precision, Counts().recall, Counts().f1) == (None, None, None)
    nothing_predicted = Counts(fn=5)
    assert nothing_predicted.precision is None
    assert (nothing_predicted.recall, nothing_predicted.f1) == (0.0, 0.0)
    nothing_to_find = Counts(fp=2)
    assert nothing_to_find.recall is None
    assert (nothing_to_find.precision, nothing_to_find.f1) == (0.0, 0.0)
    assert ratio(0, 0) is None


def test_micro_sum_adds_field_by_field():
    counts = [Counts(1, 2, 3), Counts(10, 20, 30)]
    assert micro_sum(counts) == Counts(11, 22, 33) == counts[0] + counts[1]
    assert micro_sum([]) == Counts(0, 0, 0)


def test_undefined_ratio_is_left_out_of_its_own_mean_only():
    counts = [Counts(1, 1, 0), Counts(0, 0, 4)]
    average = macro_average(counts, counts)
    assert average == MacroAverage(precision=0.5, recall=0.5, precision_items=1, recall_items=2)
    assert macro_average([], []) == MacroAverage(None, None, 0, 0)


def test_mean_does_not_depend_on_the_order():
    values = [10.0**power for power in range(-8, 9)] * 3
    shuffled = random.Random(4).sample(values, len(values))
    assert mean(values) == mean(shuffled)
    assert mean([None, 1.0]) == 1.0
    assert mean([None]) is None
