"""The address with which a marketplace opens a task page in its frame."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from django.conf import settings

from crowd.providers.base import Arrival, InvalidArrivalError

NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"


def parse_arrival(parameters: Mapping[str, str]) -> Arrival:
    """Return the assignment and worker of a frame's address. A preview has no assignment.

    Raise InvalidArrivalError if finished work would be posted to an unknown site.
    """
    assignment = parameters.get("assignmentId", "")
    worker = parameters.get("workerId", "")
    if assignment in ("", NOT_ACCEPTED):
        return Arrival(worker=worker)
    address = parameters.get("turkSubmitTo", "")
    return Arrival(assignment=assignment, worker=worker, submit_to=_submit_address(address))


def _submit_address(raw: str) -> str:
    """Return the address to which the finished form is posted: `turkSubmitTo` with the path."""
    parts = urlsplit(raw)
    if f"{parts.scheme}://{parts.netloc}" not in frame_origins():
        raise InvalidArrivalError(
            "This link would submit your work to an unknown site. Return the task."
        )
    return raw.split("?", 1)[0].split("#", 1)[0].rstrip("/") + "/mturk/externalSubmit"


def frame_origins() -> Sequence[str]:
    """Return the origins that may frame a task page and receive finished work."""
    origins: Sequence[str] = settings.MTURK_WORKER_ORIGINS
    return origins
