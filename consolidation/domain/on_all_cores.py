"""Reading work that is divided among processes, one for each core."""

import os
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from django.db import connections

T = TypeVar("T")


class ShareFailed(OSError):
    """A process that did a share ended without a result; the message says how."""


def shares_for(count: int, *, at_least: int) -> int:
    """Among how many processes to divide `count` pieces of work, each of them getting `at_least` so
    many; 1 where this process must do it all: within a transaction, which others don't see, and beside
    other threads, of which a forked process would have nothing but their locks."""
    alone = threading.active_count() == 1 and hasattr(os, "fork")
    if not alone or any(one.in_atomic_block for one in connections.all(initialized_only=True)):
        return 1
    return max(1, min(os.cpu_count() or 1, count // at_least))


def do_shares(work: Sequence[Callable[[], T]]) -> list[T]:
    """What each of them returns, in their order: the first is done here, each other one at the same
    time in a forked process, on a connection of its own. Raises what the first one that failed did."""
    if len(work) == 1:
        return [work[0]()]
    connections.close_all()  # a socket must not have two owners
    context = get_context("fork")
    running = []
    try:
        for one in work[1:]:
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_do, args=(one, there), daemon=True)
            process.start()
            there.close()
            running.append((process, here))
        done = [work[0]()]
        for _, here in running:
            done.append(_result(here))
        return done
    finally:
        for process, here in running:
            here.close()
            process.terminate()
            process.join()


def _do(work: Callable[[], T], result: Connection) -> None:
    """In the forked process."""
    for alias in connections:
        with suppress(AttributeError):  # none was open
            del connections[alias]
    try:
        result.send((True, work()))
    except OSError as error:
        result.send((False, error))
    except BaseException as error:
        traceback.print_exc()
        result.send((False, ShareFailed(f"{type(error).__name__}: {error}")))


def _result(here: Connection) -> Any:
    try:
        well, value = here.recv()
    except EOFError:
        raise ShareFailed("A process that wrote a part of it was ended.") from None
    if not well:
        raise value
    return value
