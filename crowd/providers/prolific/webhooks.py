"""Prolific's notifications, which are signed, repeated and unordered.

They only say what to look up. Their order (`X-Timestamp`) therefore changes nothing.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

from pydantic import BaseModel, Field, ValidationError

from crowd.providers.base import (
    RECEIPTS_KEPT,
    BadSignatureError,
    InvalidNotificationError,
    ProviderEvent,
)

SIGNATURE, TIMESTAMP = "X-Prolific-Request-Signature", "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
HIGH_RETURNS = "study.has_high_return_rate"
EVENT_TYPES = ("submission.status.change", "study.status.change", HIGH_RETURNS)
HIGH_RETURNS_NOTICE = (
    "Many participants return their place without finishing. Check the description, the time and "
    "the pay, and do a session yourself."
)
ID = r"^[0-9a-f]{24}$"


class _Event(BaseModel):
    event_type: str = Field(max_length=100)
    resource_id: str = Field(pattern=ID)


def read_notification(
    body: bytes, headers: Mapping[str, str], *, secret: str, now: datetime
) -> ProviderEvent:
    """Parse a notification after checking its signature. Raise InvalidNotificationError.

    Prolific signs the body and the time, but not the event's id. The signature is a receipt as
    well, so that a captured event can't be repeated under other ids.
    """
    signature, timestamp = headers.get(SIGNATURE, ""), headers.get(TIMESTAMP, "")
    if not secret or not hmac.compare_digest(
        signature.encode(), sign(body, timestamp, secret=secret).encode()
    ):
        raise BadSignatureError("The signature is not valid.")
    if not timestamp.isdecimal() or int(timestamp) < (now - RECEIPTS_KEPT).timestamp():
        raise InvalidNotificationError("The event is too old.")
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
        receipts=[receipt, signature],
        postings=[] if is_session else ids,
        sessions=ids if is_session else [],
        notice=HIGH_RETURNS_NOTICE if event.event_type == HIGH_RETURNS else "",
    )


def sign(body: bytes, timestamp: str, *, secret: str) -> str:
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()
