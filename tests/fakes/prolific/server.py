"""The HTTP server: authorization, errors, faults and the log of requests."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.prolific import (  # noqa: F401  (registers the routes)
    accounts,
    groups,
    messages,
    money,
    pages,
    studies,
    submissions,
    webhooks,
)
from tests.fakes.prolific.errors import ApiError
from tests.fakes.prolific.faults import Fault, Faults, Rule
from tests.fakes.prolific.participants import Participant, tick
from tests.fakes.prolific.routing import PREFIX, Request, Response, View, find_view
from tests.fakes.prolific.state import (
    TOKEN,
    Clock,
    Event,
    Message,
    Movement,
    Options,
    Person,
    Platform,
    Project,
    Study,
    Workspace,
)

THROTTLED = ApiError(429, "Request was throttled.", code=140429)
BROKEN = ApiError(503, "Service unavailable.", wrapped=False)
WITHOUT_EFFECT = {Fault.THROTTLE, Fault.SERVER_ERROR, Fault.DROP_BEFORE}
CODE = "COMPLETE1"
ARRIVAL_QUERY = "?pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&session={{%SESSION_ID%}}"


class FakeProlific(ThreadingHTTPServer):
    """The stand-in. It starts with one workspace that holds one project."""

    daemon_threads = True

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] | None = None,
        options: Options | None = None,
        token: str = TOKEN,
        seed: int = 0,
        port: int = 0,
        **wallet: Any,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.platform = Platform(clock=clock or Clock(), options=options, token=token, seed=seed)
        self.workspace: Workspace = self.platform.add_workspace(**wallet)
        self.project: Project = self.platform.add_project(self.workspace)
        self.faults = Faults(seed)
        # Method and path of every request.
        self.requests: list[tuple[str, str]] = []
        self._paying = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def token(self) -> str:
        return self.platform.token

    @property
    def clock(self) -> Any:
        return self.platform.clock

    @property
    def options(self) -> Options:
        return self.platform.options

    @property
    def movements(self) -> list[Movement]:
        """Return the money that left the wallets, after all due changes."""
        self.tick()
        return list(self.platform.movements)

    @property
    def messages(self) -> list[Message]:
        return list(self.platform.messages)

    @property
    def balance(self) -> int:
        self.tick()
        return money.balance(self.platform, self.workspace)

    @property
    def available_balance(self) -> int:
        self.tick()
        return money.available(self.platform, self.workspace)

    def tick(self) -> None:
        """Apply all changes that are due at the clock's time."""
        with self.platform.lock:
            tick(self.platform)

    def participant(
        self, key: str = "", *, country: str = "0", approval_rate: int = 100, language: str = "0"
    ) -> Participant:
        """Return the participant with this id. Create the participant if necessary."""
        with self.platform.lock:
            key = key or self.platform.new_id()
            person = Person(key, country=country, approval_rate=approval_rate, language=language)
            return Participant(self.platform, self.platform.people.setdefault(key, person))

    def deliver(self, **options: Any) -> list[Event]:
        """Send the webhooks that are due. See `webhooks.deliver` for the options."""
        self.tick()
        return webhooks.deliver(self.platform, **options)

    def lose_next_bonus(self) -> None:
        """Accept the next payment of bonuses, but never deliver it."""
        self.platform.bonuses_to_lose += 1

    def call(self, method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
        """Return status and body of an authorized request, without HTTP and without faults."""
        request = Request(method, path, query, body, f"Token {self.token}")
        response = self.respond(request)
        return response.status, response.body

    def add_study(self, *, publish: bool = True, **fields: Any) -> Study:
        """Create a study of two places, and publish it by default."""
        status, body = self.call("POST", "/studies/", study_fields(**fields))
        assert status == 201, body
        if publish:
            path = f"/studies/{body['id']}/transition/"
            status, answer = self.call("POST", path, {"action": "PUBLISH"})
            assert status == 200, answer
            self.tick()
        return self.platform.studies[body["id"]]

    def respond(self, request: Request, *, delay: float = 0.0) -> Response:
        """Return the response to a request, without HTTP and without faults."""
        platform = self.platform
        try:
            if request.authorization != f"Token {platform.token}":
                raise ApiError(401, "Invalid token.", code=140001)
            view, arguments, path = find_view(request)
            if not path.endswith("/pay/"):
                return self._call(view, request, arguments, delay)
            if not self._paying.acquire(blocking=False):
                raise ApiError(429, "Another payment is in progress.", code=140429)
            try:
                return self._call(view, request, arguments, delay)
            finally:
                self._paying.release()
        except ApiError as error:
            return Response(error.status, error.body)

    def _call(
        self, view: View, request: Request, arguments: dict[str, str], delay: float
    ) -> Response:
        with self.platform.lock:
            tick(self.platform)
            response = view(self.platform, request, **arguments)
        time.sleep(delay)
        return response


def study_fields(**fields: Any) -> dict[str, Any]:
    """Return the fields of a valid study, with changes."""
    return {
        "name": "Questions about sentences",
        "internal_name": "batch-1",
        "description": "Write questions.",
        "external_study_url": "http://127.0.0.1/arrive/" + ARRIVAL_QUERY,
        "prolific_id_option": "url_parameters",
        "total_available_places": 2,
        "estimated_completion_time": 10,
        "reward": 200,
        "filters": [],
        "completion_codes": [
            {
                "code": CODE,
                "code_type": "COMPLETED",
                "actor": "participant",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
        ],
        **fields,
    }


def refusal(rule: Rule) -> Response | None:
    """Return the response of a fault without an effect, or None if there is no answer."""
    if rule.fault is Fault.DROP_BEFORE:
        return None
    if rule.fault is Fault.SERVER_ERROR:
        return Response(503, BROKEN.body)
    headers = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
    return Response(429, THROTTLED.body, headers)


@contextmanager
def running_prolific(**options: Any) -> Iterator[FakeProlific]:
    """Run the stand-in in a thread. The options are those of `FakeProlific`."""
    server = FakeProlific(**options)
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
    disable_nagle_algorithm = True
    server: FakeProlific

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def do_PATCH(self) -> None:
        self._respond()

    def do_DELETE(self) -> None:
        self._respond()

    def _respond(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        if not parts.path.startswith(f"{PREFIX}/"):
            self._show_page(parts.path, parts.query, content)
            return
        path = parts.path.removeprefix(PREFIX)
        self.server.requests.append((self.command, path))
        rule = self.server.faults.pick(self.command, path)
        response = self._answer(rule, path, parts.query, content)
        if response is None:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(response.status, response.content, response.headers)

    def _answer(self, rule: Rule | None, path: str, query: str, content: bytes) -> Response | None:
        """Return the response, or None for an answer that is lost."""
        if rule is None:
            return self._response(path, query, content)
        if rule.fault in WITHOUT_EFFECT:
            return refusal(rule)
        delay = rule.seconds if rule.fault is Fault.DELAY else 0.0
        response = self._response(path, query, content, delay=delay)
        if rule.fault is Fault.ERROR_AFTER:
            return Response(502, None, {"Content-Type": "text/html"})
        return None if rule.fault is Fault.DROP_AFTER else response

    def _response(self, path: str, query: str, content: bytes, *, delay: float = 0.0) -> Response:
        try:
            body = json.loads(content) if content else None
        except ValueError:
            return Response(400, ApiError(400, "JSON parse error", wrapped=False).body)
        authorization = self.headers.get("Authorization", "")
        request = Request(self.command, path, dict(parse_qsl(query)), body, authorization)
        return self.server.respond(request, delay=delay)

    def _show_page(self, path: str, query: str, content: bytes) -> None:
        form = dict(parse_qsl(query)) | dict(parse_qsl(content.decode()))
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get(pages.COOKIE)
        with self.server.platform.lock:
            page = pages.respond(
                self.server.platform, self.command, path, form, cookie.value if cookie else ""
            )
        status, text, headers = page or (404, "Not found", {"Content-Type": "text/plain"})
        self._send(status, text.encode(), headers)

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(content)
