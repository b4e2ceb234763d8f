from datetime import datetime

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from audit.domain.change_state import log_state_change
from projects.enums import MemberRole
from projects.models import Membership


def must_have_second_factor(user: User) -> bool:
    """Return True if SECOND_FACTOR_ROLES names a role of the user. Staff count as admins."""
    roles = settings.SECOND_FACTOR_ROLES
    if not roles:
        return False
    if MemberRole.ADMIN in roles and (user.is_superuser or user.is_staff):
        return True
    return Membership.objects.filter(user_id=user.pk, role__in=roles).exists()


@transaction.atomic
def reset_second_factor(*, user: User, actor: str, now: datetime) -> bool:
    """Delete the user's authenticator and recovery codes. Return True if there were any."""
    deleted, _ = Authenticator.objects.filter(user=user).delete()
    if deleted:
        log_state_change(
            instance=user, old="two-factor authentication", new="off", actor=actor, now=now
        )
    return bool(deleted)
