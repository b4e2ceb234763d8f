"""The interface of a transport."""

from typing import Protocol

from marketplace.domain.errors import RefusalError
from marketplace.models import Notification, Requester


class EndpointError(RefusalError):
    """A destination that the marketplace cannot deliver to."""

    def __init__(self, message: str) -> None:
        super().__init__("InvalidTransportEndpoint", message)


class Transport(Protocol):
    def check(self, destination: str, requester: Requester) -> None:
        """Raise RefusalError unless the marketplace may deliver to the destination."""

    def origin(self, destination: str) -> str:
        """Return the host that the destination depends on. Its failures delay all its deliveries."""

    def send(self, notification: Notification, body: str) -> str:
        """Deliver a body. Return the refusal, or an empty string. Raise UnreachableError."""
