"""Downloads of files, which can be resumed, and of tables."""

import csv
import io
import re
import tempfile
from base64 import b64encode
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

# The range of a resumed download. For others, RFC 9110 (14.2) allows sending the whole file.
_RESUMED = re.compile(r"bytes=([0-9]{1,18})-")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def download(request: HttpRequest, file: IO[bytes], *, name: str, sha256: str) -> HttpResponseBase:
    """Respond with a file, or with its rest if the client resumes. Its checksum is the ETag."""
    etag = f'"{sha256}"'
    size = file.seek(0, 2)
    start = _start(request, etag)
    response: HttpResponseBase
    if refusal := get_conditional_response(request, etag=etag):
        file.close()
        response = refusal
    elif start and start >= size:
        file.close()
        response = HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
        response.headers["Content-Range"] = f"bytes */{size}"
    else:
        file.seek(start)
        response = FileResponse(file, as_attachment=True, filename=name)
        if response.headers["Content-Type"].startswith("text/"):
            response.headers["Content-Type"] += "; charset=utf-8"
        if start:
            response.status_code = HTTPStatus.PARTIAL_CONTENT
            response.headers["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
        if request.method == "HEAD":
            response.streaming_content = ()
        digest = b64encode(bytes.fromhex(sha256)).decode()
        response.headers["Repr-Digest"] = f"sha-256=:{digest}:"  # RFC 9530
    response.headers["ETag"] = etag
    response.headers["Accept-Ranges"] = "bytes"
    # Compression by a proxy would change the ranges.
    response.headers["Cache-Control"] = "private, no-cache, no-transform"
    return response


def _start(request: HttpRequest, etag: str) -> int:
    """Return the offset from which to send the file: 0 unless the client resumes the same file."""
    match = _RESUMED.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or not match:
        return 0
    return int(match[1]) if request.headers.get("If-Range", etag) == etag else 0


def csv_download(
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    line_end: str = "\r\n",
    for_spreadsheets: bool = False,
) -> FileResponse:
    """Respond with a CSV file of the rows, which may be too many for memory.

    It is written before the response starts, so that its length is known and errors leave no partial
    file. With `for_spreadsheets`, no cell is read as a formula.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow(columns)
    if for_spreadsheets:
        rows = ([no_formula(value) for value in row] for row in rows)
    writer.writerows(rows)
    text.detach()
    file.seek(0)
    content_type = "text/csv; charset=utf-8"
    return FileResponse(file, as_attachment=True, filename=name, content_type=content_type)


def no_formula(value: object) -> object:
    """Return the value, quoted if it is text that a spreadsheet would read as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
