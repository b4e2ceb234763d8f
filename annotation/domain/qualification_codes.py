"""Codes of a project's own qualifications.

A code starts with the project's slug. The prefix alone does not identify the project:
`news-2-generator` starts with `news-` but belongs to `news-2`.
"""

import re

from django.db.models import QuerySet

from annotation.models import Item
from crowd.enums import GrantState
from crowd.models import QualificationGrant, QualificationType
from projects.enums import Role
from projects.models import Project

_REST = rf"(({'|'.join(Role.values)})(-round-[0-9]+)?|did-[0-9]+)"


def pool_code(project: Project, role: str) -> str:
    """Return the code of the project's trained pool for a role."""
    return f"{project.slug}-{role}"


def pool_of(*, project: Project, role: str) -> QualificationType | None:
    """Return the qualification of the project's trained pool for a role, if there is one."""
    code = pool_code(project, role)
    return QualificationType.objects.filter(provider=project.provider, code=code).first()


def round_code(project: Project, role: str, ordinal: int) -> str:
    """Return the code of the qualification that admits workers to a training round."""
    return f"{pool_code(project, role)}-round-{ordinal}"


def done_code(project: Project, item: Item) -> str:
    """Return the code of the qualification that excludes workers who have done the item."""
    return f"{project.slug}-did-{item.pk}"


def qualifications_of(project: Project) -> QuerySet[QualificationType]:
    """Return all qualifications that the project has created."""
    made = QualificationType.objects.filter(provider=project.provider)
    return made.filter(code__regex=f"^{re.escape(project.slug)}-{_REST}$")


def pool_size(*, project: Project, role: Role) -> int:
    """Return the number of workers in the project's pool for a role."""
    return QualificationGrant.objects.filter(
        qualification_type__provider=project.provider,
        qualification_type__code=pool_code(project, role),
        state__in=[GrantState.PENDING, GrantState.HELD],
    ).count()
