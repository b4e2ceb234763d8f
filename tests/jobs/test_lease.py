"""Leases that a thread renews."""

import threading

import pytest
from django.db import connection

from jobs.domain.lease import renewing


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no server")
@pytest.mark.django_db(transaction=True)
def test_lease_is_renewed_after_the_database_ended_its_connection():
    backends: list[int] = []
    is_renewed = threading.Event()

    def renew() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            backends.append(cursor.fetchone()[0])
            if len(backends) == 1:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        is_renewed.set()

    with renewing(renew, seconds=0.05):
        assert is_renewed.wait(20)
    assert backends[0] != backends[1]
