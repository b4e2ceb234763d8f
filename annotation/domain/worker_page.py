"""The identity that a worker's page claims in a marketplace's frame.

The frame has no cookies. The page carries a signed token with the task, assignment and worker of
the frame's address. The claim counts only when the marketplace confirms the assignment.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.core import signing

from audit.errors import TouchstoneError
from crowd.domain.arrivals import Arrival

SALT = "annotation.worker-page"
TOKEN_LIFE = timedelta(days=40)
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


def page_token_of_arrival(*, public_id: UUID, arrival: Arrival) -> PageToken | None:
    """Return the claim in a page's address, or None for a preview. Raise InvalidPageError."""
    if not arrival.assignment:
        return None
    if not REFERENCE.match(arrival.assignment) or not REFERENCE.match(arrival.worker):
        raise InvalidPageError(
            "This link has no assignment or worker. Open the task from the marketplace again."
        )
    return PageToken(str(public_id), arrival.assignment, arrival.worker)


def page_token_of(token: object) -> PageToken:
    """Return the claim in a page's token. Raise InvalidPageError if it was altered or expired."""
    try:
        return PageToken(*signing.loads(str(token), salt=SALT, max_age=TOKEN_LIFE))
    except (signing.BadSignature, TypeError, ValueError):
        raise InvalidPageError("This page is no longer authorised. Open the task again.") from None
