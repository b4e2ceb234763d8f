"""Addresses, tokens, repeats and errors of the client, over HTTP."""

import socket
import threading
import time
import traceback

import pytest
from django.urls import reverse

from projects.models import Project
from tests.environment import find_free_port
from touchstone_client import (
    ApiError,
    ConnectionFailedError,
    DownloadError,
    NotFoundError,
    RateLimitedError,
    Touchstone,
    TouchstoneError,
)

NEW = {"slug": "mine", "title": "Mine", "scheme": "qasrl"}


@pytest.mark.parametrize(
    "url",
    [
        "touchstone.example",
        "ftp://touchstone.example",
        "http://touchstone.example",
        "http://localhost.example",
        "https://touchstone.example/projects/",
        "https://ada:secret@touchstone.example",
    ],
)
def test_addresses_that_are_refused(url):
    with pytest.raises(ValueError, match="Use") as refused:
        Touchstone(url, "ts_token")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "allow_http"),
    [
        ("https://touchstone.example/", False),
        ("http://localhost:8000", False),
        ("http://127.0.0.1", False),
        ("http://[::1]:8000", False),
        ("http://touchstone.example", True),
    ],
)
def test_addresses_that_are_accepted(url, allow_http):
    site = Touchstone(url, "ts_token", allow_http=allow_http)
    assert repr(site.project("demo")) == f"Touchstone({url.rstrip('/')!r}).project('demo')"


@pytest.mark.parametrize("token", ["", "ts_secret\n", "ts_secret second", "ts_secrét"])
def test_malformed_token_is_not_quoted(token):
    with pytest.raises(ValueError, match="no token has") as refused:
        Touchstone("https://touchstone.example", token)
    assert "secr" not in str(refused.value)


def test_token_is_in_no_exception():
    site = Touchstone(f"http://127.0.0.1:{find_free_port()}", "ts_secret")
    with pytest.raises(
        ConnectionFailedError, match=r"^POST /api/v1/projects/: no answer"
    ) as failed:
        site.post("projects/", NEW)
    error: BaseException | None = failed.value
    while error is not None:
        assert "request" not in vars(error) or "Authorization" not in error.request.headers
        assert "ts_secret" not in "".join(traceback.format_exception(error))
        error = error.__cause__ or error.__context__
    assert "ts_secret" not in repr(site)


@pytest.mark.parametrize(
    "url", ["https://elsewhere.example/api/v1/me/", "http://touchstone.example/api/v1/me/"]
)
def test_token_is_not_sent_to_another_address(url):
    site = Touchstone("https://touchstone.example", "ts_token")
    with pytest.raises(TouchstoneError, match="the token is not sent there"):
        site.get(url)


def test_errors_of_the_api(site, campaign, live_server):
    with pytest.raises(NotFoundError, match=r"^GET /api/v1/projects/nothing/: 404 ") as missing:
        site.project("nothing").read()
    assert (missing.value.status, missing.value.code) == (404, "not_found")

    with pytest.raises(ApiError) as invalid:
        site.post("projects/demo/batches/", {"limit": 0, "cap_cent": 5}, key="k")
    assert invalid.value.status == 400
    assert invalid.value.fields == {
        "limit": ["Ensure this value is greater than or equal to 1."],
        "cap_cent": ["Unknown field. Did you mean 'cap_cents'?"],
    }
    assert "cap_cent: Unknown field." in str(invalid.value)

    with Touchstone(live_server.url, "ts_invalid") as other, pytest.raises(ApiError) as refused:
        other.me()
    assert (refused.value.status, refused.value.fields) == (401, {})
    assert "ts_invalid" not in str(refused.value)


def test_page_that_is_not_of_the_api(site):
    with pytest.raises(ApiError, match="not JSON"):
        site.get(reverse("account_login"))
    with pytest.raises(ApiError, match="The address of the site may be another one"):
        site.get(reverse("dashboard:project", args=["demo"]))


def test_agent_is_named(proxy, through_proxy):
    through_proxy.me()
    [request] = proxy.requests
    assert request.headers["user-agent"].startswith("touchstone-client/")


@pytest.mark.parametrize("options", [{"status": 503}, {"status": 502}, {"after": True}])
def test_reads_are_repeated(proxy, through_proxy, options):
    proxy.fail("GET /api/v1/me/", times=2, **options)
    assert through_proxy.me()["username"] == "root"
    assert proxy.lines() == ["GET /api/v1/me/"] * 3


def test_repeats_end(proxy, through_proxy):
    proxy.fail("GET /api/v1/me/", 503, times=100)
    with pytest.raises(ApiError, match="503"):
        through_proxy.me()
    assert len(proxy.requests) == 5


@pytest.mark.parametrize(
    ("options", "error"), [({"status": 503}, ApiError), ({"after": True}, ConnectionFailedError)]
)
def test_writes_without_a_key_are_not_repeated(proxy, through_proxy, options, error):
    proxy.fail("POST /api/v1/projects/", **options)
    with pytest.raises(error):
        through_proxy.post("projects/", NEW)
    assert proxy.lines() == ["POST /api/v1/projects/"]


def test_writes_with_a_key_are_done_once(proxy, through_proxy):
    proxy.fail("POST /api/v1/projects/", times=2, after=True)
    assert through_proxy.create_project(**NEW).slug == "mine"
    keys = [request.headers["idempotency-key"] for request in proxy.requests]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert Project.objects.count() == 1


def test_refusals_are_not_repeated(proxy, through_proxy):
    with pytest.raises(NotFoundError):
        through_proxy.get("projects/nothing/")
    assert len(proxy.requests) == 1


def test_rate_limit_is_waited_for(proxy, through_proxy):
    proxy.fail("POST /api/v1/projects/", 429, headers={"Retry-After": "1"})
    begin = time.monotonic()
    through_proxy.post("projects/", NEW)
    assert time.monotonic() - begin >= 1
    assert proxy.lines() == ["POST /api/v1/projects/"] * 2


def test_long_rate_limit_is_an_error(live_server, token, settings):
    settings.API_READS_PER_MINUTE = 1
    with Touchstone(live_server.url, token, max_wait=0) as site:
        site.me()
        with pytest.raises(RateLimitedError) as limited:
            site.me()
    assert limited.value.retry_after is not None
    assert 0 < limited.value.retry_after <= 60


def test_interrupted_download_leaves_nothing(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_answer_in_part, args=[server], daemon=True).start()
        site = Touchstone(f"http://127.0.0.1:{server.getsockname()[1]}", "ts_token")
        with pytest.raises(DownloadError, match="lost 5 times"):
            site.download("file", tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def _answer_in_part(server: socket.socket) -> None:
    for _ in range(5):
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
