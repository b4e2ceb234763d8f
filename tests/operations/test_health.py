"""Health checks of each component, working and failing."""

import socket
import threading
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from crowd.domain.hold_publishing import hold_publishing
from jobs.enums import JobState
from jobs.models import SweepFailure
from operations import health
from operations.domain import heartbeat
from operations.domain.queues import QUEUES
from operations.domain.scheduled_backups import record_success
from operations.enums import BackupKind
from operations.models import Heartbeat
from tests.jobs.factories import make_import

pytestmark = pytest.mark.usefixtures("without_running_loop")
READY, WEB = "/health/ready", "/health/web"
PARTS = {
    "database",
    "cache",
    "storage",
    "migrations",
    "workers",
    "queues",
    "marketplace",
    "publishing",
    "sweeps",
    "backups",
}


@pytest.fixture
def marketplace(settings):
    """Serve the marketplace's address with a status that the test sets."""

    class Handler(BaseHTTPRequestHandler):
        status = 404

        def do_GET(self):
            self.send_response(self.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{server.server_port}/mturk/"
    yield Handler
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def queue_folder(settings, tmp_path):
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {**options, "data_folder_out": str(tmp_path)}
    return tmp_path


@pytest.fixture(autouse=True)
def _media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


def test_live_needs_no_database(client):
    # Without the `db` fixture, a query would fail the test.
    response = client.get("/health/live")
    assert (response.status_code, response.json()["status"]) == (200, "ok")


def beat(age: timedelta = timedelta()) -> None:
    """Store a heartbeat of each queue."""
    for queue in QUEUES:
        heartbeat.beat(queue=queue, now=timezone.now() - age)


def test_ready_with_all_components_working(db, client, marketplace):
    beat()
    response = client.get(READY)
    assert response.status_code == 200, response.json()
    assert response.json() == dict.fromkeys(PARTS, "OK")
    assert "no-cache" in response.headers["Cache-Control"]


def failing(client, url: str = READY) -> list[str]:
    response = client.get(url)
    assert response.status_code == 500
    return [name for name, status in response.json().items() if status != "OK"]


def test_workers_with_missing_or_old_heartbeats(db, client, marketplace):
    assert failing(client) == ["workers", "marketplace"]
    beat(age=heartbeat.MAX_AGE + timedelta(seconds=1))
    assert failing(client) == ["workers", "marketplace"]


@pytest.mark.parametrize("queue", QUEUES)
def test_each_queue_needs_a_worker(db, client, marketplace, queue):
    beat()
    Heartbeat.objects.filter(queue=queue).update(at=timezone.now() - timedelta(minutes=5))
    assert "workers" in failing(client)
    assert f"(queue {queue})" in client.get(READY).json()["workers"]


def test_heartbeat_from_the_future_is_not_fresh(db, client, marketplace):
    beat(age=-2 * heartbeat.MAX_AGE)  # the clock was set back
    assert failing(client) == ["workers", "marketplace"]


def test_long_job_proves_that_its_worker_runs(project, client, marketplace):
    beat()
    now = timezone.now()
    Heartbeat.objects.filter(queue="jobs").update(at=now - timedelta(minutes=50))
    job = make_import(project)
    job.state, job.leased_until = JobState.RUNNING, now + timedelta(seconds=30)
    job.save()
    assert client.get(READY).json()["workers"] == "OK"
    job.leased_until = now - timedelta(seconds=1)
    job.save()
    assert failing(client) == ["workers"]


def test_messages_that_pile_up(db, client, marketplace, queue_folder):
    beat()
    old = time.time_ns() - int(heartbeat.PATIENCE.total_seconds() * 1e9)
    (queue_folder / f"{old:020}_x.outside.msg").touch()
    assert failing(client) == ["queues"]
    assert "outside (1 messages)" in client.get(READY).json()["queues"]


@pytest.mark.parametrize(
    ("status", "healthy"), [(200, True), (403, True), (404, True), (503, False)]
)
def test_marketplace_status(db, client, marketplace, status, healthy):
    marketplace.status = status
    beat()
    assert client.get(READY).status_code == (200 if healthy else 500)
    assert (Heartbeat.objects.get(queue="celery").marketplace_problem == "") is healthy


def test_unreachable_marketplace(db, client, settings, free_port):
    settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{free_port}/mturk/"
    beat()
    assert failing(client) == ["marketplace"]


def test_silent_marketplace_times_out_quickly(db, settings, monkeypatch):
    monkeypatch.setattr("crowd.providers.mturk.client.TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{silent.getsockname()[1]}/mturk/"
        beat()
    assert "no answer within" in Heartbeat.objects.get(queue="celery").marketplace_problem


def redis_cache(url: str) -> dict:
    return {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}}


def test_unreachable_redis(db, client, settings, free_port):
    settings.CACHES = redis_cache(f"redis://:hidden-word@127.0.0.1:{free_port}/0")
    assert failing(client, WEB) == ["cache"]
    assert b"hidden-word" not in client.get(WEB).content


def test_reachable_redis(db, client, settings, redis_url):
    settings.CACHES = redis_cache(redis_url)
    assert client.get(WEB).status_code == 200


def test_unwritable_media_folder(db, client, marketplace, settings, tmp_path):
    beat()
    (tmp_path / "file").touch()
    settings.MEDIA_ROOT = tmp_path / "file"
    assert failing(client) == ["storage"]


def test_missing_migration(db, client):
    MigrationRecorder.Migration.objects.filter(app="operations").delete()
    assert failing(client, WEB) == ["migrations"]


def test_web_needs_no_worker(db, client):
    response = client.get(WEB)
    assert (response.status_code, set(response.json())) == (
        200,
        {"database", "cache", "migrations"},
    )


def test_held_publishing_is_shown_but_not_a_failure(db, client, marketplace):
    beat()
    hold_publishing(reason="Restored.", actor="restore", now=timezone.now())
    response = client.get(READY)
    assert response.status_code == 200
    assert "recover_hits" in response.json()["publishing"]


def test_repeatedly_failing_row_makes_the_site_unready(db, client):
    now = timezone.now()
    failure = SweepFailure.objects.create(
        sweep="record generations",
        model="crowd.Assignment",
        object_id=812,
        error="ValueError()",
        first_failed_at=now,
        retry_at=now,
    )
    assert client.get(READY).json()["sweeps"] == "OK"
    failure.first_failed_at = now - health.FAILING_AFTER
    failure.save()
    response = client.get(READY)
    assert response.status_code == 500
    assert response.json()["sweeps"].endswith(
        "failing rows: 1, first record generations: crowd.Assignment 812, attempt 1"
    )


def test_missed_backups_make_the_site_unready(db, client, marketplace):
    now = timezone.now()
    beat()
    record_success(BackupKind.BACKUP, now=now - timedelta(hours=47))
    assert client.get(READY).json()["backups"] == "OK"
    record_success(BackupKind.BACKUP, now=now - timedelta(hours=49))
    assert failing(client) == ["backups"]
