"""The fault campaigns with sweeps in child processes that are killed.

A child process ends itself with SIGKILL at a statement that depends on the seed. That is before or after
the statement, on either side, inside or between transactions. Nothing is cleaned up. The database only
detects the broken connection. `make test` runs this on PostgreSQL, and `make test-sqlite` on SQLite.
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

# A sweep without work takes two statements, a long sweep a hundred. A child survives if its sweep ends
# before the statement.
LAST_STATEMENT = 100


class SuddenEnd:
    """A database wrapper that kills the process at a given statement."""

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
    """Do the work in a child process that may be killed, and return True if it was."""

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
        number = int(LAST_STATEMENT ** self.dice.random())  # low numbers are more frequent
        carried_out = self.dice.random() < 0.5
        seed = self.dice.random()

        def work() -> None:
            # The parent must not repeat the random numbers of the child.
            self.dice = random.Random(seed)
            sweep(clock=self.clock, limit=limit)

        self.killed += killed_in(work, SuddenEnd(number, carried_out=carried_out))


def run_campaign(seed: int, wire, clock) -> None:
    campaign = DeadlyCampaign(seed, wire, clock)
    campaign.run()
    while not campaign.killed:
        campaign.sweep()
    campaign.end()
    check(campaign)


@pytest.mark.parametrize("seed", range(1))
def test_ledgers_agree_after_processes_were_killed(wire, clock, settings, seed):
    settings.MTURK_NOTIFICATIONS = "webhook"
    run_campaign(seed, wire, clock)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 210))
def test_ledgers_agree_whenever_processes_were_killed(wire, clock, settings, seed):
    settings.MTURK_NOTIFICATIONS = "webhook"
    run_campaign(seed, wire, clock)
