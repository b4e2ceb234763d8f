"""A server that speaks the chat-completions protocol, whose answers a test decides."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]


@dataclass
class Reply:
    """What the server sends: an answer with this text, or `body` as it is."""

    text: str = "{}"
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    input_tokens: int = 1000
    output_tokens: int = 100

    def encoded(self) -> bytes:
        if self.body is not None:
            return self.body
        usage = {"prompt_tokens": self.input_tokens, "completion_tokens": self.output_tokens}
        choice = {"index": 0, "message": {"role": "assistant", "content": self.text}}
        return json.dumps({"choices": [choice], "usage": usage}).encode()


@dataclass
class ChatServer:
    """The running server. `requests` are the bodies that it received, and `keys` their keys."""

    url: str
    host: str
    requests: list[Request] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def asked(self) -> list[str]:
        """The newest user message of each request."""
        return [_text(request["messages"][-1]["content"]) for request in self.requests]


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else content[0]["text"]


@contextmanager
def chat_server(answer: Callable[[Request], Reply]) -> Iterator[ChatServer]:
    """Serve answers on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(body)
            served.keys.append(self.headers.get("Authorization", ""))
            assert self.path == "/v1/chat/completions"
            reply = answer(body)
            encoded = reply.encoded()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host = f"127.0.0.1:{server.server_port}"
    served = ChatServer(f"http://{host}/v1", host)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
