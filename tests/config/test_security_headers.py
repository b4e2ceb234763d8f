"""The security headers of each kind of page, under the settings of an HTTPS site."""

import json

import pytest
from django.urls import reverse

from tests.operations.manage import manage

# The program runs in a separate process, because most headers depend on SITE_URL at startup.
ASK = """
import json
from uuid import UUID
from django.templatetags.static import static
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.domain.publishing.publish import publish_batch
from annotation.models import Task
from schemes.qasrl.scheme import SCHEME
project = create_project(slug="demo", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now())
options = CorpusOptions(fmt="qasrl-csv", items=SCHEME.sample.gold, strict=True)
Import(project=project, options=options).run([SCHEME.sample.sentences])
publish_batch(project=project, now=timezone.now(), limit=1)
root = get_user_model().objects.create_superuser("root", password="a long enough password")
strangers, staff = Client(), Client()
staff.force_login(root)
frame = f"/generate/{Task.objects.get().public_id}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"
pages = {
    "login": (strangers, "/login/"),
    "staff": (staff, "/account/reauthenticate/"),
    "frame": (strangers, frame),
    "marketplace": (strangers, "/hits/login/"),
    "practice": (strangers, "/practice/qasrl/1/"),
    "health": (strangers, "/health/live"),
    "missing": (strangers, "/no/such/page/"),
    "stylesheet": (strangers, static("css/base.css")),
    "missing file": (strangers, "/static/no-such-file.css"),
}
answers = {name: client.get(path, secure=True) for name, (client, path) in pages.items()}
print(json.dumps({name: [answer.status_code, dict(answer.headers)] for name, answer in answers.items()}))
"""
FRAMED = {"frame"}


@pytest.fixture(scope="module")
def answers(tmp_path_factory, migrate, collected) -> dict:
    var = tmp_path_factory.mktemp("var")
    env = {"VAR_DIR": str(var), "PATH": "/usr/bin:/bin"}
    env |= {"SITE_URL": "https://touchstone.example", "SECRET_KEY": "0123456789abcdef" * 4}
    env |= {"ALLOWED_HOSTS": "touchstone.example,testserver"}
    env |= {"STATIC_ROOT": collected}
    migrate(env)
    return json.loads(manage(env, "shell", "-v0", "-c", ASK).splitlines()[-1])


def directives(headers: dict) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in headers["Content-Security-Policy"].split(";"))
    return {name: value for name, _, value in parts if name}


PAGES = ("login", "staff", "frame", "marketplace", "practice", "health", "missing")


@pytest.mark.parametrize("page", PAGES)
def test_page_runs_only_own_scripts_and_styles(answers, page):
    status, headers = answers[page]
    assert status == (404 if page == "missing" else 200)
    policy = directives(headers)
    for unsafe in ("unsafe-inline", "unsafe-eval", "unsafe-hashes", " *", "http:", " https: "):
        assert unsafe not in headers["Content-Security-Policy"]
    assert policy["default-src"].split()[0] == "'self'"
    assert policy["base-uri"] == "'none'"


@pytest.mark.parametrize("page", PAGES)
def test_page_can_be_framed_only_by_the_marketplace(answers, page):
    headers = answers[page][1]
    if page in FRAMED:
        assert directives(headers)["frame-ancestors"] == "https://touchstone.example"
        assert "X-Frame-Options" not in headers
    else:
        assert directives(headers)["frame-ancestors"] == "'none'"
        assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("page", PAGES)
def test_page_has_the_other_headers(answers, page):
    headers = answers[page][1]
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["X-Request-ID"]


def test_static_file_has_only_the_headers_that_files_need(answers):
    status, headers = answers["stylesheet"]
    assert status == 200
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Strict-Transport-Security"]
    assert "immutable" in headers["Cache-Control"]
    of_pages = {"Permissions-Policy", "Cross-Origin-Opener-Policy", "X-Request-ID"}
    of_pages |= {"Referrer-Policy", "Content-Security-Policy", "X-Frame-Options", "Set-Cookie"}
    assert of_pages.isdisjoint(headers)


def test_missing_static_file_has_the_headers_of_pages(answers):
    status, headers = answers["missing file"]
    assert status == 404
    assert headers["Permissions-Policy"]
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("page", PAGES)
def test_page_is_not_cached(answers, page):
    stored = answers[page][1]["Cache-Control"].replace(" ", "").split(",")
    assert "no-store" in stored


def test_worker_pages_set_no_cookie_and_do_not_vary_by_cookie(answers):
    headers = answers["frame"][1]
    assert "Set-Cookie" not in headers
    assert "Cookie" not in headers.get("Vary", "")


def test_body_beyond_the_limit_is_refused(client, db, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = client.post(reverse("annotation:draft"), "x" * 1001, content_type="application/json")
    assert answer.status_code in (400, 413)
    fields = {f"field{number}": "" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 2**20
    assert client.post("/login/", fields).status_code == 400
