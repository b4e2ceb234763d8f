"""Token spans: half-open ranges `(start, end)` with 0 <= start < end, and when two are the same."""

from collections.abc import Iterable
from fractions import Fraction

Span = tuple[int, int]


def overlap(first: Span, second: Span) -> int:
    """The number of tokens in both; 0 where they are apart."""
    return max(0, min(first[1], second[1]) - max(first[0], second[0]))


def span_iou(first: Span, second: Span) -> Fraction:
    """Tokens in both over tokens in either, exactly; in [0, 1], symmetric, 1 only for equal spans.

    Raises ValueError for a span on no token.
    """
    check_spans((first, second))
    common = overlap(first, second)
    return Fraction(common, first[1] - first[0] + second[1] - second[0] - common)


def spans_match(first: Span, second: Span) -> bool:
    """Whether the IoU is at least one half, decided on whole numbers (Roit et al. 2020, section 4).

    2 * intersection >= union is 3 * intersection >= the sum of both lengths.
    """
    # No min and max here: this is where UA spends its time.
    start = first[0] if first[0] > second[0] else second[0]
    end = first[1] if first[1] < second[1] else second[1]
    common = end - start
    return common > 0 and 3 * common >= first[1] - first[0] + second[1] - second[0]


def check_spans(spans: Iterable[Span]) -> None:
    """Raises ValueError, naming it, for the first span that holds no token or starts below 0."""
    for start, end in spans:
        if not 0 <= start < end:
            raise ValueError(f"the span {start}:{end} holds no token; start must be below end")
