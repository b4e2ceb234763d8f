"""Token spans, which are half-open ranges `(start, end)` with 0 <= start < end."""

from collections.abc import Iterable
from fractions import Fraction

Span = tuple[int, int]


def overlap(first: Span, second: Span) -> int:
    """Return the number of common tokens."""
    return max(0, min(first[1], second[1]) - max(first[0], second[0]))


def span_iou(first: Span, second: Span) -> Fraction:
    """Return the exact intersection over union. Raise ValueError for an empty span."""
    check_spans((first, second))
    common = overlap(first, second)
    return Fraction(common, first[1] - first[0] + second[1] - second[0] - common)


def spans_match(first: Span, second: Span) -> bool:
    """Return True if the IoU is at least 1/2 (Roit et al. 2020, section 3.2).

    The test uses integers. 2 * intersection >= union is equivalent to 3 * intersection >= the sum
    of both lengths.
    """
    # Conditionals are faster than min and max, and UA spends most of its time here.
    start = first[0] if first[0] > second[0] else second[0]
    end = first[1] if first[1] < second[1] else second[1]
    common = end - start
    return common > 0 and 3 * common >= first[1] - first[0] + second[1] - second[0]


def check_spans(spans: Iterable[Span]) -> None:
    """Raise ValueError for the first span that is empty or starts below 0."""
    for start, end in spans:
        if not 0 <= start < end:
            raise ValueError(f"the span {start}:{end} holds no token; start must be below end")
