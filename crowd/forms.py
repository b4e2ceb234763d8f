"""Validation of the notifications that marketplaces send."""

from pydantic import BaseModel, Field, ValidationError

from audit.errors import TouchstoneError

PRINTABLE = r"^[!-~]+$"  # PostgreSQL rejects NUL and lone surrogates


class InvalidNotificationError(TouchstoneError, ValueError):
    """The request body is not a valid MTurk notification."""


class _Event(BaseModel):
    hit_id: str | None = Field(default=None, alias="HITId", max_length=64, pattern=PRINTABLE)


class Notification(BaseModel):
    doc_id: str = Field(alias="EventDocId", max_length=120, pattern=PRINTABLE)
    events: list[_Event] = Field(alias="Events", max_length=100)

    def hits(self) -> list[str]:
        return [event.hit_id for event in self.events if event.hit_id]


def read_notification(body: bytes) -> Notification:
    """Parse the body of a webhook request. Raise InvalidNotificationError if it is invalid."""
    try:
        return Notification.model_validate_json(body)
    except ValidationError as error:
        raise InvalidNotificationError(str(error)) from error
