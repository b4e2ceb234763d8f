"""The address with which a marketplace opens a task page in its frame."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext

from crowd.providers.base import Arrival, InvalidArrivalError

NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
SIGNATURE = "frameSignature"


def parse_arrival(path: str, parameters: Mapping[str, str]) -> Arrival:
    """Return the assignment and worker of a frame's address. A preview has no assignment.

    Raise InvalidArrivalError if finished work would be posted to an unknown site.
    """
    assignment = parameters.get("assignmentId", "")
    worker = parameters.get("workerId", "")
    if assignment in ("", NOT_ACCEPTED):
        return Arrival(worker=worker)
    address = parameters.get("turkSubmitTo", "")
    return Arrival(
        assignment=assignment,
        worker=worker,
        submit_to=_submit_address(address),
        is_signed=_is_signed(path, assignment, worker, parameters.get(SIGNATURE, "")),
    )


def _is_signed(path: str, assignment: str, worker: str, signature: str) -> bool:
    """Return True if this site's own marketplace shows the page to the worker.

    It signs with the secret that both derive from the site's key. Other marketplaces sign nothing.
    """
    if not settings.MTURK_IS_OURS or not signature:
        return False
    text = "\n".join(("frame", path, assignment, worker))
    secret = settings.MTURK_SECRET_ACCESS_KEY.encode()
    expected = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return constant_time_compare(signature, expected)


def _submit_address(raw: str) -> str:
    """Return the address to which the finished form is posted: `turkSubmitTo` with the path."""
    parts = urlsplit(raw)
    if f"{parts.scheme}://{parts.netloc}" not in frame_origins():
        raise InvalidArrivalError(
            gettext("This link would submit your work to an unknown site. Return the task.")
        )
    return raw.split("?", 1)[0].split("#", 1)[0].rstrip("/") + "/mturk/externalSubmit"


def frame_origins() -> Sequence[str]:
    """Return the origins that may frame a task page and receive finished work."""
    origins: Sequence[str] = settings.MTURK_WORKER_ORIGINS
    return origins
