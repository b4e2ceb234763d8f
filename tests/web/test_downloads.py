import hashlib
from base64 import b64encode

import pytest
from django.test import RequestFactory

from web.downloads import download

pytestmark = pytest.mark.django_db  # closing a response also closes old connections

BODY = ("Zürich, 東京: " * 12_000).encode()  # more than a chunk, with more bytes than characters
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "wikinews.dev.gold.csv"
    path.write_bytes(BODY)
    return path


@pytest.fixture
def request_file():
    """Return a function that requests a file. Responses are closed at the end, as by a server."""
    responses = []

    def send(path, method="get", *, sha256=SHA, **headers):
        request = getattr(RequestFactory(), method)("/file", headers=headers)
        responses.append(download(request, path.open("rb"), name=path.name, sha256=sha256))
        return responses[-1]

    yield send
    for response in responses:
        response.close()


def test_whole_file_has_its_length_in_bytes_and_its_checksum(request_file, path):
    response = request_file(path)
    assert (response.status_code, response.getvalue()) == (200, BODY)
    headers = response.headers
    assert int(headers["Content-Length"]) == len(BODY) != len(BODY.decode())
    assert headers["ETag"] == f'"{SHA}"'
    assert headers["Accept-Ranges"] == "bytes"
    assert headers["Content-Type"] == "text/csv; charset=utf-8"
    assert headers["Content-Disposition"] == 'attachment; filename="wikinews.dev.gold.csv"'
    digest = b64encode(hashlib.sha256(BODY).digest()).decode()
    assert headers["Repr-Digest"] == f"sha-256=:{digest}:"


def test_compressed_file_is_saved_compressed(request_file, path):
    packed = path.rename(path.with_name("gold.jsonl.gz"))
    assert request_file(packed).headers["Content-Type"] == "application/gzip"


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("get", {}),
        ("head", {}),
        ("get", {"range": f"bytes={len(BODY)}-"}),
        ("get", {"if-none-match": f'"{SHA}"'}),
    ],
)
def test_file_is_closed_with_the_response(path, method, headers):
    file = path.open("rb")
    request = getattr(RequestFactory(), method)("/", headers=headers)
    download(request, file, name="f", sha256=SHA).close()
    assert file.closed


@pytest.mark.parametrize("headers", [{}, {"range": "bytes=10-"}])
def test_head_has_the_length_and_no_content(request_file, path, headers):
    response = request_file(path, "head", **headers)
    assert (response.status_code, response.getvalue()) == (200, b"")
    assert int(response.headers["Content-Length"]) == len(BODY)
    assert "Content-Range" not in response.headers


@pytest.mark.parametrize("start", [1, 100, len(BODY) - 1])
def test_download_is_resumed(request_file, path, start):
    response = request_file(path, range=f"bytes={start}-")
    assert (response.status_code, response.getvalue()) == (206, BODY[start:])
    assert response.headers["Content-Range"] == f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
    assert int(response.headers["Content-Length"]) == len(BODY) - start


@pytest.mark.parametrize("start", [len(BODY), 10**17])
def test_range_beyond_the_end_is_refused_with_the_length(request_file, path, start):
    response = request_file(path, range=f"bytes={start}-")
    assert (response.status_code, response.content) == (416, b"")
    assert response.headers["Content-Range"] == f"bytes */{len(BODY)}"


@pytest.mark.parametrize(
    "value",
    [
        *("bytes=0-", "bytes=0-9", "bytes=-7", "bytes=9-5", "bytes=-", "bytes=a-b", "lines=5-"),
        *("bytes=4-5,7-", "bytes=٣-", "5-", f"bytes={'9' * 5000}-", ""),
    ],
)
def test_any_other_range_gets_the_whole_file(request_file, path, value):
    response = request_file(path, range=value)
    assert (response.status_code, response.getvalue()) == (200, BODY)


def test_changed_file_is_sent_whole_to_a_client_with_the_old_one(request_file, path):
    first = request_file(path)
    other = BODY.replace(b"rich", b"RICH")
    path.write_bytes(other)
    sha = hashlib.sha256(other).hexdigest()
    same = request_file(path, sha256=sha, **{"range": "bytes=9-", "if-range": f'"{sha}"'})
    changed = request_file(
        path, sha256=sha, **{"range": "bytes=9-", "if-range": first.headers["ETag"]}
    )
    assert (same.status_code, same.getvalue()) == (206, other[9:])
    assert (changed.status_code, changed.getvalue()) == (200, other)


@pytest.mark.parametrize("condition", [f'W/"{SHA}"', '"', "yesterday", "", "Mon, 01 Jan 1990"])
def test_other_condition_gets_the_whole_file(request_file, path, condition):
    response = request_file(path, **{"range": "bytes=9-", "if-range": condition})
    assert response.status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"), [({"if-none-match": f'"{SHA}"'}, 304), ({"if-match": '"other"'}, 412)]
)
def test_preconditions_are_respected(request_file, path, headers, status):
    response = request_file(path, **headers, range="bytes=1-")
    assert (response.status_code, response.content) == (status, b"")


def test_empty_file_has_no_range(request_file, tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert request_file(path, range="bytes=1-").status_code == 416
    assert request_file(path).headers["Content-Length"] == "0"
