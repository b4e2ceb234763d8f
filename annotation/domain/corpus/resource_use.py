"""The versions of resources with which submissions were made."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, Q

from annotation.models import Submission
from projects.models import Project, Resource


def versions_of(*, project: Project, name: str) -> list[Resource]:
    """Return all versions of a resource without their values, the newest first."""
    return list(project.resources.filter(name=name).defer("value").order_by("-version"))


def count_submissions_by_version(
    *, project: Project, versions: Sequence[Resource]
) -> dict[int, int]:
    """Return the number of live submissions made while each version was current, by version.

    `versions` are in descending order. Submissions before the first version count for none.
    """
    if not versions:
        return {}
    until: datetime | None = None
    periods = {}
    for version in versions:
        period = Q(submitted_at__gte=version.created_at)
        periods[f"v{version.version}"] = Count(
            "pk", filter=period & Q(submitted_at__lt=until) if until else period
        )
        until = version.created_at
    counts = Submission.objects.live().filter(item__project=project).aggregate(**periods)
    return {version.version: counts[f"v{version.version}"] for version in versions}
