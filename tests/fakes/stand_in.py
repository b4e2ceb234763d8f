"""The base of stand-ins for JSON services: requests, routes, tokens, and failures on demand."""

import _thread
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit


class RefusedError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, body: Any = None, **headers: str) -> None:
        super().__init__(status)
        self.status, self.body = status, body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content or b"{}")


@dataclass
class Fault:
    """A failure of the next requests to a place.

    With `after`, they are served without an answer. With `interrupts`, the main thread gets a
    KeyboardInterrupt instead, as from a signal that ends its process.
    """

    place: str
    status: int = 0
    times: int = 1
    after: bool = False
    interrupts: bool = False
    headers: dict[str, str] = field(default_factory=dict)


class StandIn:
    """A service on a free port. `routes` maps "METHOD pattern" to the names of methods.

    A method takes the request and the groups of the pattern, and returns the answer or raises
    RefusedError.
    """

    routes: ClassVar[dict[str, str]] = {}

    def __init__(self, *tokens: str) -> None:
        self.tokens = set(tokens)
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.unknown: list[str] = []
        self.lock = threading.Lock()

    @property
    def writes(self) -> list[str]:
        """Return the requests that could change something, as "METHOD path"."""
        return [f"{r.method} {r.path}" for r in self.requests if r.method not in ("GET", "HEAD")]

    def fail(self, place: str, status: int = 0, **options: Any) -> None:
        """Let the next request to a place, such as "POST /publish", fail."""
        self.faults.append(Fault(place, status, **options))

    def serve(self, request: Request) -> Any:
        """Return the answer. Raise RefusedError."""
        line = f"{request.method} {request.path}"
        for route, name in self.routes.items():
            if match := re.fullmatch(route, line):
                handler: Callable[..., Any] = getattr(self, name)
                return handler(request, *map(unquote, match.groups()))
        self.unknown.append(line)
        raise RefusedError(404, {"error": "Not Found", "message": "Not found."})

    def fault_of(self, request: Request) -> Fault | None:
        line = f"{request.method} {request.path}"
        fault = next((fault for fault in self.faults if re.search(fault.place, line)), None)
        if fault:
            fault.times -= 1
            if fault.times == 0:
                self.faults.remove(fault)
        return fault

    def check_token(self, request: Request) -> bool:
        return request.headers.get("authorization", "").removeprefix("Bearer ") in self.tokens


S = TypeVar("S", bound=StandIn)


@contextmanager
def running(service: S) -> Iterator[S]:
    """Serve the stand-in while the block runs. Its `url` is set."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            address = urlsplit(self.path)
            request = Request(
                self.command,
                address.path,
                {name: values[-1] for name, values in parse_qs(address.query).items()},
                {name.lower(): value for name, value in self.headers.items()},
                self._content(),
            )
            with service.lock:
                service.requests.append(request)
                fault = service.fault_of(request)
                if fault and fault.interrupts:
                    _thread.interrupt_main()
                    time.sleep(0.5)
                    self.close_connection = True
                    return None
                if fault and not fault.after:
                    return self._answer(fault.status, {"message": "Failed."}, fault.headers)
                try:
                    status, body, headers = 200, service.serve(request), {}
                except RefusedError as refusal:
                    status, body, headers = refusal.status, refusal.body, refusal.headers
            if fault:
                self.close_connection = True
                return None
            return self._answer(status, body, headers)

        def do_GET(self) -> None:
            self.handle_any()

        def do_POST(self) -> None:
            self.handle_any()

        def do_PUT(self) -> None:
            self.handle_any()

        def do_DELETE(self) -> None:
            self.handle_any()

        def _content(self) -> bytes:
            if "chunked" in self.headers.get("Transfer-Encoding", ""):
                content = b""
                while size := int(self.rfile.readline(), 16):
                    content += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return content
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))

        def _answer(self, status: int, body: Any, headers: dict[str, str]) -> None:
            encoded = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
