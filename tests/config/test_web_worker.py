"""gunicorn's worker: a thread waits for a connection's next request, and keeps nobody waiting by that."""

import http.client
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import closing, suppress

import pytest

from config.web_worker import WAIT_MS

pytestmark = pytest.mark.system

LONGER = 5 * WAIT_MS / 1000


class Link:
    """A kept-alive connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def ask(self, seconds: float = 0) -> str:
        """Which thread answered."""
        self._connection.request("GET", f"/?seconds={seconds}")
        answer = self._connection.getresponse()
        assert answer.status == 200
        return answer.read().decode()

    def is_open(self) -> bool:
        return self._connection.sock is not None

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def serve(embedded_site, free_port, start_process, tmp_path, wait_for):
    """Starts one process with so many threads; returns it, and what opens connections to it."""
    links: list[Link] = []

    def connect() -> Link:
        links.append(Link(free_port))
        return links[-1]

    def start(threads: int):
        process = start_process(
            [
                *(sys.executable, "-m", "gunicorn", "tests.config.thread_app"),
                *("--worker-class", "config.web_worker.WebWorker", "--threads", str(threads)),
                *("--bind", f"127.0.0.1:{free_port}", "--keep-alive", "30"),
            ],
            env=embedded_site,
            log=tmp_path / "log",
        )

        def answers() -> bool:
            with suppress(OSError), closing(Link(free_port)) as link:
                return bool(link.ask())
            return False

        wait_for(answers)
        return process, connect

    yield start
    for link in links:
        link.close()


def test_requests_that_follow_at_once_are_answered_by_the_same_thread(serve):
    _, connect = serve(threads=4)
    link = connect()
    assert len({link.ask() for _ in range(40)}) == 1


def test_quiet_connections_hold_no_thread(serve):
    _, connect = serve(threads=2)
    quiet = [connect() for _ in range(6)]
    for link in quiet:
        link.ask()
    begun = time.monotonic()
    connect().ask()
    assert time.monotonic() - begun < 1
    time.sleep(LONGER)
    for link in quiet:
        assert link.is_open()
        link.ask()


def test_busy_connections_share_the_threads_with_others(serve):
    _, connect = serve(threads=2)
    links, answered, end = [connect() for _ in range(6)], Counter(), time.monotonic() + 2

    def ask(number: int) -> None:
        while time.monotonic() < end:
            links[number].ask(0.002)
            answered[number] += 1

    busy = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in busy:
        thread.start()
    for thread in busy:
        thread.join()
    assert len(answered) == 6
    assert min(answered.values()) > max(answered.values()) / 3


def test_newcomers_find_a_thread_that_does_not_wait(serve):
    _, connect = serve(threads=2)
    first, second, newcomer = connect(), connect(), connect()
    took = []
    for _ in range(30):
        first.ask()
        second.ask()
        begun = time.monotonic()
        newcomer.ask()
        took.append(time.monotonic() - begun)
    assert sorted(took)[22] < WAIT_MS / 2000


def test_long_request_does_not_hold_up_the_others(serve):
    _, connect = serve(threads=2)
    long = threading.Thread(target=connect().ask, args=(1.5,))
    long.start()
    time.sleep(0.2)
    links = [connect() for _ in range(4)]
    begun = time.monotonic()
    for _ in range(3):
        for link in links:
            link.ask()
    assert time.monotonic() - begun < 1
    long.join()


def test_one_thread_serves_many_connections(serve):
    _, connect = serve(threads=1)
    links = [connect() for _ in range(3)]
    begun = time.monotonic()
    for _ in range(5):
        for link in links:
            link.ask()
    assert time.monotonic() - begun < 1


def test_process_that_is_told_to_end_answers_what_it_has_in_hand(serve):
    process, connect = serve(threads=2)
    link, answers = connect(), []
    link.ask()
    asking = threading.Thread(target=lambda: answers.append(link.ask(1)))
    asking.start()
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    asking.join()
    assert len(answers) == 1
    assert process.wait(timeout=10) == 0
