import random
from dataclasses import asdict

import numpy as np
import pytest

from metrics.cluster_documents import ClusterDocuments
from metrics.clustering import cluster_scores
from metrics.document_bootstrap import (
    MIN_DOCUMENTS,
    RatioScores,
    compare_systems,
    draw_figures,
    drawn_difference,
    holm,
)

F1 = {"f1": ((2, 0, 0), (2, 1, 1))}


def counted(*rows):
    return RatioScores(np.array(rows, dtype=np.int64).reshape(-1, 3), F1)


def f1(rows):
    tp, fp, fn = (sum(column) for column in zip(*rows, strict=True))
    return 2 * tp / (2 * tp + fp + fn)


def test_figures_and_differences_are_those_of_a_plain_bootstrap():
    chance = random.Random(7)
    first, second = (
        [(chance.randint(1, 9), chance.randint(0, 4), chance.randint(0, 6)) for _ in range(40)]
        for _ in range(2)
    )
    compared = compare_systems([counted(*first), counted(*second)], repetitions=4000, seed=1)
    assert [row["f1"] for row in compared.figures] == pytest.approx([f1(first), f1(second)])
    observed = f1(first) - f1(second)
    drawn = []
    for _ in range(4000):
        at = chance.choices(range(40), k=40)
        drawn.append(f1([first[i] for i in at]) - f1([second[i] for i in at]))
    difference = compared.differences[0, 1]["f1"]
    assert difference.value == pytest.approx(observed)
    low, high = np.percentile(drawn, [2.5, 97.5])
    assert (difference.interval.low, difference.interval.high) == pytest.approx(
        (low, high), abs=0.006
    )
    extreme = sum(abs(value - observed) >= abs(observed) for value in drawn) / len(drawn)
    assert difference.p_value == pytest.approx(extreme, abs=0.03)
    assert difference.adjusted == difference.p_value


def test_systems_are_compared_by_stored_draws_as_together():
    chance = random.Random(11)
    first, second = (
        counted(
            *((chance.randint(1, 9), chance.randint(0, 4), chance.randint(0, 6)) for _ in range(30))
        )
        for _ in range(2)
    )
    together = compare_systems([first, second], repetitions=500, seed=3)
    drawn = [draw_figures(system, repetitions=500, seed=3)["f1"] for system in (first, second)]
    values = [figures["f1"] for figures in together.figures]
    apart = drawn_difference((values[0], values[1]), (drawn[0], drawn[1]), documents=30)
    expected = together.differences[0, 1]["f1"]
    assert (apart.value, apart.interval, apart.p_value) == (
        expected.value,
        expected.interval,
        expected.p_value,
    )
    with pytest.raises(ValueError, match="at least 1 repetition"):
        draw_figures(first, repetitions=0, seed=3)


def test_draws_are_shared_so_that_a_constant_lead_is_significant():
    chance = random.Random(3)
    rows = [(chance.randint(5, 9), 2, chance.randint(1, 9)) for _ in range(30)]
    better = [(tp, fp - 1, fn) for tp, fp, fn in rows]
    compared = compare_systems([counted(*rows), counted(*better)], repetitions=999, seed=0)
    one, two = (row["f1"] for row in compared.intervals)
    assert one.high > two.low, "the intervals overlap"
    difference = compared.differences[0, 1]["f1"]
    assert difference.interval.high < 0
    assert difference.p_value == 1 / 1000


def test_equal_systems_do_not_differ():
    rows = [(3, 1, at % 4) for at in range(20)]
    compared = compare_systems([counted(*rows)] * 3, repetitions=100, seed=0)
    assert {
        (each["f1"].value, each["f1"].p_value, each["f1"].adjusted)
        for each in compared.differences.values()
    } == {(0.0, 1.0, 1.0)}


@pytest.mark.parametrize(
    ("documents", "is_tested"), [(MIN_DOCUMENTS, True), (9, False), (2, False)]
)
def test_few_documents_have_intervals_but_no_test(documents, is_tested):
    rows = [(at + 1, 1, 1) for at in range(documents)]
    compared = compare_systems([counted(*rows), counted(*rows[::-1])], repetitions=99, seed=0)
    assert (compared.differences[0, 1]["f1"].p_value is not None) == is_tested
    assert compared.intervals[0]["f1"].low is not None


def test_one_document_has_figures_only():
    compared = compare_systems([counted((1, 0, 1)), counted((2, 0, 0))], repetitions=9, seed=0)
    assert [row["f1"] for row in compared.figures] == pytest.approx([2 / 3, 1])
    assert compared.intervals[0]["f1"].low is None
    assert compared.differences[0, 1]["f1"].p_value is None


def test_undefined_figures_stay_undefined():
    nothing = counted(*[(0, 0, 0)] * 12)
    compared = compare_systems([nothing, counted(*[(1, 0, 0)] * 12)], repetitions=9, seed=0)
    assert compared.figures[0] == {"f1": None}
    difference = compared.differences[0, 1]["f1"]
    assert (difference.value, difference.interval.low, difference.p_value) == (None, None, None)


def test_no_systems_and_no_documents():
    assert compare_systems([], repetitions=9, seed=0).figures == []
    assert compare_systems([counted()], repetitions=9, seed=0).figures == [{"f1": None}]


def test_different_documents_and_no_repetition_are_refused():
    with pytest.raises(ValueError, match="same documents"):
        compare_systems([counted((1, 0, 0)), counted()], repetitions=9, seed=0)
    with pytest.raises(ValueError, match="at least 1 repetition"):
        compare_systems([counted((1, 0, 0))], repetitions=0, seed=0)


def test_holm_example():
    p_values = {"a": 0.01, "b": 0.04, "c": 0.03, "d": None}
    assert holm(p_values) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize("seed", range(20))
def test_cluster_figures_are_means_over_the_items_of_drawn_documents(seed):
    chance = random.Random(seed)
    size = chance.randint(1, 30)
    gold, system, documents = ([chance.randint(0, 5) for _ in range(size)] for _ in range(3))
    scores = ClusterDocuments(gold, system, documents)
    order = list(dict.fromkeys(documents))
    draw = [chance.randint(0, 3) for _ in order]
    times = [draw[order.index(document)] for document in documents]
    figures = scores.figures(np.array([draw, [1] * len(order)], dtype=np.int64))
    precisions, recalls = plain_bcubed(gold, system), plain_bcubed(system, gold)
    precision, recall = (weighted_mean(values, times) for values in (precisions, recalls))
    assert figures["bcubed_precision"][0] == pytest.approx(precision, nan_ok=True)
    assert figures["bcubed_recall"][0] == pytest.approx(recall, nan_ok=True)
    if any(times):
        f = 2 * precision * recall / (precision + recall)
        assert figures["bcubed_f"][0] == pytest.approx(f)
    whole = asdict(cluster_scores(gold, system))
    assert {key: values[1] for key, values in figures.items()} == pytest.approx(
        {key: whole[key] for key in figures}
    )


def plain_bcubed(gold, system):
    """Return the precision of each item, by its definition."""
    shares = []
    for label, cluster in zip(gold, system, strict=True):
        members = [at for at, other in enumerate(system) if other == cluster]
        shares.append(sum(gold[at] == label for at in members) / len(members))
    return shares


def weighted_mean(values, times):
    weighted = sum(value * count for value, count in zip(values, times, strict=True))
    return weighted / sum(times) if any(times) else float("nan")


@pytest.mark.parametrize("clusters", [1, 7, 40])
def test_figures_lie_within_the_intervals_of_small_clusters(clusters):
    chance = random.Random(clusters)
    gold = [chance.randint(0, 30) for _ in range(80)]
    system = [chance.randrange(clusters) for _ in gold]
    scores = ClusterDocuments(gold, system, [at // 4 for at in range(80)])
    compared = compare_systems([scores], repetitions=500, seed=0)
    for key, value in compared.figures[0].items():
        interval = compared.intervals[0][key]
        assert interval.low <= value <= interval.high, key


def test_clusters_need_a_document_per_item():
    with pytest.raises(ValueError, match="an entry per item"):
        ClusterDocuments([1, 2], [1, 2], [1])
