"""Random cases for the metrics."""

import random

from hypothesis import strategies as st

SIDE = 24

spans = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda s: (s[0], s[0] + s[1]))
labels = st.frozensets(st.sampled_from("abc"), min_size=1, max_size=2)
labelled_spans = st.dictionaries(spans, labels, max_size=6)
span_tables = st.dictionaries(st.integers(0, 5), labelled_spans, max_size=5)

clusterings = st.lists(st.tuples(st.sampled_from("XYZW"), st.sampled_from("abcd")), max_size=14)


def _box(corners):
    (x1, x2), (y1, y2) = corners
    return min(x1, x2), min(y1, y2), max(x1, x2) + 1, max(y1, y2) + 1


_sides = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1))
boxes = st.tuples(_sides, _sides).map(_box)
box_lists = st.lists(boxes, max_size=5)
box_pairs = st.lists(st.tuples(box_lists, box_lists), max_size=5)


def random_spans(rng: random.Random, *, tokens: int = 14, most: int = 6):
    """Return labelled spans that often touch. Some are near-copies, and some are independent."""
    spans_drawn: dict = {}
    for _ in range(rng.randint(0, most)):
        if spans_drawn and rng.random() < 0.5:
            start, end = rng.choice(list(spans_drawn))
            start, end = max(0, start + rng.randint(-1, 1)), end + rng.randint(-1, 1)
        else:
            start = rng.randrange(tokens)
            end = start + rng.randint(1, 6)
        if start < end:
            spans_drawn[start, end] = frozenset(rng.sample("abc", rng.randint(1, 2)))
    return spans_drawn
