"""Adaptive redundancy: decide what each item needs next, by the estimates of the project's last fit.

Items begin with one annotator, and an audited share with all people of the protocol (see
`annotation.domain.publishing.redundancy`). A sweep compares the annotations of the others with the
target. `metrics.redundancy` has the rule, and ADR 48 the reasons for it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, Prefetch, Q, QuerySet

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.cost_model import role_costs
from annotation.domain.publishing.redundancy import (
    ACTOR,
    LEARNED_FROM,
    end_adaptive,
    is_adaptive,
    spent_cents,
    undecided,
)
from annotation.domain.publishing.republish import ask_another
from annotation.enums import USABLE, RedundancyDecision
from annotation.models import Redundancy, Submission
from audit.domain.change_state import log_state_change
from consolidation.domain.cases.own_gold import current_own_gold
from crowd.domain.money.ledger import BudgetExceededError
from datasets.domain.quality.certainty import CERTAINTY, FitRunningError, queue_fit
from datasets.domain.quality.judged_parts import aligned_parts
from datasets.models import CertaintyFit
from jobs.domain.sweep import for_each_row
from jobs.models import Job
from metrics.judgment_model import ItemJudgments, KnownSkills, PartJudgments, expected_certainties
from metrics.redundancy import NextStep, Step, next_step
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.errors import ContentError

# A project is fitted again after it has this many times the items of its last fit.
GROWTH = 1.2
# After a fit, whatever became of it
PAUSE = timedelta(minutes=15)


def decide_due_items(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Decide about up to `limit` items of each project with adaptive redundancy. Return the number."""
    projects = Project.objects.filter(
        adaptive_percent__isnull=False, archived_at=None, deleted_at=None
    )
    return for_each_row(
        sweep="adaptive redundancy",
        rows=projects.order_by("pk"),
        process=lambda project, now: decide_items(project=project, now=now, limit=limit),
        clock=clock,
    )


def decide_items(*, project: Project, now: datetime, limit: int = 200) -> int:
    """Decide what up to `limit` annotated items of the project need next. Return the number decided.

    Without estimates, it queues a fit and decides nothing. Where most is missed, money is spent first.
    Items for which there is none wait.
    """
    if not is_adaptive(project):  # its settings have changed
        return end_adaptive(project)
    due = _due(project, now)
    if not due.exists():
        return 0
    skills = _skills(project, now)
    if skills is None:
        return 0
    rows = list(due[:limit])
    steps = list(_next_steps(project, skills, rows))
    steps.sort(key=lambda found: -found.step.missed)
    people = _cents_of(project)
    left = (project.adaptive_cents or 0) - spent_cents(project)
    decided = 0
    Redundancy.objects.filter(pk__in=[row.pk for row in rows]).update(looked_at=now)
    for found in steps:
        cents = people[found.step.step]
        if cents > left:
            continue
        try:
            is_done = _decide(found, cents, now)
        except BudgetExceededError:  # others cost nothing, or are in a batch with money left
            continue
        if is_done:
            decided += 1
            left -= cents
    return decided


def _due(project: Project, now: datetime) -> QuerySet[Redundancy]:
    """Return the undecided items that have all their annotations so far.

    Those for which there was no money are looked at again after a pause.
    """
    usable = Count(
        "item__submissions",
        filter=Q(item__submissions__role=Role.GENERATOR, item__submissions__state__in=USABLE),
    )
    rows = (
        undecided(project)
        .annotate(usable=usable)
        .filter(Q(looked_at=None) | Q(looked_at__lt=now - PAUSE), usable__gte=F("people"))
    )
    own = Submission.objects.usable().filter(role=Role.GENERATOR).select_related("worker")
    return (
        rows.select_related("item__sentence__image")
        .prefetch_related(Prefetch("item__submissions", queryset=own.order_by("pk"), to_attr="own"))
        .order_by(F("looked_at").asc(nulls_first=True), "item__position", "pk")
    )


def _skills(project: Project, now: datetime) -> KnownSkills | None:
    """Return the estimates of the project's last fit, or None without one. Queue the next fit."""
    fit = CertaintyFit.objects.filter(project=project).first()
    audited = Redundancy.objects.filter(
        item__project=project, item__in_production=True, is_audited=True
    ).count()
    wanted = max(1, min(LEARNED_FROM, audited)) if fit is None else fit.items * GROWTH
    if count_merged(project) >= wanted:
        _queue_fit(project, now)
    if fit is None:
        return None
    skills = fit.skills.filter(is_judge=False, is_compared=True).select_related("worker")
    by_name = {skill.worker.pseudonym: skill for skill in skills}
    return KnownSkills(
        finds={name: skill.right for name, skill in by_name.items()},
        invents={name: skill.wrong for name, skill in by_name.items()},
        right=fit.right,
        spread=fit.spread,
        annotators=project.generators_per_item,
    )


def count_merged(project: Project) -> int:
    """Count the items that a fit learns from: those with gold that was made of annotations."""
    return current_own_gold(project).filter(item__in_production=True, case__isnull=False).count()


def _queue_fit(project: Project, now: datetime) -> None:
    recent = Job.objects.filter(kind=CERTAINTY, scope=project.slug, requested_at__gt=now - PAUSE)
    if recent.exists():
        return
    try:
        queue_fit(project=project, actor=ACTOR, now=now)
    except FitRunningError:
        return


@dataclass(frozen=True, slots=True)
class _Found:
    """What an item needs next, with the annotations behind it."""

    row: Redundancy
    submissions: Sequence[Submission]
    step: NextStep


def _next_steps(
    project: Project, skills: KnownSkills, rows: Sequence[Redundancy]
) -> Iterator[_Found]:
    scheme, target = scheme_of(project), (project.adaptive_percent or 0) / 100
    judged = []
    for row in rows:
        submissions: list[Submission] = [own for own in row.item.own if own.is_readable]  # type: ignore[attr-defined]
        if len(submissions) < row.people:
            continue
        context = context_of(row.item, project)
        try:
            parts = aligned_parts(scheme, [of.content for of in submissions], context)
        except ContentError:  # stored under another definition or version of the scheme
            continue
        judged.append((row, submissions, [part.members for part in parts]))
    certainties = expected_certainties(
        [judgments_of(submissions, found_by) for _, submissions, found_by in judged], skills
    )
    for (row, submissions, found_by), certainty in zip(judged, certainties, strict=True):
        step = next_step(
            certainty,
            found_by,
            annotators=len(submissions),
            most=project.generators_per_item,
            target=target,
        )
        yield _Found(row, submissions, step)


def judgments_of(submissions: Sequence[Submission], found_by: Iterable[set[int]]) -> ItemJudgments:
    """Return what these annotators found. `found_by` has the positions of those with each part."""
    names = [of.worker.pseudonym if of.worker else f"expert {of.pk}" for of in submissions]
    return ItemJudgments(
        annotators=tuple(names),
        parts=tuple(
            PartJudgments(frozenset(names[at] for at in positions)) for positions in found_by
        ),
    )


def _cents_of(project: Project) -> dict[Step, int]:
    """Return what the next person of each step is expected to cost, with fees."""
    costs = {cost.role: round(cost.total_cents) for cost in role_costs(project=project)}
    return {
        Step.ACCEPT: 0,
        Step.ASK: costs[Role.GENERATOR],
        Step.CONSOLIDATE: costs[Role.CONSOLIDATOR],
    }


@transaction.atomic
def _decide(found: _Found, cents: int, now: datetime) -> bool:
    """Store the decision and what follows from it. Return False if it can't be carried out yet.

    Raise BudgetExceededError.
    """
    row, step = found.row, found.step
    reason = (
        f"{len(found.submissions)} annotated. Expected coverage {step.worth.coverage:.0%}, "
        f"precision {step.worth.precision:.0%}"
    )
    wanted = {"coverage": step.worth.coverage, "precision": step.worth.precision}
    if step.step is Step.ASK:
        if not ask_another(row=row, cents=cents, now=now):
            return False
        Redundancy.objects.filter(pk=row.pk).update(looked_at=None, **wanted)
    else:
        is_accepted = step.step is Step.ACCEPT
        changed = Redundancy.objects.filter(
            pk=row.pk, people=row.people, decision=RedundancyDecision.UNDECIDED
        ).update(
            decision=RedundancyDecision.ACCEPT if is_accepted else RedundancyDecision.CONSOLIDATE,
            accepted=found.submissions[step.accepted] if step.accepted is not None else None,
            cents=row.cents + cents,
            looked_at=now,
            **wanted,
        )
        if not changed:
            return False
    log_state_change(
        instance=row.item, old="", new=step.step.value, actor=ACTOR, now=now, reason=reason
    )
    return True
