"""The exceptions of the client. None of them has the token, in its text or elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from touchstone_client import records


class TouchstoneError(Exception):
    """The base of all exceptions of the client."""


class ConnectionFailedError(TouchstoneError):
    """The site did not answer. What the request asks for may have been done."""

    retry_after: float | None = None


class DownloadError(TouchstoneError):
    """A file could not be downloaded completely."""


class ApiError(TouchstoneError):
    """An error that the API answered.

    `status` is that of HTTP. `code` and `message` are those of the first error. `errors` has all of
    them, and `fields` their messages by field, query parameter or header. `retry_after` has the seconds
    to wait before a repeat, if the site gives them.
    """

    retry_after: float | None = None

    def __init__(
        self, request: str, status: int, reason: str, errors: Sequence[records.Error]
    ) -> None:
        self.request = request
        self.status = status
        self.errors = list(errors)
        self.code = errors[0]["code"] if errors else ""
        self.message = errors[0]["detail"] if errors else reason
        super().__init__(f"{request}: {status} {'; '.join(self._texts()) or reason}")

    @property
    def fields(self) -> dict[str, list[str]]:
        """Return the messages by field. Errors that are about none are left out."""
        messages: dict[str, list[str]] = {}
        for error in self.errors:
            if error["attr"] is not None:
                messages.setdefault(error["attr"], []).append(error["detail"])
        return messages

    def _texts(self) -> list[str]:
        return [
            f"{error['attr']}: {error['detail']}" if error["attr"] else error["detail"]
            for error in self.errors
        ]


class NotFoundError(ApiError):
    """The object does not exist, or the token has no access to it."""


class RateLimitedError(ApiError):
    """There were too many requests. `retry_after` has the seconds to wait."""


class JobFailedError(TouchstoneError):
    """A job failed or was cancelled. `problem` is the reason that the site gives."""

    def __init__(self, path: str, state: str, problem: str) -> None:
        self.path = path
        self.state = state
        self.problem = problem
        super().__init__(f"{path}: {state}. {problem}".rstrip())


class JobTimeoutError(TouchstoneError, TimeoutError):
    """A job did not end in time. It goes on."""


class SignatureError(TouchstoneError):
    """A request was not signed by the site, or too long ago."""
