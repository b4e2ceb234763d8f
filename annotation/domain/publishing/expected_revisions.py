"""The number of revisions to expect under verification, from the share of disputed annotations."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from annotation.models import TaskItem
from crowd.enums import HitState
from projects.enums import Role
from projects.models import Project
from projects.protocols import TERMS

# The share of disputed annotations until a project has verified enough. No share is published.
ASSUMED_SHARE = 0.25
# The share of fewer verified annotations is not reliable.
ENOUGH = 5


@dataclass(frozen=True, slots=True)
class Revisions:
    """The expected number of revisions that are not published yet, and the largest possible one."""

    expected: int = 0
    most: int = 0


def revisions_per_item(project: Project) -> float:
    """Return the expected number of revisions of an item, 0 if the protocol has none.

    Each annotation is disputed with the same probability, up to the project's limit of revisions.
    """
    if not TERMS[project.protocol].is_revised:
        return 0.0
    share = disputed_share(project)
    return sum(share**number for number in range(1, project.revision_limit + 1))


def disputed_share(project: Project) -> float:
    """Return the share of verified annotations that returned to their generators."""
    attempts = TaskItem.objects.filter(
        item__project=project, task__round__lt=project.revision_limit
    ).order_by()
    verified = attempts.filter(role=Role.VALIDATOR, task__hit__state=HitState.FINISHED)
    count = verified.values("item", "task__round").distinct().count()
    if count < ENOUGH:
        return ASSUMED_SHARE
    revised = attempts.filter(role=Role.REVISER).values("item", "task__round").distinct().count()
    return min(1.0, revised / count)


def revisions_to_come(project: Project) -> Revisions:
    """Return the numbers of revisions of the annotations that are not verified yet."""
    per_item = revisions_per_item(project)
    if not per_item:
        return Revisions()
    verifications = TaskItem.objects.filter(item=OuterRef("pk"), role=Role.VALIDATOR)
    running = verifications.filter(task__hit__state__in=[HitState.PENDING, HitState.LIVE])
    items = project.items.filter(in_production=True)
    pending = items.filter(~Exists(verifications) | Exists(running)).count()
    return Revisions(round(pending * per_item), pending * project.revision_limit)
