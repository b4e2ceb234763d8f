"""What /health says when a part works and when it doesn't."""

import socket
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.cache import cache
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from crowd.domain.hold_publishing import hold_publishing
from operation.domain import health, signs
from operation.models import Sign

READY = "/health/ready"


@pytest.fixture
def marketplace(settings):
    """Something that answers at the marketplace's address, with the status that the test sets."""

    class Handler(BaseHTTPRequestHandler):
        status = 404

        def do_GET(self):
            self.send_response(self.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{server.server_port}/mturk/"
    yield Handler
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.setattr(health, "_up_to_date", False)
    cache.clear()


def test_live_asks_nobody(client):
    # Without the fixture `db`, a query would fail the test.
    response = client.get("/health/live")
    assert (response.status_code, response.json()["status"]) == (200, "ok")


def test_ready_with_every_part_well(db, client, marketplace):
    signs.give_sign(now=timezone.now())
    response = client.get(READY)
    assert response.status_code == 200, response.json()
    assert response.json()["status"] == "ok"
    assert set(response.json()["parts"]) == set(health.CHECKS)
    assert response.headers["Cache-Control"].startswith("max-age=0, no-cache")


def failing(client, query: str = "") -> list[str]:
    response = client.get(READY + query)
    assert response.status_code == 503
    parts = response.json()["parts"]
    return [name for name, part in parts.items() if part["status"] == "failing"]


def test_worker_never_seen_and_worker_silent(db, client, marketplace):
    assert failing(client) == ["worker", "marketplace"]
    signs.give_sign(now=timezone.now() - signs.OLDEST - timedelta(seconds=1))
    assert failing(client) == ["worker", "marketplace"]


@pytest.mark.parametrize(("status", "well"), [(200, True), (403, True), (404, True), (503, False)])
def test_marketplace_by_its_answer(db, client, marketplace, status, well):
    marketplace.status = status
    signs.give_sign(now=timezone.now())
    assert client.get(READY).status_code == (200 if well else 503)
    assert Sign.objects.get(part="marketplace").well is well


def test_marketplace_that_is_not_there(db, client, settings, free_port):
    settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{free_port}/mturk/"
    signs.give_sign(now=timezone.now())
    assert failing(client) == ["marketplace"]


def test_marketplace_that_says_nothing_costs_the_worker_a_short_time(
    db, client, settings, monkeypatch
):
    monkeypatch.setattr("crowd.domain.marketplace.TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{silent.getsockname()[1]}/mturk/"
        signs.give_sign(now=timezone.now())
    assert "no answer within" in Sign.objects.get(part="marketplace").told


def test_broker_that_is_away(db, client, marketplace, settings, free_port):
    signs.give_sign(now=timezone.now())
    settings.REDIS_URL = f"redis://:hidden-word@127.0.0.1:{free_port}/0"
    assert failing(client) == ["broker"]
    assert b"hidden-word" not in client.get(READY).content


def test_broker_that_answers(db, client, marketplace, settings, redis_url):
    signs.give_sign(now=timezone.now())
    settings.REDIS_URL = redis_url
    assert client.get(READY).status_code == 200


def test_queue_folder_that_is_gone(db, client, marketplace, settings, tmp_path):
    signs.give_sign(now=timezone.now())
    gone = {"data_folder_out": str(tmp_path / "gone")}
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = gone
    assert failing(client) == ["broker"]


def test_migration_that_is_missing(db, client, marketplace):
    signs.give_sign(now=timezone.now())
    MigrationRecorder.Migration.objects.filter(app="operation").delete()
    assert failing(client) == ["migrations"]


def test_parts_wanted_are_the_only_ones_looked_at(db, client):
    response = client.get(f"{READY}?parts=database,migrations,broker")
    assert (response.status_code, len(response.json()["parts"])) == (200, 3)
    assert failing(client, "?parts=nothing-known") == []


def test_held_publishing_is_told_and_is_no_failure(db, client, marketplace):
    signs.give_sign(now=timezone.now())
    hold_publishing(reason="Restored.", actor="restore", now=timezone.now())
    response = client.get(READY)
    assert response.status_code == 200
    assert "recover_hits" in response.json()["parts"]["publishing"]["told"]
