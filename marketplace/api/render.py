"""Serialization of rows for the API, with times in epoch seconds."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from marketplace.api.context import Output
from marketplace.domain.money import format_cents
from marketplace.domain.qualifications.requirements import SYSTEM_TYPES, Requirement, guarded_action
from marketplace.models import (
    Assignment,
    Bonus,
    Grant,
    Hit,
    Message,
    QualificationRequest,
    QualificationType,
    ReviewAction,
    ReviewResult,
)


def hit(row: Hit, *, now: datetime) -> Output:
    kind = row.hit_type
    return _without_none(
        {
            "HITId": row.code,
            "HITTypeId": kind.code,
            "HITGroupId": kind.group_code,
            "HITLayoutId": row.layout_code or None,
            "CreationTime": _seconds(row.created_at),
            "Title": kind.title,
            "Description": kind.description,
            "Question": row.question,
            "Keywords": kind.keywords or None,
            "HITStatus": row.status(now).value,
            "MaxAssignments": row.max_assignments,
            "Reward": format_cents(row.reward_cents),
            "AutoApprovalDelayInSeconds": kind.auto_approval_seconds,
            "Expiration": _seconds(row.expires_at),
            "AssignmentDurationInSeconds": kind.duration_seconds,
            "RequesterAnnotation": row.annotation or None,
            "QualificationRequirements": [_requirement(row) for row in kind.requirements],
            "HITReviewStatus": "NotReviewed",
            "NumberOfAssignmentsPending": row.pending,
            "NumberOfAssignmentsAvailable": row.available,
            "NumberOfAssignmentsCompleted": row.completed,
        }
    )


def assignment(row: Assignment, *, hit_code: str) -> Output:
    decided = {"Approved": "ApprovalTime", "Rejected": "RejectionTime"}.get(row.status)
    output = {
        "AssignmentId": row.code,
        "WorkerId": row.worker.code,
        "HITId": hit_code,
        "AssignmentStatus": row.status,
        "AutoApprovalTime": _seconds(row.auto_approve_at),
        "AcceptTime": _seconds(row.accepted_at),
        "SubmitTime": _seconds(row.submitted_at),
        "Deadline": _seconds(row.deadline_at),
        "Answer": row.answer,
        "RequesterFeedback": row.feedback or None,
    }
    if row.rejected_at is not None:
        output["RejectionTime"] = _seconds(row.rejected_at)
    if decided:
        output[decided] = _seconds(row.closed_at)
    return _without_none(output)


def worker_message(row: Message) -> Output:
    return _without_none(
        {
            "MessageId": str(row.pk),
            "WorkerId": row.worker.code,
            "HITId": row.hit.code if row.hit else None,
            "Subject": row.subject,
            "MessageText": row.text,
            "SendTime": _seconds(row.sent_at),
        }
    )


def bonus(row: Bonus) -> Output:
    return {
        "WorkerId": row.worker.code,
        "BonusAmount": format_cents(row.amount_cents),
        "AssignmentId": row.assignment.code,
        "Reason": row.reason,
        "GrantTime": _seconds(row.created_at),
    }


def qualification_type(row: QualificationType) -> Output:
    return _without_none(
        {
            "QualificationTypeId": row.code,
            "CreationTime": _seconds(row.created_at),
            "Name": row.name,
            "Description": row.description,
            "Keywords": row.keywords or None,
            "QualificationTypeStatus": row.status,
            "Test": row.test or None,
            "TestDurationInSeconds": row.test_duration_seconds,
            "AnswerKey": row.answer_key or None,
            "RetryDelayInSeconds": row.retry_delay_seconds,
            "IsRequestable": row.is_requestable,
            "AutoGranted": row.auto_granted,
            "AutoGrantedValue": row.auto_granted_value if row.auto_granted else None,
        }
    )


def system_type(code: str) -> Output:
    name, description = SYSTEM_TYPES[code]
    return {
        "QualificationTypeId": code,
        "CreationTime": 0,
        "Name": name,
        "Description": description,
        "QualificationTypeStatus": "Active",
        "IsRequestable": False,
        "AutoGranted": False,
    }


def grant(row: Grant) -> Output:
    return _without_none(
        {
            "QualificationTypeId": row.qualification_type.code,
            "WorkerId": row.worker.code,
            "GrantTime": _seconds(row.granted_at),
            "IntegerValue": row.value,
            "Status": row.status,
        }
    )


def qualification_request(row: QualificationRequest) -> Output:
    attempt = getattr(row, "attempt", None)
    return _without_none(
        {
            "QualificationRequestId": row.code,
            "QualificationTypeId": row.qualification_type.code,
            "WorkerId": row.worker.code,
            "Test": attempt.test if attempt else None,
            "Answer": row.answer or None,
            "SubmitTime": _seconds(row.submitted_at),
        }
    )


def review_result(row: ReviewResult) -> Output:
    return _without_none(
        {
            "ActionId": row.code,
            "SubjectId": row.subject_code,
            "SubjectType": row.subject_type,
            "QuestionId": row.question or None,
            "Key": row.key,
            "Value": row.value,
        }
    )


def review_action(row: ReviewAction) -> Output:
    return _without_none(
        {
            "ActionId": row.code,
            "ActionName": row.name,
            "TargetId": row.target_code,
            "TargetType": row.target_type,
            "Status": row.status,
            "CompleteTime": _seconds(row.completed_at),
            "Result": row.result or None,
            "ErrorCode": row.error_code or None,
        }
    )


def _requirement(requirement: Requirement) -> Output:
    """Return a requirement with the defaults of what its requester left out."""
    defaults = {
        "RequiredToPreview": False,
        "ActionsGuarded": guarded_action(requirement).value,
    }
    return {**defaults, **requirement}


def _seconds(at: datetime | None) -> float | None:
    return None if at is None else round(at.timestamp(), 3)


def _without_none(output: Mapping[str, Any]) -> Output:
    return {name: value for name, value in output.items() if value is not None}
