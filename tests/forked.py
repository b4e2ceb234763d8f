"""Work in a separate process that may be killed at any point."""

import os
import traceback
from collections.abc import Callable
from contextlib import suppress

from django.db import connections


def in_fork(work: Callable[[], object]) -> int:
    """Do the work in a fork of this process, and return its status as of `os.waitpid`. 0 is success.

    The child must not use a connection of its parent. If it were killed within a transaction, it
    would leave a lock that is never released. Closing the connections is not enough. Where
    Playwright keeps an event loop in this thread, Django keeps its connections by context. The
    child has no running loop, so it finds the thread's own connections, which are still open here.
    """
    connections.close_all()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        for alias in connections:
            with suppress(AttributeError):
                del connections[alias]
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
