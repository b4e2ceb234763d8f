"""Whether a worker's figures have fallen: their newest items against all those before."""

from collections.abc import Sequence

# A worker is looked at whenever so many items more are known, and first when there are twice as many.
BLOCK = 20
# So often a steady worker is taken for a falling one, of all such looks: once in 4,000 items.
FALSE_ALARMS = 0.005


def fall_p_value(before: Sequence[float], latest: Sequence[float]) -> float:
    """How likely `latest` would be as low as it is, if it came as `before` did: the one-sided test of
    Mann and Whitney (1947) with the normal approximation, corrected for ties and continuity.

    It assumes no distribution: item figures pile up at 0 and 1. Between 0 and 1; 1 where either side is
    empty or nothing differs.
    """
    if not before or not latest or len({*before, *latest}) == 1:
        return 1.0
    # Imported here: it takes half a second, and few pages need it.
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    found = mannwhitneyu(latest, before, alternative="less", method="asymptotic")
    return float(found.pvalue)


def has_fallen(series: Sequence[float], *, known: int = 0) -> float | None:
    """The p-value of the newest full block of a series, where it tells of a fall; else None.

    A block is judged once, when it is full: with `known` items judged before, only blocks that became
    full since are. So the rate of false alarms is one of blocks, whatever the number of looks.
    """
    full = len(series) // BLOCK * BLOCK
    if full < 2 * BLOCK or full <= known:
        return None
    p_value = fall_p_value(series[: full - BLOCK], series[full - BLOCK : full])
    return p_value if p_value < FALSE_ALARMS else None
