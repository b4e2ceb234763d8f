"""The life cycle of HITs. Locks are acquired in the order assignment, HIT, balance."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum

from marketplace.domain import ledger
from marketplace.domain.errors import RefusalError, WrongHitStateError
from marketplace.domain.find import find
from marketplace.domain.hits import due_reviews
from marketplace.domain.identifiers import new_code
from marketplace.domain.money import MANY_ASSIGNMENTS, fee_cents, fee_rate
from marketplace.domain.notifications import notifications
from marketplace.domain.questions.question import parse_question
from marketplace.domain.tokens import use_token
from marketplace.enums import AssignmentStatus, Event, HitStatus
from marketplace.models import Assignment, Hit, HitType, Requester


@transaction.atomic
def create_hit(
    *,
    hit_type: HitType,
    question: str,
    max_assignments: int,
    lifetime_seconds: int,
    annotation: str = "",
    layout_code: str = "",
    token: str | None,
    now: datetime,
) -> Hit:
    """Create a visible HIT and reserve its cost. Raise TokenUsedError for a repeated token."""
    parsed = parse_question(
        question,
        allow_http=settings.MARKETPLACE_ALLOW_HTTP,
        allow_html=bool(settings.MARKETPLACE_CONTENT_URL),
    )
    code = new_code()
    content_url = f"{settings.MARKETPLACE_CONTENT_URL}/hits/{code}/content/" if parsed.html else ""
    hit = Hit(
        code=code,
        requester_id=hit_type.requester_id,
        hit_type=hit_type,
        question=question,
        layout_code=layout_code,
        external_url=parsed.url or content_url,
        frame_height=parsed.frame_height,
        annotation=annotation,
        max_assignments=max_assignments,
        available=max_assignments,
        reward_cents=hit_type.reward_cents,
        fee_cents=_fee(hit_type.reward_cents, max_assignments),
        created_at=now,
        expires_at=now + timedelta(seconds=lifetime_seconds),
    )
    owner = hit_type.requester
    use_token(requester=owner, operation="CreateHIT", token=token, result=hit.code, now=now)
    hit.save()
    ledger.hold(hit=hit, amount_cents=hit.cost_cents * hit.max_assignments, now=now)
    _save(hit, "held_cents")
    notifications.record(Event.HIT_CREATED, hit, now=now)
    return hit


@transaction.atomic
def add_assignments(
    *, requester: Requester, hit_code: str, number: int, token: str | None = None, now: datetime
) -> None:
    """Make a HIT available to `number` more workers."""
    hit = _lock_hit(requester=requester, code=hit_code)
    use_token(
        requester=requester,
        operation="CreateAdditionalAssignmentsForHIT",
        token=token,
        result=hit.code,
        now=now,
    )
    _check_not_disposed(hit)
    if hit.max_assignments < MANY_ASSIGNMENTS <= hit.max_assignments + number:
        raise RefusalError(
            "InvalidMaximumAssignmentsIncrease",
            "A HIT created with fewer than 10 assignments cannot be extended to 10 or more.",
        )
    hit.max_assignments += number
    hit.available += number
    hit.reviewing = False
    if not hit.expiry_noted:
        ledger.hold(hit=hit, amount_cents=hit.cost_cents * number, now=now)
    hit.open = hit.expires_at > now and not hit.expiry_noted
    _save(hit, "max_assignments", "available", "reviewing", "open", "held_cents")
    notifications.record(Event.HIT_EXTENDED, hit, now=now)


@transaction.atomic
def update_expiration(
    *, requester: Requester, hit_code: str, expires_at: datetime, now: datetime
) -> None:
    """Change the expiration of a HIT. A time in the past ends the HIT now.

    Scripts use any past year to end a HIT. Its results must not count as that old, because old HITs
    are disposed of.
    """
    hit = _lock_hit(requester=requester, code=hit_code)
    _check_not_disposed(hit)
    if expires_at <= now:
        hit.expires_at = min(hit.expires_at, now)
        _save(hit, "expires_at")
        note_expiry(hit, now=now)
        return
    extended = expires_at > hit.expires_at
    hit.expires_at = expires_at
    _save(hit, "expires_at")
    if hit.expiry_noted:
        hit.expiry_noted = False
        ledger.hold(hit=hit, amount_cents=hit.cost_cents * hit.available, now=now)
    hit.open = hit.available > 0
    hit.reviewing = hit.reviewing and not hit.open
    _save(hit, "expiry_noted", "open", "reviewing", "held_cents")
    if extended:
        notifications.record(Event.HIT_EXTENDED, hit, now=now)


def note_expiry(hit: Hit, *, now: datetime) -> None:
    """Close a locked, expired HIT and release the money for its unused assignments."""
    if hit.expiry_noted or hit.disposed_at is not None:
        return
    hit.expiry_noted = True
    hit.open = False
    ledger.release(hit=hit, amount_cents=hit.cost_cents * hit.available, now=now)
    _save(hit, "expiry_noted", "open", "held_cents")
    notifications.record(Event.HIT_EXPIRED, hit, now=now)
    if not hit.pending and hit.available:
        due_reviews.note_reviewable(hit)
        notifications.record(Event.HIT_REVIEWABLE, hit, now=now)


@transaction.atomic
def delete_hit(*, requester: Requester, hit_code: str, now: datetime) -> None:
    """Dispose of a reviewable HIT whose assignments are all decided."""
    hit = _lock_hit(requester=requester, code=hit_code)
    status = hit.status(now)
    deletable = (HitStatus.REVIEWING, HitStatus.REVIEWABLE)
    if status not in deletable or hit.submitted:
        detail = ", with every submitted assignment approved or rejected" if hit.submitted else ""
        raise WrongHitStateError(allowed=", ".join(deletable), current=status, detail=detail)
    dispose(hit, now=now)


def dispose(hit: Hit, *, now: datetime) -> None:
    """Dispose of a locked HIT. Its assignments can still be retrieved."""
    ledger.release(hit=hit, amount_cents=hit.held_cents, now=now)
    hit.disposed_at = now
    hit.open = False
    _save(hit, "disposed_at", "open", "held_cents")
    notifications.record(Event.HIT_DISPOSED, hit, now=now)


@transaction.atomic
def set_review_status(*, requester: Requester, hit_code: str, revert: bool, now: datetime) -> None:
    """Move a HIT from Reviewable to Reviewing, or back if `revert` is true."""
    hit = _lock_hit(requester=requester, code=hit_code)
    needed = HitStatus.REVIEWING if revert else HitStatus.REVIEWABLE
    status = hit.status(now)
    if status != needed:
        raise WrongHitStateError(allowed=needed, current=status)
    hit.reviewing = not revert
    _save(hit, "reviewing")


@transaction.atomic
def change_type(*, requester: Requester, hit_code: str, hit_type: HitType, now: datetime) -> None:
    """Change the type of a HIT. Assignments that are already accepted keep their pay."""
    hit = _lock_hit(requester=requester, code=hit_code)
    _check_not_disposed(hit)
    hit.hit_type = hit_type
    hit.reward_cents = hit_type.reward_cents
    hit.fee_cents = _fee(hit_type.reward_cents, hit.max_assignments)
    undecided = Assignment.objects.filter(
        hit=hit, status__in=(AssignmentStatus.ACCEPTED, AssignmentStatus.SUBMITTED)
    ).aggregate(cents=Sum(F("reward_cents") + F("fee_cents"), default=0))["cents"]
    offered = 0 if hit.expiry_noted else hit.cost_cents * hit.available
    ledger.hold(hit=hit, amount_cents=undecided + offered - hit.held_cents, now=now)
    _save(hit, "hit_type", "reward_cents", "fee_cents", "held_cents")


def _lock_hit(*, requester: Requester, code: str) -> Hit:
    own = requester.hits.select_for_update(of=("self",)).select_related("hit_type")
    return find(own, "HIT", code)


def _fee(reward_cents: int, max_assignments: int) -> int:
    rate = fee_rate(
        max_assignments,
        few=settings.MARKETPLACE_FEE_RATE,
        many=settings.MARKETPLACE_FEE_RATE_MANY,
    )
    return fee_cents(reward_cents, rate)


def _check_not_disposed(hit: Hit) -> None:
    if hit.disposed_at is not None:
        raise WrongHitStateError(
            allowed="Assignable, Unassignable, Reviewing, Reviewable", current=HitStatus.DISPOSED
        )


def _save(hit: Hit, *fields: str) -> None:
    hit.save(update_fields=fields)
