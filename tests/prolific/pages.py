"""Ways for simulated participants to open the site's pages: in the process, or over HTTP."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import requests
from django.test import Client

TIMEOUT = 60


@dataclass(frozen=True)
class Answer:
    """A response of a page. `location` is empty without a redirect."""

    status: int
    text: str
    location: str


class Pages(Protocol):
    """A browser that keeps no cookies and follows no redirects. Addresses belong to the site."""

    def get(self, address: str) -> Answer: ...

    def post(self, address: str, fields: Mapping[str, Any] | None = None) -> Answer: ...

    def post_json(self, address: str, message: Mapping[str, Any]) -> Answer: ...


class InProcess:
    """Pages by Django's test client."""

    def get(self, address: str) -> Answer:
        return self._answer(Client().get(local(address)))

    def post(self, address: str, fields: Mapping[str, Any] | None = None) -> Answer:
        return self._answer(Client().post(local(address), fields or {}))

    def post_json(self, address: str, message: Mapping[str, Any]) -> Answer:
        return self._answer(Client().post(local(address), json.dumps(message), "application/json"))

    def _answer(self, response: Any) -> Answer:
        location = response.headers.get("Location", "")
        return Answer(response.status_code, response.content.decode(), location)


class OverHttp:
    """Pages of a running site."""

    def __init__(self, site: str) -> None:
        self.site = site

    def get(self, address: str) -> Answer:
        return self._request("GET", address)

    def post(self, address: str, fields: Mapping[str, Any] | None = None) -> Answer:
        return self._request("POST", address, data=fields)

    def post_json(self, address: str, message: Mapping[str, Any]) -> Answer:
        return self._request("POST", address, json=message)

    def _request(self, method: str, address: str, **options: Any) -> Answer:
        response = requests.request(
            method, self.site + local(address), allow_redirects=False, timeout=TIMEOUT, **options
        )
        return Answer(response.status_code, response.text, response.headers.get("Location", ""))


def local(address: str) -> str:
    """Return the path and query of an address."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
