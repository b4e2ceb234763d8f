"""The decisions of a rehearsal's reviewer."""

from dataclasses import replace
from datetime import datetime

from django.db.models import Q

from annotation.domain.corpus.item_context import context_of
from annotation.domain.decisions.decide_submission import accept_assignment
from annotation.domain.decisions.review_bonus import accept_bonus
from annotation.domain.publishing.queries import held_bonuses_of, waiting_for_a_person
from projects.domain.change_project import change_settings
from projects.domain.schemes import scheme_of
from projects.models import Project
from rehearsal.domain.scenario import Reference
from rehearsal.domain.worker import RehearsalFailedError
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

ACTOR = "rehearsal"


def accept_held_bonuses(*, project: Project, now: datetime) -> int:
    """Accept the held bonuses of simulated workers. Return how many."""
    simulated = Q(payment__assignment__worker__is_simulated=True)
    rows = list(held_bonuses_of(project=project).filter(simulated))
    for held in rows:
        accept_bonus(held=held, actor=ACTOR, now=now)
    return len(rows)


def accept_work_in_review(*, project: Project, now: datetime) -> int:
    """Accept the work of simulated workers of which the gold kept too little. Return how much."""
    rows = waiting_for_a_person(project=project).filter(
        kept_units__isnull=False, worker__is_simulated=True
    )
    assignments = {row.assignment_id: row.assignment for row in rows if row.assignment}
    for assignment in assignments.values():
        accept_assignment(assignment=assignment, actor=ACTOR, now=now)
    return len(assignments)


def allow_free_form(*, project: Project, references: dict[int, Reference], now: datetime) -> bool:
    """Allow units outside the template if simulated workers will submit any. Return True if so.

    Published annotations can't be replayed exactly otherwise. Their bonuses are held and reviewed.
    Raise RehearsalFailedError for a reference that no worker could submit.
    """
    scheme = scheme_of(project)
    if project.allow_free_form or scheme.content.free_form is None:
        return False
    items = project.items.filter(in_production=True, pk__in=references).select_related(
        "sentence__image"
    )
    is_needed = False
    for item in items:
        context = context_of(item, project)
        reference = references[item.pk]
        for content in scheme.corpus.split_gold(reference.content, reference.provenance):
            if _is_accepted(scheme, content, replace(context, free_form=False)):
                continue
            try:
                scheme.content.parse_generation(content, replace(context, free_form=True))
            except ContentError as error:
                raise RehearsalFailedError(
                    f"The reference of {item.key} can't be submitted by a worker: {error}"
                ) from error
            is_needed = True
    if is_needed:
        change_settings(project=project, wanted={"allow_free_form": True}, actor=ACTOR, now=now)
    return is_needed


def _is_accepted(scheme: Scheme, content: Json, context: ItemContext) -> bool:
    try:
        scheme.content.parse_generation(content, context)
    except ContentError:
        return False
    return True
