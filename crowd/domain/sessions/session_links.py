"""The addresses of sessions. Those that open work are signed by this site and need no cookie."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import cast
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext_lazy

from crowd.models import Deal, StudySession
from crowd.providers.base import Arrival, InvalidArrivalError

PAGE_SALT, TASK_SALT, SUBMIT_SALT = "crowd.session", "crowd.session-task", "crowd.session-submit"
PARAMETER = "session"
# Longer than any session.
MAX_AGE = timedelta(days=2)
EXPIRED = gettext_lazy(
    "This link is no longer valid. Open the study from your crowd provider again."
)


@dataclass(frozen=True, slots=True)
class TaskLink:
    """The session, assignment and worker in the address of a task page, and the page's path."""

    session: str
    assignment: str
    worker: str
    path: str


def arrival_url(provider: str) -> str:
    """Return the address with which workers of the provider arrive, without parameters."""
    return str(settings.SITE_URL) + reverse("sessions:arrive", args=[provider])


def session_url(session: StudySession) -> str:
    """Return the address of the session's page."""
    token = signing.dumps(session.external_id, salt=PAGE_SALT)
    return reverse("sessions:session", args=[token])


def next_url(session: StudySession) -> str:
    """Return the address that opens the session's next HIT."""
    token = signing.dumps(session.external_id, salt=PAGE_SALT)
    return reverse("sessions:next", args=[token])


def session_id_of(token: str) -> str:
    """Return the provider's id of the session in a page's address. Raise InvalidArrivalError."""
    return str(_load(token, PAGE_SALT))


def task_url(deal: Deal) -> str:
    """Return the address of the dealt HIT's page."""
    session = deal.session
    path = urlsplit(deal.hit.url).path
    link = [session.external_id, deal.token, session.worker.external_id, path]
    return f"{deal.hit.url}?{PARAMETER}={signing.dumps(link, salt=TASK_SALT)}"


def task_link(parameters: Mapping[str, str]) -> TaskLink | None:
    """Return the link in a task page's address, or None. Raise InvalidArrivalError."""
    token = parameters.get(PARAMETER)
    if token is None:
        return None
    try:
        return TaskLink(*cast("list[str]", _load(token, TASK_SALT)))
    except TypeError:
        raise InvalidArrivalError(EXPIRED) from None


def parse_session_link(path: str, parameters: Mapping[str, str]) -> Arrival | None:
    """Return the arrival in a task page's address, or None. Raise InvalidArrivalError."""
    link = task_link(parameters)
    if link is None:
        return None
    if link.path != path:
        raise InvalidArrivalError(EXPIRED)
    token = signing.dumps(link.assignment, salt=SUBMIT_SALT)
    submit_to = settings.SITE_URL + reverse("sessions:submit", args=[token])
    return Arrival(
        assignment=link.assignment, worker=link.worker, submit_to=submit_to, is_signed=True
    )


def deal_token_of(token: str) -> str:
    """Return the deal in the address to which finished work is posted. Raise InvalidArrivalError."""
    return str(_load(token, SUBMIT_SALT))


def _load(token: str, salt: str) -> object:
    try:
        return signing.loads(token, salt=salt, max_age=MAX_AGE)
    except signing.BadSignature:
        raise InvalidArrivalError(EXPIRED) from None
