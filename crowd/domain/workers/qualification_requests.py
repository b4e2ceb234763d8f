"""Fetch workers' requests for our qualifications, and send the decisions on them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max

from audit.domain.change_state import Transitions, change_state
from crowd.domain.provider.providers import hit_provider_of
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import DEFAULT_PROVIDER, GrantState, RequestState
from crowd.models import QualificationGrant, QualificationRequest, QualificationType
from crowd.providers.base import ListedRequest, OutcomeUnknownError, ProviderRefusedError
from crowd.providers.limits import FEEDBACK, check_text
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

TRANSITIONS: Transitions = {
    RequestState.OPEN: [RequestState.GRANTING, RequestState.REFUSING, RequestState.GONE],
    RequestState.GRANTING: [RequestState.GRANTED, RequestState.GONE],
    RequestState.REFUSING: [RequestState.REFUSED, RequestState.GONE],
}
# The marketplace's list lags behind writes.
SETTLING = timedelta(minutes=10)
MAX_REASON_LENGTH = FEEDBACK


def fetch_requests(*, now: datetime, provider: str = DEFAULT_PROVIDER) -> int:
    """Store new requests, and close those that the marketplace no longer lists. Return how many are new.

    Nothing is stored if the marketplace can't be reached, because the next sweep tries again.
    """
    ours = {
        kind.external_id: kind
        for kind in QualificationType.objects.filter(provider=provider).exclude(external_id="")
    }
    if not ours:
        return 0
    try:
        listed = [
            row for row in hit_provider_of(provider).list_requests() if row.qualification in ours
        ]
    except (OutcomeUnknownError, ProviderRefusedError):
        return 0
    known = set(
        QualificationRequest.objects.filter(
            external_id__in=[row.external_id for row in listed]
        ).values_list("external_id", flat=True)
    )
    new = [row for row in listed if row.external_id not in known]
    for row in new:
        _store(row, ours[row.qualification], now)
    _close_missing(provider, {row.external_id for row in listed}, now)
    return len(new)


def _store(row: ListedRequest, kind: QualificationType, now: datetime) -> None:
    worker = register_worker(provider=kind.provider, external_id=row.worker, now=now)
    QualificationRequest.objects.get_or_create(
        external_id=row.external_id,
        defaults={
            "qualification_type": kind,
            "worker": worker,
            "answer": row.answer,
            "requested_at": row.requested_at,
        },
    )


def _close_missing(provider: str, listed: set[str], now: datetime) -> None:
    waiting = QualificationRequest.objects.filter(
        state=RequestState.OPEN,
        qualification_type__provider=provider,
        requested_at__lt=now - SETTLING,
    )
    for request in waiting.exclude(external_id__in=listed):
        _change(request, RequestState.GONE, "marketplace", now)


@transaction.atomic
def grant_request(
    *, request: QualificationRequest, value: int | None, actor: str, now: datetime
) -> QualificationRequest:
    """Grant the request with this value, or with a number that no other holder has.

    Raise TransitionNotAllowedError.
    """
    kind = QualificationType.objects.select_for_update().get(pk=request.qualification_type_id)
    if value is None:
        last = kind.grants.aggregate(last=Max("value"))["last"] or 0
        promised = kind.requests.aggregate(last=Max("value"))["last"] or 0
        value = max(last, promised) + 1
    return _change(request, RequestState.GRANTING, actor, now, value=value, decided_by=actor)


def refuse_request(
    *, request: QualificationRequest, reason: str, actor: str, now: datetime
) -> QualificationRequest:
    """Refuse the request with a reason for the worker. Raise TransitionNotAllowedError, ValueError."""
    if not reason.strip():
        raise ValueError("Enter a reason. The worker will read it.")
    check_text("reason", reason, longest=FEEDBACK)
    return _change(
        request, RequestState.REFUSING, actor, now, refusal=reason.strip(), decided_by=actor
    )


def _change(
    request: QualificationRequest, state: RequestState, actor: str, now: datetime, **fields: Any
) -> QualificationRequest:
    return change_state(
        instance=request,
        new=state,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        decided_at=now,
        leased_until=None,
        **fields,
    )


def send_due_answers(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` decisions. Return how many the marketplace accepted."""
    due = QualificationRequest.objects.filter(
        state__in=[RequestState.GRANTING, RequestState.REFUSING]
    ).select_related("worker", "qualification_type")
    return for_each_row(
        sweep="answer requests", rows=due, process=_send, clock=clock, limit=limit, leased=True
    )


def _send(request: QualificationRequest, now: datetime) -> bool:
    market = hit_provider_of(request.qualification_type.provider)
    granting = request.state == RequestState.GRANTING
    try:
        if granting:
            market.accept_request(request.external_id, value=request.value or 0)
        else:
            market.refuse_request(request.external_id, reason=request.refusal)
    except OutcomeUnknownError:
        return False  # a repeat is refused if the first attempt succeeded
    except ProviderRefusedError as refused:
        if not granting or not _is_held(request):
            _give_up(request, str(refused), now)
            return False
    _finish(request, now)
    return True


def _is_held(request: QualificationRequest) -> bool:
    """Return True if the worker has the value, because an earlier attempt succeeded."""
    kind = request.qualification_type
    grants = hit_provider_of(kind.provider).list_grants(kind.external_id)
    return grants.get(request.worker.external_id) == request.value


@transaction.atomic
def _finish(request: QualificationRequest, now: datetime) -> None:
    granting = request.state == RequestState.GRANTING
    state = RequestState.GRANTED if granting else RequestState.REFUSED
    change_state(
        instance=request,
        new=state,
        transitions=TRANSITIONS,
        actor="marketplace",
        now=now,
        leased_until=None,
        error="",
    )
    if granting:
        QualificationGrant.objects.update_or_create(
            qualification_type=request.qualification_type,
            worker=request.worker,
            defaults={
                "value": request.value or 0,
                "state": GrantState.HELD,
                "changed_at": now,
                "leased_until": None,
                "error": "",
            },
        )


def _give_up(request: QualificationRequest, error: str, now: datetime) -> None:
    change_state(
        instance=request,
        new=RequestState.GONE,
        transitions=TRANSITIONS,
        actor="marketplace",
        now=now,
        reason=error,
        leased_until=None,
        error=error,
    )
