"""Precision and recall that people find, extrapolated from samples of automatic errors."""

from dataclasses import dataclass

from .counts import ratio
from .intervals import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate in [0, 1], or None if undefined, with its 95 % interval over samples."""

    value: float | None
    interval: Interval


def true_precision(
    *,
    matched: int,
    extra: int,
    correct: int,
    repeated: int,
    wrong: int,
    repetitions: int = 1000,
    seed: int = 0,
) -> Estimate:
    """Estimate the precision from a sample of `extra` parts that the reference lacks.

    `matched` parts are right. Of the sampled parts, `correct` ones are right although the reference lacks
    them, `repeated` ones count neither way, and `wrong` ones are wrong:

        (matched + extra * correct / n) / (matched + extra * (correct + wrong) / n)

    with n = correct + repeated + wrong. The interval is a bootstrap of the sample and treats the
    automatic counts as given. It is unreliable for samples of fewer than about 30 parts.
    """
    from metrics import bootstrap  # noqa: PLC0415 - loads numpy

    size = correct + repeated + wrong
    value = None
    if size:
        right = matched + extra * correct / size
        value = ratio(right, right + extra * wrong / size)
    rows = [(1, 0)] * correct + [(0, 0)] * repeated + [(0, 1)] * wrong
    sums = bootstrap.resampled_sums(rows or [(0, 0)], repetitions=repetitions, seed=abs(seed))
    right, false = (extra * sums / max(size, 1)).T
    figures = bootstrap.quotient(matched + right, matched + right + false)
    return Estimate(value, bootstrap.percentile_interval(figures))


def true_recall(
    *,
    matched: int,
    missed: int,
    correct: int,
    others: int,
    repetitions: int = 1000,
    seed: int = 0,
) -> Estimate:
    """Estimate the recall from a sample of `missed` parts of the reference.

    `matched` parts are right. Of the sampled parts, `correct` ones should have been found. The `others`
    are wrong in the reference or repeat what was found, and count neither way:

        matched / (matched + missed * correct / n)

    with n = correct + others. The interval is that of `true_precision`.
    """
    from metrics import bootstrap  # noqa: PLC0415 - loads numpy

    size = correct + others
    value = ratio(matched, matched + missed * correct / size) if size else None
    rows = [(1,)] * correct + [(0,)] * others
    sums = bootstrap.resampled_sums(rows or [(0,)], repetitions=repetitions, seed=abs(seed))
    (lacking,) = (missed * sums / max(size, 1)).T
    figures = bootstrap.quotient(matched, matched + lacking)
    return Estimate(value, bootstrap.percentile_interval(figures))
