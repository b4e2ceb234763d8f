"""Codes of a project's own qualifications.

A code starts with the project's slug. The prefix alone does not identify the project:
`news-2-generator` starts with `news-` but belongs to `news-2`.
"""

import re

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.models import Item
from crowd.enums import GrantState
from crowd.models import QualificationGrant, QualificationType, Worker
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


def belongs_to(project: Project, code: str) -> bool:
    """Return True if the code is one of the project, also one that a member made up.

    It starts with the project's slug, and belongs to no other project whose slug starts with it too.
    """
    parts = code.split("-")
    beginnings = ["-".join(parts[:count]) for count in range(1, len(parts))]
    owners = Project.objects.filter(slug__in=beginnings).values_list("slug", flat=True)
    known = [slug for slug in owners if re.fullmatch(f"{re.escape(slug)}-{_REST}", code)]
    return project.slug == max(known or owners, key=len, default="")


def pools_of(*, project: Project) -> QuerySet[QualificationType]:
    """Return the project's trained pools, one for each role."""
    codes = [pool_code(project, role) for role in Role]
    return QualificationType.objects.filter(provider=project.provider, code__in=codes)


def passed_outside_pool(*, project: Project, role: str) -> QuerySet[Worker]:
    """Return the workers who passed their last training round for the role, but are not in its pool.

    Those who go on to a later round, or did not pass it, are left out. A screening is not training.
    """
    members = QualificationGrant.objects.filter(
        qualification_type__provider=project.provider,
        qualification_type__code=pool_code(project, role),
        state__in=[GrantState.PENDING, GrantState.HELD],
        worker=OuterRef("pk"),
    )
    rounds = project.rounds.filter(role=role, kind="training")
    own = rounds.filter(enrolments__worker=OuterRef("pk")).order_by("-ordinal")
    trained = Worker.objects.filter(pk__in=rounds.values("enrolments__worker"))
    passed = trained.annotate(newest=Subquery(own.values("enrolments__state")[:1]))
    return passed.filter(newest="passed").exclude(Exists(members)).order_by("pk")


def pool_size(*, project: Project, role: Role) -> int:
    """Return the number of workers in the project's pool for a role."""
    return QualificationGrant.objects.filter(
        qualification_type__provider=project.provider,
        qualification_type__code=pool_code(project, role),
        state__in=[GrantState.PENDING, GrantState.HELD],
    ).count()
