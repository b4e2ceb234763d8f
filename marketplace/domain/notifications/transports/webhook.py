"""Webhooks: requests to a host that the operator allows, signed with the requester's newest key."""

import hmac

from django.conf import settings

from marketplace.domain.access_keys import newest_key
from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.notifications.transports.base import EndpointError
from marketplace.models import Notification, Requester
from web.outgoing import DEFAULT_PORTS, allowed_hosts, port_of, post, read_url

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
TIMEOUT_SECONDS = 5.0
DEADLINE_SECONDS = 8.0


class Webhook:
    def check(self, destination: str, requester: Requester) -> None:
        try:
            url = read_url(destination)
        except ValueError:
            raise InvalidParameterError(f"Destination {destination!r} is not a URL.") from None
        if url.scheme not in DEFAULT_PORTS:
            raise EndpointError(
                "With Transport SNS, Destination must be the ARN of a topic, or the address of a "
                "webhook that begins with https://."
            )
        if url.scheme == "http" and not settings.MARKETPLACE_ALLOW_HTTP:
            raise EndpointError("Destination must begin with https://.")
        if (url.hostname, port_of(url)) not in _allowed_hosts():
            raise EndpointError(
                f"This marketplace may not call {url.netloc}. Its operator can allow the host and "
                "port with MARKETPLACE_WEBHOOK_HOSTS."
            )

    def origin(self, destination: str) -> str:
        url = read_url(destination)
        return f"{url.scheme}://{url.hostname}:{port_of(url)}"

    def send(self, notification: Notification, body: str) -> str:
        content = body.encode()
        answer = post(
            notification.destination,
            content,
            _signature(notification.requester, content),
            timeout=TIMEOUT_SECONDS,
            deadline=DEADLINE_SECONDS,
        )
        return "" if answer.is_success else f"HTTP {answer.status}"


def _allowed_hosts() -> set[tuple[str | None, int]]:
    """Return the hosts and ports of the operator's setting, and the site's own."""
    own = read_url(settings.MARKETPLACE_URL)
    names = LOOPBACK if own.hostname in LOOPBACK else {own.hostname}
    return allowed_hosts(settings.MARKETPLACE_WEBHOOK_HOSTS) | {
        (name, port_of(own)) for name in names
    }


def _signature(requester: Requester, body: bytes) -> dict[str, str]:
    """Return the headers with the signature of the requester's newest key."""
    key = newest_key(requester)
    if key is None:
        return {}
    key_id, secret = key
    signature = hmac.new(secret.encode(), body, "sha256").hexdigest()
    return {"Touchstone-Key-Id": key_id, "Touchstone-Signature": f"sha256={signature}"}
