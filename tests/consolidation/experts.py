"""Factories for experts, their queues and their submitted work."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model

from annotation.domain.work.drafts import PageState
from annotation.models import Item
from consolidation.domain.experts.expert_queues import QueuePlan, set_up_queue
from consolidation.domain.experts.expert_work import submit_queued
from consolidation.models import ExpertQueue, QueuedItem
from projects.models import Project
from tests.crowd.factories import NOW


def make_expert(name: str):
    return get_user_model().objects.create_user(name, password="a long enough password")


def make_queue(project: Project, items: Sequence[Item], **plan: Any) -> ExpertQueue:
    """Create a queue, by default one that merges the workers' generations."""
    settings = {"title": "Queue", "kind": "merge", "sources": ["generator"], **plan}
    number = project.expert_queues.count() + 1
    office, _ = get_user_model().objects.get_or_create(username="office")
    return set_up_queue(
        project=project,
        plan=QueuePlan(**{**settings, "title": f"{settings['title']} {number}"}),
        items=items,
        created_by=office,
        now=NOW,
    )


def submit_result(queued: QueuedItem, expert, content: Any, now=NOW) -> None:
    state = PageState(revision=0, content={str(queued.item_id): content})
    submit_queued(queued=queued, expert=expert, state=state, now=now)


def set_review_rate(*, project: Project, per_thousand: int) -> None:
    """Set the share of reviewed gold, as the project's settings do."""
    Project.objects.filter(pk=project.pk).update(monitoring_per_thousand=per_thousand)
