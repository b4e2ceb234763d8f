"""Open a worker's session. What the address claims counts only after the provider confirmed it."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction

from audit.errors import TouchstoneError
from crowd.domain.providers import study_provider_of
from crowd.domain.register_worker import register_worker
from crowd.enums import BlockState, SessionState, StudyState
from crowd.models import Study, StudySession
from crowd.providers.base import (
    InvalidArrivalError,
    ListedSession,
    ProviderNotFoundError,
    SessionArrival,
)

PLACE_HELD = ("reserved", "active")
FOREIGN = "This link doesn't belong to a running study of this site. Open the study again."
# A session that nobody reports on is compared with the provider after this time.
FIRST_CHECK = timedelta(minutes=10)


class SessionOverError(TouchstoneError):
    """The session can't be worked on any more. `session` may need its completion code."""

    def __init__(self, session: StudySession | None = None) -> None:
        super().__init__("This session is over. What you finished is saved and will be paid.")
        self.session = session


def open_session(*, provider: str, parameters: Mapping[str, str], now: datetime) -> StudySession:
    """Return the session of the address, new or opened before, on any device.

    Raise InvalidArrivalError for a forged or foreign address, SessionOverError for one used before,
    and OutcomeUnknownError or ProviderRefusedError if the provider can't confirm it.
    """
    arrival = study_provider_of(provider).parse_session_arrival(parameters)
    study = Study.objects.filter(provider=provider, external_id=arrival.study).first()
    if study is None or study.state == StudyState.PENDING:
        raise InvalidArrivalError(FOREIGN)
    session = (
        StudySession.objects.filter(external_id=arrival.session)
        .select_related("study", "worker")
        .first()
    )
    if session:
        if (session.study_id, session.worker.external_id) != (study.pk, arrival.worker):
            raise InvalidArrivalError(FOREIGN)
        if session.state != SessionState.ACTIVE:
            raise SessionOverError(session)
        return session
    try:
        listed = study_provider_of(provider).session(arrival.session)
    except ProviderNotFoundError:
        raise InvalidArrivalError(FOREIGN) from None
    _check(arrival, listed)
    return _create(study, listed, now)


def _check(arrival: SessionArrival, listed: ListedSession) -> None:
    if (listed.study, listed.worker) != (arrival.study, arrival.worker):
        raise InvalidArrivalError(FOREIGN)
    if listed.state not in PLACE_HELD:
        raise SessionOverError


@transaction.atomic
def _create(study: Study, listed: ListedSession, now: datetime) -> StudySession:
    worker = register_worker(provider=study.provider, external_id=listed.worker, now=now)
    block = getattr(worker, "block", None)
    if block and block.state in (BlockState.PENDING, BlockState.BLOCKED):
        raise InvalidArrivalError("You can't take part in this study. Please return your place.")
    seconds = study_provider_of(study.provider).session_seconds(study.minutes)
    session, _ = StudySession.objects.get_or_create(
        external_id=listed.external_id,
        defaults={
            "study": study,
            "worker": worker,
            "provider_state": listed.state,
            "arrived_at": now,
            "deadline": listed.started_at + timedelta(seconds=seconds),
            "sync_due_at": now + FIRST_CHECK,
        },
    )
    return session


def session_with(*, external_id: str) -> StudySession:
    """Return the session with this id at the provider. Raise InvalidArrivalError."""
    rows = StudySession.objects.select_related("study__hit_type", "worker")
    session = rows.filter(external_id=external_id).first()
    if session is None:
        raise InvalidArrivalError(FOREIGN)
    return session
