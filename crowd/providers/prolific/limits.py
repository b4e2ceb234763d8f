"""Limits of the Prolific API."""

from math import ceil, sqrt

MOST_MINUTES = 24 * 60 - 1
# A short session also has the guidelines, the consent and the tutorial.
LEAST_MINUTES = 20
LEAST_REASON = 100
MINIMUM_HOURLY_CENTS = 800  # for workspaces in US dollars
MOST_MESSAGE = 4000


def maximum_minutes(minutes: int, *, factor: float) -> int:
    """Return the longest time that a session of these estimated minutes may take.

    It is `factor` times the estimate, and at least LEAST_MINUTES. Prolific requires at least
    2 + 2t + 2√t minutes, and less than a day. An abandoned place is free again after this time.
    """
    least = ceil(2 + 2 * minutes + 2 * sqrt(minutes))
    return min(MOST_MINUTES, max(LEAST_MINUTES, least, ceil(factor * minutes)))
