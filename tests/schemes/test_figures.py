"""Totals and values of figures, and their intervals over items and over groups of measures."""

from schemes.figures import f1_figure, item_figure

F1 = f1_figure(key="UA", label="UA F1", explanation="x")
COUNTS = [{"tp": 2, "fp": 1, "fn": 0}, {"tp": 0, "fp": 1, "fn": 3}, {"tp": 4, "fp": 0, "fn": 1}]
SHARE = item_figure(
    key="share",
    label="Share",
    explanation="x",
    compute=lambda items: sum(i["ok"] for i in items) / len(items) if items else None,
)


def test_counts_are_summed_and_separated_from_the_headings():
    assert F1.total(COUNTS) == {
        "tp": 6, "fp": 2, "fn": 4, "precision": 0.75, "recall": 0.6, "f1": 2 / 3,
    }  # fmt: skip
    assert (F1.value(COUNTS), F1.value([])) == (2 / 3, None)
    assert F1.counts == ["tp", "fp", "fn"]
    assert F1.headings == {"precision": "UA P", "recall": "UA R", "f1": "UA F1"}
    assert (SHARE.counts, SHARE.headings) == (["items"], {"value": "Share"})


def test_interval_of_groups_equals_that_of_their_sums():
    groups = [[count, count] for count in COUNTS]
    doubled = [{name: 2 * number for name, number in count.items()} for count in COUNTS]
    assert F1.interval_of_groups(groups, -7) == F1.interval(doubled, 7)
    assert F1.interval_of_groups([], 7) == F1.interval([], 7)
    assert F1.interval([], 7).low is None


def test_groups_of_items_are_resampled_together():
    items = [{"ok": 1}, {"ok": 0}]
    drawn_whole = SHARE.interval_of_groups([items] * 4, 1)
    assert (drawn_whole.low, drawn_whole.high) == (0.5, 0.5)
    assert SHARE.interval(items * 4, 1).low < 0.5
