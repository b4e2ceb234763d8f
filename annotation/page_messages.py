"""Parse and validate the messages that pages send."""

import json
from typing import TypeVar

from django.http import HttpRequest
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field

from annotation.domain.corpus.storable import UnstorableError, load_storable
from annotation.domain.work.drafts import PageState
from annotation.domain.work.worker_page import BadMessageError, MessageTooLargeError

MAX_CONTENT_BYTES = 256 * 1024
# Room for the content and for the longest log of moves.
MAX_MESSAGE_BYTES = 1024 * 1024
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


class TutorialMessage(BaseModel):
    """A request of a page for its tutorial, or the note that the worker is done with it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(max_length=1000)
    done: bool = False


class PracticeMessage(BaseModel):
    """The body of a check from the practice page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: dict[str, object] = Field(max_length=20)


def read_page_message(request: HttpRequest) -> PageMessage:
    """Parse a page's message. Raise BadMessageError, MessageTooLargeError."""
    message = _read(PageMessage, request)
    is_small = len(request.body) <= MAX_CONTENT_BYTES
    if not is_small and _size(message.content) > MAX_CONTENT_BYTES:
        raise MessageTooLargeError
    return message


def _size(content: object) -> int:
    return len(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def read_look_up_message(request: HttpRequest) -> LookUpMessage:
    """Parse a look-up. Raise BadMessageError, MessageTooLargeError."""
    return _read(LookUpMessage, request)


def read_tutorial_message(request: HttpRequest) -> TutorialMessage:
    """Parse a message about the tutorial. Raise BadMessageError, MessageTooLargeError."""
    return _read(TutorialMessage, request)


def read_practice_message(request: HttpRequest) -> dict[str, object]:
    """Return the content to check. Raise BadMessageError, MessageTooLargeError."""
    return _read(PracticeMessage, request).content


def _read(kind: type[Message], request: HttpRequest) -> Message:
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_MESSAGE_BYTES:
        raise MessageTooLargeError
    try:
        return kind.model_validate(load_storable(request.body.decode()))
    except UnstorableError as error:
        raise BadMessageError(
            gettext("This message can't be stored: %(error)s") % {"error": error}
        ) from error
    except (ValueError, RecursionError) as error:  # pydantic's errors are ValueErrors
        raise BadMessageError(
            gettext("This request wasn't sent by the task page. Reload the page.")
        ) from error
