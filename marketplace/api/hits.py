"""Operations on HIT types and HITs."""

from datetime import UTC, datetime

from django.db import transaction
from django.db.models import QuerySet

from marketplace.api import render
from marketplace.api.context import Call, Output, Params, forward, operation
from marketplace.api.pages import page
from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.find import find
from marketplace.domain.hits import hits
from marketplace.domain.hits.hit_types import register_hit_type
from marketplace.domain.money import parse_amount
from marketplace.domain.qualifications.requirements import SYSTEM
from marketplace.domain.questions.layouts import build_question
from marketplace.domain.work import maintenance
from marketplace.domain.work.review_policies.parameters import attach, parse_policy
from marketplace.enums import ReviewPolicyLevel
from marketplace.models import Hit, HitType, HitTypeRequirement, QualificationType

DEFAULT_AUTO_APPROVAL_SECONDS = 2_592_000


@operation
def create_hit_type(call: Call, params: Params) -> Output:
    return {"HITTypeId": _register(call, params).code}


@operation
def create_hit(call: Call, params: Params) -> Output:
    return _create(call, params, _register(call, params))


@operation
def create_hit_with_hit_type(call: Call, params: Params) -> Output:
    return _create(call, params, find_hit_type(call, params["HITTypeId"]))


@operation
def get_hit(call: Call, params: Params) -> Output:
    return {"HIT": render.hit(find_hit(call, params["HITId"]), now=call.now)}


@operation
def list_hits(call: Call, params: Params) -> Output:
    return _page(call, params, _visible(call))


@operation
def list_hits_for_qualification_type(call: Call, params: Params) -> Output:
    code = params["QualificationTypeId"]
    if code not in SYSTEM:
        find(QualificationType.objects.filter(deleted_at=None), "QualificationType", code)
    types = HitTypeRequirement.objects.filter(qualification_code=code).values("hit_type")
    rows = _visible(call).filter(hit_type__in=types)
    return _page(call, params, rows)


@operation
def list_reviewable_hits(call: Call, params: Params) -> Output:
    maintenance.expire_hits(now=call.now)
    rows = _visible(call).filter(pending=0, open=False)
    rows = rows.filter(reviewing=params.get("Status", "Reviewable") == "Reviewing")
    if code := params.get("HITTypeId"):
        rows = rows.filter(hit_type=find_hit_type(call, code))
    return _page(call, params, rows)


@operation
def update_expiration_for_hit(call: Call, params: Params) -> None:
    try:
        expires_at = datetime.fromtimestamp(params["ExpireAt"], tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidParameterError("ExpireAt is not a valid time.") from None
    hits.update_expiration(
        requester=call.requester, hit_code=params["HITId"], expires_at=expires_at, now=call.now
    )


forward(
    "CreateAdditionalAssignmentsForHIT",
    hits.add_assignments,
    hit_code="HITId",
    number="NumberOfAdditionalAssignments",
    token="UniqueRequestToken",  # noqa: S106 - the name of a parameter
)


@operation
def update_hit_type_of_hit(call: Call, params: Params) -> None:
    hit_type = find_hit_type(call, params["HITTypeId"])
    hits.change_type(
        requester=call.requester, hit_code=params["HITId"], hit_type=hit_type, now=call.now
    )


@operation
def update_hit_review_status(call: Call, params: Params) -> None:
    find_hit(call, params["HITId"])
    hits.set_review_status(
        requester=call.requester,
        hit_code=params["HITId"],
        revert=params.get("Revert", False),
        now=call.now,
    )


@operation
def delete_hit(call: Call, params: Params) -> None:
    find_hit(call, params["HITId"])
    hits.delete_hit(requester=call.requester, hit_code=params["HITId"], now=call.now)


def find_hit(call: Call, code: str) -> Hit:
    """Return a HIT of the requester after applying its time-based transitions."""
    own_hits = call.requester.hits.select_related("hit_type")
    hit = find(own_hits, "HIT", code)
    if maintenance.settle_hit(hit, now=call.now):
        hit = own_hits.get(code=code)
    return hit


def find_hit_type(call: Call, code: str) -> HitType:
    return find(call.requester.hit_types.filter(deleted_at=None), "HITType", code)


def _register(call: Call, params: Params) -> HitType:
    hit_type = HitType(
        requester=call.requester,
        title=params["Title"],
        description=params["Description"],
        keywords=params.get("Keywords", ""),
        reward_cents=parse_amount(params["Reward"], field="Reward"),
        duration_seconds=params["AssignmentDurationInSeconds"],
        auto_approval_seconds=params.get(
            "AutoApprovalDelayInSeconds", DEFAULT_AUTO_APPROVAL_SECONDS
        ),
        requirements=params.get("QualificationRequirements", []),
    )
    return register_hit_type(hit_type, now=call.now)


def _create(call: Call, params: Params, hit_type: HitType) -> Output:
    policies = [
        parse_policy(level, policy["PolicyName"], policy.get("Parameters", []))
        for level in ReviewPolicyLevel
        if (policy := params.get(f"{level}ReviewPolicy"))
    ]
    question = _question(call, params)
    with transaction.atomic():
        hit = hits.create_hit(
            hit_type=hit_type,
            question=question,
            max_assignments=params.get("MaxAssignments", 1),
            lifetime_seconds=params["LifetimeInSeconds"],
            annotation=params.get("RequesterAnnotation", ""),
            layout_code=params.get("HITLayoutId", ""),
            token=params.get("UniqueRequestToken"),
            now=call.now,
        )
        attach(policies, hit)
    return {"HIT": render.hit(hit, now=call.now)}


def _question(call: Call, params: Params) -> str:
    """Return the question that is given, or that of a layout."""
    layout, question = params.get("HITLayoutId"), params.get("Question")
    if layout and question:
        raise InvalidParameterError("Give either Question or HITLayoutId, not both.")
    if layout:
        return build_question(
            requester=call.requester,
            layout_code=layout,
            parameters=params.get("HITLayoutParameters", []),
        )
    if params.get("HITLayoutParameters"):
        raise InvalidParameterError("HITLayoutParameters needs a HITLayoutId.")
    if not question:
        raise RefusalError("AWS.MissingParameters", "These parameters are missing: Question.")
    return str(question)


def _visible(call: Call) -> QuerySet[Hit]:
    return Hit.objects.select_related("hit_type").filter(
        requester=call.requester, disposed_at__isnull=True, created_at__lte=call.visible_until
    )


def _page(call: Call, params: Params, rows: QuerySet[Hit]) -> Output:
    return page(rows, params, name="HITs", render=lambda hit: render.hit(hit, now=call.now))
