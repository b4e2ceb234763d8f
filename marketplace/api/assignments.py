"""Operations on assignments, bonuses and the account balance."""

from marketplace.api import render
from marketplace.api.context import Call, Output, Params, forward, operation
from marketplace.api.hits import find_hit
from marketplace.api.pages import page
from marketplace.domain.errors import InvalidParameterError, RefusalError, WrongStateError
from marketplace.domain.find import find
from marketplace.domain.money import format_cents, parse_amount
from marketplace.domain.work import announced_bonuses, bonuses, maintenance, review
from marketplace.enums import SHOWN
from marketplace.models import Assignment, Bonus


@operation
def list_assignments_for_hit(call: Call, params: Params) -> Output:
    hit = find_hit(call, params["HITId"])
    rows = Assignment.objects.select_related("worker").filter(
        hit=hit,
        status__in=params.get("AssignmentStatuses") or SHOWN,
        submitted_at__lte=call.visible_until,
    )
    return page(
        rows,
        params,
        name="Assignments",
        render=lambda row: render.assignment(row, hit_code=hit.code),
    )


@operation
def get_assignment(call: Call, params: Params) -> Output:
    code = params["AssignmentId"]
    row = _find(call, code)
    if row.status not in SHOWN:
        # MTurk's message, which clients search, names Reviewable for Submitted.
        raise WrongStateError(
            "Assignment", allowed="Reviewable,Approved,Rejected", current=row.status
        )
    if maintenance.settle_hit(row.hit, now=call.now):
        row = _find(call, code)
    return {
        "Assignment": render.assignment(row, hit_code=row.hit.code),
        "HIT": render.hit(row.hit, now=call.now),
    }


forward(
    "ApproveAssignment",
    review.approve,
    assignment_code="AssignmentId",
    feedback="RequesterFeedback",
    override="OverrideRejection",
)
forward(
    "RejectAssignment",
    review.reject,
    assignment_code="AssignmentId",
    feedback="RequesterFeedback",
)


@operation
def get_file_upload_url(call: Call, params: Params) -> Output:
    _find(call, params["AssignmentId"])
    raise RefusalError(
        "InvalidQuestionIdentifier",
        "This HIT has no FileUploadAnswer question. MTurk withdrew them in 2017.",
    )


@operation
def send_bonus(call: Call, params: Params) -> None:
    bonuses.send_bonus(
        requester=call.requester,
        worker_code=params["WorkerId"],
        assignment_code=params["AssignmentId"],
        amount_cents=parse_amount(params["BonusAmount"], field="BonusAmount"),
        reason=params["Reason"],
        token=params.get("UniqueRequestToken"),
        now=call.now,
    )


@operation
def update_bonus_status(call: Call, params: Params) -> None:
    announced_bonuses.update_bonus_status(
        requester=call.requester,
        worker_code=params["WorkerId"],
        assignment_code=params["AssignmentId"],
        amount_cents=parse_amount(params["BonusAmount"], field="BonusAmount"),
        status=params["Status"],
        reason=params.get("Reason", ""),
        appeal_url=params.get("AppealURL", ""),
        now=call.now,
    )


@operation
def list_bonus_payments(call: Call, params: Params) -> Output:
    rows = Bonus.objects.select_related("worker", "assignment").filter(
        requester=call.requester, created_at__lte=call.visible_until
    )
    if code := params.get("AssignmentId"):
        rows = rows.filter(assignment=_find(call, code))
    elif code := params.get("HITId"):
        rows = rows.filter(assignment__hit=find(call.requester.hits.all(), "HIT", code))
    else:
        raise InvalidParameterError("HITId or AssignmentId is required.")
    return page(rows.defer("assignment__answer"), params, name="BonusPayments", render=render.bonus)


@operation
def get_account_balance(call: Call, params: Params) -> Output:
    return {
        "AvailableBalance": format_cents(call.requester.available_cents),
        "OnHoldBalance": format_cents(call.requester.held_cents),
    }


def _find(call: Call, code: str) -> Assignment:
    rows = Assignment.objects.select_related("worker", "hit__hit_type")
    return find(rows.filter(hit__requester=call.requester), "Assignment", code)
