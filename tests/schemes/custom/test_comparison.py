"""Figures of fields, compared with published implementations on seeded pairs."""

import random
import warnings

import krippendorff
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from seqeval.metrics import f1_score
from seqeval.scheme import IOB2
from sklearn.metrics import accuracy_score, cohen_kappa_score
from sklearn.metrics import f1_score as label_f1

from schemes.contract.comparison import RowDecision
from schemes.contract.items import ItemContext
from tests.schemes.custom.definitions import CONTENT, IMAGE, content, full_item, full_scheme, scheme
from tests.seeds import seeds

SEEDS = seeds(200)
LABELS = ["A", "B", "C"]
WORDS = 12
ITEM = ItemContext([f"w{at}" for at in range(WORDS)])
FULL = full_scheme()
FULL_ITEM = full_item(image=IMAGE)


def figure(compared_scheme, key):
    return next(each for each in compared_scheme.comparison.figures if each.key == key)


def value_of(compared_scheme, key, pairs):
    """Return a figure over pairs of answers."""
    measures = [
        compared_scheme.comparison.measure({"answers": ours}, {"answers": theirs}, {})[key]
        for ours, theirs in pairs
    ]
    return figure(compared_scheme, key).value(measures)


def assert_close(value, expected):
    if value is None:
        assert expected is None or np.isnan(expected)
    else:
        assert value == pytest.approx(expected, abs=1e-9)


def label_pairs(rng, values):
    """Return pairs of values of which about half are equal."""
    pairs = []
    for _ in range(rng.randint(2, 30)):
        value = rng.choice(values)
        pairs.append((value, value if rng.random() < 0.5 else rng.choice(values)))
    return pairs


def expected_alpha(pairs, level, **options):
    data = [[a for a, _ in pairs], [b for _, b in pairs]]
    try:
        return krippendorff.alpha(data, level_of_measurement=level, **options)
    except ValueError:  # a single value
        return None


CHOICE = scheme({"key": "c", "type": "choice", "options": LABELS})


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_of_one_option_agree_with_scikit_learn_and_krippendorff(seed):
    pairs = label_pairs(random.Random(seed), LABELS)
    answers = [({"c": ours}, {"c": theirs}) for ours, theirs in pairs]
    ours, theirs = zip(*pairs, strict=True)
    assert value_of(CHOICE, "c_accuracy", answers) == pytest.approx(accuracy_score(ours, theirs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_close(value_of(CHOICE, "c_kappa", answers), cohen_kappa_score(ours, theirs))
    numbers = [(LABELS.index(a), LABELS.index(b)) for a, b in pairs]
    assert_close(value_of(CHOICE, "c_alpha", answers), expected_alpha(numbers, "nominal"))


RATINGS = scheme(
    {"key": "o", "type": "rating"},
    {"key": "i", "type": "rating", "scale": "interval"},
    {"key": "n", "type": "number"},
)


@pytest.mark.parametrize("seed", SEEDS)
def test_ratings_and_numbers_agree_with_krippendorff(seed):
    pairs = label_pairs(random.Random(seed), range(1, 6))
    answers = [
        ({"o": ours, "i": ours, "n": ours / 4}, {"o": theirs, "i": theirs, "n": theirs / 4})
        for ours, theirs in pairs
    ]
    assert_close(value_of(RATINGS, "o_alpha", answers), expected_alpha(pairs, "ordinal"))
    interval = expected_alpha(pairs, "interval")
    assert_close(value_of(RATINGS, "i_alpha", answers), interval)
    assert_close(value_of(RATINGS, "n_alpha", answers), interval)
    equal = sum(ours == theirs for ours, theirs in pairs) / len(pairs)
    assert value_of(RATINGS, "o_accuracy", answers) == pytest.approx(equal)


TOPICS = scheme({"key": "t", "type": "choices", "options": LABELS})


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_of_options_agree_with_scikit_learn_and_krippendorff(seed):
    rng = random.Random(seed)
    sets = [sorted(rng.sample(LABELS, rng.randint(1, 3))) for _ in range(4)]
    pairs = label_pairs(rng, sets)
    answers = [({"t": ours}, {"t": theirs}) for ours, theirs in pairs]
    tables = [[[label in row for label in LABELS] for row in side] for side in zip(*pairs)]  # noqa: B905
    assert value_of(TOPICS, "t_f1", answers) == pytest.approx(label_f1(*tables, average="micro"))
    distinct = sorted({tuple(row) for pair in pairs for row in pair})
    numbers = [(distinct.index(tuple(a)), distinct.index(tuple(b))) for a, b in pairs]

    def masi(first, second, i1, i2, n_v, dtype=np.float64):  # noqa: PLR0917
        ours, theirs = np.broadcast_arrays(first, second)
        return np.vectorize(lambda a, b: distance(distinct[int(a)], distinct[int(b)]), [float])(
            ours, theirs
        )

    if len(distinct) > 1:
        expected = expected_alpha(numbers, masi, value_domain=list(range(len(distinct))))
        assert_close(value_of(TOPICS, "t_alpha", answers), expected)


def distance(first, second):
    """Return the MASI distance as Passonneau (2006) defines it."""
    ours, theirs = set(first), set(second)
    jaccard = len(ours & theirs) / len(ours | theirs)
    if ours == theirs:
        monotonicity = 1
    elif ours <= theirs or theirs <= ours:
        monotonicity = 2 / 3
    else:
        monotonicity = 1 / 3 if ours & theirs else 0
    return 1 - jaccard * monotonicity


SPANS = scheme({"key": "s", "type": "spans", "labels": LABELS})


def spans_of(rng):
    spans, at = [], 0
    while at < WORDS:
        end = min(WORDS, at + rng.randint(1, 3))
        if rng.random() < 0.6:
            spans.append({"start": at, "end": end, "label": rng.choice(LABELS)})
        at = end + rng.randint(0, 1)
    return spans


def near(spans, rng):
    """Return spans with some changed, so that many match."""
    changed = []
    for span in spans:
        if rng.random() < 0.2:
            continue
        own = dict(span)
        if rng.random() < 0.2:
            own["label"] = rng.choice(LABELS)
        if rng.random() < 0.2 and own["end"] - own["start"] > 1:
            own["end"] -= 1
        changed.append(own)
    return changed


def tags_of(spans):
    tags = ["O"] * WORDS
    for span in spans:
        tags[span["start"]] = f"B-{span['label']}"
        for at in range(span["start"] + 1, span["end"]):
            tags[at] = f"I-{span['label']}"
    return tags


@pytest.mark.parametrize("seed", SEEDS)
def test_spans_agree_with_seqeval(seed):
    rng = random.Random(seed)
    ours = spans_of(rng) or [{"start": 0, "end": 1, "label": "A"}]
    theirs = near(ours, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labelled, unlabelled = (
            f1_score([tags_of(a)], [tags_of(b)], mode="strict", scheme=IOB2, zero_division=0)
            for a, b in (
                (ours, theirs),
                ([{**span, "label": "X"} for span in side] for side in (ours, theirs)),
            )
        )
    answers = [({"s": ours}, {"s": theirs} if theirs else {})]
    assert value_of(SPANS, "s_f1", answers) == pytest.approx(labelled)
    assert value_of(SPANS, "s_unlabelled", answers) == pytest.approx(unlabelled)


DENSE = scheme({"key": "s", "type": "spans", "labels": ["A", "B"], "overlap": True})
BOXES = scheme({"key": "b", "type": "boxes", "labels": ["A", "B"]}, image="required")


@pytest.mark.parametrize("seed", SEEDS)
def test_overlapping_spans_have_a_maximum_matching(seed):
    rng = random.Random(seed)
    ours, theirs = dense_spans(rng), dense_spans(rng)
    counts = DENSE.comparison.measure({"answers": {"s": ours}}, {"answers": {"s": theirs}}, {})
    expected = most_pairs(ours, theirs, span_iou)
    measure = counts["s_iou"]
    assert measure == {
        "tp": expected,
        "fp": len(theirs) - expected,
        "fn": len(ours) - expected,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_have_a_maximum_matching(seed):
    rng = random.Random(seed)
    ours, theirs = random_boxes(rng), random_boxes(rng)
    measures = BOXES.comparison.measure({"answers": {"b": ours}}, {"answers": {"b": theirs}}, {})
    assert measures["b_f1"]["tp"] == most_pairs(ours, theirs, box_iou)


def dense_spans(rng):
    rows = {
        (start, start + rng.randint(1, 5), rng.choice("AB"))
        for start in (rng.randint(0, 6) for _ in range(10))
    }
    return [{"start": a, "end": b, "label": label} for a, b, label in sorted(rows)]


def random_boxes(rng):
    rows = []
    for _ in range(rng.randint(1, 8)):
        left, top = rng.randint(0, 6), rng.randint(0, 6)
        box = [left, top, left + rng.randint(4, 8), top + rng.randint(4, 8)]
        rows.append({"label": rng.choice("AB"), "box": box})
    return rows


def most_pairs(ours, theirs, iou):
    table = [[int(a["label"] == b["label"] and iou(a, b) >= 0.5) for b in theirs] for a in ours]
    rows, columns = linear_sum_assignment(np.array(table), maximize=True)
    return int(sum(table[row][column] for row, column in zip(rows, columns, strict=True)))


def span_iou(first, second):
    ours, theirs = (set(range(span["start"], span["end"])) for span in (first, second))
    return len(ours & theirs) / len(ours | theirs)


def box_iou(first, second):
    ours, theirs = (cells(part["box"]) for part in (first, second))
    return len(ours & theirs) / len(ours | theirs)


def cells(box):
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def compare(predicted, decisions=(), reference=CONTENT):
    return FULL.comparison.compare(reference, predicted, FULL_ITEM, decisions)


def values(compared):
    figures = FULL.comparison.figures
    return {each.key: each.value([compared.measures[each.key]]) for each in figures}


def test_score_is_the_mean_over_the_fields():
    perfect = values(compare(CONTENT))
    assert perfect["score"] == 1
    # Of 10 fields, the rating is a quarter of the scale away, and the text another.
    other = content(fluency=5, reason="Wrong")
    assert values(compare(other))["score"] == pytest.approx((8 + 0.75 + 0) / 10)


def test_what_both_sides_lack_does_not_count():
    bare = content(entities=None, relations=None, qa=None, things=None)
    compared = compare(bare, reference=bare)
    assert values(compared)["score"] == 1
    assert values(compared)["entities_f1"] is None
    assert compared.measures["entities_f1"] == {"tp": 0, "fp": 0, "fn": 0}


def test_attributes_count_in_the_score_of_spans():
    spans = [dict(span) for span in CONTENT["answers"]["entities"]]
    spans[0] = {**spans[0], "attributes": {"sure": "no"}}
    compared = values(compare(content(entities=spans)))
    assert compared["entities_f1"] == 1
    assert compared["entities_attributes"] == pytest.approx(3 / 4)
    assert compared["score"] == pytest.approx((9 + 2 / 3) / 10)


def test_relations_match_by_their_spans():
    wider = [dict(span) for span in CONTENT["answers"]["entities"]]
    wider[0] = {**wider[0], "end": 2}  # an IoU of 1/2
    compared = values(compare(content(entities=wider)))
    assert compared["entities_f1"] == pytest.approx(2 / 3)
    assert compared["entities_iou"] == compared["relations_f1"] == 1
    relabelled = [{**span, "label": "ORG"} for span in wider]
    assert values(compare(content(entities=relabelled)))["relations_f1"] == 0


def test_questions_match_by_their_answers():
    asked = [{"question": "Whom?", "answers": [[0, 2]]}]
    assert values(compare(content(qa=asked)))["qa_f1"] == 1
    elsewhere = [{"question": "Who knows Grace?", "answers": [[3, 4]]}]
    assert values(compare(content(qa=elsewhere)))["qa_f1"] == 0
    nothing = content(qa=[{"question": "Who?", "answers": []}])
    assert values(compare(nothing, reference=nothing))["qa_f1"] == 1


def test_texts_are_equal_apart_from_case_and_blanks():
    ours, theirs = {"t": "ﬁne  Straße"}, {"t": "FINE strasse"}
    assert value_of(scheme({"key": "t", "type": "text"}), "t_equality", [(ours, theirs)]) == 1


def test_skips_only_agree_with_skips():
    skip = {"skipped": "Unclear", "answers": {}}
    assert values(compare(skip, reference=skip))["score"] == 1
    assert values(compare(skip))["score"] == 0
    assert values(compare(CONTENT, reference=skip))["score"] == 0
    assert FULL.comparison.count_kept(skip, CONTENT) == 0


def test_two_validations_are_compared_by_their_verdicts():
    first, second = {"verdicts": [True, False]}, {"verdicts": [True, True]}
    measures = FULL.comparison.measure(first, second, {})
    assert figure(FULL, "score").value([measures["score"]]) == 0.5
    assert figure(FULL, "entities_f1").value([measures["entities_f1"]]) is None


def rows_of(compared, key):
    return [row for row in compared.rows if (row.reference or row.predicted).group == key]


def test_rows_name_the_difference():
    spans = [
        {"start": 0, "end": 2, "label": "PER", "attributes": {"sure": "yes"}},
        {"start": 2, "end": 3, "label": "ORG", "attributes": {"sure": "no"}},
        {"start": 6, "end": 7, "label": "LOC", "attributes": {"sure": "yes"}},
    ]
    compared = compare(content(entities=spans, relations=None, tone="rather_bad"))
    rows = rows_of(compared, "entities")
    assert [row.state for row in rows] == ["extent-differs", "label-differs", "missed", "extra"]
    assert rows[0].reference.value == "Ada"
    assert rows[0].predicted.value == "Ada kennt"
    assert [row.state for row in rows_of(compared, "relations")] == ["missed", "missed"]
    assert [row.state for row in rows_of(compared, "tone")] == ["label-differs"]


def decided(compared, state, kind, key):
    row = next(row for row in rows_of(compared, key) if row.state == state)
    assert kind in row.decisions
    return RowDecision(kind, row.reference and row.reference.key, row.predicted.key)


def test_accepted_values_count_as_the_references():
    predicted = content(tone="rather_bad")
    decision = decided(compare(predicted), "label-differs", "value-accepted", "tone")
    compared = compare(predicted, [decision])
    assert values(compared) == values(compare(CONTENT))
    assert [row.state for row in rows_of(compared, "tone")] == ["approved"]


def test_accepted_and_refused_parts_change_the_figures():
    spans = CONTENT["answers"]["entities"]
    extra = {"start": 6, "end": 7, "label": "LOC", "attributes": {"sure": "yes"}}
    predicted = content(entities=[*spans, extra])
    assert values(compare(predicted))["entities_f1"] == pytest.approx(6 / 7)
    decision = decided(compare(predicted), "extra", "part-accepted", "entities")
    assert values(compare(predicted, [decision]))["entities_f1"] == 1
    wider = content(entities=[{**spans[0], "end": 2}, *spans[1:]])
    accept = decided(compare(wider), "extent-differs", "match-accepted", "entities")
    assert values(compare(wider, [accept]))["score"] == 1
    refuse = decided(compare(CONTENT), "found", "pair-refused", "entities")
    compared = values(compare(CONTENT, [refuse]))
    assert compared["entities_f1"] == pytest.approx(2 / 3)
    assert compared["relations_f1"] == 0


def test_a_missed_part_can_be_joined_with_another_one():
    spans = CONTENT["answers"]["entities"]
    predicted = content(entities=[*spans[:2], {**spans[2], "start": 6, "end": 7}])
    rows = rows_of(compare(predicted), "entities")
    missed = next(row for row in rows if row.state == "missed")
    extra = next(row for row in rows if row.state == "extra")
    join = RowDecision("pair-accepted", missed.reference.key, extra.predicted.key)
    assert values(compare(predicted, [join]))["score"] == 1
    accept = RowDecision("part-accepted", None, extra.predicted.key)
    for contradiction in ([join, accept], [accept, join]):
        with pytest.raises(ValueError, match="already"):
            compare(predicted, contradiction)


@pytest.mark.parametrize(
    "decision",
    [
        RowDecision("value-accepted", None, "unknown:value"),
        RowDecision("part-accepted", None, "entities:unknown"),
        RowDecision("part-accepted", None, "tone:value"),
        RowDecision("pair-accepted", "entities:unknown", "entities:unknown"),
        RowDecision("nonsense", None, ""),
    ],
)
def test_decisions_on_unknown_rows_are_refused(decision):
    with pytest.raises(ValueError, match=r"there is no|a decision"):
        compare(CONTENT, [decision])


def test_intervals_contain_the_figure():
    rng = random.Random(3)
    measures = []
    for _ in range(40):
        other = content(
            fluency=rng.randint(3, 5),
            topics=rng.choice([["art"], ["art", "sport"], ["law"]]),
            count=rng.randint(1, 5),
        )
        reference = content(fluency=rng.randint(3, 5), count=rng.randint(1, 5))
        measures.append(FULL.comparison.measure(reference, other, {}))
    for each in FULL.comparison.figures:
        own = [measure[each.key] for measure in measures]
        interval, value = each.interval(own, seed=1), each.value(own)
        if value is not None:
            assert interval.low <= value + 1e-9
            assert value <= interval.high + 1e-9
        assert each.interval(own, seed=1) == interval


def test_many_overlapping_spans_are_compared_in_little_time():
    import time

    rng = random.Random(1)
    spans = sorted({(rng.randint(0, 30), rng.randint(60, 90)) for _ in range(180)})
    ours = [{"start": a, "end": b, "label": "A"} for a, b in spans]
    theirs = [{"start": a + 1, "end": b + 1, "label": "A"} for a, b in spans]
    start = time.process_time()
    DENSE.comparison.measure({"answers": {"s": ours}}, {"answers": {"s": theirs}}, {})
    assert time.process_time() - start < 20
