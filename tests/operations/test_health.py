"""Health checks of each component, working and failing."""

import socket
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from django.core.files.storage import FileSystemStorage
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from health_check.base import HealthCheck

from config.settings.storage import bucket_or_folder
from config.static_files import HashedModulesStorage
from crowd.domain.provider.hold_publishing import hold_publishing
from jobs.enums import JobState
from jobs.models import SweepFailure
from operations import health
from operations.domain import disks, heartbeat
from operations.domain.backup_file import HEALTH
from operations.domain.queues import QUEUES
from operations.domain.scheduled_backups import record_success
from operations.domain.write_backup import _files_in
from operations.enums import BackupKind
from operations.models import BackupRecord, Heartbeat
from tests.fakes.s3 import running_s3
from tests.jobs.factories import make_import
from tests.operations.manage import is_up

pytestmark = pytest.mark.usefixtures("without_running_loop")
READY, WEB = "/health/ready", "/health/web"
PARTS = {
    "database",
    "cache",
    "uploads",
    "exports",
    "images",
    "disks",
    "locks",
    "staticfiles",
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


def test_live_needs_no_database(client):
    # Without the `db` fixture, a query would fail the test.
    response = client.get("/health/live")
    assert (response.status_code, response.json()["status"]) == (200, "ok")


def test_monitoring_needs_no_proxy_that_adds_tls(db, client, settings):
    settings.SECURE_SSL_REDIRECT, settings.METRICS_TOKEN = True, "a-token"
    assert client.get("/login/").status_code == 301
    header = {"Authorization": "Bearer a-token"}
    for path in ("/health/live", "/health/traffic", "/health/web", "/metrics"):
        assert client.get(path, headers=header).status_code == 200, path


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


def test_long_backup_proves_that_its_worker_runs(db, client, marketplace):
    beat()
    now = timezone.now()
    Heartbeat.objects.filter(queue="backups").update(at=now - timedelta(minutes=20))
    assert failing(client) == ["workers"]
    record = BackupRecord.objects.create(
        kind=BackupKind.BACKUP,
        since=now,
        tried_at=now - timedelta(minutes=20),
        leased_until=now + timedelta(seconds=30),
    )
    assert client.get(READY).json()["workers"] == "OK"
    # Neither a run of a killed process nor one that has failed proves anything.
    for leased_until in (now - timedelta(seconds=1), None):
        record.leased_until = leased_until
        record.save()
        assert failing(client) == ["workers"]


def test_messages_that_pile_up(db, client, marketplace, queue_folder):
    beat()
    old = time.time_ns() - int(heartbeat.MAX_MESSAGE_AGE.total_seconds() * 1e9)
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


def test_unreachable_redis(db, client, marketplace, settings, free_port):
    beat()
    settings.REDIS_URL = f"redis://:hidden-word@127.0.0.1:{free_port}/0"
    settings.CACHES = redis_cache(settings.REDIS_URL)
    assert failing(client) == ["cache", "queues"]
    assert b"hidden-word" not in client.get(READY).content
    assert client.get(WEB).status_code == 200  # pages work without Redis


def test_reachable_redis(db, client, marketplace, settings, redis_url):
    beat()
    settings.REDIS_URL = redis_url
    settings.CACHES = redis_cache(redis_url)
    assert client.get(READY).status_code == 200


@pytest.mark.parametrize("kind", ["uploads", "exports", "images"])
@pytest.mark.usefixtures("db", "marketplace")
def test_folder_that_cannot_be_written(client, settings, tmp_path, kind):
    beat()
    (tmp_path / "file").touch()
    backend = "django.core.files.storage.FileSystemStorage"
    broken = {"BACKEND": backend, "OPTIONS": {"location": tmp_path / "file"}}
    settings.STORAGES = settings.STORAGES | {kind: broken}
    assert failing(client) == [kind]
    assert client.get(READY).json()[kind].endswith("Not a directory")
    assert client.get(WEB).status_code == 200


@pytest.fixture
def bucket(settings, monkeypatch):
    """Store files in a bucket, with the settings of STORAGE_URL."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")

    def use(url: str) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", url)
        folders = {name: Path(name) for name in ("uploads", "exports", "images")}
        bucket = "s3://corpora/site"
        stored = {name: bucket_or_folder(bucket, folder) for name, folder in folders.items()}
        settings.STORAGES = settings.STORAGES | stored

    return use


def test_bucket(db, client, marketplace, bucket, free_port):
    beat()
    with running_s3("corpora") as s3:
        bucket(s3.url)
        assert client.get(READY).status_code == 200
        assert s3.objects == {}
        s3.buckets.clear()
        assert failing(client) == ["uploads", "exports", "images"]
        assert client.get(READY).json()["uploads"].endswith("NoSuchBucket")
    bucket(f"http://127.0.0.1:{free_port}")
    assert failing(client) == ["uploads", "exports", "images"]
    assert client.get(WEB).status_code == 200


def test_bucket_that_does_not_answer(db, client, marketplace, bucket, monkeypatch):
    beat()
    monkeypatch.setattr(HealthCheck, "timeout", timedelta(seconds=0.2))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bucket(f"http://127.0.0.1:{silent.getsockname()[1]}")
        start = time.monotonic()
        assert failing(client) == ["uploads", "exports", "images"]
        assert time.monotonic() - start < 5


def test_health_files_are_left_out_of_backups(tmp_path):
    for name in (f"{HEALTH}/1f", "a/picture.png"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    assert _files_in(tmp_path) == [tmp_path / "a" / "picture.png"]


def test_full_disk(db, client, marketplace, monkeypatch):
    beat()
    # More than any disk has free.
    monkeypatch.setattr(disks, "MIN_FREE", 1 << 70)
    monkeypatch.setattr(disks, "FREE_SHARE", 2)
    assert failing(client) == ["disks"]
    text = client.get(READY).json()["disks"]
    assert "Low disk space for the files" in text
    is_seen = connection.vendor == "sqlite" or disks._database_folder().is_dir()
    assert ("Low disk space for the database" in text) is is_seen


def test_large_database(db, client, marketplace, settings):
    beat()
    settings.DATABASE_DISK_GB = disks.database_bytes() / disks.GIB / 0.95
    assert failing(client) == ["disks"]
    settings.DATABASE_DISK_GB = disks.database_bytes() / disks.GIB / 0.85
    assert client.get(READY).status_code == 200


def test_missing_migration(db, client):
    MigrationRecorder.Migration.objects.filter(app="operations").delete()
    assert failing(client, WEB) == ["migrations"]


def test_host_without_collected_files(db, client, monkeypatch, tmp_path):
    def use_storage() -> HashedModulesStorage:
        storage = HashedModulesStorage(location=tmp_path, base_url="/static/")
        monkeypatch.setattr(health, "staticfiles_storage", storage)
        return storage

    storage = use_storage()
    assert failing(client, WEB) == ["staticfiles"]
    (tmp_path / "page.css").write_text("a { color: red }")
    source = FileSystemStorage(location=tmp_path)
    list(storage.post_process({"page.css": (source, "page.css")}))
    storage = use_storage()
    assert client.get(WEB).status_code == 200
    (tmp_path / storage.stored_name("page.css")).unlink()
    assert failing(client, WEB) == ["staticfiles"]
    assert "collectstatic" in client.get(WEB).json()["staticfiles"]


def test_web_needs_no_worker(db, client):
    response = client.get(WEB)
    assert (response.status_code, set(response.json())) == (
        200,
        {"database", "migrations", "staticfiles"},
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


class PausedProxy:
    """A TCP proxy in front of a server, which can stop passing anything on."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.passes = threading.Event()
        self.passes.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            server = socket.create_connection(self._target)
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with source, suppress(OSError):
            while data := source.recv(65536):
                self.passes.wait()
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@pytest.fixture
def proxy(postgres_url, migrate) -> PausedProxy:
    migrate({"DATABASE_URL": postgres_url})
    parts = urlsplit(postgres_url)
    return PausedProxy(parts.hostname or "127.0.0.1", parts.port or 5432)


@pytest.fixture
def site(embedded_site, postgres_url, proxy, collected, free_port) -> dict[str, str]:
    """Return the environment of a site that connects to PostgreSQL through the proxy."""
    parts = urlsplit(postgres_url)
    user, _, _ = parts.netloc.rpartition("@")
    database = parts._replace(netloc=f"{user}@127.0.0.1:{proxy.port}".lstrip("@")).geturl()
    url = f"http://127.0.0.1:{free_port}"
    return {**embedded_site, "DATABASE_URL": database, "SITE_URL": url, "STATIC_ROOT": collected}


@pytest.mark.system
def test_database_that_does_not_answer(site, proxy, start_process, tmp_path, wait_for):
    url = site["SITE_URL"]
    server = (sys.executable, "-m", "gunicorn", "config.wsgi", "--threads", "4")
    address = url.removeprefix("http://")
    start_process([*server, "--bind", address], env=site, log=tmp_path / "log")
    wait_for(lambda: is_up(url))
    web = f"{url}{WEB}"
    assert requests.get(web, timeout=20).json()["database"] == "OK"
    proxy.passes.clear()
    start = time.monotonic()
    response = requests.get(web, timeout=20)
    assert time.monotonic() - start < 6
    assert response.status_code == 500
    assert "not checked" in response.json()["migrations"]
    proxy.passes.set()
    wait_for(lambda: requests.get(web, timeout=20).status_code == 200)
