"""Who has which role in a project."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.enums import MemberRole
from annotation.models import Membership, Project
from audit.domain.change_state import log_state_change


class LastAdmin(Exception):
    """Nobody would be left who can run the project; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(
            "The project's last admin can't give the role up: make somebody else admin first."
        )


def set_roles(
    *,
    project: Project,
    user: User,
    roles: Collection[str],
    actor: str,
    now: datetime,
) -> bool:
    """Give the user exactly these roles in the project, none to remove them; says whether that
    changed anything. Raises LastAdmin."""
    with transaction.atomic():
        # One at a time: two admins who remove each other must not both succeed.
        Project.objects.select_for_update().get(pk=project.pk)
        own = project.memberships.filter(user=user)
        before, wanted = set(own.values_list("role", flat=True)), set(roles)
        if before == wanted:
            return False
        if MemberRole.ADMIN in before - wanted and not _other_admins(project, user):
            raise LastAdmin
        own.exclude(role__in=wanted).delete()
        Membership.objects.bulk_create(
            Membership(project=project, user=user, role=role) for role in sorted(wanted - before)
        )
        for role in sorted(before ^ wanted):
            log_state_change(
                instance=project,
                old=role if role in before else "none",
                new=role if role in wanted else "none",
                actor=actor,
                now=now,
                reason=f"member {user.get_username()}",
            )
    return True


def add_role(*, project: Project, user: User, role: str, actor: str, now: datetime) -> bool:
    """One more role for the user; says whether they had it not."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        present = set(project.memberships.filter(user=user).values_list("role", flat=True))
        return set_roles(project=project, user=user, roles=present | {role}, actor=actor, now=now)


def _other_admins(project: Project, user: User) -> bool:
    others = project.memberships.filter(role=MemberRole.ADMIN, user__is_active=True)
    return others.exclude(user=user).exists()
