"""Money for work that no HIT can pay: the HIT ran out under the worker, or its submission was lost.

A HIT that only this worker can see, with nothing to do but to hand it in, and the amount as its reward.
"""

import hashlib
import uuid
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from annotation.domain.worker_page import NOT_ACCEPTED, REFERENCE, BadPage, submit_address
from annotation.models import Compensation, Project
from crowd.domain.decide_assignment import approve_assignment
from crowd.domain.prepare_hits import (
    HitPlan,
    HitTerms,
    hit_type_of,
    prepare_hits,
    slot_cents,
)
from crowd.domain.qualifications import (
    define_qualification,
    grant_qualification,
    requirement_for,
)
from crowd.models import Assignment, HitType, Worker

PAGE = "annotation:compensation"
LIFETIME_SECONDS = 60 * 86400
MOST_CENTS = 100_000


@transaction.atomic
def offer_compensation(
    *,
    project: Project,
    worker: Worker,
    amount_cents: int,
    reason: str,
    key: str,
    actor: str,
    now: datetime,
) -> Compensation:
    """Offer the worker the amount. `key` names what it is for, such as the lost assignment: a repeat
    with the same key offers nothing more. Raises BudgetExceeded, ValueError."""
    if not 1 <= amount_cents <= MOST_CENTS or not reason.strip():
        raise ValueError(
            f"A compensation has a reason, which the worker reads, and 1 to {MOST_CENTS} cents."
        )
    earlier = Compensation.objects.filter(project=project, worker=worker, key=key).first()
    if earlier:
        return earlier
    token = _token(project, worker, key)
    public_id = _public_id(token)
    hit_type = hit_type_of(
        provider=project.provider,
        title="Payment for work that you have done",
        description=f"For you alone, and nothing to do but to hand it in: {reason}"[:2000],
        keywords="compensation",
        reward_cents=amount_cents,
        assignment_seconds=3600,
        auto_approval_seconds=86400,
        qualifications=[_for_this_worker(worker, now)],
    )
    (hit,) = prepare_hits(
        plans=[HitPlan(token, settings.SITE_URL + reverse(PAGE, args=[public_id]))],
        hit_type=hit_type,
        budget=project.budget,
        terms=HitTerms(1, LIFETIME_SECONDS, 0),
        now=now,
    )
    return Compensation.objects.create(
        project=project,
        worker=worker,
        hit=hit,
        public_id=public_id,
        reason=reason,
        key=key,
        offered_by=actor,
        offered_at=now,
    )


def compensation_cents(amount_cents: int) -> int:
    """What a compensation costs, the marketplace's fee included."""
    return sum(slot_cents(HitType(reward_cents=amount_cents), HitTerms(1, LIFETIME_SECONDS, 0)))


def _for_this_worker(worker: Worker, now: datetime) -> dict[str, object]:
    """A qualification that nobody else ever holds."""
    kind = define_qualification(
        provider=worker.provider,
        code=f"compensation-{worker.pseudonym}",
        name=f"Compensation {worker.pseudonym}",
        description="Held by one worker, who is owed money for work that could not be paid.",
    )
    grant_qualification(qualification=kind, worker=worker, value=1, now=now)
    return requirement_for(qualification=kind)


def _token(project: Project, worker: Worker, key: str) -> str:
    told = f"{settings.SITE_URL}\n{project.slug}\n{worker.external_id}\n{key}"
    return "tc-" + hashlib.sha256(told.encode()).hexdigest()[:48]


def _public_id(token: str) -> uuid.UUID:
    told = f"{settings.SECRET_KEY}\n{token}"
    return uuid.UUID(bytes=hashlib.sha256(told.encode()).digest()[:16], version=4)


def compensation_form(*, assignment: str, submit_to: str) -> dict[str, str]:
    """Where the page's form goes and for which assignment; empty for a preview. Raises BadPage."""
    if assignment in ("", NOT_ACCEPTED):
        return {}
    if not REFERENCE.match(assignment):
        raise BadPage("This address lacks the assignment. Open the task again.")
    return {"action": submit_address(submit_to), "assignment": assignment}


def pay_compensations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Approve what was handed in by the workers that it was for; returns how many. What somebody else
    handed in waits for a person."""
    handed_in = Assignment.objects.unrecorded().filter(hit__compensation__isnull=False)
    rows = handed_in.select_related("hit__compensation").order_by("pk")[:limit]
    return sum(_pay(assignment, clock()) for assignment in rows)


@transaction.atomic
def _pay(assignment: Assignment, now: datetime) -> bool:
    row = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if row.recorded_at:
        return False
    row.recorded_at = now
    if row.worker_id != assignment.hit.compensation.worker_id:
        row.error = "This compensation was for another worker."
    row.save(update_fields=["recorded_at", "error"])
    if row.error:
        return False
    approve_assignment(assignment=row, bonus=None, actor="compensation", now=now)
    return True
