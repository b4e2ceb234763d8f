"""A small S3 on 127.0.0.1: it keeps objects in memory, and can be told to refuse.

`tests/consolidation/test_store_export.py` holds its operations and errors against botocore's model.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

# Operation -> how botocore sends it.
OPERATIONS = {
    "PutObject": ("PUT", "/{Bucket}/{Key+}"),
    "DeleteObject": ("DELETE", "/{Bucket}/{Key+}"),
    "GetObject": ("GET", "/{Bucket}/{Key+}"),
    "HeadObject": ("HEAD", "/{Bucket}/{Key+}"),
    "ListObjects": ("GET", "/{Bucket}"),
}
NO_BUCKET, DENIED = ("NoSuchBucket", 404), ("AccessDenied", 403)
NO_KEY = ("NoSuchKey", 404)


class FakeS3(ThreadingHTTPServer):
    """`objects` maps (bucket, key) to bytes. `refuse_after` n answers every PUT after the first n with
    AccessDenied."""

    daemon_threads = True

    def __init__(self, *buckets: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.buckets = set(buckets)
        self.objects: dict[tuple[str, str], bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.refuse_after: int | None = None
        self.puts = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def refuses_put(self) -> bool:
        self.puts += 1
        return self.refuse_after is not None and self.puts > self.refuse_after


@contextmanager
def running_s3(*buckets: str) -> Iterator[FakeS3]:
    server = FakeS3(*buckets)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeS3

    def log_message(self, *args: object) -> None:
        pass

    def do_PUT(self) -> None:
        body = self._body()
        if self._may() and not self._refused():
            self.server.objects[self._place()] = body
            self._answer(200)

    def do_DELETE(self) -> None:
        if self._may():
            self.server.objects.pop(self._place(), None)
            self._answer(204)

    def do_GET(self) -> None:
        if not self._may():
            return
        bucket, key = self._place()
        if not key:
            self._list(bucket)
        elif (bucket, key) in self.server.objects:
            self._send_object(self.server.objects[bucket, key])
        else:
            self._error(*NO_KEY)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _list(self, bucket: str) -> None:
        [prefix] = parse_qs(urlsplit(self.path).query).get("prefix", [""])
        keys = sorted(
            key for of, key in self.server.objects if of == bucket and key.startswith(prefix)
        )
        contents = "".join(f"<Contents><Key>{escape(key)}</Key></Contents>" for key in keys)
        self._answer(200, f"<ListBucketResult>{contents}</ListBucketResult>".encode())

    def _send_object(self, body: bytes) -> None:
        start, _, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
        part = body[int(start) : int(last or len(body)) + 1] if start else body
        self.send_response(206 if start else 200)
        if start:
            end = int(start) + len(part) - 1
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(body)}")
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(part)

    def _place(self) -> tuple[str, str]:
        bucket, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        return bucket, key

    def _may(self) -> bool:
        self.server.requests.append((self.command, self.path))
        if self._place()[0] not in self.server.buckets:
            self._error(*NO_BUCKET)
            return False
        return True

    def _refused(self) -> bool:
        if self.server.refuses_put():
            self._error(*DENIED)
            return True
        return False

    def _body(self) -> bytes:
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunked = "aws-chunked" in self.headers.get("Content-Encoding", "")
        return _unchunked(raw) if chunked else raw

    def _error(self, code: str, status: int) -> None:
        text = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>"
        self._answer(status, text.encode())

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _unchunked(raw: bytes) -> bytes:
    """The body of botocore's own chunks (size;extension CRLF data CRLF ... 0), checksum left out."""
    found = b""
    while True:
        head, _, raw = raw.partition(b"\r\n")
        size = int(head.partition(b";")[0], 16)
        if not size:
            return found
        found, raw = found + raw[:size], raw[size + 2 :]
