"""A proxy that fails on demand, between the client and a site."""

from typing import Any

import requests

from tests.fakes.stand_in import RefusedError, Request, StandIn


class UnreliableProxy(StandIn):
    """Passes requests for JSON on to a site, which sees the address of the proxy as its own."""

    url: str

    def __init__(self, site: str) -> None:
        super().__init__()
        self.site = site

    def serve(self, request: Request) -> Any:
        answer = requests.request(
            request.method,
            self.site + request.path,
            params=request.query,
            headers=request.headers,
            data=request.content,
            timeout=30,
        )
        if answer.ok:
            return answer.json()
        raise RefusedError(answer.status_code, answer.json())

    def lines(self) -> list[str]:
        return [f"{request.method} {request.path}" for request in self.requests]
