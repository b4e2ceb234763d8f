"""Verification of the requests that a site's webhooks send."""

from __future__ import annotations

import hmac
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from touchstone_client.errors import SignatureError

#: The age in seconds after which a request is refused, so that a recorded one can't be sent again.
TOLERANCE = 300


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = TOLERANCE
) -> dict[str, Any]:
    """Return the event of a request. Raise SignatureError unless the site has signed it recently.

    `body` are the bytes as they were received. Names of headers may have any case.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        event_id, timestamp = given["webhook-id"], int(given["webhook-timestamp"])
        signatures = given["webhook-signature"].split()
    except (KeyError, ValueError):
        raise SignatureError("The request lacks the headers of a webhook.") from None
    if abs(time.time() - timestamp) > tolerance:
        raise SignatureError("The request is too old, or a clock is wrong.")
    key = b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, "sha256").digest()
    expected = f"v1,{b64encode(digest).decode()}".encode()
    if not any(hmac.compare_digest(expected, text.encode()) for text in signatures):
        raise SignatureError("The signature is not that of the secret.")
    event: dict[str, Any] = json.loads(body)
    return event
