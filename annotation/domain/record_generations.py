"""The sweep that takes in generators' finished work."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from annotation.domain.decide_submission import accept_if_sound
from annotation.domain.record_assignment import record_assignment
from annotation.enums import Role
from annotation.models import Item
from crowd.models import Assignment
from schemes.base import Json
from schemes.registry import get_scheme


def parse_generation(item: Item, content: object) -> Json:
    """See `schemes.base.Scheme.parse_generation`."""
    return get_scheme(item.project.scheme).parse_generation(
        content, tokens=item.sentence.tokens, target=item.target
    )


def record_new_generations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record and, where sound, accept up to `limit` assignments; returns how many were recorded."""
    unrecorded = Assignment.objects.unrecorded().filter(hit__task__role=Role.GENERATOR)
    done = 0
    for pk in unrecorded.order_by("pk").values_list("pk", flat=True)[:limit]:
        now = clock()
        with transaction.atomic():
            submissions = record_assignment(assignment_id=pk, parse=parse_generation, now=now)
            accept_if_sound(submissions=submissions, now=now)
        done += 1
    return done
