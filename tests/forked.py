"""Work in a process of its own that may be killed in the middle."""

import os
import traceback
from collections.abc import Callable
from contextlib import suppress

from django.db import connections


def in_fork(work: Callable[[], object]) -> int:
    """Do the work in a fork of this process; how that ended, as of `os.waitpid`: 0 is well.

    The child must not speak on a connection of its parent: killed within a transaction, it would leave
    a lock that nobody lets go of. Closing is not enough. Where Playwright keeps an event loop in this
    thread, Django keeps its connections by context, and the child, whose loop does not run, finds the
    thread's own again, which are still open here.
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
