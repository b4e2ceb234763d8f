"""A worker as HTTP sees one, as lean as can be: it shares the cores with the server it measures."""

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
    """The site answered otherwise than an annotation needs."""


@dataclass
class Record:
    """What one worker did: seconds of each request, by step, and what was handed in."""

    steps: dict[str, list[float]] = field(default_factory=dict)
    handed_in: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    begun: float = 0  # by the clock that all processes of a machine share
    ended: float = 0


@dataclass(frozen=True)
class Errand:
    """Where a worker looks for HITs, as whom, and what they answer."""

    group: str
    cookie: str
    answer: object


class Link:
    """One kept-alive connection. Answers must carry Content-Length, as ours do."""

    def __init__(self, port: int, record: Record) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._record = record

    def call(
        self, step: str, line: str, body: bytes = b"", *, cookie: str = ""
    ) -> tuple[int, bytes, bytes]:
        """(status, head, content)"""
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


def _must(wanted: int, step: str, answer: tuple[int, bytes, bytes]) -> tuple[bytes, bytes]:
    status, head, content = answer
    if status != wanted:
        raise Refused(f"{step}: {status}")
    return head, content


def annotate(
    *, port: int, group: str, session: str, answer: object, seconds: float, least: int = 0
) -> Record:
    """Accept a HIT of the group, read its pages, hand the answer in to the house and then to the
    marketplace, and again, for so many seconds and so many times at the least."""
    record = Record()
    link = Link(port, record)
    errand = Errand(group, f"hits_session={session}; csrftoken={CSRF}", answer)
    record.begun = time.monotonic()
    end = record.begun + seconds
    while time.monotonic() < end or len(record.handed_in) < least:
        try:
            record.handed_in.append(annotate_one(link, errand))
        except Refused as refused:
            record.problems.append(str(refused))
            break
    record.ended = time.monotonic()
    return record


def annotate_one(link: Link, errand: Errand) -> str:
    """The whole of one annotation; the assignment's id."""
    form = f"csrfmiddlewaretoken={CSRF}".encode()
    accept = f"POST /hits/groups/{errand.group}/accept/"
    taken = link.call("accept", accept, form, cookie=errand.cookie)
    place = _header(_must(302, "accept", taken)[0], b"location").decode()
    if not place.startswith("/hits/work/"):
        raise Refused(f"accept: sent to {place}")
    wrapper = _must(200, "wrapper", link.call("wrapper", f"GET {place}", cookie=errand.cookie))[1]
    frame = urlsplit(html.unescape(_found(FRAME, wrapper)))
    page = _must(200, "page", link.call("page", f"GET {frame.path}?{frame.query}"))[1]
    message = {
        "token": _found(TOKEN, page),
        "revision": 0,
        "content": {_found(ITEM, page): errand.answer},
        "active_seconds": 20,
        "moves": 12,
    }
    handed_in = link.call("submit", f"POST {_found(SUBMIT, page)}", json.dumps(message).encode())
    text = json.loads(_must(200, "submit", handed_in)[1])["fields"]["content"]
    assignment = place.removeprefix("/hits/work/").removesuffix("/")
    form = urlencode({"assignmentId": assignment, "content": text}).encode()
    path = urlsplit(_found(SUBMIT_TO, page)).path
    _must(200, "externalSubmit", link.call("externalSubmit", f"POST {path}", form))
    return assignment


def _found(pattern: re.Pattern[bytes], text: bytes) -> str:
    found = pattern.search(text)
    if found is None:
        raise Refused(f"no {pattern.pattern.decode()} in the page")
    return found.group(1).decode()


def annotate_bare(*, port: int, worker: str, seconds: float, least: int = 0) -> Record:
    """The same at the yardstick's site: claim, page, submit."""
    record = Record()
    link = Link(port, record)
    body = f"content={quote_plus('x' * 600)}".encode()
    record.begun = time.monotonic()
    end = record.begun + seconds
    while time.monotonic() < end or len(record.handed_in) < least:
        claimed = link.call("claim", "POST /claim/", f"worker={worker}".encode())
        pk = _header(_must(302, "claim", claimed)[0], b"location").decode().split("/")[2]
        _must(200, "page", link.call("page", f"GET /page/{pk}/"))
        if _must(200, "submit", link.call("submit", f"POST /submit/{pk}/", body))[1] != b"ok":
            record.problems.append("refused")
        record.handed_in.append(pk)
    record.ended = time.monotonic()
    return record
