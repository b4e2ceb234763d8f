"""Requests to the Prolific API: authorization, retries and errors."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import requests
from requests.auth import AuthBase
from urllib3.exceptions import NewConnectionError

from crowd.providers.base import (
    NotPerformedError,
    OutcomeUnknownError,
    ProviderNotFoundError,
    ProviderRefusedError,
)
from crowd.providers.rate import RateLimit

T = TypeVar("T")

PREFIX = "/api/v1"
TIMEOUTS = (5.0, 30.0)  # seconds to connect, and between bytes of the answer
ATTEMPTS = 4
FIRST_DELAY = 0.5
MAX_DELAY = 30.0
PAGE_SIZE = 100
MAX_MESSAGE_LENGTH = 500
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Client errors that may not occur again.
TEMPORARY = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
}


class RefusedError(ProviderRefusedError):
    """A final refusal by Prolific, with its HTTP status."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code, message)
        self.status = status


class NotFoundError(RefusedError, ProviderNotFoundError):
    """The object or page does not exist."""


class UnexpectedAnswerError(OutcomeUnknownError):
    """The call succeeded, but its answer can't be read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer. Some endpoints answer with a text, which is not parsed."""

    content: bytes
    headers: Mapping[str, str]


class _Token(AuthBase):
    """Authentication by API token, which also prevents requests from reading a .netrc file."""

    def __init__(self, token: str) -> None:
        self._header = f"Token {token}"

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._header
        return request


class Transport:
    """Sends requests. Only repeatable ones are retried after an unknown outcome.

    A request that must not be repeated gets its own connection: a reused one may be closed at the
    other end, and the lost request would then look like a lost answer.
    """

    def __init__(
        self,
        *,
        token: str,
        url: str,
        requests_per_second: float,
        attempts: int = ATTEMPTS,
        timeouts: tuple[float, float] = TIMEOUTS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._auth = _Token(token)
        self._url = url.rstrip("/")
        self._rate = RateLimit(requests_per_second)
        self._attempts = attempts
        self._timeouts = timeouts
        self._sleep = sleep
        self._session = requests.Session()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        return json_of(self.call("GET", path, query=query, repeatable=True), path)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        repeatable: bool = False,
    ) -> Answer:
        """Send a request, and raise an error unless it succeeded."""
        attempts_left = self._attempts if repeatable else 1
        delay = FIRST_DELAY
        while True:
            self._rate.wait()
            outcome, retry_after = self._attempt(method, path, body, query, repeatable)
            if isinstance(outcome, Answer):
                return outcome
            attempts_left -= 1
            if not attempts_left:
                raise outcome
            self._sleep(min(MAX_DELAY, max(delay, retry_after)))
            delay *= 2

    def _attempt(
        self,
        method: str,
        path: str,
        body: Any,
        query: Mapping[str, str] | None,
        repeatable: bool,
    ) -> tuple[Answer | OutcomeUnknownError, float]:
        """Return the answer, or a temporary error and the seconds to wait before a retry."""
        name = f"{method} {path}"
        send = self._session.request if repeatable else requests.request
        try:
            response = send(
                method,
                f"{self._url}{PREFIX}{path}",
                params=query,
                json=body,
                auth=self._auth,
                timeout=self._timeouts,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            return _connection_error(name, error), 0.0
        status = response.status_code
        if status in TEMPORARY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return _temporary_error(name, status), _retry_after(response)
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            raise refusal(status, _json(response))
        return Answer(response.content, response.headers), 0.0

    def rows(
        self, path: str, query: Mapping[str, str] | None = None, *, by_offset: bool = False
    ) -> Iterator[Any]:
        """Yield the rows of all pages, by page number or by offset.

        The answer's link to the next page is followed if there is one. A row that moves to a later
        page in the meantime is not repeated.
        """
        filters = dict(query or {})
        parameters = {**filters, **_page(0, 0, by_offset=by_offset)}
        seen: set[str] = set()
        page = 0
        while True:
            try:
                body = self.get(path, parameters)
            except NotFoundError:
                if page == 0:
                    raise
                return
            rows = read(path, lambda answer: [(_key(row), row) for row in answer["results"]], body)
            new = {key: row for key, row in rows if key not in seen}
            yield from new.values()
            seen |= new.keys()
            if not new or _is_last(body, len(seen)):
                return
            page += 1
            following = _page(page, len(seen), by_offset=by_offset)
            parameters = _linked_query(body) or {**filters, **following}


def _page(page: int, offset: int, *, by_offset: bool) -> dict[str, str]:
    if by_offset:
        return {"limit": str(PAGE_SIZE), "offset": str(offset)}
    return {"page": str(page + 1), "page_size": str(PAGE_SIZE)}


def _key(row: Any) -> str:
    return str(row["id"] if "id" in row else row["filter_id"])


def _is_last(body: Any, seen: int) -> bool:
    """Return True after the last page, and False if that is not known."""
    if body.get("_links"):
        return not _linked_query(body)
    count = (body.get("meta") or {}).get("count")
    return count is not None and seen >= count


def _linked_query(body: Any) -> dict[str, str]:
    """Return the query of the link to the next page. Its host may differ from ours."""
    link = (body.get("_links") or {}).get("next") or {}
    return dict(parse_qsl(urlsplit(link.get("href") or "").query))


def path_of(template: str, key: str) -> str:
    """Return a path with an id. Ids can come from an address that a visitor wrote."""
    return template.format(checked_id(key))


def checked_id(key: str) -> str:
    if not ID.fullmatch(key):
        raise NotFoundError(HTTPStatus.NOT_FOUND, "invalid-id", "Not an id of Prolific.")
    return key


def read(name: str, parse: Callable[[Any], T], body: Any) -> T:
    """Parse an answer, or raise UnexpectedAnswerError."""
    try:
        return parse(body)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnexpectedAnswerError(
            f"{name}: unexpected answer ({type(error).__name__})."
        ) from error


def json_of(answer: Answer, name: str) -> Any:
    try:
        return json.loads(answer.content)
    except ValueError:
        raise UnexpectedAnswerError(f"{name}: the answer is not JSON.") from None


def _connection_error(name: str, error: requests.RequestException) -> OutcomeUnknownError:
    """Return an error whose text has no address and no header."""
    cause = getattr(error.args[0], "reason", None) if error.args else None
    if isinstance(error, requests.ConnectTimeout) or isinstance(cause, NewConnectionError):
        return NotPerformedError(f"{name}: Prolific can't be reached.")
    return OutcomeUnknownError(f"{name}: no answer ({type(error).__name__}).")


def _temporary_error(name: str, status: int) -> OutcomeUnknownError:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return NotPerformedError(f"{name}: too many requests.")
    return OutcomeUnknownError(f"{name}: server error {status}.")


def _retry_after(response: requests.Response) -> float:
    """Return the seconds of the header Retry-After. Dates are ignored."""
    try:
        return max(0.0, float(response.headers.get("Retry-After", "0")))
    except ValueError:
        return 0.0


def _json(response: requests.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def refusal(status: int, body: Any) -> RefusedError:
    """Return the error of a final refusal, from any of the API's shapes of errors."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    fields = inner if isinstance(inner, dict) else {}
    code = str(fields.get("error_code") or f"http-{status}")
    title = str(fields.get("title") or fields.get("message") or "")
    message = _text(fields["detail"] if fields.get("detail") else title or inner)
    error = NotFoundError if status == HTTPStatus.NOT_FOUND else RefusedError
    return error(status, code, (message or f"HTTP status {status}")[:MAX_MESSAGE_LENGTH])


def _text(detail: Any) -> str:
    """Return a text, a list or messages by field as one line."""
    if isinstance(detail, dict):
        parts = [f"{name}: {_text(value)}" for name, value in detail.items()]
    elif isinstance(detail, list):
        parts = [_text(value) for value in detail]
    else:
        parts = ["" if detail is None else str(detail)]
    return "; ".join(part for part in parts if part)
