"""The codes of a project's own qualifications: all that are made, and how they are told from others'.

A code begins with the project's slug. That alone would not do: `news-2-generator` begins with `news-`
and is none of the project `news`.
"""

import re

from django.db.models import QuerySet

from annotation.enums import Role
from annotation.models import Item, Project
from crowd.models import QualificationType

_REST = rf"(({'|'.join(Role.values)})(-round-[0-9]+)?|did-[0-9]+)"


def pool_code(project: Project, role: str) -> str:
    """Of the qualification that holds the project's trained pool for a role."""
    return f"{project.slug}-{role}"


def round_code(project: Project, role: str, ordinal: int) -> str:
    """Of the one whose holders may enter a round of training."""
    return f"{pool_code(project, role)}-round-{ordinal}"


def done_code(project: Project, item: Item) -> str:
    """Of the one that keeps those who have done an item from being given it again."""
    return f"{project.slug}-did-{item.pk}"


def qualifications_of(project: Project) -> QuerySet[QualificationType]:
    """All that the project has made."""
    made = QualificationType.objects.filter(provider=project.provider)
    return made.filter(code__regex=f"^{re.escape(project.slug)}-{_REST}$")
