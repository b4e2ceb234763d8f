"""A local receiver of webhooks, whose answers a test decides."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Handler = BaseHTTPRequestHandler


@dataclass
class Receiver:
    """The running server. `answers` are used first, in their order, and then `always`.

    An answer is a status, or a function that writes the whole response.
    """

    url: str = ""
    host: str = ""
    answers: list[int | Callable[[Handler], None]] = field(default_factory=list)
    always: int = 204
    requests: list[tuple[Message, bytes]] = field(default_factory=list)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.requests]

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.events]


@contextmanager
def webhook_receiver(certificate: Path | None = None) -> Iterator[Receiver]:
    """Serve on a free port, with TLS if there is a file with a certificate and its key."""
    receiver = Receiver()

    class Answers(Handler):
        def do_POST(self) -> None:  # noqa: N802
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append((self.headers, body))
            answer = receiver.answers.pop(0) if receiver.answers else receiver.always
            if callable(answer):
                answer(self)
                return
            self.send_response(answer)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """Ignore connections that the sender closed."""

    server = Server(("127.0.0.1", 0), Answers)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver.host = f"127.0.0.1:{server.server_port}"
    receiver.url = f"http{'s' if certificate else ''}://{receiver.host}/hook?of=touchstone"
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
