"""The figures that Suter, Parcalabescu and Frank (2021) print, for comparison with recomputed ones.

Percentages are between 0 and 100.
"""

from collections.abc import Mapping

# Table 1: accuracies by the row of the bias report, in the order of COLUMNS. None stands for a dash.
COLUMNS = tuple(
    (kind, metric, group)
    for metric in ("iou", "c_iou")
    for group in ("all", "plural")
    for kind in ("singles", "all")
)
Row = tuple[float | None, ...]
TABLE_1: Mapping[str, Row] = {
    "upper_bound": (72.34, 75.16, 46.67, 67.65, 72.34, 73.69, 46.69, 60.94),
    "system": (47.94, 49.63, 31.15, 36.60, 48.05, 49.94, 31.00, 37.37),
    "pruned": (None, 53.36, None, 56.46, None, 52.38, None, 50.09),
    "pruned_enlarged": (47.99, 52.03, 33.84, 52.45, 47.26, 51.02, 29.84, 46.95),
    "max_box": (23.63, 23.63, 32.19, 32.19, 21.45, 20.98, 22.88, 22.19),
    # The text prints 19.97 for the first figure, and the table 17.97.
    "random": (17.97, 20.75, 24.09, 29.17, 9.17, 13.86, 7.62, 14.08),
}

# Section 2.1, of the plural phrases of Flickr30k.
COMPONENTS = 3.6
COVERED_BY_COMPONENTS, FILLER_OVER_HALF = 68, 24
# "Nearly one third" of plural phrases have a single box, so the paper has no digits for it.
WRONG_NUMBER, WITHOUT_COMPONENTS = 9, 37

# Figure 2: IoU and c-IoU of predictions of the system.
FIGURE_2: Mapping[str, tuple[float, float]] = {
    "“juggling pins” as “hands”": (0.51, 0.17),
    "“two boys” as “men”": (0.65, 0.39),
}

# Section 3: the test data.
DATA: Mapping[str, float] = {
    "images": 10_000,
    "phrases": 140_972,
    "plural phrases": 30_762,
    "plural phrases %": 21.8,
    "words": 8_301,
}
