"""The notifications that MTurk-compatible marketplaces post to a webhook."""

from collections.abc import Mapping

from pydantic import BaseModel, Field, ValidationError

from crowd.providers.base import InvalidNotificationError, ProviderEvent

PRINTABLE = r"^[!-~]+$"  # PostgreSQL rejects NUL and lone surrogates
# The events after which a HIT is synced.
EVENT_TYPES = (
    "AssignmentSubmitted",
    "AssignmentApproved",
    "AssignmentRejected",
    "HITReviewable",
    "HITExpired",
)


class _Event(BaseModel):
    hit_id: str | None = Field(default=None, alias="HITId", max_length=64, pattern=PRINTABLE)


class _Notification(BaseModel):
    doc_id: str = Field(alias="EventDocId", max_length=120, pattern=PRINTABLE)
    events: list[_Event] = Field(alias="Events", max_length=100)


def read_notification(body: bytes, headers: Mapping[str, str]) -> ProviderEvent:
    """Parse the body of a webhook request. Raise InvalidNotificationError if it is invalid."""
    try:
        notification = _Notification.model_validate_json(body)
    except ValidationError as error:
        raise InvalidNotificationError(str(error)) from error
    hits = [event.hit_id for event in notification.events if event.hit_id]
    return ProviderEvent(receipts=[notification.doc_id], postings=hits)
