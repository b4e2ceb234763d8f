"""The decisions of a rehearsal's reviewer."""

from datetime import datetime

from django.db.models import Q

from annotation.domain.item_context import context_of
from annotation.domain.queries import held_bonuses_of
from annotation.domain.review_bonus import accept_bonus
from projects.domain.change_project import change_settings
from projects.enums import Role
from projects.models import Project
from rehearsal.domain.scenario import Reference
from schemes.registry import get_scheme

ACTOR = "rehearsal"


def accept_held_bonuses(*, project: Project, now: datetime) -> int:
    """Accept the held bonuses of simulated workers. Return how many."""
    simulated = Q(payment__assignment__worker__is_simulated=True)
    rows = list(held_bonuses_of(project=project).filter(simulated))
    for held in rows:
        accept_bonus(held=held, actor=ACTOR, now=now)
    return len(rows)


def allow_free_form(*, project: Project, references: dict[int, Reference], now: datetime) -> bool:
    """Allow units outside the template if a replayed reference has any. Return True if so.

    Published annotations can't be replayed exactly otherwise. Their bonuses are held and reviewed.
    """
    content = get_scheme(project.scheme).content
    if project.allow_free_form or content.free_form is None:
        return False
    items = project.items.filter(in_production=True).select_related("sentence__image")
    code = content.free_form.code
    for item in items:
        if item.pk not in references:
            continue
        doubts = content.doubts(
            references[item.pk].content, context_of(item, project), Role.GENERATOR
        )
        if any(doubt.code == code for doubt in doubts):
            wanted = {"allow_free_form": True}
            change_settings(project=project, wanted=wanted, actor=ACTOR, now=now)
            return True
    return False
