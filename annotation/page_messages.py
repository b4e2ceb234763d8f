"""Parse and validate the messages that pages send."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotation.domain.drafts import PageState
from annotation.domain.storable import load_storable
from annotation.domain.worker_page import BadMessageError


class PageMessage(BaseModel):
    """The body of a save or a submit from a worker's page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(max_length=1000)
    revision: int = Field(ge=0)
    content: dict[str, object] = Field(max_length=200)
    active_seconds: int = Field(default=0, ge=0, le=10_000_000)
    moves: int = Field(default=0, ge=0, le=10_000_000)
    comment: str = Field(default="", max_length=20_000)

    def state(self) -> PageState:
        return PageState(
            revision=self.revision,
            content=self.content,
            active_seconds=self.active_seconds,
            moves=self.moves,
            comment=self.comment,
        )


def _json(body: bytes) -> object:
    return load_storable(body.decode())


def read_page_message(body: bytes) -> PageMessage:
    """Parse a page's message. Raise BadMessageError if it can't come from our page."""
    try:
        return PageMessage.model_validate(_json(body))
    except (ValueError, RecursionError, ValidationError) as error:
        raise BadMessageError("This message is not one of our page's.") from error


class PracticeMessage(BaseModel):
    """The body of a check from the practice page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: dict[str, object] = Field(max_length=20)


def read_practice_message(body: bytes) -> dict[str, object]:
    """Return the content to check. Raise BadMessageError if it can't come from our page."""
    try:
        return PracticeMessage.model_validate(_json(body)).content
    except (ValueError, RecursionError, ValidationError) as error:
        raise BadMessageError("This message is not one of our page's.") from error
