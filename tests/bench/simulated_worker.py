"""A minimal HTTP client of a worker, which shares the cores with the measured server."""

import gzip
import html
import json
import re
import socket
import time
from dataclasses import dataclass, field
from urllib.parse import quote_plus, urlencode, urlsplit

CSRF = "a" * 32
FRAME = re.compile(rb' src="([^"]+)"></iframe>')
TOKEN = re.compile(rb'"token": ?"([^"]+)"')
ITEM = re.compile(rb'"items": ?\[\{"id": ?(\d+)')
SUBMIT = re.compile(rb'"urls": ?\{[^}]*"submit": ?"([^"]+)"')
SUBMIT_TO = re.compile(rb'"submitTo": ?"([^"]+)"')


class Refused(Exception):  # noqa: N818
    """The site returned an unexpected response."""


@dataclass
class Record:
    """The work of one worker, with the seconds of each request by step and the submitted assignments."""

    steps: dict[str, list[float]] = field(default_factory=dict)
    submitted: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    started: float = 0  # by the monotonic clock that all processes of a machine share
    ended: float = 0


@dataclass(frozen=True)
class WorkerTask:
    """The HIT group, the session cookie and the answer of a worker."""

    group: str
    cookie: str
    answer: object


class Link:
    """A persistent connection. Responses must have a Content-Length header, as those of the site do."""

    def __init__(self, port: int, record: Record) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._record = record

    def call(
        self, step: str, line: str, body: bytes = b"", *, cookie: str = ""
    ) -> tuple[int, bytes, bytes]:
        """Send a request and return the status, the headers and the content of the response."""
        kind = (
            "text/plain;charset=UTF-8" if body[:1] == b"{" else "application/x-www-form-urlencoded"
        )
        posted = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n" if body else ""
        sent = (
            f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n{posted}"
            f"{f'Cookie: {cookie}' if cookie else 'Origin: null'}\r\n\r\n"
        )
        start = time.perf_counter()
        self._socket.sendall(sent.encode() + body)
        status, head, content = self._receive()
        self._record.steps.setdefault(step, []).append(time.perf_counter() - start)
        return status, head, content

    def _receive(self) -> tuple[int, bytes, bytes]:
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        head = data[:end]
        length = int(_header(head, b"content-length"))
        while len(data) < end + 4 + length:
            data += self._more()
        content = data[end + 4 :]
        if _header(head, b"content-encoding") == b"gzip":
            content = gzip.decompress(content)
        return int(head[9:12]), head, content

    def _more(self) -> bytes:
        data = self._socket.recv(262_144)
        if not data:
            raise Refused("the connection was closed")
        return data


def _header(head: bytes, name: bytes) -> bytes:
    at = head.lower().find(b"\r\n" + name + b":")
    if at < 0:
        return b""
    return head[at + len(name) + 3 :].split(b"\r\n", 1)[0].strip()


def _expect(expected: int, step: str, answer: tuple[int, bytes, bytes]) -> tuple[bytes, bytes]:
    status, head, content = answer
    if status != expected:
        raise Refused(f"{step}: {status}")
    return head, content


def annotate(
    *, port: int, group: str, session: str, answer: object, seconds: float, least: int = 0
) -> Record:
    """Annotate HITs of the group until the time is over and at least `least` are submitted.

    For each annotation, accept a HIT, read its pages, and submit the answer to the site and marketplace.
    """
    record = Record()
    link = Link(port, record)
    task = WorkerTask(group, f"hits_session={session}; csrftoken={CSRF}", answer)
    record.started = time.monotonic()
    end = record.started + seconds
    while time.monotonic() < end or len(record.submitted) < least:
        try:
            record.submitted.append(annotate_one(link, task))
        except Refused as refused:
            record.problems.append(str(refused))
            break
    record.ended = time.monotonic()
    return record


def annotate_one(link: Link, task: WorkerTask) -> str:
    """Do one whole annotation and return the id of the assignment."""
    form = f"csrfmiddlewaretoken={CSRF}".encode()
    accept = f"POST /hits/groups/{task.group}/accept/"
    accepted = link.call("accept", accept, form, cookie=task.cookie)
    location = _header(_expect(302, "accept", accepted)[0], b"location").decode()
    if not location.startswith("/hits/work/"):
        raise Refused(f"accept: redirected to {location}")
    wrapper = _expect(200, "wrapper", link.call("wrapper", f"GET {location}", cookie=task.cookie))[
        1
    ]
    frame = urlsplit(html.unescape(_search(FRAME, wrapper)))
    page = _expect(200, "page", link.call("page", f"GET {frame.path}?{frame.query}"))[1]
    message = {
        "token": _search(TOKEN, page),
        "revision": 0,
        "content": {_search(ITEM, page): task.answer},
        "active_seconds": 20,
        "moves": 12,
    }
    submitted = link.call("submit", f"POST {_search(SUBMIT, page)}", json.dumps(message).encode())
    text = json.loads(_expect(200, "submit", submitted)[1])["fields"]["content"]
    assignment = location.removeprefix("/hits/work/").removesuffix("/")
    form = urlencode({"assignmentId": assignment, "content": text}).encode()
    path = urlsplit(_search(SUBMIT_TO, page)).path
    _expect(200, "externalSubmit", link.call("externalSubmit", f"POST {path}", form))
    return assignment


def _search(pattern: re.Pattern[bytes], text: bytes) -> str:
    match = pattern.search(text)
    if match is None:
        raise Refused(f"no {pattern.pattern.decode()} in the page")
    return match.group(1).decode()


def annotate_bare(*, port: int, worker: str, seconds: float, least: int = 0) -> Record:
    """Annotate on the baseline site with an accept, a page and a submit request."""
    record = Record()
    link = Link(port, record)
    body = f"content={quote_plus('x' * 600)}".encode()
    record.started = time.monotonic()
    end = record.started + seconds
    while time.monotonic() < end or len(record.submitted) < least:
        accepted = link.call("accept", "POST /accept/", f"worker={worker}".encode())
        pk = _header(_expect(302, "accept", accepted)[0], b"location").decode().split("/")[2]
        _expect(200, "page", link.call("page", f"GET /page/{pk}/"))
        if _expect(200, "submit", link.call("submit", f"POST /submit/{pk}/", body))[1] != b"ok":
            record.problems.append("refused")
        record.submitted.append(pk)
    record.ended = time.monotonic()
    return record
