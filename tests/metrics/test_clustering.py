import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given

from metrics.clustering import (
    ClusterScores,
    all_in_one,
    bcubed_precision,
    bcubed_recall,
    bootstrap_clusters,
    cluster_scores,
    contingency,
    inverse_purity,
    item_bcubed,
    item_scores,
    label_codes,
    leave_one_gold_cluster_out,
    one_cluster_per_item,
    purity,
    random_clusters,
    scores_by_confidence,
)
from tests.metrics import brute_force
from tests.metrics.strategies import clusterings

HAND_WORKED = ("XXXYYZ", "aaaaab")


def _sides(pairs):
    return [gold for gold, _ in pairs], [system for _, system in pairs]


def test_example_worked_by_hand():
    assert cluster_scores(*HAND_WORKED) == ClusterScores(
        items=6,
        gold_clusters=3,
        system_clusters=2,
        purity=2 / 3,
        inverse_purity=1.0,
        purity_f=4 / 5,
        bcubed_precision=3 / 5,
        bcubed_recall=1.0,
        bcubed_f=3 / 4,
    )


def test_leaving_out_a_gold_cluster_of_the_example_worked_by_hand():
    scores = leave_one_gold_cluster_out(*HAND_WORKED)
    assert {label: scores[label] * size for label, size in (("X", 3), ("Y", 2), ("Z", 1))} == {
        "X": pytest.approx(-0.25),
        "Y": pytest.approx(-0.25),
        "Z": pytest.approx(0.065789, abs=1e-6),
    }


def test_scores_agree_with_the_literal_definition_in_thousands_of_cases():
    rng = random.Random(11)
    for _ in range(3000):
        size = rng.randint(1, 12)
        gold = [rng.choice("XYZW"[: rng.randint(1, 4)]) for _ in range(size)]
        system = [rng.choice("abcde"[: rng.randint(1, 5)]) for _ in range(size)]
        scores = cluster_scores(gold, system)
        precision, recall = brute_force.bcubed(gold, system)
        pure, inverse = brute_force.purity(gold, system), brute_force.purity(system, gold)
        assert scores == ClusterScores(
            size,
            len(set(gold)),
            len(set(system)),
            float(pure),
            float(inverse),
            float(_harmonic(pure, inverse)),
            float(precision),
            float(recall),
            float(_harmonic(precision, recall)),
        )


def _harmonic(first, second):
    return 2 * first * second / (first + second)


@given(clusterings)
def test_leaving_out_a_cluster_equals_scoring_without_it(pairs):
    gold, system = _sides(pairs)
    everything = cluster_scores(gold, system).bcubed_f
    expected = {}
    for label in dict.fromkeys(gold):
        other_pairs = [pair for pair in pairs if pair[0] != label]
        expected_score = cluster_scores(*_sides(other_pairs)).bcubed_f
        size = gold.count(label)
        expected[label] = (
            None if expected_score is None else pytest.approx((everything - expected_score) / size)
        )
    assert leave_one_gold_cluster_out(gold, system) == expected


@given(clusterings)
def test_item_figures_average_to_the_aggregates(pairs):
    if not pairs:
        return
    gold, system = _sides(pairs)
    precisions, recalls = item_bcubed(gold, system)
    assert precisions.mean() == pytest.approx(bcubed_precision(gold, system))
    assert recalls.mean() == pytest.approx(bcubed_recall(gold, system))


def test_item_figures_of_the_example_worked_by_hand():
    precisions, recalls = item_bcubed(*HAND_WORKED)
    assert precisions.tolist() == [0.6, 0.6, 0.6, 0.4, 0.4, 1.0]
    assert recalls.tolist() == [1.0] * 6


def test_figures_do_not_depend_on_the_type_of_labels():
    rng = np.random.default_rng(5)
    gold, system = rng.integers(0, 20, 500), rng.integers(0, 30, 500)
    expected = cluster_scores(gold, system)
    pairs = [("frame", int(label)) for label in gold]
    assert cluster_scores(pairs, [str(label) for label in system]) == expected
    assert cluster_scores(gold.astype(np.uint8), -7 - system * 10**15) == expected
    assert cluster_scores(gold.tolist(), system) == expected


def test_pairs_with_equal_concatenations_are_distinct():
    gold = [("Co", "Agent-X"), ("Co-Agent", "X")]
    assert cluster_scores(gold, ["s", "s"]).gold_clusters == 2
    assert purity(gold, ["s", "s"]) == 0.5


def test_figures_without_items_are_undefined():
    assert cluster_scores([], []) == ClusterScores(0, 0, 0, *[None] * 6)
    assert purity([], []) is inverse_purity([], []) is bcubed_precision([], []) is None
    assert leave_one_gold_cluster_out([], []) == {}


def test_different_lengths_are_refused():
    with pytest.raises(ValueError, match="3 gold labels but 2"):
        contingency("abc", "ab")
    with pytest.raises(ValueError, match="one entry per item"):
        scores_by_confidence("ab", "ab", [1])


def test_large_clustering_is_exact():
    size = 300_000
    gold = np.zeros(size, dtype=np.int64)
    system = np.arange(size) % 7
    scores = cluster_scores(gold, system)
    counts = [int(count) for count in np.bincount(system)]
    recall = Fraction(sum(count**2 for count in counts), size * size)
    assert scores.bcubed_recall == float(recall)
    assert scores.bcubed_precision == 1.0


def test_codes_only_distinguish_labels():
    assert label_codes(["b", "a", "b"]).tolist() == [0, 1, 0]
    far = label_codes(np.array([10**12, -3, 10**12]))
    assert far[0] == far[2] != far[1]
    assert label_codes(np.zeros(0, dtype=int)).tolist() == []


def test_baselines_cluster_as_named():
    gold = list("XXXYYZ")
    per_item = cluster_scores(gold, one_cluster_per_item(6))
    assert (per_item.purity, per_item.system_clusters) == (1.0, 6)
    together = cluster_scores(gold, all_in_one(6))
    assert (together.inverse_purity, together.system_clusters) == (1.0, 1)


def test_random_clusters_are_uniform_and_seeded():
    clusters = random_clusters(30_000, clusters=3, seed=1)
    assert (np.bincount(clusters) / 10_000).tolist() == pytest.approx([1, 1, 1], abs=0.05)
    assert clusters.tolist() == random_clusters(30_000, clusters=3, seed=1).tolist()
    assert clusters.tolist() != random_clusters(30_000, clusters=3, seed=2).tolist()


def test_strata_are_by_level_and_cumulative():
    gold, system = "XXYYZ", "aabbc"
    strata = scores_by_confidence(gold, system, [1, 3, 3, 5, 5])
    assert list(strata) == [1, 3, 5]
    assert [strata[level][0].items for level in strata] == [1, 2, 2]
    assert [strata[level][1].items for level in strata] == [5, 4, 2]
    assert strata[1][1] == cluster_scores(gold, system)
    assert strata[5][0] == cluster_scores("YZ", "bc") == strata[5][1]


def test_bootstrap_is_seeded_and_contains_its_mean():
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 5, 400)
    system = np.where(rng.random(400) < 0.7, gold, rng.integers(0, 5, 400))
    first = bootstrap_clusters(gold, system, repetitions=200, seed=1)
    assert first == bootstrap_clusters(gold, system, repetitions=200, seed=1)
    assert first["bcubed_f"].low < cluster_scores(gold, system).bcubed_f < first["bcubed_f"].high
    assert bootstrap_clusters([], [], repetitions=5, seed=1)["purity_f"].low is None


@pytest.mark.parametrize("clusters", [1, 20, 300])
def test_bootstrap_contains_the_figures_of_small_clusters(clusters):
    rng = np.random.default_rng(clusters)
    gold, system = rng.integers(0, 60, 300), rng.integers(0, clusters, 300)
    scores = cluster_scores(gold, system)
    intervals = bootstrap_clusters(gold, system, repetitions=500, seed=1)
    for name in ("purity_f", "bcubed_f"):
        assert intervals[name].low <= getattr(scores, name) <= intervals[name].high


@given(clusterings)
def test_item_scores_have_the_totals_as_means(pairs):
    gold, system = _sides(pairs)
    scores = cluster_scores(gold, system)
    assume(scores.items)
    assert item_scores(gold, system).mean(axis=0).tolist() == pytest.approx(
        [scores.purity, scores.inverse_purity, scores.bcubed_precision, scores.bcubed_recall]
    )
