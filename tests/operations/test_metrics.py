"""Metrics for a monitoring system: access, content, and aggregation over processes."""

import os
import re
import shutil
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
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from crowd.domain.provider.hold_publishing import hold_publishing
from crowd.models import Budget, Mail, Message, ProviderAccount
from jobs.models import SweepFailure
from marketplace.models import Notification, Requester
from operations.domain import heartbeat
from operations.domain.scheduled_backups import record_success
from operations.enums import BackupKind
from operations.models import Alert
from operations.task_records import count_run
from tests import environment
from tests.crowd.factories import make_hits, make_live_hit, make_worker
from tests.jobs.factories import make_import
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
    assert len(few) == len(many) <= 35


def test_metrics_of_money(read_metrics):
    Budget.objects.create(key="birds", cap_cents=5000, reserved_cents=1200, spent_cents=800)
    Budget.objects.create(key="fish", reserved_cents=7)
    ProviderAccount.objects.create(provider="mturk", balance_cents=123)
    figures = read_metrics()
    name = "touchstone_money_cents"
    assert figures[f'{name}{{kind="reserved",project="birds"}}'] == 1200
    assert figures[f'{name}{{kind="paid",project="birds"}}'] == 800
    assert figures[f'{name}{{kind="left",project="birds"}}'] == 3000
    assert figures[f'{name}{{kind="reserved",project="fish"}}'] == 7
    assert f'{name}{{kind="left",project="fish"}}' not in figures
    assert figures['touchstone_balance_cents{provider="mturk"}'] == 123


def test_metrics_of_queues_and_tasks(read_metrics):
    now = timezone.now()
    heartbeat.start(queue="outside", now=now - timedelta(hours=1))
    count_run(task="crowd.tasks.send_mail", outcome="failure", seconds=1)
    figures = read_metrics()
    beat = figures['touchstone_heartbeat_timestamp_seconds{queue="outside"}']
    assert now.timestamp() - beat == pytest.approx(3600)
    last = (
        'touchstone_task_last_run_timestamp_seconds{outcome="failure",task="crowd.tasks.send_mail"}'
    )
    assert figures[last] == pytest.approx(now.timestamp(), abs=60)
    assert figures['touchstone_messages{queue="jobs"}'] >= 0
    assert figures['touchstone_message_age_seconds{queue="jobs"}'] >= 0
    assert figures["touchstone_missing_metrics"] == 0


@pytest.mark.failing_rows
def test_metrics_of_failures_jobs_and_outboxes(read_metrics, project):
    now = timezone.now()
    row = {"sweep": "record", "model": "crowd.Hit", "error": "", "retry_at": now}
    first = now - timedelta(minutes=30)
    SweepFailure.objects.create(object_id=1, first_failed_at=first, **row)
    SweepFailure.objects.create(object_id=2, first_failed_at=now, set_aside_at=now, **row)
    job = make_import(project)
    job.requested_at = first
    job.save()
    message = Message.objects.create(worker=make_worker(), written_at=now, state="failed")
    Mail.objects.create(message=message, state="uncertain")
    Alert.objects.create(key="disk", text="Low.", since=now, found_at=now, opened_at=now)
    Alert.objects.create(key="redis", text="Found by one check.", since=now, found_at=now)
    figures = read_metrics()
    assert figures['touchstone_failing_rows{sweep="record"}'] == 1
    assert figures['touchstone_rows_set_aside{sweep="record"}'] == 1
    assert figures['touchstone_failing_row_age_seconds{sweep="record"}'] >= 1800
    assert figures['touchstone_jobs{kind="import",state="queued"}'] == 1
    assert figures["touchstone_job_queue_age_seconds"] >= 1800
    assert figures['touchstone_outbox{kind="message",state="failed"}'] == 1
    assert figures['touchstone_outbox{kind="mail",state="uncertain"}'] == 1
    assert figures['touchstone_outbox{kind="grant",state="failed"}'] == 0
    alerts = {key: value for key, value in figures.items() if key.startswith("touchstone_alert{")}
    assert alerts == {'touchstone_alert{alert="disk"}': 1}


def test_metrics_of_disks_and_the_database(read_metrics, settings):
    figures = read_metrics()
    usage = shutil.disk_usage(settings.VAR_DIR)
    assert figures['touchstone_disk_bytes{disk="files"}'] == usage.total
    assert 0 < figures['touchstone_disk_free_bytes{disk="files"}'] <= usage.total
    assert figures["touchstone_database_bytes"] > 100_000


def test_metrics_of_the_marketplace(read_metrics):
    now = timezone.now()
    requester = Requester.objects.create(name="Lab", balance_cents=500, held_cents=20)
    fields = {"requester": requester, "transport": "webhook", "event": {}, "due_at": now}
    for number, given_up_at in enumerate([None, now, now]):
        Notification.objects.create(
            doc_id=str(number),
            created_at=now - timedelta(minutes=number + 5),
            given_up_at=given_up_at,
            **fields,
        )
    figures = read_metrics()
    assert figures['touchstone_marketplace_notifications{state="due"}'] == 1
    assert figures['touchstone_marketplace_notifications{state="given_up"}'] == 2
    assert 300 <= figures["touchstone_marketplace_notification_age_seconds"] < 360
    assert figures['touchstone_marketplace_money_cents{kind="balance"}'] == 500
    assert figures['touchstone_marketplace_money_cents{kind="held"}'] == 20


def test_source_that_fails_is_left_out(read_metrics, settings, free_port):
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port}/0"
    figures = read_metrics()
    assert figures["touchstone_missing_metrics"] == 1
    assert 'touchstone_messages{queue="jobs"}' not in figures
    assert figures['touchstone_worker_stopped{queue="jobs"}'] == 1  # Prometheus' only sign of it
    assert "touchstone_database_bytes" in figures


def test_files_of_ended_processes_are_merged(tmp_path):
    """A year of restarted processes must not slow down the scrape."""
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    env.pop("PYTEST_CURRENT_TEST", None)
    process = subprocess.run(
        [sys.executable, "-c", YEAR_OF_PROCESSES],
        cwd=environment.ROOT,
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    count, seconds = process.stdout.split()
    assert float(count) == 2 * PROCESSES * ROUTES
    assert float(seconds) < 0.2
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["histogram_ended.db"]


PROCESSES, ROUTES = 1000, 40
YEAR_OF_PROCESSES = f"""
import os, shutil, time
from pathlib import Path
from prometheus_client import Histogram, values
from operations.process_metrics import merge_ended, process_metrics
histogram = Histogram("seconds", "", ["route"], buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 1, 5, 10))
for number in range({ROUTES}):
    for _ in range(2):
        histogram.labels(f"route {{number}}").observe(0.02)
folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
own = folder / f"histogram_{{os.getpid()}}.db"
for pid in range({PROCESSES}):
    shutil.copy(own, folder / f"histogram_{{10_000_000 + pid}}.db")
    merge_ended(10_000_000 + pid)
own.unlink()
start = time.process_time()
lines = process_metrics().decode().splitlines()
seconds = time.process_time() - start
print(sum(float(line.split()[-1]) for line in lines if line.startswith("seconds_count")), seconds)
"""


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
    assert count_logins(url) == request_count


def count_logins(url: str) -> float:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    response = requests.get(f"{url}/metrics", headers=headers, timeout=20)
    labels = '{method="GET",route="account_login",status="200"}'
    return parsed(response.text)[f"touchstone_http_request_seconds_count{labels}"]


@pytest.mark.system
def test_counters_of_ended_processes_are_kept_without_their_files(
    site, start_process, tmp_path, wait_for
):
    url, counters = site["SITE_URL"], tmp_path / "counters"
    gunicorn = [*(sys.executable, "-m", "gunicorn", "config.wsgi"), "--threads", "2"]
    limits = ["--max-requests", "40", "--max-requests-jitter", "0"]
    address = url.removeprefix("http://")
    start_process(
        [*gunicorn, *limits, "--config", "deploy/gunicorn_conf.py", "--bind", address],
        env={**site, "PROMETHEUS_MULTIPROC_DIR": str(counters), "WEB_CONCURRENCY": "1"},
        log=tmp_path / "log",
    )
    wait_for(lambda: is_up(url))
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=Retry(connect=20, backoff_factor=0.2)))
    pids = set()
    for _ in range(90):
        assert session.get(f"{url}/login/", timeout=30, headers={"Connection": "close"}).ok
        names = [path.name for path in counters.rglob("histogram_*.db")]
        pids |= {name for name in names if "ended" not in name}
    assert len(pids) >= 3
    wait_for(lambda: len(list(counters.rglob("histogram_*.db"))) <= 2)
    assert count_logins(url) == 90


def test_gunicorn_sets_the_counter_folder_before_prometheus_is_imported():
    program = (
        "import sys, runpy; runpy.run_path('deploy/gunicorn_conf.py'); "
        "assert 'prometheus_client' not in sys.modules"
    )
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": os.environ["VAR_DIR"] + "/counters"}
    subprocess.run([sys.executable, "-c", program], cwd=environment.ROOT, env=env, check=True)
