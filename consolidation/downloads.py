"""A file as a download that can be resumed: ranges, validators and lengths after RFC 9110.

For pages and the API alike: `download` is all that they need.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from mimetypes import guess_type
from os import fstat
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, http_date

CHUNK = 1 << 16
_RANGE = re.compile(r"bytes=[ \t]*(\d*)-(\d*)[ \t]*", re.ASCII | re.IGNORECASE)
# Python would refuse to read a number of thousands of digits; no file needs twenty.
_LONGEST = 19


class Unsatisfiable(Exception):
    """The range begins where the file has ended."""


def download(
    request: HttpRequest, file: BinaryIO, *, name: str, sha256: str = ""
) -> HttpResponseBase:
    """The answer to a GET or HEAD of `file`, open for reading in binary, saved there as `name`.

    200 with the whole file, 206 with the one range that the request asks for, 304 and 412 by its
    preconditions, 416 for a range beyond the end. Content-Length counts bytes, always. The validator is
    `sha256`, the file's checksum where it is known, so that the same bytes written again can be
    resumed; else size and time of change. Several ranges at once, other units and what is no range
    are answered with the whole file, as RFC 9110 (14.2) allows. The file is streamed, and closed
    with the response.
    """
    facts = fstat(file.fileno())
    etag = f'"{sha256 or f"{facts.st_size:x}-{facts.st_mtime_ns:x}"}"'
    changed = int(facts.st_mtime)
    refused = get_conditional_response(request, etag=etag, last_modified=changed)
    if refused is not None:
        file.close()
        return _described(refused, etag, changed)
    try:
        wanted = _wanted(request, etag, changed, facts.st_size)
    except Unsatisfiable:
        file.close()
        refused = HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
        refused.headers["Content-Range"] = f"bytes */{facts.st_size}"
        return _described(refused, etag, changed)
    answer = _answer(request, file, name, wanted or (0, facts.st_size))
    if wanted:
        answer.status_code = HTTPStatus.PARTIAL_CONTENT
        answer.headers["Content-Range"] = f"bytes {wanted[0]}-{wanted[1] - 1}/{facts.st_size}"
    if sha256:
        digest = b64encode(bytes.fromhex(sha256)).decode()
        answer.headers["Repr-Digest"] = f"sha-256=:{digest}:"  # RFC 9530: of the whole file
    return _described(answer, etag, changed)


def _described(response: HttpResponseBase, etag: str, changed: int) -> HttpResponseBase:
    response.headers["ETag"] = etag
    response.headers["Last-Modified"] = http_date(changed)
    response.headers["Accept-Ranges"] = "bytes"
    # A proxy that compressed it on the way would put its bytes at other places.
    response.headers["Cache-Control"] = "private, no-cache, no-transform"
    return response


def _answer(
    request: HttpRequest, file: BinaryIO, name: str, part: tuple[int, int]
) -> HttpResponseBase:
    start, end = part
    answer: HttpResponseBase
    if request.method == "HEAD":
        file.close()
        answer = HttpResponse()
    else:
        file.seek(start)
        answer = StreamingHttpResponse(_Part(file, end - start))
    kind, encoding = guess_type(name)
    answer.headers["Content-Type"] = _content_type(kind, encoding)
    answer.headers["Content-Length"] = str(end - start)
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return answer


def _content_type(kind: str | None, encoding: str | None) -> str:
    if encoding == "gzip":  # stored compressed, and to be saved so
        return "application/gzip"
    if kind and kind.startswith("text/"):
        return f"{kind}; charset=utf-8"
    return kind or "application/octet-stream"


def _wanted(request: HttpRequest, etag: str, changed: int, size: int) -> tuple[int, int] | None:
    """The half-open range of bytes that is asked for and still holds; None for the whole file."""
    header = request.headers.get("Range", "")
    if request.method != "GET" or not _still_holds(request.headers.get("If-Range"), etag, changed):
        return None
    return byte_range(header, size=size)


def byte_range(header: str, *, size: int) -> tuple[int, int] | None:
    """The half-open range that a Range header asks for of `size` bytes; None where it is to be
    ignored. Raises Unsatisfiable."""
    found = _RANGE.fullmatch(header.strip())
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        if not _number(last) or not size:
            raise Unsatisfiable
        return max(0, size - _number(last)), size
    if last and _number(last) < _number(first):
        return None
    if _number(first) >= size:
        raise Unsatisfiable
    return _number(first), min(_number(last) + 1, size) if last else size


def _number(digits: str) -> int:
    significant = digits.lstrip("0")
    return 10**_LONGEST if len(significant) > _LONGEST else int(significant or "0")


def _still_holds(condition: str | None, etag: str, changed: int) -> bool:
    """If-Range: whether the part goes with what the client has. Weak tags never do."""
    if condition is None:
        return True
    condition = condition.strip()
    if condition.startswith(('"', "W/")):
        return condition == etag
    try:
        return parsedate_to_datetime(condition) == datetime.fromtimestamp(changed, tz=UTC)
    except (TypeError, ValueError):
        return False


class _Part:
    """So many bytes of a file from where it stands, in chunks; closes the file, read or not."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._left = length

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = self._file.read(min(CHUNK, self._left))
        if not chunk:
            raise StopIteration
        self._left -= len(chunk)
        return chunk

    def close(self) -> None:
        self._file.close()
