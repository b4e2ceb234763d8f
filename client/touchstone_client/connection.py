"""Requests to a site: authorization, repeats and errors."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from touchstone_client import records
from touchstone_client.errors import (
    ApiError,
    ConnectionFailedError,
    NotFoundError,
    RateLimitedError,
    TouchstoneError,
)

PREFIX = "/api/v1/"
TIMEOUTS = (10.0, 120.0)  # seconds to connect, and between bytes of the answer
ATTEMPTS = 5
FIRST_DELAY = 0.5
LOCAL = {"localhost", "127.0.0.1", "::1"}
# Files to upload: pairs of a field and a path
Uploads = Sequence[tuple[str, str | Path]]


class Connection:
    """Sends requests to one site, with a token.

    After 429, the request was not performed. It is repeated when the time in `Retry-After` is over.
    After a lost connection or an error of the server, the outcome is unknown. Only requests that
    read or have an `Idempotency-Key` are repeated then.
    """

    def __init__(self, url: str, token: str, *, allow_http: bool, max_wait: float) -> None:
        self.url = _checked(url, allow_http=allow_http)
        if not re.fullmatch(r"[!-~]+", token):
            # requests would quote the token in its own message.
            raise ValueError("The token is empty or has characters that no token has.")
        self._max_wait = max_wait
        self._session = requests.Session()
        self._session.auth = _Token(token)
        self._session.headers["User-Agent"] = f"touchstone-client/{_version()}"

    def close(self) -> None:
        self._session.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, Any] | None = None,
        files: Uploads = (),
        key: str | None = None,
        stream: bool = False,
    ) -> requests.Response:
        """Return a successful answer, or raise the API's error."""
        request = requests.Request(
            method,
            self.address(path),
            params=_plain(query or {}),
            headers={} if key is None else {"Idempotency-Key": key},
        )
        if form is None:
            request.json = body
            return self._repeat(self._session.prepare_request(request), stream=stream)
        with ExitStack() as stack:
            request.data = _plain(form)
            request.files = [
                (field, (Path(path).name, stack.enter_context(Path(path).open("rb"))))
                for field, path in files
            ]
            # The files are read here, once for all attempts.
            prepared = self._session.prepare_request(request)
        return self._repeat(prepared, stream=stream)

    def address(self, path: str) -> str:
        """Return the URL of a path below /api/v1/. URLs that the API returned stay the same."""
        if not urlsplit(path).scheme:
            return self.url + (path if path.startswith("/") else PREFIX + path)
        if _origin(path) != _origin(self.url):
            raise TouchstoneError(f"{path} is not at {self.url}, so the token is not sent there.")
        return path

    def _repeat(self, request: requests.PreparedRequest, *, stream: bool) -> requests.Response:
        is_repeatable = request.method == "GET" or "Idempotency-Key" in request.headers
        delay = FIRST_DELAY
        for attempt in range(1, ATTEMPTS + 1):
            outcome = self._try(request, stream=stream)
            if isinstance(outcome, requests.Response):
                return outcome
            pause = max(delay, outcome.retry_after or 0)
            if isinstance(outcome, ApiError) and outcome.status < 500:
                may_repeat = outcome.status == 429
            else:
                may_repeat = is_repeatable
            if attempt == ATTEMPTS or not may_repeat or pause > self._max_wait:
                raise outcome
            time.sleep(pause)
            delay *= 2
        raise AssertionError("The last attempt returns or raises.")

    def _try(
        self, request: requests.PreparedRequest, *, stream: bool
    ) -> requests.Response | ApiError | ConnectionFailedError:
        """Return an answer or an error.

        The error is raised elsewhere: it would keep this frame, and with the answer its connection.
        """
        url = request.url or ""
        settings = self._session.merge_environment_settings(url, {}, stream, None, None)
        try:
            answer = self._session.send(
                request, timeout=TIMEOUTS, allow_redirects=False, **settings
            )
        except OSError as error:  # requests' exceptions are its subclasses
            problem = type(error).__name__
        else:
            return answer if answer.status_code < 300 else _error_of(request, answer)
        # Exceptions of requests have the request with its token, so this one is not chained.
        return ConnectionFailedError(f"{_name(request)}: no answer ({problem}).")


class _Token(AuthBase):
    """Authentication by token, which also prevents requests from reading a .netrc file."""

    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._header
        return request


def _checked(url: str, *, allow_http: bool) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("Use the address of the site, such as https://touchstone.example.")
    if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("Use the address of the site without a path, a name or a password.")
    if parts.scheme == "http" and parts.hostname not in LOCAL and not allow_http:
        raise ValueError(
            f"http:// would send the token to {parts.hostname} in plain text. Use https://, or "
            "allow_http=True in a network that you trust."
        )
    return f"{parts.scheme}://{parts.netloc}"


def _origin(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80}.get(parts.scheme, 443)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as the API reads them in queries and forms. None is left out."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in values.items()
        if value is not None
    }


def _error_of(request: requests.PreparedRequest, answer: requests.Response) -> ApiError:
    kinds = {404: NotFoundError, 429: RateLimitedError}
    kind = kinds.get(answer.status_code, ApiError)
    reason = answer.reason or "error"
    if 300 <= answer.status_code < 400:
        reason = f"{reason}. The address of the site may be another one."
    error = kind(_name(request), answer.status_code, reason, list(_errors(answer)))
    error.retry_after = _seconds(answer)
    return error


def _errors(answer: requests.Response) -> Iterable[records.Error]:
    """Yield the errors of an answer. A proxy's answer has none."""
    try:
        listed = answer.json()["errors"]
        for error in listed:
            yield {"code": error["code"], "detail": error["detail"], "attr": error["attr"]}
    except (requests.RequestException, ValueError, KeyError, TypeError):
        return


def _name(request: requests.PreparedRequest) -> str:
    return f"{request.method} {urlsplit(request.url or '').path}"


def _seconds(answer: requests.Response) -> float | None:
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if re.fullmatch(r"\d{1,6}", seconds) else None


def _version() -> str:
    try:
        return metadata.version("touchstone-client")
    except metadata.PackageNotFoundError:
        return "0"
