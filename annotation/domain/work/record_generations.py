"""The sweep that records generators' finished work."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.neighbours import neighbours_of_item
from annotation.domain.decisions.decide_submission import auto_accept
from annotation.domain.work.record_assignment import record_assignment
from annotation.models import Item
from crowd.models import Assignment
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Role
from schemes.contract.values import Json


def parse_generation(item: Item, content: object) -> Json:
    """Parse a generator's content. Raise ContentError."""
    context = context_of(item)
    if context.allows_context_answers:
        context = replace(context, neighbours=neighbours_of_item(item))
    return scheme_of(item.project).content.parse_generation(content, context)


def record_new_generations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record up to `limit` assignments and accept those without problems.

    Return the number recorded.
    """
    unrecorded = Assignment.objects.unrecorded().filter(hit__task__role=Role.GENERATOR)
    return for_each_row(
        sweep="record generations",
        rows=unrecorded.only("pk").order_by("pk"),
        process=_record,
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _record(assignment: Assignment, now: datetime) -> int:
    submissions = record_assignment(assignment_id=assignment.pk, parse=parse_generation, now=now)
    auto_accept(submissions=submissions, now=now)
    return 1
