"""Plan a round with chosen items, after the rounds that the project has."""

from collections.abc import Sequence
from dataclasses import replace

from annotation.models import Item
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role
from projects.models import Project
from qualification.domain.rounds.choose_items import (
    Method,
    free_items,
    richest_items,
    sample_items,
    with_gold,
)
from qualification.domain.rounds.set_up_rounds import (
    RoundPlan,
    RoundSetupError,
    consolidation_plan,
    next_plan,
)
from qualification.domain.rounds.vary_gold import can_vary, variations_of
from qualification.models import Round


def trains_consolidators(project: Project) -> bool:
    """Return True if the project can have rounds for consolidators with items of its gold."""
    is_consolidated = project.protocol == Protocol.CONSOLIDATION
    return is_consolidated and can_vary(scheme_of(project))


def plan_round(
    *,
    project: Project,
    items: Sequence[Item],
    role: str = Role.GENERATOR,
    title: str = "",
    is_screening: bool = False,
    opens_pool: bool = True,
) -> RoundPlan:
    """Return the next round for the role, with the suggested title if there is none.

    A screening leads to a round. Raise RoundSetupError.
    """
    scheme, given = scheme_of(project), {}
    if role == Role.CONSOLIDATOR:
        if not trains_consolidators(project):
            raise RoundSetupError("This project can't have rounds for consolidators.")
        if is_screening:
            raise RoundSetupError("A screening is a round for generators.")
        suggested = consolidation_plan(project=project, scheme=scheme)
        given = variations_of(items=items)
    else:
        suggested = next_plan(project=project, scheme=scheme, is_screening=is_screening)
    return replace(
        suggested,
        title=title or suggested.title,
        pool_roles=suggested.pool_roles if opens_pool and not is_screening else (),
        keys=[item.key for item in items],
        given=given,
    )


def first_seed(project: Project) -> int:
    """Return the seed of the next sample. Rounds of the same project must not have the same one."""
    return project.seed + project.rounds.count()


def sample_of(
    *,
    project: Project,
    round: Round | None = None,
    method: str,
    count: int,
    seed: int,
    only_gold: bool,
) -> list[Item]:
    """Return items for a round by a method that samples."""
    free = free_items(project=project, round=round)
    choose = richest_items if method == Method.RICH else sample_items
    return choose(with_gold(free) if only_gold else free, count=count, seed=seed)
