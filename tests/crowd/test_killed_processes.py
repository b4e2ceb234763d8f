"""The campaigns of faults again, with sweeps in processes of their own that are really killed.

A child is forked for a sweep and ends itself by SIGKILL at a statement that the seed decides: before or
after it, on our side or on the marketplace's, inside a transaction or between two. Nothing is tidied up;
the database learns of it by the connection that breaks. `make test` runs this on PostgreSQL,
`make test-sqlite` on a file of SQLite's.
"""

import os
import random
import signal
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.crowd.test_fault_campaign import SWEEPS, Campaign, check
from tests.forked import in_fork

pytestmark = pytest.mark.django_db(transaction=True)

# Sweeps with nothing to do take two statements, long ones a hundred; a child whose sweep ends before its
# statement comes lives.
LAST_STATEMENT = 100


class SuddenEnd:
    """A wrapper of Django's: the process dies at its `number`th statement."""

    def __init__(self, number: int, *, carried_out: bool) -> None:
        self._left, self._carried_out = number, carried_out

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        self._left -= 1
        if self._left == 0 and not self._carried_out:
            os.kill(os.getpid(), signal.SIGKILL)
        result = execute(sql, params, many, context)
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return result


def killed_in(work: Callable[[], object], end: SuddenEnd) -> bool:
    """Do the work in a process that comes to the sudden end; says whether it did."""

    def ending() -> None:
        with connection.execute_wrapper(end):
            work()

    status = in_fork(ending)
    assert not status or os.WTERMSIG(status) == signal.SIGKILL
    return bool(status)


class DeadlyCampaign(Campaign):
    killed = 0

    def sweep(self) -> None:
        if self.dice.random() < 0.4:
            super().sweep()
            return
        sweep, limit = self.dice.choice(SWEEPS), self.dice.randint(1, 5)
        number = int(LAST_STATEMENT ** self.dice.random())  # early ones more often
        carried_out = self.dice.random() < 0.5
        seed = self.dice.random()

        def work() -> None:
            self.dice = random.Random(seed)  # what the child throws must not be thrown again
            sweep(clock=self.clock, limit=limit)

        self.killed += killed_in(work, SuddenEnd(number, carried_out=carried_out))


def run_campaign(seed: int, wire, clock) -> None:
    campaign = DeadlyCampaign(seed, wire, clock)
    campaign.run()
    while not campaign.killed:
        campaign.sweep()
    campaign.come_to_rest()
    check(campaign)


@pytest.mark.parametrize("seed", range(1))
def test_books_agree_after_processes_were_killed(wire, clock, settings, seed):
    settings.MTURK_NOTIFICATIONS = "webhook"
    run_campaign(seed, wire, clock)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 210))
def test_books_agree_whenever_processes_were_killed(wire, clock, settings, seed):
    settings.MTURK_NOTIFICATIONS = "webhook"
    run_campaign(seed, wire, clock)
