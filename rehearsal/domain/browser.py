"""What a worker's browser does, without the window: pages read, forms posted, over HTTP."""

import json
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urljoin

import requests

PATIENCE = 120.0
PAUSE = 0.3


class SiteGone(Exception):
    """The site has not answered for a long while."""


@dataclass
class Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)


class Page(HTMLParser):
    """The parts of a page that a simulated worker uses: forms, links, frames, marked elements, data."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.url = url
        self.forms: list[Form] = []
        self.frames: dict[str, str] = {}
        self.marked: list[dict[str, str]] = []
        self.links: list[str] = []
        self.text = text
        self.data: Any = None
        self._in_data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(urljoin(self.url, values.get("action", ""))))
        elif tag == "input" and self.forms and "name" in values:
            self.forms[-1].fields[values["name"]] = values.get("value", "")
        elif tag == "a":
            self.links.append(urljoin(self.url, values.get("href", "")))
        elif tag == "iframe":
            self.frames[values.get("id", "")] = values.get("src", "")
        elif tag == "script":
            self._in_data = values.get("id") == "page"
        if any(name.startswith("data-") for name in values):
            self.marked.append(values)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._in_data = False

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data = json.loads(data)

    def all_marked(self, name: str) -> list[dict[str, str]]:
        return [one for one in self.marked if name in one]

    def form_to(self, ending: str) -> Form | None:
        return next((one for one in self.forms if one.action.endswith(ending)), None)


class Browser:
    """One worker's session with one site. A site that is down is waited for: people reload too."""

    def __init__(self, site: str) -> None:
        self.site = site
        self._session = requests.Session()
        self._frame = requests.Session()
        self._frame.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def get(self, url: str) -> Page:
        answer = self._send("GET", url)
        return Page(answer.url, answer.text)

    def post(self, url: str, fields: dict[str, str]) -> Page:
        answer = self._send("POST", url, data=fields)
        return Page(answer.url, answer.text)

    def post_json(self, url: str, body: Any) -> tuple[int, Any]:
        """As the page's script does: status and answer."""
        answer = self._send(
            "POST", url, data=json.dumps(body), headers={"Content-Type": "text/plain"}
        )
        return answer.status_code, answer.json()

    def post_bare(self, url: str, fields: dict[str, str]) -> int:
        """A form posted from a sandboxed frame: no cookies go with it."""
        answer = self._send("POST", url, data=fields, bare=True)
        return answer.status_code

    def _send(
        self, method: str, url: str, *, bare: bool = False, **extra: Any
    ) -> requests.Response:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                session = self._frame if bare else self._session
                answer = session.request(method, urljoin(self.site, url), timeout=60, **extra)
            except requests.RequestException:
                time.sleep(PAUSE)
                continue
            if answer.status_code < 500:
                return answer
            time.sleep(PAUSE)
        raise SiteGone(f"{method} {url} was not answered for {PATIENCE:.0f} s.")
