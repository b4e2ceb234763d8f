"""Limits of the Prolific API."""

from math import ceil, sqrt

MOST_MINUTES = 24 * 60 - 1
LEAST_REASON = 100
MINIMUM_HOURLY_CENTS = 800  # for workspaces in US dollars
MOST_MESSAGE = 4000


def maximum_minutes(minutes: int) -> int:
    """Return the longest time that a session of these estimated minutes may take.

    Prolific requires at least 2 + 2t + 2√t minutes. Workers may pause, so that the limit is as long
    as it can be.
    """
    return max(MOST_MINUTES, ceil(2 + 2 * minutes + 2 * sqrt(minutes)))


def long_enough(reason: str) -> str:
    """Return a reason for a rejection with the 100 characters that Prolific requires."""
    ending = (
        " Please write to us through Prolific's messages if you have questions about this decision."
    )
    while len(reason) < LEAST_REASON:
        reason += ending
    return reason
