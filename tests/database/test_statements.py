from datetime import UTC, datetime

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from database import statements
from marketplace.models import WorkerAccount

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COLUMNS = "code, username, email, country, created_at"
FIND = f"SELECT id, {COLUMNS}, 1 AS further FROM marketplace_workeraccount WHERE code = %s"
RENAME = "UPDATE marketplace_workeraccount SET username = %s, created_at = %s WHERE code = %s"


@pytest.fixture
def workers(db) -> list[WorkerAccount]:
    return [
        WorkerAccount.objects.create(code=code, username=code.lower(), email="", country="US")
        for code in ("A1", "A2")
    ]


def test_statement_runs_with_other_parameters(workers):
    results = [statements.fetch(WorkerAccount, FIND, worker.code) for worker in workers]
    assert results == workers
    assert [worker.further for worker in results] == [1, 1]
    assert statements.fetch(WorkerAccount, FIND, "A3") is None


def test_change_is_stored(workers):
    statements.execute(RENAME, "100% \\'new\\'", NOW, "A1")
    worker = WorkerAccount.objects.get(code="A1")
    assert (worker.username, worker.created_at) == ("100% \\'new\\'", NOW)
    username = "SELECT username FROM marketplace_workeraccount WHERE code = %s"
    assert statements.fetch_rows(username, "A2") == [("a2",)]


def test_statement_runs_after_an_error_and_a_rollback(workers):
    for _ in range(2):
        with pytest.raises((IntegrityError, DataError)), transaction.atomic():
            statements.execute(RENAME, "a2", NOW, "A1")
    statements.execute(RENAME, "a3", NOW, "A1")
    assert statements.fetch(WorkerAccount, FIND, "A1").username == "a3"


@pytest.mark.django_db(transaction=True)
def test_new_connection_prepares_again():
    assert statements.fetch(WorkerAccount, FIND, "A1") is None
    connection.close()
    assert statements.fetch(WorkerAccount, FIND, "A1") is None
