"""Make a decision on several assignments."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from annotation.domain.decisions.award_bonus import bonus_for
from annotation.domain.decisions.decide_submission import (
    accept_assignment,
    pay_without_using,
    reject_submissions,
)
from annotation.domain.publishing.queries import can_be_accepted
from audit.errors import TouchstoneError
from consolidation.domain.reviews.resolve_conflict import has_two_versions
from consolidation.enums import Decision
from crowd.domain.provider.fees import fee_cents
from crowd.models import Assignment


@dataclass(slots=True)
class Outcome:
    """The assignments that were decided, and the others with the reason."""

    done: list[Assignment] = field(default_factory=list)
    failed: list[tuple[Assignment, str]] = field(default_factory=list)


class UndecidableError(TouchstoneError, ValueError):
    """The assignment needs a look first. The message explains why."""


def cost_of(*, assignments: Iterable[Assignment], decision: Decision) -> int:
    """Return the cents that the decision pays, with bonuses and fees."""
    if decision == Decision.REJECT:
        return 0
    return sum(_cost(assignment) for assignment in assignments)


def _cost(assignment: Assignment) -> int:
    hit = assignment.hit
    reward = hit.hit_type.reward_cents
    fee_of = partial(fee_cents, provider=hit.hit_type.provider)
    cents = reward + fee_of(reward, max_assignments=hit.max_assignments)
    rows = assignment.submissions.select_related("item__project", "assignment__hit__task__batch")
    if bonus := bonus_for(list(rows)):
        cents += bonus.amount_cents + fee_of(bonus.amount_cents)
    return cents


def decide_many(
    *,
    assignments: Iterable[Assignment],
    decision: Decision,
    reason: str,
    category: str = "",
    actor: str,
    now: datetime,
) -> Outcome:
    """Decide each assignment in a transaction of its own. `reason` and `category` are for rejections."""
    outcome = Outcome()
    for assignment in assignments:
        decide = _function(assignment, decision, reason, category)
        try:
            if decision == Decision.ACCEPT:
                _check(assignment)
            decide(actor=actor, now=now)
        except (TouchstoneError, ValueError) as error:
            outcome.failed.append((assignment, str(error)))
        else:
            outcome.done.append(assignment)
    return outcome


def _function(
    assignment: Assignment, decision: Decision, reason: str, category: str
) -> Callable[..., None]:
    if decision == Decision.ACCEPT:
        return partial(accept_assignment, assignment=assignment)
    if decision == Decision.PAY:
        return partial(pay_without_using, assignment=assignment)
    return partial(reject_submissions, assignment=assignment, reason=reason, category=category)


def _check(assignment: Assignment) -> None:
    if any(has_two_versions(submission) for submission in assignment.submissions.all()):
        raise UndecidableError("There are two copies. Compare them first.")
    if not can_be_accepted(assignment):
        raise UndecidableError("The content is not a valid annotation.")
