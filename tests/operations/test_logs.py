"""Log lines in JSON, which carry the request's id into tasks and contain no worker ids or tokens."""

import copy
import io
import json
import logging
import logging.config
import sys
import time
import uuid

import pytest
import requests
from django.core import signing
from django.urls import reverse

from operations.logs import HIDDEN, MAX_CHARACTERS, redact
from tests.operations.manage import is_up, manage
from tests.operations.test_backup_round_trip import IMPORT

WORKER = "A3XMPLWRK7SECRET"
REQUEST_ID = "0b0c5a3e-2f7e-4a53-9d1f-6f2d4d1c8e11"


@pytest.fixture
def lines(settings):
    """Return a function that reads all lines logged during the test, in the site's JSON format."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    configured = logging.config.DictConfigurator(copy.deepcopy(settings.LOGGING))
    handler.setFormatter(configured.configure_formatter(configured.config["formatters"]["json"]))
    handler.addFilter(configured.configure_filter(configured.config["filters"]["request_id"]))
    watched = [logging.getLogger(name) for name in ("", "touchstone", "django")]
    before = [(logger, logger.level, logger.propagate) for logger in watched]
    for logger in watched:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG if logger.name == "root" else logging.INFO)
        logger.propagate = False
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for logger, level, propagate in before:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


def test_request_gets_an_id_that_its_log_line_has(client, db, lines):
    response = client.get("/login/")
    name = response.headers["X-Request-ID"]
    assert uuid.UUID(name)
    [line] = [entry for entry in lines() if entry["logger"] == "touchstone.requests"]
    assert (line["request_id"], line["route"], line["status"]) == (name, "account_login", 200)
    assert line["ms"] >= 0


def test_checks_of_machines_are_not_logged(client, db, without_running_loop, lines):
    for path in ("/health/live", "/health/traffic", "/health/web", "/health/ready", "/metrics"):
        client.get(path)
    assert [entry for entry in lines() if entry["logger"] == "touchstone.requests"] == []


def test_request_keeps_the_id_of_a_proxy(client, db):
    request_id = str(uuid.uuid4())
    response = client.get("/login/", headers={"X-Request-ID": request_id})
    assert response.headers["X-Request-ID"] == request_id


@pytest.mark.parametrize(
    "request_id", ["short", "x" * 65, "two words here", 'line\\nbreak"', WORKER, "<script>alert"]
)
def test_malformed_request_id_is_replaced(client, db, request_id):
    name = client.get("/login/", headers={"X-Request-ID": request_id}).headers["X-Request-ID"]
    assert name != request_id
    assert uuid.UUID(name)


def test_log_lines_contain_no_worker_id_or_token(client, db, lines):
    token = signing.dumps({"worker": WORKER, "assignment": "3AB"})
    query = {"workerId": WORKER, "assignmentId": "3XMPLASSIGNMENT0", "token": token}
    client.get(reverse("annotation:generate", args=[uuid.uuid4()]), query)
    client.get(f"/nowhere/{WORKER}/{token}/", query)
    client.post(reverse("annotation:draft"), json.dumps(query), content_type="application/json")
    client.post("/login/", {"login": "kim", "password": "a-password-of-kims"})
    client.get(reverse("qualification:feedback", args=[token]))
    entries = lines()
    assert len([entry for entry in entries if entry["logger"] == "touchstone.requests"]) == 5
    assert [entry for entry in entries if entry["logger"] == "django.request"]  # the 404 responses
    text = json.dumps(entries)
    for secret in (WORKER, token, token.split(":")[-1], "3XMPLASSIGNMENT0", "a-password-of-kims"):
        assert secret not in text


def test_traceback_is_inside_the_line_and_scrubbed(lines):
    try:
        raise ValueError(f"no assignment of {WORKER}")
    except ValueError:
        logging.getLogger("touchstone.x").exception("It failed for %s", WORKER)
    [line] = lines()
    assert "Traceback" in line["traceback"]
    assert WORKER not in json.dumps(line)


def test_foreign_host_is_a_warning_of_one_line(client, lines):
    assert client.get("/login/", headers={"Host": "evil.example"}).status_code == 400
    [line] = [entry for entry in lines() if entry["logger"] == "django.security.DisallowedHost"]
    assert line["level"] == "WARNING"
    assert "evil.example" in line["message"]
    assert "traceback" not in line


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"GET /generate/?workerId={WORKER}&x=1 done", f"GET /generate/?{HIDDEN} done"),
        (f"worker {WORKER} left", f"worker {HIDDEN} left"),
        ("Authorization: Bearer abcdef0123", f"Authorization: Bearer {HIDDEN}"),
        ("password='hunter2'", f"password={HIDDEN}"),
        ("redis://:pw@host", "redis://:[hidden]@host"),
        ("postgres://me:pw@host/x", "postgres://me:[hidden]@host/x"),
        ("crowd.tasks.sync_due_hits: success in 12.5 ms", None),
        ("12 HITs of wikinews-dev, $14.40", None),
        ("GET dashboard:project 200 in 12.1 ms", None),
        ("2026-11-21T12:00:00+00:00", None),
    ],
)
def test_redaction(text, redacted):
    assert redact(text) == (redacted or text)


@pytest.mark.parametrize(
    "part",
    [
        *(
            "a",
            "a.b",
            "a-",
            "?",
            "a:",
            "key ",
            "bearer  ",
            "://a",
            "://a:",
            "A3",
            "a1-",
            "=",
            ":",
            "\n",
        ),
        *(
            "?a=",
            "?a=b ",
            "abcdef:",
            "a1b2c-:",
            "token",
            "secret='",
            "key=&",
            "a.b=",
            "Basic a",
            "://:@",
        ),
    ],
)
def test_long_record_is_cut_and_redacted_quickly(part):
    start = time.perf_counter()
    # "?a=b " becomes "?[hidden] ", and a note states that the record was cut.
    assert len(redact(part * 2**16)) < 2 * MAX_CHARACTERS + 100
    assert time.perf_counter() - start < 1


def test_objects_attached_to_a_record_are_not_logged(lines, rf):
    request = rf.get(f"/nowhere/{WORKER}/")
    extra = {"request": request, "data": {"args": WORKER}, "note": WORKER}
    logging.getLogger("touchstone.x").info("Done", extra=extra)
    [line] = lines()
    assert {"request", "data"}.isdisjoint(line)
    assert line["note"] == HIDDEN


@pytest.fixture
def site(either_site, free_port, migrate, collected):
    url = f"http://127.0.0.1:{free_port}"
    env = {**either_site, "SITE_URL": url, "LOG_FORMAT": "json"}
    migrate(env)
    manage(env, "shell", "-v0", "-c", IMPORT + SUPERUSER)
    return env


@pytest.mark.system
@pytest.mark.parametrize(
    "either_site", ["servers", pytest.param("embedded", marks=pytest.mark.long)], indirect=True
)
def test_task_has_the_id_of_its_request(site, start_process, tmp_path, wait_for):
    env, url = site, site["SITE_URL"]
    web, worker = tmp_path / "web.log", tmp_path / "worker.log"
    gunicorn = [sys.executable, "-m", "gunicorn", "config.wsgi"]
    start_process([*gunicorn, "--bind", url.removeprefix("http://")], env=env, log=web)
    celery = [sys.executable, "-m", "celery", "-A", "config", "worker", "--concurrency", "1"]
    start_process([*celery, "--loglevel", "INFO"], env=env, log=worker)

    wait_for(lambda: is_up(url))
    session = requests.Session()
    session.get(f"{url}/login/", timeout=20)
    token = {"csrfmiddlewaretoken": session.cookies["csrftoken"]}
    form = {"login": "rita", "password": "a long enough password"}
    assert session.post(f"{url}/login/", {**form, **token}, timeout=20).url == f"{url}/"
    export = {"fmt": "qasrl-csv", "source": "expert"}
    token = {"csrfmiddlewaretoken": session.cookies["csrftoken"]}
    answer = session.post(
        f"{url}/projects/demo/exports/new/",
        {**export, **token},
        headers={"X-Request-ID": REQUEST_ID},
        timeout=20,
    )
    assert answer.ok

    def lines_of_task() -> list[dict]:
        entries = [
            json.loads(entry) for entry in worker.read_text().splitlines() if entry[:1] == "{"
        ]
        return [entry for entry in entries if entry.get("request_id") == REQUEST_ID]

    wait_for(lambda: any(entry["logger"] == "touchstone.tasks" for entry in lines_of_task()))
    [line] = [entry for entry in lines_of_task() if entry["logger"] == "touchstone.tasks"]
    assert line["task"] == "jobs.tasks.run_jobs"
    assert line["task_id"] != line["request_id"]


SUPERUSER = """
from django.contrib.auth import get_user_model
get_user_model().objects.create_superuser("rita", password="a long enough password")
"""
