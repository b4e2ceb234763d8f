"""The trained generators in groups, so that a batch can be published to some of them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.enums import Role
from annotation.models import Project
from audit.domain.change_state import log_state_change
from crowd.domain.qualifications import grant_qualification
from crowd.enums import GrantState
from crowd.models import QualificationGrant, Worker
from qualification.domain.decide import UNGROUPED, pool_of
from qualification.domain.figures import figure_at
from qualification.models import Evaluation, ProductionGroup

MOST_GROUPS = 20


class GroupsRefused(Exception):
    """The pool can't be divided like this; the message says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """A trained generator; `skill` is the UA F1 of their newest evaluation, `group` None for one who is
    in no group."""

    worker: Worker
    skill: float | None
    group: int | None


@dataclass(frozen=True, slots=True)
class GroupSize:
    number: int
    workers: int
    skill: float | None


def members_of(*, project: Project) -> list[Member]:
    """Those who hold the generators' qualification, by pseudonym."""
    numbers = set(project.groups.values_list("number", flat=True))
    grants = list(_grants(project))
    skills = _skills(project, [one.worker for one in grants])
    return [
        Member(one.worker, skills.get(one.worker_id), one.value if one.value in numbers else None)
        for one in grants
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
    return {
        worker: figure_at(corrected or figures, "UA.f1")
        for worker, figures, corrected in rows.values_list(
            "enrolment__worker", "figures", "corrected_figures"
        )
    }


def sizes_of(members: Sequence[Member], numbers: Sequence[int]) -> list[GroupSize]:
    """Each group with its members and their mean skill."""
    found = []
    for number in numbers:
        own = [one for one in members if one.group == number]
        known = [one.skill for one in own if one.skill is not None]
        mean = sum(known) / len(known) if known else None
        found.append(GroupSize(number, len(own), mean))
    return found


def balanced(members: Sequence[Member], *, count: int, seed: int) -> dict[int, int]:
    """Worker id -> group, with sizes that differ by at most one and skills dealt evenly: from the best
    to the least, to and fro over the groups, which stand in an order drawn by the seed. Whoever has
    no figures counts as the middle of those who have."""
    rng = random.Random(seed)  # noqa: S311
    known = sorted(one.skill for one in members if one.skill is not None)
    middle = known[len(known) // 2] if known else 0.0
    order = list(range(1, count + 1))
    rng.shuffle(order)
    there_and_back = [*order, *reversed(order)]
    ranked = [(-(middle if one.skill is None else one.skill), rng.random(), one) for one in members]
    return {
        one.worker.pk: there_and_back[place % len(there_and_back)]
        for place, (*_, one) in enumerate(sorted(ranked, key=lambda row: row[:2]))
    }


@transaction.atomic
def divide_pool(*, project: Project, count: int, seed: int, actor: str, now: datetime) -> int:
    """Deal the whole pool into `count` groups balanced by skill; returns how many workers moved.
    Raises GroupsRefused."""
    members = members_of(project=project)
    if not 1 <= count <= MOST_GROUPS:
        raise GroupsRefused(f"There can be 1 to {MOST_GROUPS} groups.")
    if count > len(members):
        raise GroupsRefused(f"The pool has {len(members)} workers: not enough for {count} groups.")
    reason = f"divided into {count} by skill, seed {seed}"
    return assign_groups(
        project=project,
        groups=balanced(members, count=count, seed=seed),
        count=count,
        actor=actor,
        now=now,
        reason=reason,
    )


@transaction.atomic
def assign_groups(
    *,
    project: Project,
    groups: Mapping[int, int | None],
    count: int,
    actor: str,
    now: datetime,
    reason: str = "by hand",
) -> int:
    """Put each worker (by id) in the group named or, with None, in none; whoever is not named stays in
    theirs if it remains. There are `count` groups then. Returns how many moved; raises GroupsRefused
    for a group that there is not."""
    Project.objects.select_for_update().get(pk=project.pk)
    if strange := [one for one in groups.values() if one is not None and not 1 <= one <= count]:
        raise GroupsRefused(f"There is no group {strange[0]}: the groups are 1 to {count}.")
    before = {one.worker.pk: one.group for one in members_of(project=project)}
    project.groups.filter(number__gt=count).delete()
    for number in range(1, count + 1):
        ProductionGroup.objects.get_or_create(
            project=project, number=number, defaults={"made_at": now}
        )
    moved = 0
    for grant in _grants(project):
        old = before[grant.worker_id]
        kept = old if old is not None and old <= count else None
        new = groups.get(grant.worker_id, kept)
        _set_value(grant, new, now)
        if new != old:
            log_state_change(
                instance=grant, old=_name(old), new=_name(new), actor=actor, now=now, reason=reason
            )
            moved += 1
    return moved


def _set_value(grant: QualificationGrant, group: int | None, now: datetime) -> None:
    """Also where a worker stays in no group but held a number of their own."""
    value = UNGROUPED if group is None else group
    if grant.value != value:
        grant_qualification(
            qualification=grant.qualification_type, worker=grant.worker, value=value, now=now
        )


def _name(group: int | None) -> str:
    return "no group" if group is None else f"group {group}"
