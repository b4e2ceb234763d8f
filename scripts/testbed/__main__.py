"""Run a command with test services: `python -m scripts.testbed [--durable] -- COMMAND...`.

TOUCHSTONE_TEST_SERVICES=own always starts private servers, even if others answer.
"""

import argparse
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from scripts.testbed import chromium, postgres, redis
from scripts.testbed.errors import MissingError
from scripts.testbed.processes import clear_leftovers, die_with_parent

VAR = Path(__file__).resolve().parent.parent.parent / "var" / "testbed"


@contextmanager
def only_run() -> Iterator[None]:
    """Allow one run at a time in a checkout. The kernel releases the lock when the process ends."""
    VAR.mkdir(parents=True, exist_ok=True)
    with (VAR / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MissingError(
                "Tests are running in this checkout already. Wait until they finish."
            ) from None
        yield


def surroundings(stack: ExitStack, *, own: bool, durable: bool) -> dict[str, str]:
    record = VAR / "folders"
    clear_leftovers(record)
    stack.callback(record.unlink, missing_ok=True)
    variables = {
        "TEST_POSTGRES_URL": postgres.bring_up(stack, own=own, durable=durable, record=record),
        "TEST_REDIS_URL": redis.bring_up(stack, own=own, record=record),
        "TEST_CHROMIUM": chromium.bring_up(),
    }
    for name, value in variables.items():
        shown = value.replace(f":{urlsplit(value).password}@", ":***@")
        print(f"testbed: {name}={shown}", file=sys.stderr)
    return variables


def ready_for_interrupt() -> None:
    """Restore SIGINT in the child process, for `preexec_fn`.

    Background jobs of a shell ignore SIGINT, which pytest needs to clean up.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with_parent(signal.SIGINT)()


def run(command: Sequence[str], env: dict[str, str]) -> int:
    """Run the command and return its exit code, after it has cleaned up.

    The terminal sends Ctrl-C to the command. Other signals are forwarded.
    """
    child = subprocess.Popen(command, env={**os.environ, **env}, preexec_fn=ready_for_interrupt)
    signal.signal(signal.SIGTERM, lambda *_: child.send_signal(signal.SIGINT))
    while True:
        try:
            code = child.wait()
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.testbed", description=__doc__)
    parser.add_argument("--durable", action="store_true", help="make PostgreSQL sync to disk")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    own = os.environ.get("TOUCHSTONE_TEST_SERVICES") == "own"
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    die_with_parent(signal.SIGTERM)()  # a killed `make` forwards no signal
    try:
        with only_run(), ExitStack() as stack:
            return run(options.command, surroundings(stack, own=own, durable=options.durable))
    except MissingError as error:
        print(f"testbed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
