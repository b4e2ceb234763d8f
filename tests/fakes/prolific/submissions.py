"""Submissions: reservation, completion by code, decisions and time limits."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from tests.fakes.prolific import money, studies, webhooks
from tests.fakes.prolific.errors import ApiError, invalid, refused
from tests.fakes.prolific.routing import Request, Response, page_of, route
from tests.fakes.prolific.state import (
    AUTO_APPROVAL,
    HOLDING,
    RESERVATION,
    Platform,
    Study,
    Submission,
    rounded,
    text_of,
)

CATEGORIES = {
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
}
MIN_REASON_LENGTH = 100
MAX_AT_ONCE = 1000
NO_CODE = "NOCODE"
STATUSES = (
    *("RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW", "APPROVED", "REJECTED"),
    *("RETURNED", "TIMED-OUT", "SCREENED OUT", "PARTIALLY APPROVED"),
)


# Status


def set_status(platform: Platform, submission: Submission, status: str) -> None:
    if submission.status == status:
        return
    submission.status = status
    study = platform.studies[submission.study]
    workspace = platform.workspace_of(study)
    payload = {
        "resource_id": submission.id,
        "participant_id": submission.participant,
        "status": status,
    }
    webhooks.emit(platform, workspace, "submission.status.change", payload)
    progress = {"resource_id": study.id, "places_taken": platform.places_taken(study)}
    webhooks.emit(platform, workspace, "study.progress.change", progress)
    studies.refresh(platform, study)


def apply_due(platform: Platform) -> None:
    """Apply expired reservations, time-outs, completions and approvals."""
    now = platform.now
    for submission in list(platform.submissions.values()):
        study = platform.studies[submission.study]
        if submission.settles_at:
            if submission.settles_at <= now:
                settle(platform, submission)
        elif submission.status == "RESERVED" and submission.reserved_at + RESERVATION <= now:
            set_status(platform, submission, "RETURNED")
        elif submission.status == "ACTIVE" and submission.started_at + study.maximum_time <= now:
            set_status(platform, submission, "TIMED-OUT")
        if _is_auto_approved(platform, study, submission):
            approve(platform, submission)
    due_keys = [key for due_at, key in platform.pending_approvals if due_at <= now]
    platform.pending_approvals = [row for row in platform.pending_approvals if row[0] > now]
    for key in due_keys:
        if platform.submissions[key].status == "AWAITING REVIEW":
            approve(platform, platform.submissions[key])


def _is_auto_approved(platform: Platform, study: Study, submission: Submission) -> bool:
    if submission.status != "AWAITING REVIEW":
        return False
    if submission.completed_at + AUTO_APPROVAL > platform.now:
        return False
    duration = submission.completed_at - submission.started_at
    half_time = timedelta(minutes=study.fields["estimated_completion_time"]) / 2
    return study.max_per_participant == 1 or duration >= half_time


# Completion


def complete(
    platform: Platform, submission: Submission, code: str, *, percentage: Decimal | None = None
) -> None:
    """Store a completion code. It becomes visible after the platform's lag."""
    submission.entered_code = code
    submission.completed_at = platform.now
    submission.percentage = percentage
    if platform.options.completion_lag:
        submission.settles_at = platform.now + platform.options.completion_lag
        set_status(platform, submission, platform.options.lag_status)
    else:
        settle(platform, submission)


def settle(platform: Platform, submission: Submission) -> None:
    """Show a completion, and run the actions of its code."""
    submission.settles_at = None
    set_status(platform, submission, "AWAITING REVIEW")
    study = platform.studies[submission.study]
    for code in study.fields["completion_codes"]:
        if code["code"] == submission.entered_code:
            for action in code["actions"]:
                ACTIONS[action["action"]](platform, submission, action)


def approve(platform: Platform, submission: Submission) -> None:
    money.pay(platform, submission, platform.studies[submission.study].reward, "reward")
    set_status(platform, submission, "APPROVED")


def _approve(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    approve(platform, submission)


def _review(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    """Leave the submission to the researcher."""


def _add_to_group(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    members = platform.groups[action["participant_group"]].members
    members.setdefault(submission.participant, platform.now)


def _remove_from_group(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    platform.groups[action["participant_group"]].members.pop(submission.participant, None)


def _request_return(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    submission.return_requested = platform.now


def _screen_out(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    study = platform.studies[submission.study]
    money.pay(platform, submission, action["fixed_screen_out_reward"], "screen_out")
    set_status(platform, submission, "SCREENED OUT")
    used = sum(row.status == "SCREENED OUT" for row in platform.submissions_of(study))
    if used >= action["slots"] and study.status in ("ACTIVE", "AWAITING REVIEW"):
        studies.set_status(platform, study, "PAUSED")


def _pay_part(platform: Platform, submission: Submission, action: dict[str, Any]) -> None:
    percentage = submission.percentage
    if percentage is None:
        return
    reward = platform.studies[submission.study].reward
    money.pay(platform, submission, rounded(reward * percentage / 100), "reward")
    set_status(platform, submission, "PARTIALLY APPROVED")


ACTIONS: dict[str, Callable[[Platform, Submission, dict[str, Any]], None]] = {
    "AUTOMATICALLY_APPROVE": _approve,
    "MANUALLY_REVIEW": _review,
    "ADD_TO_PARTICIPANT_GROUP": _add_to_group,
    "REMOVE_FROM_PARTICIPANT_GROUP": _remove_from_group,
    "REQUEST_RETURN": _request_return,
    "FIXED_SCREEN_OUT_PAYMENT": _screen_out,
    "DYNAMIC_PAYMENT": _pay_part,
}


# Decisions by the researcher


@route("POST", "/submissions/{key}/transition/")
def transition(platform: Platform, request: Request, key: str) -> Response:
    submission = platform.submission(key)
    action = request.text("action")
    if action in DISPUTED and not platform.options.disputed_transitions:
        raise refused(f"Researchers can't {action} a submission.")
    change = DECISIONS.get(action) or DISPUTED.get(action)
    if change is None:
        raise invalid(action=f'"{action}" is not a valid choice.')
    change(platform, submission, request)
    return Response(200, detail_of(platform, submission))


def _decide_approval(platform: Platform, submission: Submission, request: Request) -> None:
    if submission.status == "APPROVED":
        return
    _require(submission, "APPROVE", "AWAITING REVIEW")
    approve(platform, submission)


def _decide_rejection(platform: Platform, submission: Submission, request: Request) -> None:
    message = request.text("message")
    category = request.text("rejection_category")
    if len(message) < MIN_REASON_LENGTH:
        raise invalid(message=f"Enter at least {MIN_REASON_LENGTH} characters.")
    if category not in CATEGORIES:
        raise invalid(rejection_category="Not a valid choice.")
    if submission.status == "REJECTED":
        return
    _require(submission, "REJECT", "AWAITING REVIEW")
    study = platform.studies[submission.study]
    rejected = sum(row.status == "REJECTED" for row in platform.submissions_of(study))
    if rejected + 1 > platform.options.max_rejections * study.places:
        raise refused("Too many submissions of this study are rejected.")
    submission.rejection = category, message
    set_status(platform, submission, "REJECTED")


def _decide_completion(platform: Platform, submission: Submission, request: Request) -> None:
    study = platform.studies[submission.study]
    text = request.text("completion_code")
    codes = {code["code"]: code for code in study.fields["completion_codes"]}
    if text not in codes or codes[text]["actor"] != "researcher":
        raise invalid(completion_code="The study has no such code for researchers.")
    percentage = _percentage(request, codes[text])
    if submission.status in ("AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED"):
        return
    _require(submission, "COMPLETE", "ACTIVE", "TIMED-OUT")
    is_full = study.stopped or platform.places_taken(study) >= study.places
    if submission.status == "TIMED-OUT" and is_full:
        # Another participant has the place, so an extra place is needed.
        workspace = platform.workspace_of(study)
        money.check_funds(platform, workspace, workspace.cost(study.reward))
    complete(platform, submission, text, percentage=percentage)


def _percentage(request: Request, code: dict[str, Any]) -> Decimal | None:
    if not any(action["action"] == "DYNAMIC_PAYMENT" for action in code["actions"]):
        return None
    data = request.fields.get("completion_code_data") or {}
    try:
        percentage = Decimal(str(data.get("percentage_of_reward")))
    except InvalidOperation:
        percentage = Decimal(0)
    if not 8 <= percentage <= 99:
        raise invalid(completion_code_data="Enter a percentage_of_reward from 8 to 99.")
    return percentage


def _require(submission: Submission, action: str, *statuses: str) -> None:
    if submission.settles_at or submission.status not in statuses:
        raise refused(f"A submission that is {submission.status} does not allow {action}.")


def _change_to(status: str, *sources: str) -> Callable[[Platform, Submission, Request], None]:
    def change(platform: Platform, submission: Submission, request: Request) -> None:
        if submission.status == status:
            return
        _require(submission, request.text("action"), *sources)
        study = platform.studies[submission.study]
        if status in HOLDING and submission.status not in HOLDING:
            workspace = platform.workspace_of(study)
            money.check_funds(platform, workspace, workspace.cost(study.reward))
        set_status(platform, submission, status)

    return change


def _start(platform: Platform, submission: Submission, request: Request) -> None:
    _require(submission, "START", "RESERVED")
    start(platform, submission)


DECISIONS = {
    "APPROVE": _decide_approval,
    "REJECT": _decide_rejection,
    "COMPLETE": _decide_completion,
}
DISPUTED = {
    "RETURN": _change_to("RETURNED", "RESERVED", "ACTIVE", "AWAITING REVIEW"),
    "START": _start,
    "SCREEN_OUT": _change_to("SCREENED OUT", "ACTIVE", "AWAITING REVIEW"),
    "UNREJECT": _change_to("AWAITING REVIEW", "REJECTED"),
    "UNRETURN": _change_to("AWAITING REVIEW", "RETURNED"),
}


def start(platform: Platform, submission: Submission) -> None:
    submission.started_at = platform.now
    set_status(platform, submission, "ACTIVE")


@route("POST", "/submissions/bulk-approve/")
def bulk_approve(platform: Platform, request: Request) -> Response:
    """Accept approvals, which happen later. There is no result per submission."""
    keys = _keys_to_approve(platform, request)
    if not 1 <= len(keys) <= MAX_AT_ONCE:
        raise invalid(submission_ids=f"Enter 1 to {MAX_AT_ONCE} ids.")
    unknown = [key for key in keys if key not in platform.submissions]
    if unknown:
        raise ApiError(400, [f"Submission {key} not found." for key in unknown])
    due_at = platform.now + platform.options.bulk_approval_delay
    platform.pending_approvals += [(due_at, key) for key in keys]
    return Response(200, "The request is being processed.")


def _keys_to_approve(platform: Platform, request: Request) -> list[str]:
    """Return the submissions, by their ids or by study and participants."""
    if "study_id" not in request.fields:
        return request.ids("submission_ids")
    study = platform.study(request.text("study_id"))
    people = request.ids("participant_ids")
    return [row.id for row in platform.submissions_of(study) if row.participant in people]


@route("POST", "/submissions/{key}/request-return/")
def request_return(platform: Platform, request: Request, key: str) -> Response:
    submission = platform.submission(key)
    reasons = request.ids("request_return_reasons")
    if not reasons:
        raise invalid(request_return_reasons="Enter a reason.")
    _require(submission, "a request to return", "ACTIVE", "AWAITING REVIEW")
    submission.return_reasons = tuple(reasons)
    submission.return_requested = submission.return_requested or platform.now
    body = {
        "id": submission.id,
        "status": submission.status,
        "participant": submission.participant,
        "return_requested": text_of(submission.return_requested),
    }
    return Response(200, body)


# Read


@route("GET", "/submissions/")
def list_all(platform: Platform, request: Request) -> Response:
    rows = list(platform.submissions.values())
    if study := request.query.get("study"):
        platform.study(study)
        rows = [row for row in rows if row.study == study]
    return _list(platform, request, rows)


@route("GET", "/studies/{key}/submissions/")
def list_of_study(platform: Platform, request: Request, key: str) -> Response:
    return _list(platform, request, platform.submissions_of(platform.study(key)))


def _list(platform: Platform, request: Request, rows: list[Submission]) -> Response:
    if status := request.query.get("status"):
        # The list takes any case and underscores: awaiting_review, timed-out.
        rows = [row for row in rows if row.status == status.upper().replace("_", " ")]
    return page_of(platform, request, [summary_of(platform, row) for row in rows])


@route("GET", "/studies/{key}/submissions/counts/")
def count(platform: Platform, request: Request, key: str) -> Response:
    rows = platform.submissions_of(platform.study(key))
    counts = {status: sum(row.status == status for row in rows) for status in STATUSES}
    return Response(200, {**counts, "TOTAL": len(rows)})


@route("GET", "/submissions/{key}/")
def read(platform: Platform, request: Request, key: str) -> Response:
    return Response(200, detail_of(platform, platform.submission(key)))


def _shared(submission: Submission) -> dict[str, Any]:
    is_complete = submission.completed_at and not submission.settles_at
    completed_at = submission.completed_at if is_complete else None
    started_at = submission.started_at or submission.reserved_at
    return {
        "id": submission.id,
        "status": submission.status,
        "started_at": text_of(started_at),
        "completed_at": text_of(completed_at),
        "is_complete": bool(is_complete),
        "time_taken": int((completed_at - started_at).total_seconds()) if completed_at else None,
        "return_requested": text_of(submission.return_requested),
    }


def summary_of(platform: Platform, submission: Submission) -> dict[str, Any]:
    factor = 100 if platform.options.inflated_list_rewards else 1
    shared = _shared(submission)
    return {
        **shared,
        "participant_id": submission.participant,
        "study_code": submission.entered_code if shared["is_complete"] else None,
        "has_siblings": platform.studies[submission.study].max_per_participant != 1,
        "reward": platform.studies[submission.study].reward * factor,
        "bonus_payments": submission.bonus_payments,
        "strata": {},
        "star_awarded": False,
        "ip": "",
    }


def detail_of(platform: Platform, submission: Submission) -> dict[str, Any]:
    shared = _shared(submission)
    return {
        **shared,
        "participant": submission.participant,
        "study_id": submission.study,
        "entered_code": submission.entered_code if shared["is_complete"] else None,
        "bonus_payments": submission.bonus_payments,
        "reward": platform.studies[submission.study].reward,
    }
