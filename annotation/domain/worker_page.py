"""What a worker's page in a marketplace's frame claims to be, and what it may do by that claim.

In the frame there are no cookies: the page carries a signed token bound to (task, assignment,
worker) as the frame's address named them. The claim counts only once the marketplace confirms it.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core import signing

SALT = "annotation.worker-page"
TOKEN_LIFE = timedelta(days=40)
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
REFERENCE = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


class BadPage(Exception):
    """The frame's address, or the page's token, is not one that a marketplace of ours gives."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Who says to be working on what."""

    public_id: str
    assignment_ref: str
    worker_ref: str

    def token(self) -> str:
        return signing.dumps([self.public_id, self.assignment_ref, self.worker_ref], salt=SALT)


def claim_of_address(*, public_id: UUID, assignment: str, worker: str) -> Claim | None:
    """The claim in a frame's address; None for a preview. Raises BadPage."""
    if assignment in ("", NOT_ACCEPTED):
        return None
    if not REFERENCE.match(assignment) or not REFERENCE.match(worker):
        raise BadPage("This address lacks the assignment or the worker. Open the task again.")
    return Claim(str(public_id), assignment, worker)


def claim_of_token(token: object) -> Claim:
    """The claim in a page's token. Raises BadPage when it was altered or is too old."""
    try:
        return Claim(*signing.loads(str(token), salt=SALT, max_age=TOKEN_LIFE))
    except (signing.BadSignature, TypeError, ValueError):
        raise BadPage(
            "This page's permission is not valid (any more). Open the task again."
        ) from None


def submit_address(raw: str) -> str:
    """Where the finished form is posted: `turkSubmitTo` with the path, if its origin is one of the
    settings' MTURK_WORKER_ORIGINS. Raises BadPage: work is never sent to a stranger."""
    parts = urlsplit(raw)
    origin = f"{parts.scheme}://{parts.netloc}"
    if origin not in settings.MTURK_WORKER_ORIGINS:
        raise BadPage(
            "This address sends finished work to an unknown place. Please return the task."
        )
    return raw.split("?", 1)[0].split("#", 1)[0].rstrip("/") + "/mturk/externalSubmit"
