"""Speed of the metrics, in sizes that grow by ten. The bars are in docs/reference/benchmarks.md.

Times are CPU seconds of one process, which other load hardly affects. The bar applies to the fastest
round.
"""

import random
import time

import numpy as np
import pytest

from metrics.argument_scores import argument_scores
from metrics.boxes import box_sets, component_overlap, hull_overlap
from metrics.clustering import cluster_scores, leave_one_gold_cluster_out
from metrics.counts import Counts
from schemes.qasrl.annotation_files import read_annotation_file
from tests.bench.results import record
from tests.schemes.qasrl.published_data import GOLD, needs_published_data

pytestmark = [pytest.mark.bench, pytest.mark.benchmark(timer=time.process_time)]


def _fastest(benchmark):
    return benchmark.stats.stats.min


@pytest.fixture(scope="module")
def published():
    annotations = read_annotation_file(GOLD)
    return {key: annotation.labels for key, annotation in annotations.items()}


def _other_annotator(spans, rng):
    """Return the spans of a simulated second annotator, with ends moved and spans dropped or added."""
    annotated = {}
    for (start, end), labels in spans.items():
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            moved = max(0, start + rng.choice((-1, 0, 0))), end + rng.choice((0, 0, 1))
            annotated[moved] = labels
    if rng.random() < 0.3:
        annotated[40, 42] = frozenset({"extra"})
    return annotated


def _repeated(table, size):
    """Repeat the table under new keys until it has `size` items."""
    keys = list(table)
    return {(at, keys[at % len(keys)]): table[keys[at % len(keys)]] for at in range(size)}


@needs_published_data
def test_ua_and_la_of_wikinews_dev_against_itself(benchmark, published):
    scores = benchmark(argument_scores, published, published)
    assert scores.ua == scores.la == Counts(4315, 0, 0)
    record("UA and LA of 1,264 predicates", f"{1000 * _fastest(benchmark):.0f} ms")
    assert _fastest(benchmark) <= 0.033


@needs_published_data
@pytest.mark.parametrize(("size", "bar"), [(1264, 0.033), (13_300, 0.5), (133_000, 5.0)])
def test_ua_and_la_against_a_second_annotator(benchmark, published, size, bar):
    rng = random.Random(1)
    second = {key: _other_annotator(spans, rng) for key, spans in published.items()}
    reference, predicted = _repeated(published, size), _repeated(second, size)
    scores = benchmark.pedantic(argument_scores, (reference, predicted), rounds=3, warmup_rounds=1)
    assert scores.items == size
    if size == 133_000:
        record("UA and LA of 133,000 predicates", f"{_fastest(benchmark):.2f} s")
    assert _fastest(benchmark) <= bar


@pytest.mark.parametrize(("size", "bar"), [(10_000, 0.5), (100_000, 0.5), (1_000_000, 0.5)])
@pytest.mark.parametrize("system", ["as many", "one per item"])
def test_clustering_from_arrays(benchmark, size, bar, system):
    rng = np.random.default_rng(1)
    gold = rng.integers(0, size // 20, size)
    codes = rng.integers(0, size // 15, size) if system == "as many" else np.arange(size)
    scores = benchmark.pedantic(cluster_scores, (gold, codes), rounds=5, warmup_rounds=1)
    assert scores.items == size
    if size == 1_000_000:
        record("Clustering figures of 1,000,000 items", f"{1000 * _fastest(benchmark):.0f} ms")
    assert _fastest(benchmark) <= bar


@pytest.mark.parametrize("size", [10_000, 100_000, 1_000_000])
def test_leaving_each_gold_cluster_out(benchmark, size):
    rng = np.random.default_rng(1)
    gold, system = rng.integers(0, 600, size), rng.integers(0, 800, size)
    scores = benchmark.pedantic(leave_one_gold_cluster_out, (gold, system), rounds=3)
    assert len(scores) == 600


def _phrases(size, rng, plural):
    """Return one box per phrase, and 2 or more for plural phrases, 3.6 on average."""
    sizes = np.where(plural, 2 + rng.poisson(1.6, size), 1)
    low = rng.integers(0, 400, (int(sizes.sum()), 2))
    high = low + rng.integers(1, 120, low.shape)
    return box_sets(np.concatenate((low, high), axis=1), np.concatenate(([0], np.cumsum(sizes))))


@pytest.mark.parametrize(("size", "bar"), [(1_410, 0.5), (14_100, 0.5), (141_000, 0.5)])
def test_iou_and_c_iou_from_arrays(benchmark, size, bar):
    rng = np.random.default_rng(1)
    plural = rng.random(size) < 0.22
    gold, predicted = _phrases(size, rng, plural), _phrases(size, rng, plural)

    def both():
        return hull_overlap(gold, predicted).correct, component_overlap(gold, predicted).correct

    by_hull, by_component = benchmark.pedantic(both, rounds=5, warmup_rounds=1)
    assert len(by_hull) == len(by_component) == size
    if size == 141_000:
        record("Box figures of 141,000 phrases", f"{1000 * _fastest(benchmark):.0f} ms")
    assert _fastest(benchmark) <= bar
