"""Read the addresses with which workers open task pages."""

from collections.abc import Mapping

from crowd.domain.sessions.session_links import parse_session_link
from crowd.providers.base import Arrival, InvalidArrivalError
from crowd.providers.registry import frame_origins, parse_frame_arrival

__all__ = ["Arrival", "InvalidArrivalError", "frame_origins", "parse_arrival"]


def parse_arrival(path: str, parameters: Mapping[str, str]) -> Arrival:
    """Return the assignment and worker of a task page's address, in a frame or in a session.

    `path` is the path of the address, to which a signature is bound.

    Raise InvalidArrivalError.
    """
    return parse_session_link(path, parameters) or parse_frame_arrival(path, parameters)
