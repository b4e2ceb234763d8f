"""Downloads that can be resumed."""

import re
from base64 import b64encode
from http import HTTPStatus
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

# The range of a resumed download. For others, RFC 9110 (14.2) allows sending the whole file.
_RESUMED = re.compile(r"bytes=([0-9]{1,18})-")


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
