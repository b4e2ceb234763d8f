"""A small local S3 server that keeps objects in memory and can be set to refuse writes.

`tests/datasets/test_store_export.py` checks its operations and errors against botocore's model.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

# The method and path that botocore sends for each operation.
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
    """A server with `objects` by bucket and key.

    Once `refuse_after` PUT requests have succeeded, others get AccessDenied.
    """

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
        if self._has_bucket() and not self._refuses_put():
            self.server.objects[self._bucket_and_key()] = body
            self._answer(200)

    def do_DELETE(self) -> None:
        if self._has_bucket():
            self.server.objects.pop(self._bucket_and_key(), None)
            self._answer(204)

    def do_GET(self) -> None:
        if not self._has_bucket():
            return
        bucket, key = self._bucket_and_key()
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
            key for owner, key in self.server.objects if owner == bucket and key.startswith(prefix)
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

    def _bucket_and_key(self) -> tuple[str, str]:
        bucket, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        return bucket, key

    def _has_bucket(self) -> bool:
        self.server.requests.append((self.command, self.path))
        if self._bucket_and_key()[0] not in self.server.buckets:
            self._error(*NO_BUCKET)
            return False
        return True

    def _refuses_put(self) -> bool:
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
    """Return the body without the headers of botocore's chunks and their checksum."""
    body = b""
    while True:
        head, _, raw = raw.partition(b"\r\n")
        size = int(head.partition(b";")[0], 16)
        if not size:
            return body
        body, raw = body + raw[:size], raw[size + 2 :]
