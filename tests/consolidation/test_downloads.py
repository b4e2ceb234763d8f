import hashlib
from base64 import b64encode

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from consolidation.downloads import CHUNK, Unsatisfiable, byte_range, download

pytestmark = pytest.mark.django_db  # closing an answer looks after connections

BODY = ("Zürich, 東京: " * 12_000).encode()  # longer than a chunk, and than its characters
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "wikinews.dev.gold.csv"
    found.write_bytes(BODY)
    return found


@pytest.fixture
def ask():
    """Asks for a file; what is answered is closed in the end, as a server does."""
    answered = []

    def of(path, method="get", *, sha256=SHA, **headers):
        request = getattr(RequestFactory(), method)("/file", headers=headers)
        answered.append(download(request, path.open("rb"), name=path.name, sha256=sha256))
        return answered[-1]

    yield of
    for response in answered:
        response.close()


def test_whole_file_has_its_length_in_bytes_and_its_validators(ask, path):
    response = ask(path)
    assert (response.status_code, response.getvalue()) == (200, BODY)
    told = response.headers
    assert int(told["Content-Length"]) == len(BODY) != len(BODY.decode())
    assert told["ETag"] == f'"{SHA}"'
    assert told["Accept-Ranges"] == "bytes"
    assert told["Content-Type"] == "text/csv; charset=utf-8"
    assert told["Content-Disposition"] == 'attachment; filename="wikinews.dev.gold.csv"'
    digest = b64encode(hashlib.sha256(BODY).digest()).decode()
    assert told["Repr-Digest"] == f"sha-256=:{digest}:"


def test_file_is_streamed_in_chunks_and_closed_with_the_response(path):
    file = path.open("rb")
    response = download(RequestFactory().get("/"), file, name="f")
    assert response.streaming
    assert len(next(iter(response))) == CHUNK
    assert not file.closed
    response.close()
    assert file.closed


@pytest.mark.parametrize("headers", [{}, {"range": "bytes=0-9"}])
def test_head_tells_the_length_and_sends_nothing(ask, path, headers):
    response = ask(path, "head", **headers)
    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["Content-Length"]) == len(BODY)
    assert "Content-Range" not in response.headers


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=100-", (100, len(BODY))),
        ("bytes=100-199", (100, 200)),
        ("BYTES=5-9", (5, 10)),
        ("bytes=-7", (len(BODY) - 7, len(BODY))),
        (f"bytes=-{len(BODY) + 5}", (0, len(BODY))),
        (f"bytes=5-{10**30}", (5, len(BODY))),
    ],
)
def test_one_range_is_sent_alone(ask, path, asked, part):
    response = ask(path, range=asked)
    start, end = part
    assert (response.status_code, response.getvalue()) == (206, BODY[start:end])
    assert response.headers["Content-Range"] == f"bytes {start}-{end - 1}/{len(BODY)}"
    assert int(response.headers["Content-Length"]) == end - start


@pytest.mark.parametrize(
    "asked",
    [f"bytes={len(BODY)}-", f"bytes={'9' * 5000}-", "bytes=-0", f"bytes={len(BODY)}-{10**9}"],
)
def test_range_beyond_the_end_is_refused_with_the_length(ask, path, asked):
    response = ask(path, range=asked)
    assert (response.status_code, response.content) == (416, b"")
    assert response.headers["Content-Range"] == f"bytes */{len(BODY)}"


@pytest.mark.parametrize(
    "asked", ["bytes=9-5", "bytes=-", "bytes=a-b", "lines=0-5", "bytes=0-1,4-5", "bytes=٣-٤", "0-5"]
)
def test_what_is_no_single_range_gets_the_whole_file(ask, path, asked):
    response = ask(path, range=asked)
    assert (response.status_code, response.getvalue()) == (200, BODY)


def test_changed_file_is_sent_whole_to_who_wants_the_rest_of_the_old_one(ask, path):
    first = ask(path)
    other = BODY.replace(b"rich", b"RICH")
    path.write_bytes(other)
    sha = hashlib.sha256(other).hexdigest()
    same = ask(path, sha256=sha, **{"range": "bytes=9-", "if-range": f'"{sha}"'})
    changed = ask(path, sha256=sha, **{"range": "bytes=9-", "if-range": first.headers["ETag"]})
    assert (same.status_code, same.getvalue()) == (206, other[9:])
    assert (changed.status_code, changed.getvalue()) == (200, other)


@pytest.mark.parametrize("condition", [f'W/"{SHA}"', '"', "yesterday", "", "Mon, 01 Jan 1990"])
def test_weak_or_strange_condition_gets_the_whole_file(ask, path, condition):
    response = ask(path, **{"range": "bytes=9-", "if-range": condition})
    assert response.status_code == 200


def test_time_of_the_last_change_is_a_condition_too(ask, path):
    at = ask(path).headers["Last-Modified"]
    assert ask(path, **{"range": "bytes=9-", "if-range": at}).status_code == 206


def test_without_a_checksum_a_change_gives_another_etag(ask, path):
    first = ask(path, sha256="").headers["ETag"]
    assert ask(path, sha256="").headers["ETag"] == first
    path.write_bytes(BODY[:-1])
    assert ask(path, sha256="").headers["ETag"] != first


@pytest.mark.parametrize(
    ("headers", "status"), [({"if-none-match": f'"{SHA}"'}, 304), ({"if-match": '"other"'}, 412)]
)
def test_preconditions_are_kept(ask, path, headers, status):
    response = ask(path, **headers, range="bytes=0-1")
    assert response.status_code == status
    assert response.content == b""


def test_empty_file_has_no_range(ask, tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert ask(path, range="bytes=0-").status_code == 416
    assert ask(path, range="bytes=-5").status_code == 416
    assert ask(path).headers["Content-Length"] == "0"


@given(st.text(max_size=30), st.integers(0, 1000))
def test_any_header_gives_a_range_inside_the_file_or_none(text, size):
    for header in (text, f"bytes={text}"):
        try:
            found = byte_range(header, size=size)
        except Unsatisfiable:
            continue
        assert found is None or 0 <= found[0] < found[1] <= size


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
def test_range_is_what_slicing_gives(first, last, size):
    body = bytes(range(size))
    try:
        found = byte_range(f"bytes={first}-{last}", size=size)
    except Unsatisfiable:
        assert size <= first <= last
        return
    assert (body[found[0] : found[1]] if found else b"") == body[first : last + 1]
