"""Change the roles of a project's members."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Prefetch, QuerySet

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.domain.notify import forget_notifications
from projects.enums import MemberRole
from projects.models import Membership, Project


class LastAdminError(TouchstoneError):
    """The change would leave the project without an admin."""

    def __init__(self) -> None:
        super().__init__("This is the project's last admin. Make another member admin first.")


def members_of(*, project: Project) -> QuerySet[User]:
    """Return the project's members with their memberships in `own_roles`."""
    own = Prefetch("memberships", Membership.objects.filter(project=project), "own_roles")
    users = get_user_model().objects.filter(memberships__project=project).distinct()
    return users.order_by("username").prefetch_related(own)


@transaction.atomic
def set_roles(
    *,
    project: Project,
    user: User,
    roles: Collection[str],
    actor: str,
    now: datetime,
) -> None:
    """Replace the user's roles. Raise LastAdminError."""
    # The lock prevents two admins from removing each other at the same time.
    Project.objects.select_for_update().get(pk=project.pk)
    own = project.memberships.filter(user=user)
    before, after = set(own.values_list("role", flat=True)), set(roles)
    admins = project.memberships.filter(role=MemberRole.ADMIN, user__is_active=True)
    if MemberRole.ADMIN in before - after and not admins.exclude(user=user).exists():
        raise LastAdminError
    own.exclude(role__in=after).delete()
    forget_notifications(project=project, user=user, roles=after)
    Membership.objects.bulk_create(
        Membership(project=project, user=user, role=role) for role in sorted(after - before)
    )
    for role in sorted(before ^ after):
        log_state_change(
            instance=project,
            old=role if role in before else "none",
            new=role if role in after else "none",
            actor=actor,
            now=now,
            reason=f"member {user.get_username()}",
        )


@transaction.atomic
def add_role(*, project: Project, user: User, role: str, actor: str, now: datetime) -> None:
    """Give the user another role."""
    Project.objects.select_for_update().get(pk=project.pk)
    present = set(project.memberships.filter(user=user).values_list("role", flat=True))
    set_roles(project=project, user=user, roles=present | {role}, actor=actor, now=now)
