"""Metrics for a monitor: access, content, and aggregation over processes."""

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
from operations.task_records import count_run
from tests import environment
from tests.crowd.factories import make_hits, make_live_hit
from tests.operations.manage import is_up

TOKEN = "a-token-of-enough-letters"


@pytest.fixture
def read(db, client, settings):
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
def test_strangers_find_nothing_there(db, client, settings, header):
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics", headers={"Authorization": header}).status_code == 404


def test_without_token_and_network_nobody_reads(db, client):
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_network_that_may_read(db, client, settings):
    settings.METRICS_NETWORKS = [ip_network("10.1.0.0/16")]
    assert client.get("/metrics", REMOTE_ADDR="10.1.2.3").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="10.2.2.3").status_code == 404
    # A stranger behind the trusted proxy claims an address inside.
    settings.TRUSTED_PROXIES = [ip_network("10.1.0.0/16")]
    forged = {"REMOTE_ADDR": "10.1.0.2", "HTTP_X_FORWARDED_FOR": "10.1.2.3, 203.0.113.7"}
    assert client.get("/metrics", **forged).status_code == 404


def test_figures_of_hits_payments_and_waiting(read):
    make_live_hit()
    first, _ = make_hits(2)
    first.prepared_at = timezone.now() - timedelta(seconds=500)
    first.save()
    figures = read()
    assert figures['touchstone_hits{state="live"}'] == 1
    assert figures['touchstone_hits{state="pending"}'] == 2
    assert figures['touchstone_payments{state="failed"}'] == 0
    assert figures["touchstone_publishing_held"] == 0
    assert figures['touchstone_queue_age_seconds{queue="payments"}'] == 0
    assert figures['touchstone_queue_age_seconds{queue="hits"}'] >= 500


def test_hold_and_tasks_are_figures(read):
    hold_publishing(reason="Restored.", actor="restore", now=timezone.now())
    for seconds in (1.5, 2.5):
        count_run(task="crowd.tasks.sync_due_hits", outcome="success", seconds=seconds)
    figures = read()
    labels = '{outcome="success",task="crowd.tasks.sync_due_hits"}'
    assert figures["touchstone_publishing_held"] == 1
    assert figures[f"touchstone_tasks_total{labels}"] == 2
    assert figures[f"touchstone_task_seconds_total{labels}"] == 4


def test_requests_are_counted_by_route_and_never_by_address(read, client):
    labels = '{method="GET",route="dashboard:project",status="302"}'
    name = f"touchstone_http_request_seconds_count{labels}"
    before = read().get(name, 0)
    client.get("/projects/secret-slug/")
    client.get("/no/such/page/ASECRETWORKER1/")
    figures = read()
    assert figures[name] == before + 1
    assert not [one for one in figures if "secret-slug" in one or "ASECRET" in one]


def test_queries_do_not_grow_with_the_rows(read):
    make_hits(1)
    with CaptureQueriesContext(connection) as few:
        read()
    make_hits(30)
    with CaptureQueriesContext(connection) as many:
        read()
    assert len(few) == len(many) <= 10


@pytest.fixture
def site(embedded_site, free_port, migrate, collected):
    url = f"http://127.0.0.1:{free_port}"
    env = {**embedded_site, "SITE_URL": url, "METRICS_TOKEN": TOKEN, "WEB_CONCURRENCY": "3"}
    migrate(env)
    return env


@pytest.mark.system
def test_processes_of_gunicorn_are_added_up(site, start_process, tmp_path, wait_for):
    url = site["SITE_URL"]
    gunicorn = [*(sys.executable, "-m", "gunicorn", "config.wsgi"), "--threads", "1"]
    start_process(
        [*gunicorn, "--config", "deploy/gunicorn_conf.py", "--bind", url.removeprefix("http://")],
        env={**site, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "counters")},
        log=tmp_path / "log",
    )
    wait_for(lambda: is_up(url))
    sent = 0

    def several_processes_have_counted() -> bool:
        nonlocal sent
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda _: requests.get(f"{url}/login/", timeout=20), range(60)))
        sent += 60
        counters = [path.name for path in (tmp_path / "counters").rglob("*.db")]
        return len({re.search(r"_(\d+)\.db", name)[1] for name in counters}) > 1

    wait_for(several_processes_have_counted)  # processes that start late would count nothing
    response = requests.get(
        f"{url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=20
    )
    labels = '{method="GET",route="account_login",status="200"}'
    assert parsed(response.text)[f"touchstone_http_request_seconds_count{labels}"] == sent


def test_gunicorn_settles_the_counters_before_anything_reads_them():
    program = (
        "import sys, runpy; runpy.run_path('deploy/gunicorn_conf.py'); "
        "assert 'prometheus_client' not in sys.modules"
    )
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": os.environ["VAR_DIR"] + "/counters"}
    subprocess.run([sys.executable, "-c", program], cwd=environment.ROOT, env=env, check=True)
