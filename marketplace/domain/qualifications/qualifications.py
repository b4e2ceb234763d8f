"""Qualification types, grants and workers' requests for qualifications."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext

from marketplace.domain.errors import InvalidParameterError, RefusalError, WrongStateError
from marketplace.domain.find import find
from marketplace.domain.identifiers import new_code
from marketplace.domain.notifications import messages
from marketplace.domain.qualifications.requirements import (
    ADULT,
    APPROVAL_RATE,
    HITS_APPROVED,
    LOCALE,
    SYSTEM,
    Value,
)
from marketplace.domain.questions.answer_key import parse_answer_key
from marketplace.domain.questions.question_form import parse_question_form
from marketplace.enums import GrantStatus, QualificationTypeStatus, RequestStatus
from marketplace.models import (
    Grant,
    HitType,
    HitTypeRequirement,
    QualificationAttempt,
    QualificationRequest,
    QualificationType,
    Requester,
    WorkerAccount,
)

#: Workers with fewer decided assignments have a rate of 100 %, as on MTurk.
RATE_COUNTS_FROM = 100
#: MTurk's message, which clients search.
NEVER_GRANTED = "You requested a Qualification that does not exist."


class _AlreadyRequestedError(RefusalError):
    def __init__(self) -> None:
        super().__init__(
            "QualificationRequestAlreadyExists",
            gettext("You already have a pending request for this qualification."),
        )


def held_by(
    worker: WorkerAccount, requirements: Iterable[Mapping[str, Any]] | None = None
) -> dict[str, Value]:
    """Return the worker's values by QualificationTypeId, if given only of `requirements`."""
    held: dict[str, Value] = system_values(worker)
    codes = None
    if requirements is not None:
        codes = {requirement["QualificationTypeId"] for requirement in requirements} - set(SYSTEM)
        if not codes:
            return held
    grants = Grant.objects.filter(worker=worker, status=GrantStatus.GRANTED)
    if codes is not None:
        grants = grants.filter(qualification_type__code__in=codes)
    held.update(grants.values_list("qualification_type__code", "value"))
    return held


def system_values(worker: WorkerAccount) -> dict[str, Value]:
    """Return the qualifications that follow from the account and its history."""
    decided = worker.approved_count + worker.rejected_count
    rate = 100 if decided < RATE_COUNTS_FROM else 100 * worker.approved_count // decided
    held: dict[str, Value] = {
        APPROVAL_RATE: rate,
        HITS_APPROVED: worker.approved_count,
        LOCALE: (worker.country, worker.subdivision),
    }
    if worker.is_adult:
        held[ADULT] = 1
    return held


def create_type(
    *, requester: Requester, fields: Mapping[str, Any], now: datetime
) -> QualificationType:
    """Create a qualification type. Raise RefusalError if the requester already uses its name."""
    _check_test_fields(fields)
    kind = QualificationType(
        code=new_code(),
        requester=requester,
        status=QualificationTypeStatus.ACTIVE,
        created_at=now,
    )
    _apply(kind, fields)
    try:
        with transaction.atomic():
            kind.save()
    except IntegrityError:
        raise RefusalError(
            "QualificationTypeAlreadyExists",
            "You have already created a QualificationType with this name. A QualificationType's name "
            "must be unique among all of the QualificationTypes created by the same user.",
        ) from None
    return kind


def _check_test_fields(fields: Mapping[str, Any]) -> None:
    """Raise RefusalError if the fields of a request describe an invalid test."""
    if "test" not in fields:
        if "answer_key" in fields:
            raise InvalidParameterError("AnswerKey requires a Test.")
        return
    if fields.get("test_duration_seconds") is None:
        raise InvalidParameterError("Test requires TestDurationInSeconds.")
    test = parse_question_form(
        fields["test"], name="Test", allow_http=settings.MARKETPLACE_ALLOW_HTTP
    )
    if "answer_key" in fields:
        parse_answer_key(fields["answer_key"], test=test)


@transaction.atomic
def update_type(*, requester: Requester, code: str, fields: Mapping[str, Any]) -> QualificationType:
    """Change some fields of a type. Raise RefusalError for an invalid test."""
    _check_test_fields(fields)
    kind = own_type(requester=requester, code=code, lock=True)
    if "test" in fields:
        # A new test has no key unless one is given, as on MTurk.
        fields = {"answer_key": "", **fields}
    elif kind.test and "test_duration_seconds" in fields:
        raise InvalidParameterError("To change TestDurationInSeconds, specify Test too.")
    _apply(kind, fields)
    kind.save()
    return kind


@transaction.atomic
def delete_type(*, requester: Requester, code: str, now: datetime) -> None:
    """Delete a type and the HIT types that require it, and reject its open requests.

    HITs of those types remain, and so do grants, because the HITs need them.
    """
    kind = own_type(requester=requester, code=code, lock=True)
    kind.deleted_at = now
    kind.save(update_fields=["deleted_at"])
    requirements = HitTypeRequirement.objects.filter(qualification_code=code)
    HitType.objects.filter(pk__in=requirements.values("hit_type"), deleted_at=None).update(
        deleted_at=now
    )
    QualificationRequest.objects.filter(
        qualification_type=kind, status=RequestStatus.PENDING
    ).update(
        status=RequestStatus.REJECTED,
        decided_at=now,
        reason=gettext("The qualification was withdrawn."),
    )


def own_type(*, requester: Requester, code: str, lock: bool = False) -> QualificationType:
    """Return an undeleted type of this requester. Raise NotFoundError for any other."""
    types = requester.qualification_types.filter(deleted_at=None)
    return find(types.select_for_update() if lock else types, "QualificationType", code)


def grant(
    *,
    requester: Requester,
    type_code: str,
    worker_code: str,
    value: int = 1,
    notify: bool = True,
    now: datetime,
) -> None:
    """Grant a qualification or change its value. `notify` sends a message to the worker."""
    kind = own_type(requester=requester, code=type_code)
    worker = find_worker(worker_code)
    _set_grant(kind, worker, value, now)
    if notify:
        with messages.worker_language(worker.pk):
            messages.write(
                worker_id=worker.pk,
                requester=requester,
                subject=gettext("Qualification granted: %(name)s") % {"name": kind.name},
                text=gettext("You received the qualification “%(name)s” with the value %(value)s.")
                % {"name": kind.name, "value": value},
                now=now,
            )


def find_grant(kind: QualificationType, worker_code: str) -> Grant:
    """Lock and return a worker's grant. Raise RefusalError for a missing or a revoked grant."""
    grants = Grant.objects.select_for_update(of=("self",))
    grants = grants.select_related("qualification_type", "worker")
    match = grants.filter(qualification_type=kind, worker__code=worker_code).first()
    if match is None:
        raise RefusalError("QualificationDoesNotExist", NEVER_GRANTED)
    if match.status != GrantStatus.GRANTED:
        raise WrongStateError("Qualification", allowed=GrantStatus.GRANTED, current=match.status)
    return match


@transaction.atomic
def revoke(
    *, requester: Requester, type_code: str, worker_code: str, reason: str = "", now: datetime
) -> None:
    """Revoke a qualification, and send the reason to the worker if there is one."""
    kind = own_type(requester=requester, code=type_code)
    worker = find_worker(worker_code)
    revoked = find_grant(kind, worker_code)
    revoked.status = GrantStatus.REVOKED
    revoked.reason = reason
    revoked.save(update_fields=["status", "reason"])
    if not reason:
        return
    with messages.worker_language(worker.pk):
        messages.write(
            worker_id=worker.pk,
            requester=requester,
            subject=gettext("Qualification withdrawn: %(name)s") % {"name": kind.name},
            text=reason,
            now=now,
        )


def request_qualification(
    *, worker: WorkerAccount, kind: QualificationType, answer: str, now: datetime
) -> QualificationRequest:
    """Create a worker's request. Grant it immediately if the type is granted automatically."""
    if kind.test:
        raise RefusalError(
            "InvalidQualificationTypeState", gettext("This qualification requires a test.")
        )
    check_requestable(worker, kind, now)
    value = kind.auto_granted_value if kind.auto_granted else None
    return create_request(worker=worker, kind=kind, answer=answer, value=value, now=now)


def check_requestable(worker: WorkerAccount, kind: QualificationType, now: datetime) -> None:
    """Raise RefusalError if the worker cannot request the qualification now."""
    if kind.deleted_at is not None or kind.status != QualificationTypeStatus.ACTIVE:
        raise WrongStateError("QualificationType", allowed="Active", current=kind.status)
    if not kind.is_requestable:
        raise RefusalError(
            "QualificationTypeNotRequestable",
            gettext("This qualification is granted without a request."),
        )
    _check_retry(worker, kind, now)


def create_request(
    *,
    worker: WorkerAccount,
    kind: QualificationType,
    answer: str,
    value: int | None,
    now: datetime,
) -> QualificationRequest:
    """Create a request. With a value, accept it and grant the qualification."""
    try:
        with transaction.atomic():
            request = QualificationRequest.objects.create(
                code=new_code(),
                qualification_type=kind,
                worker=worker,
                answer=answer,
                submitted_at=now,
            )
            if value is not None:
                _decide(request, RequestStatus.ACCEPTED, "", now)
                _set_grant(kind, worker, value, now)
    except IntegrityError:
        raise _AlreadyRequestedError from None
    return request


@transaction.atomic
def accept_request(
    *, requester: Requester, request_code: str, value: int = 1, now: datetime
) -> None:
    request = _own_request(requester, request_code)
    _decide(request, RequestStatus.ACCEPTED, "", now)
    _set_grant(request.qualification_type, request.worker, value, now)
    with messages.worker_language(request.worker_id):
        messages.write(
            worker_id=request.worker_id,
            requester=requester,
            subject=gettext("Qualification granted: %(name)s")
            % {"name": request.qualification_type.name},
            text=gettext("Your request was granted. The value is %(value)s.") % {"value": value},
            now=now,
        )


@transaction.atomic
def reject_request(
    *, requester: Requester, request_code: str, reason: str = "", now: datetime
) -> None:
    request = _own_request(requester, request_code)
    _decide(request, RequestStatus.REJECTED, reason, now)
    with messages.worker_language(request.worker_id):
        messages.write(
            worker_id=request.worker_id,
            requester=requester,
            subject=gettext("Qualification not granted: %(name)s")
            % {"name": request.qualification_type.name},
            text=reason or gettext("Your request was rejected."),
            now=now,
        )


def find_worker(code: str) -> WorkerAccount:
    return find(WorkerAccount.objects.all(), "Worker", code)


def _apply(kind: QualificationType, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        setattr(kind, name, value)
    if kind.test and kind.auto_granted:
        raise InvalidParameterError("A qualification with a Test cannot be AutoGranted.")


def _set_grant(
    kind: QualificationType, worker: WorkerAccount, value: int | None, now: datetime
) -> None:
    Grant.objects.update_or_create(
        qualification_type=kind,
        worker=worker,
        defaults={
            "value": value,
            "status": GrantStatus.GRANTED,
            "granted_at": now,
            "reason": "",
        },
    )


def _check_retry(worker: WorkerAccount, kind: QualificationType, now: datetime) -> None:
    requests = QualificationRequest.objects.filter(qualification_type=kind, worker=worker)
    if requests.filter(status=RequestStatus.PENDING).exists():
        raise _AlreadyRequestedError
    attempts = QualificationAttempt.objects.filter(qualification_type=kind, worker=worker)
    # An attempt counts from its start, also if the time ran out.
    times = [
        requests.aggregate(time=Max("submitted_at"))["time"],
        attempts.aggregate(time=Max("started_at"))["time"],
    ]
    last = max((time for time in times if time is not None), default=None)
    if last is None:
        return
    if kind.retry_delay_seconds is None:
        raise RefusalError(
            "QualificationTypeDoesNotAllowRetake",
            gettext("This qualification can only be requested once."),
        )
    retry_at = last + timedelta(seconds=kind.retry_delay_seconds)
    if retry_at > now:
        raise RefusalError(
            "QualificationTypeRetryDelayNotElapsed",
            gettext("You can request this qualification again at %(retry_at)s UTC.")
            % {"retry_at": f"{retry_at:%Y-%m-%d %H:%M}"},
        )


def _own_request(requester: Requester, code: str) -> QualificationRequest:
    rows = QualificationRequest.objects.filter(qualification_type__requester=requester)
    rows = rows.select_for_update(of=("self",)).select_related("qualification_type", "worker")
    request = find(rows, "QualificationRequest", code)
    if request.status != RequestStatus.PENDING:
        raise WrongStateError("QualificationRequest", allowed="Pending", current=request.status)
    return request


def _decide(
    request: QualificationRequest, status: RequestStatus, reason: str, now: datetime
) -> None:
    request.status = status
    request.reason = reason
    request.decided_at = now
    request.save(update_fields=["status", "reason", "decided_at"])
