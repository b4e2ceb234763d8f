"""The rate limiter, which spaces calls evenly."""

import time
from threading import Thread

from crowd.providers.rate import RateLimit


def seconds_of(calls, limit):
    start = time.monotonic()
    threads = [Thread(target=limit.wait) for _ in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - start


def test_calls_are_spaced_over_threads():
    assert seconds_of(5, RateLimit(50)) >= 0.08


def test_zero_means_no_limit():
    assert seconds_of(5, RateLimit(0)) < 1
