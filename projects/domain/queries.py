"""Queries of projects and of their members' roles."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet

from projects.enums import MemberRole
from projects.models import Membership, Project

User = AbstractBaseUser | AnonymousUser


def projects_of(*, user: User) -> QuerySet[Project]:
    """Return the projects in which the user has a role, by title. Superusers have all.

    Archived projects are included, and deleted ones are not.
    """
    projects = Project.objects.filter(deleted_at=None).select_related("budget")
    projects = projects.order_by("title", "pk")
    if getattr(user, "is_superuser", False):
        return projects
    return projects.filter(Exists(Membership.objects.filter(project=OuterRef("pk"), user=user.pk)))


def roles_in(*, project: Project, user: User) -> frozenset[str]:
    """Return the user's roles in the project. Superusers have all."""
    if getattr(user, "is_superuser", False):
        return frozenset(MemberRole.values)
    return frozenset(project.memberships.filter(user=user.pk).values_list("role", flat=True))
