"""Workers who annotate over HTTP during the trial, and record what the site answers.

They repeat a request that fails, as the pages do. Work counts as accepted once the marketplace has
confirmed it.
"""

import html
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

import requests

CSRF = "a" * 32
FRAME = re.compile(r' src="([^"]+)"></iframe>')
TOKEN = re.compile(r'"token": ?"([^"]+)"')
ITEM = re.compile(r'"items": ?\[\{"id": ?(\d+)')
SUBMIT = re.compile(r'"urls": ?\{[^}]*"submit": ?"([^"]+)"')
SUBMIT_TO = re.compile(r'"submitTo": ?"([^"]+)"')
PAUSE_SECONDS = 0.5
PATIENCE_SECONDS = 600


class UnexpectedPageError(Exception):
    """A page lacks what the next step needs. The worker starts again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request. `problem` is empty if the site answered with a status below 500."""

    at: float
    method: str
    step: str
    problem: str


@dataclass
class Records:
    """What all workers did, with times of the monotonic clock."""

    attempts: list[Attempt] = field(default_factory=list)
    accepted: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def accepted_until(self, at: float) -> set[str]:
        return {code for code, when in list(self.accepted.items()) if when <= at}

    def posts(self, start: float, end: float) -> list[Attempt]:
        return [
            attempt
            for attempt in list(self.attempts)
            if attempt.method == "POST" and start <= attempt.at <= end
        ]


class Crowd:
    """A context manager in which the workers work. `entrance` returns the address of a web server."""

    def __init__(
        self, seeded: dict[str, Any], group: str, entrances: Sequence[Callable[[], str]]
    ) -> None:
        self.records = Records()
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._run,
                args=[_Worker(group, session, seeded["answer"], entrance, self)],
                daemon=True,
            )
            for session, entrance in zip(seeded["sessions"], entrances, strict=True)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=60)

    @property
    def has_ended(self) -> bool:
        return self._ended.is_set()

    def rest(self, seconds: float) -> None:
        self._ended.wait(seconds)

    def _run(self, worker: "_Worker") -> None:
        while not self.has_ended:
            try:
                worker.annotate_one()
            except UnexpectedPageError as problem:
                self.records.problems.append(str(problem))
                self.rest(PAUSE_SECONDS)
            self.rest(PAUSE_SECONDS)


class _Worker:
    def __init__(
        self, group: str, session: str, answer: object, entrance: Callable[[], str], crowd: Crowd
    ) -> None:
        self._group, self._answer, self._entrance, self._crowd = group, answer, entrance, crowd
        self._session, self._frame = requests.Session(), requests.Session()
        self._session.trust_env = self._frame.trust_env = False
        self._session.headers["Cookie"] = f"hits_session={session}; csrftoken={CSRF}"
        self._frame.headers["Origin"] = "null"

    def annotate_one(self) -> None:
        """Accept a HIT, read its pages, and submit the answer to the site and to the marketplace."""
        form = {"csrfmiddlewaretoken": CSRF}
        accepted = self._send("accept", "POST", f"/hits/groups/{self._group}/accept/", data=form)
        location = urlsplit(accepted.headers.get("Location", "")).path
        if not location.startswith("/hits/work/"):
            self._crowd.rest(1)  # there is no HIT for this worker now
            return
        wrapper = self._send("wrapper", "GET", location)
        frame = urlsplit(html.unescape(_search(FRAME, wrapper, "wrapper")))
        page = self._send("page", "GET", f"{frame.path}?{frame.query}", bare=True)
        message = {
            "token": _search(TOKEN, page, "page"),
            "revision": 0,
            "save_id": secrets.token_hex(16),
            "content": {_search(ITEM, page, "page"): self._answer},
            "active_seconds": 40,
            "moves": 12,
        }
        text = {"Content-Type": "text/plain;charset=UTF-8"}
        address = _search(SUBMIT, page, "page")
        stored = self._send(
            "submit", "POST", address, bare=True, data=json.dumps(message), headers=text
        )
        if stored.status_code != 200:
            raise UnexpectedPageError(f"submit: {stored.status_code} {stored.text[:200]}")
        assignment = location.removeprefix("/hits/work/").removesuffix("/")
        confirmed = self._send(
            "externalSubmit",
            "POST",
            urlsplit(_search(SUBMIT_TO, page, "page")).path,
            bare=True,
            data={"assignmentId": assignment, "content": stored.json()["fields"]["content"]},
        )
        if confirmed.status_code != 200:
            raise UnexpectedPageError(f"externalSubmit: {confirmed.status_code}")
        self._crowd.records.accepted[assignment] = time.monotonic()

    def _send(
        self, step: str, method: str, path: str, *, bare: bool = False, **more: Any
    ) -> requests.Response:
        """Send the request until the site answers it."""
        session = self._frame if bare else self._session
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and not self._crowd.has_ended:
            at, problem = time.monotonic(), ""
            try:
                url = f"{self._entrance()}{path}"
                response = session.request(method, url, timeout=60, allow_redirects=False, **more)
                problem = str(response.status_code) if response.status_code >= 500 else ""
            except requests.RequestException as error:
                problem = type(error).__name__
            self._crowd.records.attempts.append(Attempt(at, method, step, problem))
            if not problem:
                return response
            self._crowd.rest(PAUSE_SECONDS)
        raise UnexpectedPageError(f"{step}: the site did not answer")


def _search(pattern: re.Pattern[str], response: requests.Response, step: str) -> str:
    match = pattern.search(response.text)
    if match is None:
        raise UnexpectedPageError(f"{step}: status {response.status_code}, no {pattern.pattern}")
    return match.group(1)
