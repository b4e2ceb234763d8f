"""The identity that a worker's page claims in a marketplace's frame.

The frame has no cookies. The page carries a signed token with the task, assignment and worker of
the frame's address. Anyone can write such an address. A claim is confirmed if the address is signed by
our own marketplace or made for a session, or if the marketplace was asked (see
`annotation.domain.work.confirm_claim`).
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.core import signing
from django.utils.translation import gettext

from audit.errors import TouchstoneError
from crowd.domain.sessions.arrivals import Arrival

SALT = "annotation.worker-page"
TOKEN_LIFE = timedelta(days=40)
REFERENCE = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


class InvalidPageError(TouchstoneError):
    """The frame's address or the page's token is invalid."""


class NotForWorkerError(InvalidPageError):
    """The worker may not do the task, but others may."""


class UnconfirmedClaimError(InvalidPageError):
    """No marketplace has confirmed the claim, so it may not read what the page asks for.

    `can_retry` means that the marketplace may confirm it soon.
    """

    def __init__(self, *, can_retry: bool = False) -> None:
        super().__init__(
            gettext(
                "The marketplace hasn't confirmed yet that you accepted this task. This page tries again "
                "every few seconds."
            )
            if can_retry
            else gettext("Accept this task in the marketplace first, and open it from there.")
        )
        self.can_retry = can_retry


class TaskOverError(InvalidPageError):
    """The task was finished, or its time is over."""

    def __init__(self) -> None:
        super().__init__(gettext("This task is over. Return it if you still have it."))


class BadMessageError(InvalidPageError):
    """The message can't come from our own page."""


class MessageTooLargeError(InvalidPageError):
    """The message is larger than any work that our page sends."""

    def __init__(self) -> None:
        super().__init__(
            gettext("Your work is too large to save. Remove some of it and try again.")
        )


@dataclass(frozen=True, slots=True)
class PageToken:
    """The task, assignment and worker that a page claims.

    `is_confirmed` means that the claim was confirmed when the page opened.
    """

    public_id: str
    assignment_ref: str
    worker_ref: str
    is_confirmed: bool = False

    def token(self, salt: str = SALT) -> str:
        """Return a signed token with the claim. A salt of another purpose makes another token."""
        parts = [self.public_id, self.assignment_ref, self.worker_ref, self.is_confirmed]
        return signing.dumps(parts, salt=salt)


def page_token_of_arrival(*, public_id: UUID, arrival: Arrival) -> PageToken | None:
    """Return the claim in a page's address, or None for a preview. Raise InvalidPageError."""
    if not arrival.assignment:
        return None
    if not REFERENCE.match(arrival.assignment) or not REFERENCE.match(arrival.worker):
        raise InvalidPageError(
            gettext(
                "This link has no assignment or worker. Open the task from the marketplace again."
            )
        )
    return PageToken(str(public_id), arrival.assignment, arrival.worker, arrival.is_signed)


def page_token_of(token: object, salt: str = SALT) -> PageToken:
    """Return the claim in a page's token. Raise InvalidPageError if it was altered or expired."""
    try:
        return PageToken(*signing.loads(str(token), salt=salt, max_age=TOKEN_LIFE))
    except (signing.BadSignature, TypeError, ValueError):
        raise InvalidPageError(
            gettext("This page is no longer authorised. Open the task again.")
        ) from None
