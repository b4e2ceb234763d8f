"""Prolific's notifications, which are signed, repeated and unordered."""

import base64
import hashlib
import hmac
from collections.abc import Mapping

from pydantic import BaseModel, Field, ValidationError

from crowd.providers.base import InvalidNotificationError, ProviderEvent

SIGNATURE, TIMESTAMP = "X-Prolific-Request-Signature", "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
EVENT_TYPES = ("submission.status.change", "study.status.change")
ID = r"^[0-9a-f]{24}$"


class _Event(BaseModel):
    event_type: str = Field(max_length=100)
    resource_id: str = Field(pattern=ID)


def read_notification(body: bytes, headers: Mapping[str, str], *, secret: str) -> ProviderEvent:
    """Parse a notification after checking its signature. Raise InvalidNotificationError."""
    signature = headers.get(SIGNATURE, "")
    if not secret or not hmac.compare_digest(
        signature.encode(), sign(body, headers.get(TIMESTAMP, ""), secret=secret).encode()
    ):
        raise InvalidNotificationError("The signature is not valid.")
    receipt = headers.get(EVENT_ID, "")
    if not receipt or len(receipt) > 100:
        raise InvalidNotificationError("The event has no id.")
    try:
        event = _Event.model_validate_json(body)
    except ValidationError as error:
        raise InvalidNotificationError(str(error)) from error
    is_session = event.event_type.startswith("submission.")
    ids = [event.resource_id]
    return ProviderEvent(
        receipt=receipt, postings=[] if is_session else ids, sessions=ids if is_session else []
    )


def sign(body: bytes, timestamp: str, *, secret: str) -> str:
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()
