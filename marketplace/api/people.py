"""Operations on qualifications, workers and notifications."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Q

from marketplace.api import render
from marketplace.api.context import Call, Output, Params, forward, operation
from marketplace.api.hits import find_hit_type
from marketplace.api.pages import page
from marketplace.domain.errors import InvalidParameterError, NotFoundError, RefusalError
from marketplace.domain.find import find
from marketplace.domain.notifications import messages, notifications
from marketplace.domain.qualifications import qualifications
from marketplace.domain.qualifications.qualifications import find_worker, own_type
from marketplace.domain.qualifications.requirements import SYSTEM_TYPES
from marketplace.enums import GrantStatus, QualificationTypeStatus, RequestStatus
from marketplace.models import Grant, Message, QualificationRequest, QualificationType, WorkerBlock


@operation
def create_qualification_type(call: Call, params: Params) -> Output:
    kind = qualifications.create_type(
        requester=call.requester, fields=_type_fields(params), now=call.now
    )
    return {"QualificationType": render.qualification_type(kind)}


@operation
def update_qualification_type(call: Call, params: Params) -> Output:
    kind = qualifications.update_type(
        requester=call.requester,
        code=params["QualificationTypeId"],
        fields=_type_fields(params),
    )
    return {"QualificationType": render.qualification_type(kind)}


@operation
def get_qualification_type(call: Call, params: Params) -> Output:
    code = params["QualificationTypeId"]
    if code in SYSTEM_TYPES:
        return {"QualificationType": render.system_type(code)}
    kind = find(QualificationType.objects.filter(deleted_at=None), "QualificationType", code)
    return {"QualificationType": _public_type(call)(kind)}


@operation
def list_qualification_types(call: Call, params: Params) -> Output:
    rows = QualificationType.objects.filter(
        deleted_at__isnull=True, created_at__lte=call.visible_until
    )
    own = Q(requester=call.requester)
    # Workers see the active types of all requesters too.
    is_visible = own | Q(status=QualificationTypeStatus.ACTIVE)
    is_own = params.get("MustBeOwnedByCaller", False)
    rows = rows.filter(own if is_own else is_visible)
    if params["MustBeRequestable"]:
        rows = rows.filter(is_requestable=True)
    terms = params.get("Query", "").split()
    for term in terms:
        rows = rows.filter(
            Q(name__icontains=term) | Q(description__icontains=term) | Q(keywords__icontains=term)
        )
    system = [] if is_own or params["MustBeRequestable"] else _system_types(terms)
    return page(
        rows, params, name="QualificationTypes", render=_public_type(call), constants=system
    )


forward("DeleteQualificationType", qualifications.delete_type, code="QualificationTypeId")
forward(
    "AssociateQualificationWithWorker",
    qualifications.grant,
    type_code="QualificationTypeId",
    worker_code="WorkerId",
    value="IntegerValue",
    notify="SendNotification",
)
forward(
    "DisassociateQualificationFromWorker",
    qualifications.revoke,
    type_code="QualificationTypeId",
    worker_code="WorkerId",
    reason="Reason",
)
forward(
    "AcceptQualificationRequest",
    qualifications.accept_request,
    request_code="QualificationRequestId",
    value="IntegerValue",
)
forward(
    "RejectQualificationRequest",
    qualifications.reject_request,
    request_code="QualificationRequestId",
    reason="Reason",
)
forward(
    "SendTestEventNotification",
    notifications.send_test,
    specification="Notification",
    event="TestEventType",
)


@operation
def get_qualification_score(call: Call, params: Params) -> Output:
    try:
        kind = own_type(requester=call.requester, code=params["QualificationTypeId"])
    except NotFoundError as error:
        # MTurk has the message of a missing qualification for an unknown type too.
        message = f"{qualifications.NEVER_GRANTED} {error.message}"
        raise RefusalError(error.code, message) from None
    # MTurk has this answer for a worker that it doesn't know, too.
    with transaction.atomic():
        grant = qualifications.find_grant(kind, params["WorkerId"])
    return {"Qualification": render.grant(grant)}


@operation
def list_workers_with_qualification_type(call: Call, params: Params) -> Output:
    kind = own_type(requester=call.requester, code=params["QualificationTypeId"])
    rows = Grant.objects.select_related("qualification_type", "worker").filter(
        qualification_type=kind,
        status=params.get("Status", GrantStatus.GRANTED),
        granted_at__lte=call.visible_until,
    )
    return page(rows, params, name="Qualifications", render=render.grant)


@operation
def list_qualification_requests(call: Call, params: Params) -> Output:
    rows = QualificationRequest.objects.select_related(
        "qualification_type", "worker", "attempt"
    ).filter(
        qualification_type__requester=call.requester,
        status=RequestStatus.PENDING,
        submitted_at__lte=call.visible_until,
    )
    if code := params.get("QualificationTypeId"):
        rows = rows.filter(qualification_type=own_type(requester=call.requester, code=code))
    return page(rows, params, name="QualificationRequests", render=render.qualification_request)


@operation
def create_worker_block(call: Call, params: Params) -> None:
    if not params["Reason"].strip():
        raise InvalidParameterError("Reason must not be empty.")
    WorkerBlock.objects.update_or_create(
        requester=call.requester,
        worker=find_worker(params["WorkerId"]),
        defaults={"reason": params["Reason"], "created_at": call.now},
    )


@operation
def delete_worker_block(call: Call, params: Params) -> None:
    WorkerBlock.objects.filter(
        requester=call.requester, worker=find_worker(params["WorkerId"])
    ).delete()


@operation
def list_worker_blocks(call: Call, params: Params) -> Output:
    rows = WorkerBlock.objects.select_related("worker").filter(
        requester=call.requester, created_at__lte=call.visible_until
    )
    return page(
        rows,
        params,
        name="WorkerBlocks",
        render=lambda row: {"WorkerId": row.worker.code, "Reason": row.reason},
    )


@operation
def notify_workers(call: Call, params: Params) -> Output:
    problems = messages.notify_workers(
        requester=call.requester,
        subject=params["Subject"],
        text=params["MessageText"],
        worker_codes=params["WorkerIds"],
        now=call.now,
    )
    return {
        "NotifyWorkersFailureStatuses": [
            {
                "NotifyWorkersFailureCode": "HardFailure",
                "NotifyWorkersFailureMessage": problem,
                "WorkerId": worker_code,
            }
            for worker_code, problem in problems.items()
        ]
    }


@operation
def list_worker_messages(call: Call, params: Params) -> Output:
    """Return messages from workers. MTurk lacks this operation."""
    rows = Message.objects.select_related("worker", "hit").filter(
        requester=call.requester, from_worker=True, sent_at__lte=call.visible_until
    )
    if code := params.get("WorkerId"):
        rows = rows.filter(worker=find_worker(code))
    return page(rows, params, name="WorkerMessages", render=render.worker_message)


@operation
def update_notification_settings(call: Call, params: Params) -> None:
    notifications.update_settings(
        hit_type=find_hit_type(call, params["HITTypeId"]),
        specification=params.get("Notification"),
        active=params.get("Active"),
    )


#: The model's field for each parameter of a qualification type.
TYPE_FIELDS = {
    "Name": "name",
    "Keywords": "keywords",
    "Description": "description",
    "QualificationTypeStatus": "status",
    "RetryDelayInSeconds": "retry_delay_seconds",
    "Test": "test",
    "AnswerKey": "answer_key",
    "TestDurationInSeconds": "test_duration_seconds",
    "AutoGranted": "auto_granted",
    "AutoGrantedValue": "auto_granted_value",
    # Only of our own marketplace
    "IsRequestable": "is_requestable",
}


def _type_fields(params: Params) -> dict[str, Any]:
    return {field: params[name] for name, field in TYPE_FIELDS.items() if name in params}


def _system_types(terms: list[str]) -> list[Output]:
    """Return the system's types whose texts contain all terms."""
    return [
        render.system_type(code)
        for code, texts in SYSTEM_TYPES.items()
        if all(term.lower() in " ".join(texts).lower() for term in terms)
    ]


def _public_type(call: Call) -> Callable[[QualificationType], Output]:
    def render_type(kind: QualificationType) -> Output:
        output = render.qualification_type(kind)
        if kind.requester_id != call.requester.pk:
            output.pop("AnswerKey", None)
        return output

    return render_type
