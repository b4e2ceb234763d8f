"""The identity that a worker's page claims in a marketplace's frame.

The frame has no cookies. The page carries a signed token with the task, assignment and worker of
the frame's address. The claim counts only when the marketplace confirms the assignment.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core import signing

from audit.errors import TouchstoneError

SALT = "annotation.worker-page"
TOKEN_LIFE = timedelta(days=40)
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
REFERENCE = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


class InvalidPageError(TouchstoneError):
    """The frame's address or the page's token is invalid."""


class NotForWorkerError(InvalidPageError):
    """The worker may not do the task, but others may."""


class BadMessageError(InvalidPageError):
    """The message can't come from our own page."""


class MessageTooLargeError(InvalidPageError):
    """The message is larger than any work that our page sends."""

    def __init__(self) -> None:
        super().__init__("Your work is too large to save. Remove some of it and try again.")


@dataclass(frozen=True, slots=True)
class PageToken:
    """The task, assignment and worker that a page claims."""

    public_id: str
    assignment_ref: str
    worker_ref: str

    def token(self) -> str:
        return signing.dumps([self.public_id, self.assignment_ref, self.worker_ref], salt=SALT)


def page_token_of_address(*, public_id: UUID, assignment: str, worker: str) -> PageToken | None:
    """Return the claim in a frame's address, or None for a preview. Raise InvalidPageError."""
    if assignment in ("", NOT_ACCEPTED):
        return None
    if not REFERENCE.match(assignment) or not REFERENCE.match(worker):
        raise InvalidPageError(
            "This link has no assignment or worker. Open the task from the marketplace again."
        )
    return PageToken(str(public_id), assignment, worker)


def page_token_of(token: object) -> PageToken:
    """Return the claim in a page's token. Raise InvalidPageError if it was altered or expired."""
    try:
        return PageToken(*signing.loads(str(token), salt=SALT, max_age=TOKEN_LIFE))
    except (signing.BadSignature, TypeError, ValueError):
        raise InvalidPageError("This page is no longer authorised. Open the task again.") from None


def submit_address(raw: str) -> str:
    """Return the address to which the finished form is posted.

    This is `turkSubmitTo` with the path. Raise InvalidPageError if its origin is not in
    MTURK_WORKER_ORIGINS, because work must not be sent to an unknown site.
    """
    parts = urlsplit(raw)
    origin = f"{parts.scheme}://{parts.netloc}"
    if origin not in settings.MTURK_WORKER_ORIGINS:
        raise InvalidPageError(
            "This link would submit your work to an unknown site. Return the task."
        )
    return raw.split("?", 1)[0].split("#", 1)[0].rstrip("/") + "/mturk/externalSubmit"
