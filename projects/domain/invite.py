"""Invitations into a project by email."""

import logging
import smtplib
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.domain.members import add_role
from projects.domain.new_user import new_user
from projects.models import Invitation, Project

log = logging.getLogger("touchstone.accounts")

SALT = "accounts.invitation"
VALID_FOR = timedelta(days=7)


class InvitationOverError(TouchstoneError):
    """The link is invalid, expired, used or withdrawn."""


@transaction.atomic
def invite(
    *, project: Project, email: str, role: str, actor: str, now: datetime
) -> User | Invitation:
    """Give the role to the account with this address, or create an invitation if there is none.

    Return the account or the invitation, which `send_invitation` sends. An open invitation for the
    same address and role is replaced.
    """
    users = list(get_user_model().objects.filter(email__iexact=email, is_active=True)[:2])
    if len(users) == 1:
        add_role(project=project, user=users[0], role=role, actor=actor, now=now)
        return users[0]
    for old in project.invitations.open(now).filter(email__iexact=email, role=role):
        withdraw(invitation=old, actor=actor, now=now)
    invitation = Invitation.objects.create(
        project=project,
        email=email,
        role=role,
        invited_by=actor,
        created_at=now,
        expires_at=now + VALID_FOR,
    )
    _log(invitation, "none", "invited", actor, now)
    return invitation


def send_invitation(*, invitation: Invitation, now: datetime) -> bool:
    """Send the email. Return False if the site sends none or if the mail server refuses it.

    The reason of a refusal is stored in `error`.
    """
    if not settings.MAIL_IS_ON:
        return False
    context = {"invitation": invitation, "address": link_of(invitation)}
    try:
        send_mail(
            # A line break is not allowed in a header.
            subject=f"Invitation to {' '.join(invitation.project.title.split())}",
            message=render_to_string("accounts/mail/invitation.txt", context),
            from_email=None,
            recipient_list=[invitation.email],
        )
    except (OSError, smtplib.SMTPException) as error:
        log.warning("Could not send an invitation: %s", error)
        invitation.error = f"The mail server refused it ({type(error).__name__})."
    else:
        invitation.sent_at, invitation.error = now, ""
    invitation.save(update_fields=["sent_at", "error"])
    return not invitation.error


def withdraw(*, invitation: Invitation, actor: str, now: datetime) -> None:
    """Withdraw the invitation if it is still open."""
    if Invitation.objects.open(now).filter(pk=invitation.pk).update(withdrawn_at=now):
        _log(invitation, "invited", "withdrawn", actor, now)


def link_of(invitation: Invitation) -> str:
    """Return the address at which the person accepts the invitation."""
    return f"{settings.SITE_URL}{reverse('accounts:accept', args=[token_of(invitation)])}"


def token_of(invitation: Invitation) -> str:
    return signing.dumps(invitation.pk, salt=SALT)


def invitation_of(*, token: str, now: datetime) -> Invitation:
    """Return the open invitation of a link. Raise InvitationOverError if there is none."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=VALID_FOR)
    except signing.BadSignature as error:
        raise InvitationOverError from error
    invitation = Invitation.objects.open(now).select_related("project").filter(pk=pk).first()
    if invitation is None:
        raise InvitationOverError
    return invitation


@transaction.atomic
def accept(*, invitation: Invitation, username: str, password: str, now: datetime) -> User:
    """Create an account with the role.

    Raise InvitationOverError if the link was used meanwhile, and UsernameTakenError.
    """
    user = new_user(username=username, email=invitation.email, password=password)
    join(invitation=invitation, user=user, now=now)
    return user


@transaction.atomic
def join(*, invitation: Invitation, user: User, now: datetime) -> None:
    """Give the role to the user. Raise InvitationOverError if the link was used meanwhile."""
    row = Invitation.objects.select_for_update().open(now).filter(pk=invitation.pk).first()
    if row is None:
        raise InvitationOverError
    row.accepted_at, row.accepted_by = now, user
    row.save(update_fields=["accepted_at", "accepted_by"])
    add_role(project=row.project, user=user, role=row.role, actor=row.invited_by, now=now)
    _log(row, "invited", "accepted", user.get_username(), now)


def _log(invitation: Invitation, old: str, new: str, actor: str, now: datetime) -> None:
    log_state_change(
        instance=invitation,
        old=old,
        new=new,
        actor=actor,
        now=now,
        reason=f"{invitation.role} {invitation.email}",
    )
