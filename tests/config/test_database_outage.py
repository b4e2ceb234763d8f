"""Pages and the API answer 503 with Retry-After while the database is unavailable, then recover."""

import sys
from urllib.parse import urlsplit

import psycopg2
import pytest
import requests

from tests import environment
from tests.operations.manage import is_up

pytestmark = pytest.mark.system


def run_sql(*statements: str) -> None:
    connection = psycopg2.connect(environment.postgres_server())
    connection.autocommit = True
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    connection.close()


@pytest.fixture
def site(server_site, migrate, collected, free_port) -> dict[str, str]:
    url = f"http://127.0.0.1:{free_port}"
    env = {**server_site, "SITE_URL": url, "STATIC_ROOT": collected}
    migrate(env)
    return env


def test_site_answers_503_until_the_database_is_back(site, start_process, wait_for, tmp_path):
    url = site["SITE_URL"]
    server = (sys.executable, "-m", "gunicorn", "config.wsgi", "--threads", "2")
    address = url.removeprefix("http://")
    start_process([*server, "--bind", address], env=site, log=tmp_path / "log")
    wait_for(lambda: is_up(url))

    def answer(path: str) -> requests.Response:
        # Both credentials are looked up in the database.
        token, session = {"Authorization": "Bearer ts_unknown"}, {"Cookie": f"sessionid={'0' * 32}"}
        headers = token if path.startswith("/api/") else session
        return requests.get(f"{url}{path}", headers=headers, timeout=20)

    def statuses() -> set[int]:
        return {answer("/").status_code for _ in range(4)}

    wait_for(lambda: statuses() == {200})
    name = urlsplit(site["DATABASE_URL"]).path.lstrip("/")
    run_sql(
        f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
    )
    page, api = answer("/"), answer("/api/v1/projects/")
    assert (page.status_code, page.headers["Retry-After"]) == (503, "10")
    assert "can't connect to its database" in page.text
    assert (api.status_code, api.headers["Retry-After"]) == (503, "10")
    assert api.json()["errors"][0]["code"] == "unavailable"
    run_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    wait_for(lambda: statuses() == {200})
