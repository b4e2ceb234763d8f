"""A connection that is kept over requests: looked at before each, and replaced once it is dead."""

import environ
import psycopg2
import pytest
from django.db.utils import ConnectionHandler

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept(postgres_url):
    settings = {**environ.Env.db_url_config(postgres_url), "ENGINE": "database.postgresql"}
    settings |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    connection = ConnectionHandler({"default": settings})["default"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT 41 + 1")
    yield connection
    connection.close()


@pytest.fixture
def onlooker(postgres_url):
    with psycopg2.connect(postgres_url) as link, link.cursor() as cursor:
        yield cursor
    link.close()


def test_living_connection_is_usable_and_not_asked(kept, onlooker):
    assert kept.is_usable()
    onlooker.execute(
        "SELECT query FROM pg_stat_activity WHERE pid = %s", [kept.connection.get_backend_pid()]
    )
    assert onlooker.fetchone() == ("SELECT 41 + 1",)


def test_connection_that_the_server_has_closed_is_replaced_at_the_next_request(kept, onlooker):
    first = kept.connection.get_backend_pid()
    onlooker.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
    assert not kept.is_usable()
    kept.close_if_unusable_or_obsolete()  # as Django does between requests
    kept.health_check_done = False
    with kept.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert kept.connection.get_backend_pid() != first


def test_connection_with_news_on_it_is_asked(kept, onlooker):
    with kept.cursor() as cursor:
        cursor.execute("LISTEN news")
    onlooker.execute("NOTIFY news")
    onlooker.connection.commit()
    assert kept.is_usable()
