"""Every public metric in one table, with the properties that it must have."""

import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metrics
from metrics import (
    alignment,
    argument_scores,
    boxes,
    clustering,
    component_matching,
    corrections,
    counts,
    greedy_alignment,
    regions,
    role_kinds,
    spans,
)
from tests.metrics import strategies


@dataclass(frozen=True)
class Row:
    """A metric, whose values are `figures(reference, predicted)`. Cases are such pairs.

    `shuffle` reorders a case without changing its meaning. `repeat` duplicates something that counts
    once. `perfect` is the score of a side against itself, or None if that is undefined.
    """

    function: Callable
    cases: st.SearchStrategy
    figures: Callable
    shuffle: Callable
    symmetric: bool
    repeat: Callable | None = None
    perfect: float | None = 1.0
    high: float = 1.0


def _reordered(mapping, rng):
    return dict(rng.sample(list(mapping.items()), len(mapping)))


def _shuffle_tables(case, rng):
    return tuple(
        _reordered({item: _reordered(spans, rng) for item, spans in table.items()}, rng)
        for table in case
    )


def _shuffle_spans(case, rng):
    return tuple(_reordered(side, rng) for side in case)


def _shuffle_items(case, rng):
    order = rng.sample(range(len(case[0])), len(case[0]))
    return tuple([side[at] for at in order] for side in case)


def _shuffle_boxes(case, rng):
    return tuple(
        [rng.sample(boxes, len(boxes)) for boxes in side] for side in _shuffle_items(case, rng)
    )


def _shuffle_components(case, rng):
    return tuple(rng.sample(side, len(side)) for side in case)


def _unchanged(case, rng):
    return case


def _double_items(case):
    return tuple([*side, *side] for side in case)


def _double_boxes(case):
    return tuple([[*boxes, *boxes] for boxes in side] for side in case)


def _redundant_spans(case):
    """Repeat each predicted span, a token longer if it still pairs with the same span."""
    reference, predicted = case
    longer = {}
    for start, end in predicted:
        copy = (start, end + 1)
        edges = {ref for ref in reference if spans.spans_match(ref, (start, end))}
        if (
            copy not in predicted
            and edges == {ref for ref in reference if spans.spans_match(ref, copy)}
            and len(edges) == 1
            and (start, end) in reference
        ):
            longer[copy] = frozenset("-")
    return reference, {**predicted, **longer}


def _ratios(*counts):
    return [ratio for score in counts for ratio in (score.precision, score.recall, score.f1)]


def _alignment_figures(scores):
    return _ratios(scores.ua, scores.la)


def _kind_figures(reference, predicted):
    comparisons = role_kinds.compare_by_kind(reference, predicted, kinds=("a", "b"))
    return [
        figure
        for comparison in comparisons.values()
        for figure in (comparison.average.precision, comparison.average.recall)
    ]


def _role_figures(reference, predicted):
    aligned = alignment.align(reference, predicted)
    return [alignment.role_recall([{span} for span in reference], aligned).recall]


def _greedy_figures(reference, predicted):
    sides = [
        [greedy_alignment.SpanRole(span, min(labels), (span,)) for span, labels in side.items()]
        for side in (reference, predicted)
    ]
    return _ratios(*greedy_alignment.role_counts(*sides))


def _box_figures(measure):
    def figures(gold, predicted):
        scores = measure(boxes.box_sets_from_lists(gold), boxes.box_sets_from_lists(predicted))
        return sorted(scores.iou[~np.isnan(scores.iou)].tolist())

    return figures


def _filler_figures(gold, predicted):
    shares = boxes.filler(boxes.box_sets_from_lists(gold))
    return sorted(shares[~np.isnan(shares)].tolist())


def _area_figures(gold, predicted):
    sets = boxes.box_sets_from_lists(gold)
    return sorted((boxes.region_areas(sets) / strategies.SIDE**2).tolist())


def _accepted_figures(gold, predicted):
    gold_sets, predicted_sets = (boxes.box_sets_from_lists(side) for side in (gold, predicted))
    defined = (gold_sets.sizes > 0) | (predicted_sets.sizes > 0)
    flags = boxes.accepted(gold_sets, predicted_sets)
    return sorted(value for own in flags.values() for value in own[defined].astype(float).tolist())


def _bound_figures(gold, predicted):
    gold_sets, predicted_sets = (boxes.box_sets_from_lists(side) for side in (gold, predicted))
    places = np.arange(len(gold))
    passed = boxes.any_candidate_accepted(gold_sets, predicted_sets, places)["c_iou"]
    defined = (gold_sets.sizes > 0) | (predicted_sets.sizes > 0)
    return sorted(passed[defined].astype(float).tolist())


def _cardinality_figures(gold, predicted):
    sets = boxes.box_sets_from_lists(gold)
    numbers = [len(boxes_of_phrase) for boxes_of_phrase in predicted]
    return sorted(boxes.cardinality_matches(sets, numbers).astype(float).tolist())


def _component_figures(gold, predicted):
    matching = component_matching.match_components(gold, predicted)
    total = len(matching.pairs) + len(matching.missed) + len(matching.extra)
    return [len(matching.pairs) / total] if total else [None]


def _all_but_sizes(gold, system):
    scores = clustering.cluster_scores(gold, system)
    return [scores.purity_f, scores.bcubed_f]


def _strata_figures(gold, system):
    strata = clustering.scores_by_confidence(gold, system, [3] * len(gold))
    return [scores.bcubed_f for pair in strata.values() for scores in pair]


def _left_out_figures(gold, system):
    return sorted(
        abs(value)
        for value in clustering.leave_one_gold_cluster_out(gold, system).values()
        if value is not None
    )


_TABLES = st.tuples(strategies.span_tables, strategies.span_tables)
_ITEMS = st.tuples(strategies.labelled_spans, strategies.labelled_spans)
_SPANS = st.tuples(strategies.spans, strategies.spans)
_CLUSTERS = strategies.clusterings.map(
    lambda pairs: ([gold for gold, _ in pairs], [system for _, system in pairs])
)
_BOXES = strategies.box_pairs.map(
    lambda pairs: ([gold for gold, _ in pairs], [predicted for _, predicted in pairs])
)
_COMPONENTS = st.tuples(strategies.box_lists, strategies.box_lists)
_BOX = st.tuples(strategies.boxes, strategies.boxes)


def _clusters(function, figures=None, *, symmetric=False, perfect=1.0, repeat=_double_items):
    single = figures or (lambda gold, system: [function(gold, system)])
    return Row(function, _CLUSTERS, single, _shuffle_items, symmetric, repeat, perfect)


def _sets(function, figures, *, symmetric=True, perfect=1.0, repeat=_double_boxes):
    return Row(function, _BOXES, figures, _shuffle_boxes, symmetric, repeat, perfect)


METRICS = [
    Row(spans.span_iou, _SPANS, lambda a, b: [spans.span_iou(a, b)], _unchanged, True),
    Row(spans.spans_match, _SPANS, lambda a, b: [float(spans.spans_match(a, b))], _unchanged, True),
    Row(
        alignment.align,
        _ITEMS,
        lambda a, b: _alignment_figures(alignment.align(a, b)),
        _shuffle_spans,
        symmetric=False,
        repeat=_redundant_spans,
    ),
    Row(alignment.role_recall, _ITEMS, _role_figures, _shuffle_spans, False, _redundant_spans),
    Row(
        corrections.align_corrected,
        _ITEMS,
        lambda a, b: _alignment_figures(corrections.align_corrected(a, b, [])),
        _shuffle_spans,
        symmetric=False,
        repeat=_redundant_spans,
    ),
    Row(
        argument_scores.argument_scores,
        _TABLES,
        lambda a, b: _alignment_figures(argument_scores.argument_scores(a, b)),
        _shuffle_tables,
        symmetric=False,
    ),
    Row(
        argument_scores.score_items,
        _TABLES,
        lambda a, b: [
            figure
            for _, scores in sorted(argument_scores.score_items(a, b).items())
            for figure in _alignment_figures(scores)
        ],
        _shuffle_tables,
        symmetric=False,
    ),
    Row(
        argument_scores.align_items,
        _TABLES,
        lambda a, b: [
            figure
            for _, scores in sorted(argument_scores.align_items(a, b), key=lambda e: e[0])
            for figure in _alignment_figures(scores)
        ],
        _shuffle_tables,
        symmetric=False,
    ),
    # The order decides between pairs with equal IoU.
    Row(greedy_alignment.role_counts, _ITEMS, _greedy_figures, _unchanged, False),
    Row(role_kinds.compare_by_kind, _TABLES, _kind_figures, _shuffle_tables, False),
    _clusters(clustering.purity),
    _clusters(clustering.inverse_purity),
    _clusters(clustering.bcubed_precision),
    _clusters(clustering.bcubed_recall),
    _clusters(clustering.cluster_scores, _all_but_sizes, symmetric=True),
    _clusters(clustering.scores_by_confidence, _strata_figures, symmetric=True),
    _clusters(
        clustering.item_bcubed,
        lambda g, s: sorted(clustering.item_bcubed(g, s)[0].tolist()),
        repeat=None,
    ),
    _clusters(clustering.leave_one_gold_cluster_out, _left_out_figures, perfect=0.0, repeat=None),
    _sets(boxes.hull_overlap, _box_figures(boxes.hull_overlap)),
    _sets(boxes.component_overlap, _box_figures(boxes.component_overlap)),
    _sets(boxes.filler, _filler_figures, symmetric=False, perfect=None),
    _sets(boxes.region_areas, _area_figures, symmetric=False, perfect=None),
    _sets(boxes.accepted, _accepted_figures, symmetric=True),
    _sets(boxes.any_candidate_accepted, _bound_figures, symmetric=True),
    _sets(boxes.cardinality_matches, _cardinality_figures, symmetric=True, repeat=_double_boxes),
    Row(
        component_matching.match_components,
        _COMPONENTS,
        _component_figures,
        _shuffle_components,
        symmetric=True,
    ),
    *(
        Row(
            overlap,
            _COMPONENTS,
            lambda a, b, overlap=overlap: [counts.ratio(*overlap(a, b))],
            _shuffle_components,
            symmetric=True,
        )
        for overlap in (regions.region_overlap, regions.hull_overlap)
    ),
    Row(
        component_matching.box_iou,
        _BOX,
        lambda a, b: [component_matching.box_iou(a, b)],
        _unchanged,
        symmetric=True,
    ),
]

# Public functions that are no metrics, such as parts and samplers.
NOT_METRICS = {
    # Below 0 for less agreement than by chance. See test_coefficients.py.
    "coefficients": {
        "cohen_kappa",
        "krippendorff_alpha",
        "bootstrap_kappa",
        "bootstrap_alpha",
    },
    # See test_distance_alpha.py.
    "distance_alpha": {"krippendorff_alpha", "bootstrap_alpha", "masi_distance"},
    "regions": {"box_area", "region_area", "hull"},
    # Estimates from samples. See test_capture_recapture.py and test_true_figures.py.
    "capture_recapture": {"estimate_coverage", "sum_captures"},
    # A model. See test_judgment_model.py.
    "judgment_model": {"fit_judgments", "expected_certainties"},
    # A decision. See test_redundancy.py.
    "redundancy": {"next_step"},
    # It learns from outcomes. See test_logistic_regression.py.
    "logistic_regression": {"fit_logistic", "cross_validated"},
    # It compares probabilities with outcomes. See test_calibration.py.
    "calibration": {"calibration"},
    # Posteriors of labels. See test_annotator_models.py.
    "annotator_models": {"dawid_skene", "mace", "digamma"},
    "true_figures": {"true_precision", "true_recall"},
    "intervals": {"wilson_interval"},
    # See test_input_signals.py and test_likeness.py.
    "input_signals": {
        "pasted_share",
        "untrusted_share",
        "characters_per_second",
        "interval_spread",
        "interval_quantile",
        "rhythm_distance",
    },
    "likeness": {"parts_of", "likeness", "alike_pairs", "binomial_tail"},
    "drift": {"fall_p_value", "has_fallen"},
    "counts": {"ratio", "mean", "micro_sum", "macro_average"},
    "spans": {"overlap", "check_spans"},
    "matching": {"lexicographic_matching", "connected_components", "is_star"},
    "alignment": {"align_over", "match_edges", "shared_labels", "extra_groups"},
    "greedy_alignment": {"greedy_pairs"},
    "argument_scores": {"summed", "count_ignored"},
    "bootstrap": {
        "bootstrap_difference",
        "resampled_sums",
        "percentile_interval",
        "bootstrap_counts",
        "bootstrap_share",
        "bootstrap_items",
        "quotient",
    },
    # Comparisons of systems. See test_document_bootstrap.py.
    "document_bootstrap": {"compare_systems", "draw_figures", "drawn_difference", "holm"},
    "clustering": {
        "item_scores",
        "mean_scores",
        "contingency",
        "scores_of",
        "label_codes",
        "one_cluster_per_item",
        "all_in_one",
        "random_clusters",
        "bootstrap_clusters",
    },
    "boxes": {
        "box_sets",
        "box_sets_from_lists",
        "joined",
        "hulls",
        "box_areas",
        "whole_images",
        "random_box_sets",
        "random_objects",
        "enlarged_sides",
        "enlarged_areas",
        "scaled",
        "clipped",
    },
}


def parameters(rows):
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.function.__name__)


def test_table_lists_every_public_metric():
    public = set()
    for path in Path(metrics.__file__).parent.glob("*.py"):
        module = import_module(f"metrics.{path.stem}") if path.stem != "__init__" else metrics
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                public.add((path.stem, name))
    table_entries = [
        (row.function.__module__.removeprefix("metrics."), row.function.__name__) for row in METRICS
    ]
    non_metrics = {(module, name) for module, names in NOT_METRICS.items() for name in names}
    assert len(table_entries) == len(set(table_entries))
    assert set(table_entries) | non_metrics == public
    assert set(table_entries) & non_metrics == set()


@pytest.mark.slow
@parameters(METRICS)
@given(data=st.data())
def test_figures_are_in_bounds(row, data):
    figures = row.figures(*data.draw(row.cases))
    assert all(figure is None or 0 <= figure <= row.high for figure in figures)


@parameters([row for row in METRICS if row.perfect is not None])
@given(data=st.data())
def test_side_against_itself_is_perfect(row, data):
    side = data.draw(row.cases)[0]
    figures = row.figures(side, side)
    assert all(figure is None or figure == pytest.approx(row.perfect) for figure in figures)


@pytest.mark.slow
@parameters(METRICS)
@given(data=st.data())
def test_figures_do_not_depend_on_the_order(row, data):
    case = data.draw(row.cases)
    shuffled = row.shuffle(case, random.Random(data.draw(st.integers(0, 99))))
    assert _equal(row.figures(*shuffled), row.figures(*case))


@parameters([row for row in METRICS if row.symmetric])
@given(data=st.data())
def test_symmetric_metrics_accept_their_sides_in_either_order(row, data):
    first, second = data.draw(row.cases)
    assert row.figures(first, second) == row.figures(second, first)


@pytest.mark.slow
@parameters([row for row in METRICS if row.repeat])
@given(data=st.data())
def test_repetition_changes_nothing(row, data):
    case = data.draw(row.cases)
    assert _equal(row.figures(*row.repeat(case)), row.figures(*case))


def _equal(first, second):
    """Compare whole and rational figures exactly, and arrays of differences up to rounding."""
    if all(isinstance(figure, Fraction) for figure in (*first, *second)):
        return first == second
    return len(first) == len(second) and all(
        a is b or (a is not None and b is not None and a == pytest.approx(b, abs=1e-12))
        for a, b in zip(first, second, strict=True)
    )
