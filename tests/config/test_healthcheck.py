"""The container health checks, working and failing."""

import http.server
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy import healthcheck


@contextmanager
def site_answering(status: int, headers: list[str | None]) -> Iterator[None]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            headers.extend([self.headers["Host"], self.headers["X-Forwarded-Proto"]])
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(healthcheck, "PORT", server.server_port)
            yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "healthy"), [(200, True), (302, False), (404, False), (503, False)]
)
def test_web_status(monkeypatch, status, healthy):
    monkeypatch.setenv("SITE_URL", "https://touchstone.example")
    headers: list[str | None] = []
    with site_answering(status, headers):
        assert healthcheck.web() is healthy
    assert headers == ["touchstone.example", "https"]


def test_web_without_a_listener(monkeypatch, free_port):
    monkeypatch.setattr(healthcheck, "PORT", free_port)
    assert not healthcheck.web()


def test_beat_schedule_age(monkeypatch, tmp_path):
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    assert not healthcheck.beat()
    schedule = tmp_path / "celerybeat-schedule.db"
    schedule.touch()
    assert healthcheck.beat()
    old = time.time() - healthcheck.BEAT_SILENCE_SECONDS - 1
    os.utime(schedule, (old, old))
    assert not healthcheck.beat()


@pytest.fixture
def migrated_site(server_site, migrate) -> dict[str, str]:
    migrate(server_site)
    return server_site


@pytest.mark.system
def test_worker_ping_over_the_broker(monkeypatch, migrated_site, start_process, tmp_path, wait_for):
    for name, value in migrated_site.items():
        monkeypatch.setenv(name, value)
    assert not healthcheck.worker()
    start_process(
        [*healthcheck.CELERY, "worker", "--concurrency", "1", "--loglevel", "INFO"],
        env=migrated_site,
        log=tmp_path / "log",
    )
    wait_for(lambda: "ready." in (tmp_path / "log").read_text())
    assert healthcheck.worker()
