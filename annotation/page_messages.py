"""Parse and validate the messages that pages send."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from annotation.domain.drafts import PageState
from annotation.domain.storable import load_storable
from annotation.domain.worker_page import BadMessageError

Message = TypeVar("Message", bound=BaseModel)


class PageMessage(PageState):
    """The body of a save or a submit from a worker's page."""

    token: str = Field(max_length=1000)


class LookUpMessage(BaseModel):
    """The body of a look-up in a resource from a worker's page. Experts' pages have no token."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(max_length=1000)
    resource: str = Field(max_length=40)
    query: str = Field(max_length=200)


class PracticeMessage(BaseModel):
    """The body of a check from the practice page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: dict[str, object] = Field(max_length=20)


def read_page_message(body: bytes) -> PageMessage:
    """Parse a page's message. Raise BadMessageError if it can't come from our page."""
    return _read(PageMessage, body)


def read_look_up_message(body: bytes) -> LookUpMessage:
    """Parse a look-up. Raise BadMessageError if it can't come from our page."""
    return _read(LookUpMessage, body)


def read_practice_message(body: bytes) -> dict[str, object]:
    """Return the content to check. Raise BadMessageError if it can't come from our page."""
    return _read(PracticeMessage, body).content


def _read(kind: type[Message], body: bytes) -> Message:
    try:
        return kind.model_validate(load_storable(body.decode()))
    except (ValueError, RecursionError) as error:  # pydantic's errors are ValueErrors
        raise BadMessageError("This message is not one of our page's.") from error
