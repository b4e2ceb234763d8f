"""Metrics for a monitoring system: access, content, and aggregation over processes."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from ipaddress import ip_network

import pytest
import requests
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.domain.hold_publishing import hold_publishing
from operations.domain.scheduled_backups import record_success
from operations.enums import BackupKind
from operations.task_records import count_run
from tests import environment
from tests.crowd.factories import make_hits, make_live_hit
from tests.operations.manage import is_up

TOKEN = "a-token-of-enough-letters"


@pytest.fixture
def read_metrics(db, client, settings):
    settings.METRICS_TOKEN = TOKEN

    def figures() -> dict[str, float]:
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        return parsed(response.content.decode())

    return figures


def parsed(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


@pytest.mark.parametrize("header", ["", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer "])
def test_metrics_without_a_valid_token_are_not_found(db, client, settings, header):
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics", headers={"Authorization": header}).status_code == 404


def test_metrics_without_token_and_network_are_not_found(db, client):
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_metrics_are_readable_from_allowed_networks(db, client, settings):
    settings.METRICS_NETWORKS = [ip_network("10.1.0.0/16")]
    assert client.get("/metrics", REMOTE_ADDR="10.1.2.3").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="10.2.2.3").status_code == 404
    # A client behind the trusted proxy claims an internal address.
    settings.TRUSTED_PROXIES = [ip_network("10.1.0.0/16")]
    forged = {"REMOTE_ADDR": "10.1.0.2", "HTTP_X_FORWARDED_FOR": "10.1.2.3, 203.0.113.7"}
    assert client.get("/metrics", **forged).status_code == 404


def test_metrics_of_hits_payments_and_queues(read_metrics):
    make_live_hit()
    first, _ = make_hits(2)
    first.prepared_at = timezone.now() - timedelta(seconds=500)
    first.save()
    figures = read_metrics()
    assert figures['touchstone_hits{state="live"}'] == 1
    assert figures['touchstone_hits{state="pending"}'] == 2
    assert figures['touchstone_payments{state="failed"}'] == 0
    assert figures["touchstone_publishing_held"] == 0
    assert figures['touchstone_queue_age_seconds{queue="payments"}'] == 0
    assert figures['touchstone_queue_age_seconds{queue="hits"}'] >= 500


def test_metrics_of_hold_and_tasks(read_metrics):
    hold_publishing(reason="Restored.", actor="restore", now=timezone.now())
    for seconds in (1.5, 2.5):
        count_run(task="crowd.tasks.sync_due_hits", outcome="success", seconds=seconds)
    figures = read_metrics()
    labels = '{outcome="success",task="crowd.tasks.sync_due_hits"}'
    assert figures["touchstone_publishing_held"] == 1
    assert figures[f"touchstone_tasks_total{labels}"] == 2
    assert figures[f"touchstone_task_seconds_total{labels}"] == 4


def test_age_of_the_last_backup(read_metrics):
    name = 'touchstone_backup_age_seconds{kind="backup"}'
    assert name not in read_metrics()
    record_success(BackupKind.BACKUP, now=timezone.now() - timedelta(hours=2))
    assert read_metrics()[name] == pytest.approx(7200, abs=60)


def test_requests_are_counted_by_route_and_not_by_address(read_metrics, client):
    labels = '{method="GET",route="dashboard:project",status="302"}'
    name = f"touchstone_http_request_seconds_count{labels}"
    before = read_metrics().get(name, 0)
    client.get("/projects/secret-slug/")
    client.get("/no/such/page/ASECRETWORKER1/")
    figures = read_metrics()
    assert figures[name] == before + 1
    assert not [label for label in figures if "secret-slug" in label or "ASECRET" in label]


def test_number_of_queries_does_not_grow_with_the_rows(read_metrics):
    make_hits(1)
    with CaptureQueriesContext(connection) as few:
        read_metrics()
    make_hits(30)
    with CaptureQueriesContext(connection) as many:
        read_metrics()
    assert len(few) == len(many) <= 10


@pytest.fixture
def site(embedded_site, free_port, migrate, collected):
    url = f"http://127.0.0.1:{free_port}"
    env = {**embedded_site, "SITE_URL": url, "METRICS_TOKEN": TOKEN, "WEB_CONCURRENCY": "3"}
    migrate(env)
    return env


@pytest.mark.system
def test_counters_of_gunicorn_processes_are_summed(site, start_process, tmp_path, wait_for):
    url = site["SITE_URL"]
    gunicorn = [*(sys.executable, "-m", "gunicorn", "config.wsgi"), "--threads", "1"]
    start_process(
        [*gunicorn, "--config", "deploy/gunicorn_conf.py", "--bind", url.removeprefix("http://")],
        env={**site, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "counters")},
        log=tmp_path / "log",
    )
    wait_for(lambda: is_up(url))
    request_count = 0

    def several_processes_have_counted() -> bool:
        nonlocal request_count
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda _: requests.get(f"{url}/login/", timeout=20), range(60)))
        request_count += 60
        counters = [path.name for path in (tmp_path / "counters").rglob("*.db")]
        return len({re.search(r"_(\d+)\.db", name)[1] for name in counters}) > 1

    wait_for(several_processes_have_counted)  # processes that start late would count nothing
    response = requests.get(
        f"{url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=20
    )
    labels = '{method="GET",route="account_login",status="200"}'
    assert parsed(response.text)[f"touchstone_http_request_seconds_count{labels}"] == request_count


def test_gunicorn_sets_the_counter_folder_before_prometheus_is_imported():
    program = (
        "import sys, runpy; runpy.run_path('deploy/gunicorn_conf.py'); "
        "assert 'prometheus_client' not in sys.modules"
    )
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": os.environ["VAR_DIR"] + "/counters"}
    subprocess.run([sys.executable, "-c", program], cwd=environment.ROOT, env=env, check=True)
