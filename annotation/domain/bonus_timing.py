"""When the bonus of a worker is decided: at once, or once the item has gold.

Only bonuses of generators wait, because consolidation shows what of their work was kept. Those of
consolidators, validators and revisers are decided at once, and so are those of training rounds, which
have no gold.
"""

from dataclasses import dataclass
from datetime import timedelta

from annotation.domain.publish import batch_terms
from annotation.domain.qualification_codes import pool_of
from annotation.models import Batch, Submission
from crowd.enums import GrantState
from crowd.models import Assignment, Worker
from metrics.counts import ratio
from projects.enums import BonusTiming, Role
from projects.models import Project
from projects.protocols import TERMS
from schemes.registry import get_scheme

# The first items of a worker outside the trained pool.
NEW_ITEMS = 30
# The share of units kept in the newest KEPT_ITEMS items with gold that a trusted worker needs.
KEPT_SHARE = 0.6
KEPT_ITEMS = 30
LEAST_KEPT_ITEMS = 10
# The work of others than trusted workers is not accepted without a person if it took less. The fastest
# of a rehearsal's workers need as long.
NEW_LEAST_SECONDS = 25
# A bonus of an item without gold is then paid in full.
MAX_WAIT = timedelta(days=14)
FIRST_ITEMS = f"This applies to your first {NEW_ITEMS} items in this project."


def waits_for_gold(*, assignment: Assignment, batch: Batch) -> bool:
    """Return True if the bonus of the assignment is decided once its items have gold."""
    if not _may_wait(batch):
        return False
    timing = batch.project.bonus_timing
    if timing != BonusTiming.BY_TRUST:
        return bool(timing == BonusTiming.AFTER_CONSOLIDATION)
    return bool(why_not_trusted(project=batch.project, worker=assignment.worker, but=assignment))


def why_not_trusted(*, project: Project, worker: Worker, but: Assignment | None = None) -> str:
    """Return the reason why the worker's bonuses wait under "by trust", or "".

    `but` is an assignment that is being decided, and does not count.
    """
    if _is_in_pool(project, worker):
        return ""
    done = Submission.objects.accepted().filter(
        worker=worker, role=Role.GENERATOR, item__project=project, item__in_production=True
    )
    if but is not None:
        done = done.exclude(assignment=but)
    if len(done.order_by("-pk").values_list("pk")[:NEW_ITEMS]) < NEW_ITEMS:
        return FIRST_ITEMS
    share = _kept_share(project, worker)
    if share is None or share < KEPT_SHARE:
        units = get_scheme(project.scheme).vocabulary.unit.plural
        return f"This applies until {KEPT_SHARE:.0%} of your newest {units} are kept."
    return ""


@dataclass(frozen=True, slots=True)
class StatedTiming:
    """What the page states about the bonus. `text` is "" without a bonus."""

    waits: bool
    text: str


def stated_timing(*, batch: Batch, worker_ref: str) -> StatedTiming:
    """Return when a bonus of the worker is paid. The worker may be unknown, as in a preview."""
    waits, reason = _waits_on_page(batch, worker_ref)
    terms = batch_terms(batch)
    if not (terms.get("bonus_first_cents") or terms.get("bonus_step_cents")):
        return StatedTiming(waits, "")
    if not waits:
        return StatedTiming(waits, "Your bonus is paid as soon as your work is accepted.")
    text = f"Your bonus is in review {until_gold(batch.project)} {reason}"
    return StatedTiming(waits, text.strip())


def _waits_on_page(batch: Batch, worker_ref: str) -> tuple[bool, str]:
    project = batch.project
    if not _may_wait(batch) or project.bonus_timing == BonusTiming.AT_ONCE:
        return False, ""
    if project.bonus_timing == BonusTiming.AFTER_CONSOLIDATION:
        return True, ""
    if not worker_ref:
        return True, "Workers who are trained for this project are paid it at once."
    worker = Worker.objects.filter(provider=project.provider, external_id=worker_ref).first()
    if worker is None:
        return True, FIRST_ITEMS
    reason = why_not_trusted(project=project, worker=worker)
    return bool(reason), reason


def until_gold(project: Project) -> str:
    """Return how long a bonus waits and what is paid, as the end of a sentence."""
    units = get_scheme(project.scheme).vocabulary.unit.plural
    return (
        f"until the item is {TERMS[project.protocol].done}. It is paid for the {units} that are kept, "
        f"and in full if there is no result after {MAX_WAIT.days} days."
    )


def _may_wait(batch: Batch) -> bool:
    return batch.role == Role.GENERATOR and not batch.for_training


def _is_in_pool(project: Project, worker: Worker) -> bool:
    pool = pool_of(project=project, role=Role.GENERATOR)
    held = [GrantState.PENDING, GrantState.HELD]
    return pool is not None and pool.grants.filter(worker=worker, state__in=held).exists()


def _kept_share(project: Project, worker: Worker) -> float | None:
    """Return the share of paid units that the gold of the worker's newest items has.

    Return None if too few of their items have gold, or if they have no units.
    """
    known = Submission.objects.accepted().filter(
        worker=worker, role=Role.GENERATOR, item__project=project, kept_units__isnull=False
    )
    rows = list(known.order_by("-pk").values_list("content", "kept_units")[:KEPT_ITEMS])
    if len(rows) < LEAST_KEPT_ITEMS:
        return None
    count = get_scheme(project.scheme).content.count_units
    units = sum(count(content, Role.GENERATOR) for content, _ in rows)
    return ratio(sum(kept or 0 for _, kept in rows), units)
