"""Factories for rows of `crowd` with only the rows that they need."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from crowd.domain.hits.prepare_hits import HitPlan, hit_type_of, prepare_hits
from crowd.domain.money.hit_reservations import HitTerms
from crowd.enums import HitState, PaymentKind, PaymentState, SessionState, SettlementState
from crowd.models import Assignment, Budget, Hit, Payment, Settlement, Study, StudySession, Worker

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
_numbers = count(1)


def make_budget(*, cap_cents: int | None = None) -> Budget:
    return Budget.objects.create(key=f"budget-{next(_numbers)}", cap_cents=cap_cents)


def make_worker() -> Worker:
    return Worker.objects.create(
        provider="mturk", external_id=f"A{next(_numbers):013}", first_seen_at=NOW
    )


def make_hits(
    count: int = 1,
    *,
    budget: Budget | None = None,
    reward_cents: int = 5,
    max_assignments: int = 2,
    allowance: int = 18,
) -> list[Hit]:
    """Create planned HITs and reserve the money for them."""
    hit_type = hit_type_of(
        provider="mturk",
        title="Ask about a verb",
        description="Write questions.",
        keywords="",
        reward_cents=reward_cents,
        assignment_seconds=3600,
        auto_approval_seconds=86400,
        qualifications=[],
    )
    plans = [
        HitPlan(f"token-{number}", f"https://touchstone.example/generate/{number}/")
        for number in (next(_numbers) for _ in range(count))
    ]
    return prepare_hits(
        plans=plans,
        hit_type=hit_type,
        budget=budget or make_budget(),
        terms=HitTerms(max_assignments, 86400, allowance),
        now=NOW,
    )


def make_live_hit(**options: object) -> Hit:
    (hit,) = make_hits(1, **options)
    hit.state, hit.external_id, hit.created_at = HitState.LIVE, f"HIT{hit.pk}", NOW
    hit.save()
    return hit


def make_assignment(hit: Hit | None = None, worker: Worker | None = None) -> Assignment:
    return Assignment.objects.create(
        hit=hit or make_live_hit(),
        worker=worker or make_worker(),
        external_id=f"ASSIGNMENT{next(_numbers)}",
        accepted_at=NOW,
        submitted_at=NOW + timedelta(minutes=3),
    )


def make_study(budget: Budget, provider: str = "mturk") -> Study:
    return Study.objects.create(
        provider=provider,
        token=f"st-{next(_numbers)}",
        budget=budget,
        hit_type=make_hits(1, budget=budget)[0].hit_type,
        hits_per_session=8,
        minutes=12,
        reward_cents=240,
    )


def make_session(budget: Budget, worker: Worker, **fields: Any) -> StudySession:
    number = next(_numbers)
    newest = Study.objects.filter(budget=budget).order_by("-pk").first()
    return StudySession.objects.create(
        study=newest or make_study(budget, worker.provider),
        worker=worker,
        external_id=f"{number:024x}",
        arrived_at=NOW,
        deadline=NOW + timedelta(hours=1),
        **fields,
    )


def make_empty_session(budget: Budget, worker: Worker) -> StudySession:
    """Return a session that was submitted without a task."""
    return make_session(budget, worker, state=SessionState.SUBMITTED, completed_at=NOW)


def make_unknown_settlement(budget: Budget, worker: Worker) -> Settlement:
    """Return a session bonus that the provider did not confirm."""
    return Settlement.objects.create(
        session=make_session(budget, worker),
        bonus_cents=90,
        state=SettlementState.UNKNOWN,
        planned_at=NOW,
        paid_at=NOW,
    )


def make_rejected_payment(assignment: Assignment) -> Payment:
    """Return a bonus that the provider has rejected."""
    return Payment.objects.create(
        assignment=assignment,
        kind=PaymentKind.BONUS,
        amount_cents=7,
        fee_cents=1,
        token=f"rejected-{next(_numbers)}",
        reason="3 units",
        state=PaymentState.FAILED,
        intended_at=NOW,
        error="The worker's account is closed.",
    )
