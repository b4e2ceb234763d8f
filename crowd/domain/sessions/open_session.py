"""Open a worker's session. What the address claims counts only after the provider confirmed it."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext, gettext_lazy, ngettext

from audit.errors import TouchstoneError
from crowd.domain.provider.providers import study_provider_of
from crowd.domain.sessions.session_rules import TIME_TO_RETURN
from crowd.domain.workers.languages import keep_language, page_language
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import AssignmentState, BlockState, DealState, SessionState, StudyState
from crowd.models import Deal, Study, StudySession, Worker
from crowd.providers.base import (
    InvalidArrivalError,
    ListedSession,
    ProviderNotFoundError,
    SessionArrival,
)

PLACE_HELD = ("reserved", "active")
FOREIGN = gettext_lazy(
    "This link doesn't belong to a running study of this site. Open the study again."
)
# A worker with a session in these states can't start another one in the project.
UNREVIEWED = [SessionState.ACTIVE, SessionState.FINISHED, SessionState.SUBMITTED]
# A session that nobody reports on is compared with the provider after this time.
FIRST_CHECK = timedelta(minutes=10)


class SessionOverError(TouchstoneError):
    """The session can't be worked on any more. `session` may need its completion code.

    `unsaved` is a task that arrived too late.
    """

    def __init__(self, session: StudySession | None = None, *, unsaved: Deal | None = None) -> None:
        super().__init__(
            gettext("This session is over. What you finished is saved and will be paid.")
        )
        self.session = session
        self.unsaved = unsaved


class AnotherSessionError(TouchstoneError):
    """The worker has another session in the project that is not reviewed yet."""

    def __init__(self, session: StudySession) -> None:
        super().__init__(
            gettext("You can do one session at a time, and the last one isn't reviewed yet.")
        )
        self.session = session


class SessionLimitError(TouchstoneError):
    """The worker has done as many sessions of the project as one person may do."""


def open_session(*, provider: str, parameters: Mapping[str, str], now: datetime) -> StudySession:
    """Return the session of the address, new or opened before, on any device.

    Raise InvalidArrivalError for a forged or foreign address, SessionOverError for one used before,
    AnotherSessionError or SessionLimitError if the worker may not start one now, and
    OutcomeUnknownError or ProviderRefusedError if the provider can't confirm it.
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
        if session.arrived_at:
            return session
    try:
        listed = study_provider_of(provider).session(arrival.session)
    except ProviderNotFoundError:
        raise InvalidArrivalError(FOREIGN) from None
    _check(arrival, listed)
    return _admit(study, listed, now)


def _check(arrival: SessionArrival, listed: ListedSession) -> None:
    if (listed.study, listed.worker) != (arrival.study, arrival.worker):
        raise InvalidArrivalError(FOREIGN)
    if listed.state not in PLACE_HELD:
        raise SessionOverError


@transaction.atomic
def _admit(study: Study, listed: ListedSession, now: datetime) -> StudySession:
    """Create the session, or note the arrival in one that was only listed before."""
    worker = register_worker(provider=study.provider, external_id=listed.worker, now=now)
    # The lock keeps two sessions of the worker from starting at once.
    worker = Worker.objects.select_for_update(of=("self",)).get(pk=worker.pk)
    block = getattr(worker, "block", None)
    if block and block.state in (BlockState.PENDING, BlockState.BLOCKED):
        raise InvalidArrivalError(
            gettext("You can't take part in this study. Please return your place.")
        )
    keep_language(worker=worker, language=page_language())
    _check_others(worker, study, listed)
    session, created = StudySession.objects.get_or_create(
        external_id=listed.external_id,
        defaults={
            "study": study,
            "worker": worker,
            "provider_state": listed.state,
            "arrived_at": now,
            "deadline": deadline_of(study, listed),
            "sync_due_at": now + FIRST_CHECK,
        },
    )
    if not created and session.arrived_at is None:
        session.arrived_at, session.issue, session.issue_at = now, "", None
        session.save(update_fields=["arrived_at", "issue", "issue_at"])
    return session


def deadline_of(study: Study, listed: ListedSession) -> datetime:
    seconds = study_provider_of(study.provider).session_seconds(study.minutes)
    return listed.started_at + timedelta(seconds=seconds)


def _check_others(worker: Worker, study: Study, listed: ListedSession) -> None:
    """Raise an error if other sessions of the worker in the project keep a new one from starting."""
    others = (
        StudySession.objects.filter(worker=worker, study__budget=study.budget_id)
        .exclude(external_id=listed.external_id)
        .exclude(arrived_at=None)
    )
    unreviewed = others.filter(state__in=UNREVIEWED).select_related("study__hit_type", "worker")
    if other := unreviewed.order_by("pk").last():
        raise AnotherSessionError(other)
    most = settings.SESSIONS_PER_WORKER
    with_work = others.filter(deals__state=DealState.DONE).distinct()
    if most and with_work.count() >= most:
        text = ngettext(
            "One person can do %(most)s session of this project, and you have done them. Thank you! "
            "Please return your place. This does not affect your record.",
            "One person can do %(most)s sessions of this project, and you have done them. Thank you! "
            "Please return your place. This does not affect your record.",
            most,
        )
        raise SessionLimitError(text % {"most": most})


def reviewed_by(session: StudySession) -> datetime | None:
    """Return when the session's review ends at the latest, or None if it ends by itself soon."""
    if session.state != SessionState.SUBMITTED:
        return None
    undecided = session.assignments.filter(state=AssignmentState.SUBMITTED)
    latest = undecided.aggregate(at=Max("submitted_at"))["at"]
    delay = timedelta(seconds=session.study.hit_type.auto_approval_seconds)
    times = [latest + delay] if latest else []
    if session.issue and session.issue_at and session.finished_at is None:
        times.append(session.issue_at + TIME_TO_RETURN)
    return max(times, default=None)


def session_with(*, external_id: str) -> StudySession:
    """Return the session with this id at the provider. Raise InvalidArrivalError."""
    rows = StudySession.objects.select_related("study__hit_type", "worker")
    session = rows.filter(external_id=external_id).first()
    if session is None:
        raise InvalidArrivalError(FOREIGN)
    return session
