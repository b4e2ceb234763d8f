"""Log lines: JSON, with the request's id through to the tasks it starts, without workers and tokens."""

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
    """Everything that is logged during the test, as JSON lines of the site's own configuration."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    configured = logging.config.DictConfigurator(copy.deepcopy(settings.LOGGING))
    handler.setFormatter(configured.configure_formatter(configured.config["formatters"]["json"]))
    handler.addFilter(configured.configure_filter(configured.config["filters"]["request_id"]))
    watched = [logging.getLogger(name) for name in ("", "touchstone", "django")]
    before = [(one, one.level, one.propagate) for one in watched]
    for one in watched:
        one.addHandler(handler)
        one.setLevel(logging.DEBUG if one.name == "root" else logging.INFO)
        one.propagate = False
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for one, level, propagate in before:
        one.removeHandler(handler)
        one.setLevel(level)
        one.propagate = propagate


def test_request_gets_an_id_and_its_line_has_it(client, db, lines):
    response = client.get("/login/")
    name = response.headers["X-Request-ID"]
    assert uuid.UUID(name)
    [line] = [one for one in lines() if one["logger"] == "touchstone.requests"]
    assert (line["request_id"], line["route"], line["status"]) == (name, "account_login", 200)
    assert line["ms"] >= 0


def test_request_keeps_the_id_that_a_proxy_gave(client, db):
    given = str(uuid.uuid4())
    response = client.get("/login/", headers={"X-Request-ID": given})
    assert response.headers["X-Request-ID"] == given


@pytest.mark.parametrize(
    "given", ["short", "x" * 65, "two words here", 'line\\nbreak"', WORKER, "<script>alert"]
)
def test_request_id_of_another_form_is_replaced(client, db, given):
    name = client.get("/login/", headers={"X-Request-ID": given}).headers["X-Request-ID"]
    assert name != given
    assert uuid.UUID(name)


def test_no_line_names_a_worker_or_holds_a_token(client, db, lines):
    token = signing.dumps({"worker": WORKER, "assignment": "3AB"})
    query = {"workerId": WORKER, "assignmentId": "3XMPLASSIGNMENT0", "token": token}
    client.get(reverse("annotation:generate", args=[uuid.uuid4()]), query)
    client.get(f"/nowhere/{WORKER}/{token}/", query)
    client.post(reverse("annotation:draft"), json.dumps(query), content_type="application/json")
    client.post("/login/", {"login": "kim", "password": "a-password-of-kims"})
    client.get(reverse("qualification:feedback", args=[token]))
    told = lines()
    assert len([one for one in told if one["logger"] == "touchstone.requests"]) == 5
    assert [one for one in told if one["logger"] == "django.request"]  # the 404s
    text = json.dumps(told)
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


@pytest.mark.parametrize(
    ("text", "left"),
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
def test_what_is_hidden_and_what_is_not(text, left):
    assert redact(text) == (left or text)


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
def test_long_record_is_cut_and_redacted_in_little_time(part):
    start = time.perf_counter()
    # "?a=b " becomes "?[hidden] ", and a sentence says that the record was cut.
    assert len(redact(part * 2**16)) < 2 * MAX_CHARACTERS + 100
    assert time.perf_counter() - start < 1


def test_objects_attached_to_a_record_are_not_written(lines, rf):
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
def test_task_has_the_id_of_the_request_that_asked_for_it(site, start_process, tmp_path, wait_for):
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

    def of_the_task() -> list[dict]:
        found = [json.loads(one) for one in worker.read_text().splitlines() if one[:1] == "{"]
        return [one for one in found if one.get("request_id") == REQUEST_ID]

    wait_for(lambda: any(one["logger"] == "touchstone.tasks" for one in of_the_task()))
    [line] = [one for one in of_the_task() if one["logger"] == "touchstone.tasks"]
    assert line["task"] == "jobs.tasks.run_jobs"
    assert line["task_id"] != line["request_id"]


SUPERUSER = """
from django.contrib.auth import get_user_model
get_user_model().objects.create_superuser("rita", password="a long enough password")
"""
