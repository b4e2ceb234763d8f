"""What marketplaces send, checked at the edge."""

import json
from typing import Any

from pydantic import BaseModel, Field, ValidationError


class BadNotification(ValueError):
    """Not a notification as MTurk writes them."""


class _Event(BaseModel):
    hit_id: str | None = Field(default=None, alias="HITId", max_length=64)


class Notification(BaseModel):
    doc_id: str = Field(alias="EventDocId", min_length=1, max_length=120)
    events: list[_Event] = Field(alias="Events", max_length=100)

    def hits(self) -> list[str]:
        return [one.hit_id for one in self.events if one.hit_id]


class SubscriptionQuestion(BaseModel):
    """A topic that was subscribed to our address asks whether that is right."""

    topic: str = Field(alias="TopicArn", min_length=1, max_length=300)
    confirm_url: str = Field(alias="SubscribeURL", min_length=1, max_length=2000)


def read_notification(body: bytes) -> Notification | SubscriptionQuestion:
    """From a webhook's body, or from the envelope of an SNS topic. Raises BadNotification."""
    try:
        document: Any = json.loads(body)
        if isinstance(document, dict) and document.get("Type") == "SubscriptionConfirmation":
            return SubscriptionQuestion.model_validate(document)
        if isinstance(document, dict) and "Message" in document:
            document = json.loads(document["Message"])
        return Notification.model_validate(document)
    except (ValueError, TypeError, ValidationError) as error:
        raise BadNotification(str(error)) from error
