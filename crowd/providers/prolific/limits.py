"""Limits of the Prolific API."""

from math import ceil, sqrt

MAX_MINUTES = 24 * 60 - 1
# A short session also has the guidelines, the consent and the tutorial.
MIN_MINUTES = 20
MIN_REASON = 100
MINIMUM_HOURLY_CENTS = 800  # for workspaces in US dollars
MAX_MESSAGE = 4000


def maximum_minutes(minutes: int, *, factor: float) -> int:
    """Return the longest time that a session of these estimated minutes may take.

    It is `factor` times the estimate, and at least MIN_MINUTES. Prolific requires at least
    2 + 2t + 2√t minutes, and less than a day. An abandoned place is free again after this time.
    """
    least = ceil(2 + 2 * minutes + 2 * sqrt(minutes))
    return min(MAX_MINUTES, max(MIN_MINUTES, least, ceil(factor * minutes)))
