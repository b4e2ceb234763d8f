"""An HTTP client that reads pages and posts forms as a worker's browser does."""

import json
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urljoin

import requests

from audit.errors import TouchstoneError

ANSWER_TIMEOUT = 120.0
RETRY_PAUSE = 0.3


class SiteUnreachableError(TouchstoneError):
    """The site did not answer within the time limit."""


@dataclass
class Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)


class Page(HTMLParser):
    """A parser for the parts of a page that a simulated worker uses.

    The value of a number field is its minimum, and that of a choice is its last option.
    """

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
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(urljoin(self.url, values.get("action", ""))))
        elif tag == "input" and self.forms and "name" in values:
            value = values.get("value", "") or values.get("min", "")
            self.forms[-1].fields[values["name"]] = value
        elif tag == "select" and self.forms:
            self._select = values.get("name", "")
        elif tag == "option" and self._select:  # the last option remains
            self.forms[-1].fields[self._select] = values.get("value", "")
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
        elif tag == "select":
            self._select = ""

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data = json.loads(data)

    def all_marked(self, name: str) -> list[dict[str, str]]:
        return [element for element in self.marked if name in element]

    def form_to(self, ending: str) -> Form | None:
        return next((form for form in self.forms if form.action.endswith(ending)), None)


class Browser:
    """A worker's session with a site. Requests are repeated while the site is down."""

    def __init__(self, site: str) -> None:
        self.site = site
        self._session = requests.Session()
        self._frame = requests.Session()
        self._frame.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def get(self, url: str) -> Page:
        response = self._send("GET", url)
        return Page(response.url, response.text)

    def post(self, url: str, fields: dict[str, str]) -> Page:
        response = self._send("POST", url, data=fields)
        return Page(response.url, response.text)

    def post_json(self, url: str, body: Any) -> tuple[int, Any]:
        """Post JSON as the page's script does, and return the status and the body."""
        response = self._send(
            "POST", url, data=json.dumps(body), headers={"Content-Type": "text/plain"}
        )
        return response.status_code, response.json()

    def post_bare(self, url: str, fields: dict[str, str]) -> int:
        """Post a form without cookies, as a sandboxed frame does, and return the status."""
        response = self._send("POST", url, data=fields, bare=True)
        return response.status_code

    def _send(
        self, method: str, url: str, *, bare: bool = False, **extra: Any
    ) -> requests.Response:
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while time.monotonic() < deadline:
            try:
                session = self._frame if bare else self._session
                response = session.request(method, urljoin(self.site, url), timeout=60, **extra)
            except requests.RequestException:
                time.sleep(RETRY_PAUSE)
                continue
            if response.status_code < 500:
                return response
            time.sleep(RETRY_PAUSE)
        raise SiteUnreachableError(f"{method} {url} was not answered for {ANSWER_TIMEOUT:.0f} s.")
