"""Groups of trained generators to which batches can be published."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.workers.qualifications import grant_qualification
from crowd.enums import GrantState
from crowd.models import QualificationGrant, Worker
from metrics.counts import mean
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import UNGROUPED, pool_of
from qualification.domain.scores.figures import figure_at
from qualification.domain.scores.gold_comparisons import main_figure
from qualification.models import Evaluation, ProductionGroup

MAX_GROUPS = 20


class GroupingError(TouchstoneError):
    """The pool cannot be divided in this way. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Member:
    """A trained generator, with the main figure of their newest evaluation and their group, if any."""

    worker: Worker
    skill: float | None
    group: int | None


@dataclass(frozen=True, slots=True)
class GroupSize:
    number: int
    workers: int
    skill: float | None


def members_of(*, project: Project) -> list[Member]:
    """Return the holders of the generators' qualification, by pseudonym."""
    numbers = set(project.groups.values_list("number", flat=True))
    grants = list(_grants(project))
    skills = _skills(project, [grant.worker for grant in grants])
    return [
        Member(
            grant.worker,
            skills.get(grant.worker_id),
            grant.value if grant.value in numbers else None,
        )
        for grant in grants
    ]


def _grants(project: Project) -> list[QualificationGrant]:
    rows = pool_of(project, Role.GENERATOR).grants.filter(
        state__in=[GrantState.PENDING, GrantState.HELD]
    )
    return list(rows.select_related("worker", "qualification_type").order_by("worker__pseudonym"))


def _skills(project: Project, workers: Sequence[Worker]) -> dict[int, float | None]:
    rows = Evaluation.objects.filter(
        enrolment__worker__in=workers,
        enrolment__round__project=project,
        enrolment__round__role=Role.GENERATOR,
        so_far=False,
    ).order_by("enrolment__round__ordinal", "pk")
    scheme, key = scheme_of(project), main_figure(project).key
    return {
        worker: figure_at(scheme, corrected or figures, key)
        for worker, figures, corrected in rows.values_list(
            "enrolment__worker", "figures", "corrected_figures"
        )
    }


def sizes_of(members: Sequence[Member], numbers: Sequence[int]) -> list[GroupSize]:
    """Return each group's number of members and mean skill."""
    skills = {
        number: [member.skill for member in members if member.group == number] for number in numbers
    }
    return [GroupSize(number, len(own), mean(own)) for number, own in skills.items()]


def balanced(members: Sequence[Member], *, count: int, seed: int) -> dict[int, int]:
    """Return a group for each worker id, with similar sizes and skills.

    Sizes differ by at most one. Workers are dealt from best to worst, forwards and backwards over the
    groups in a random order. A worker without figures counts as the median.
    """
    rng = random.Random(seed)  # noqa: S311
    known = sorted(member.skill for member in members if member.skill is not None)
    middle = known[len(known) // 2] if known else 0.0
    order = list(range(1, count + 1))
    rng.shuffle(order)
    cycle = [*order, *reversed(order)]
    ranked = [
        (-(middle if member.skill is None else member.skill), rng.random(), member)
        for member in members
    ]
    return {
        member.worker.pk: cycle[position % len(cycle)]
        for position, (*_, member) in enumerate(sorted(ranked, key=lambda row: row[:2]))
    }


@transaction.atomic
def divide_pool(*, project: Project, count: int, seed: int, actor: str, now: datetime) -> int:
    """Divide the pool by skill into `count` groups. Return how many moved. Raise GroupingError."""
    members = members_of(project=project)
    if not 1 <= count <= MAX_GROUPS:
        raise GroupingError(f"There can be 1 to {MAX_GROUPS} groups.")
    if count > len(members):
        raise GroupingError(
            f"The pool has {len(members)} workers, which is not enough for {count} groups."
        )
    groups = balanced(members, count=count, seed=seed)
    reason = f"divided into {count} by skill, seed {seed}"
    return assign_groups(
        project=project, groups=groups, count=count, actor=actor, now=now, reason=reason
    )


@transaction.atomic
def assign_groups(
    *,
    project: Project,
    groups: Mapping[int, int | None],
    count: int,
    actor: str,
    now: datetime,
    reason: str = "manually",
) -> int:
    """Set the number of groups to `count`, move the given workers, and return how many moved.

    `groups` maps worker ids to groups, or to None for no group. Other workers stay in their group if it
    still exists. Raise GroupingError for a group that does not exist.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    if unknown := set(groups.values()) - {None, *range(1, count + 1)}:
        raise GroupingError(f"There is no group {unknown.pop()}. The groups are 1 to {count}.")
    before = {member.worker.pk: member.group for member in members_of(project=project)}
    project.groups.filter(number__gt=count).delete()
    for number in range(1, count + 1):
        ProductionGroup.objects.get_or_create(
            project=project, number=number, defaults={"made_at": now}
        )
    moved = 0
    for grant in _grants(project):
        old = before[grant.worker_id]
        unchanged = old if old is not None and old <= count else None
        new = groups.get(grant.worker_id, unchanged)
        # Also replaces a number outside the groups.
        value = UNGROUPED if new is None else new
        if grant.value != value:
            grant_qualification(
                qualification=grant.qualification_type, worker=grant.worker, value=value, now=now
            )
        if new != old:
            log_state_change(
                instance=grant, old=_name(old), new=_name(new), actor=actor, now=now, reason=reason
            )
            moved += 1
    return moved


def _name(group: int | None) -> str:
    return "no group" if group is None else f"group {group}"
