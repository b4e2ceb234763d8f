"""Asking somebody into a project by e-mail."""

import logging
import smtplib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import Invitation
from annotation.domain.members import add_role
from annotation.models import Project
from audit.domain.change_state import log_state_change

log = logging.getLogger("touchstone.accounts")

SALT = "accounts.invitation"
LASTS = timedelta(days=7)


class InvitationIsOver(Exception):
    """The link is none of ours, was used, was withdrawn or is too old."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What inviting came to: an account that existed has the role at once; else there is a link."""

    member: User | None = None
    invitation: Invitation | None = None


def invite(*, project: Project, email: str, role: str, actor: str, now: datetime) -> Asked:
    """Give the role to the account with this address or, where there is none, make an invitation
    (see `send_invitation`). An open one for the same address and role is replaced."""
    users = list(get_user_model().objects.filter(email__iexact=email, is_active=True)[:2])
    if len(users) == 1:
        add_role(project=project, user=users[0], role=role, actor=actor, now=now)
        return Asked(member=users[0])
    with transaction.atomic():
        for old in project.invitations.open(now).filter(email__iexact=email, role=role):
            withdraw(invitation=old, actor=actor, now=now)
        invitation = Invitation.objects.create(
            project=project,
            email=email,
            role=role,
            invited_by=actor,
            created_at=now,
            expires_at=now + LASTS,
        )
        _log(invitation, "none", "invited", actor, now)
    return Asked(invitation=invitation)


def send_invitation(*, invitation: Invitation, now: datetime) -> bool:
    """Write the e-mail; says whether the mail server took it. Why not is kept in `error`."""
    context = {
        "invitation": invitation,
        "address": settings.SITE_URL + reverse("accounts:accept", args=[token_of(invitation)]),
    }
    try:
        send_mail(
            subject=f"Invitation to {invitation.project.title}",
            message=render_to_string("accounts/mail/invitation.txt", context),
            from_email=None,
            recipient_list=[invitation.email],
        )
    except (OSError, smtplib.SMTPException) as error:
        log.warning("An invitation was not sent: %s", error)
        invitation.error = f"The mail server did not take it ({type(error).__name__})."
    else:
        invitation.sent_at, invitation.error = now, ""
    invitation.save(update_fields=["sent_at", "error"])
    return not invitation.error


def withdraw(*, invitation: Invitation, actor: str, now: datetime) -> bool:
    """The link works no more; says whether it did."""
    changed = Invitation.objects.open(now).filter(pk=invitation.pk).update(withdrawn_at=now)
    if changed:
        _log(invitation, "invited", "withdrawn", actor, now)
    return bool(changed)


def token_of(invitation: Invitation) -> str:
    return signing.dumps(invitation.pk, salt=SALT)


def invitation_of(*, token: str, now: datetime) -> Invitation:
    """The open invitation behind a link. Raises InvitationIsOver."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=LASTS)
    except signing.BadSignature as error:
        raise InvitationIsOver from error
    invitation = Invitation.objects.open(now).select_related("project").filter(pk=pk).first()
    if invitation is None:
        raise InvitationIsOver
    return invitation


def accept(*, invitation: Invitation, username: str, password: str, now: datetime) -> User:
    """A new account with the role. Raises InvitationIsOver where somebody else was quicker."""
    with transaction.atomic():
        mine = Invitation.objects.select_for_update().open(now).filter(pk=invitation.pk).first()
        if mine is None:
            raise InvitationIsOver
        user = get_user_model().objects.create_user(username, mine.email, password)
        _take(mine, user, now)
    return user


def join(*, invitation: Invitation, user: User, now: datetime) -> None:
    """The role for an account that exists, whose user holds the link. Raises InvitationIsOver."""
    with transaction.atomic():
        mine = Invitation.objects.select_for_update().open(now).filter(pk=invitation.pk).first()
        if mine is None:
            raise InvitationIsOver
        _take(mine, user, now)


def _take(invitation: Invitation, user: User, now: datetime) -> None:
    invitation.accepted_at, invitation.accepted_by = now, user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    add_role(
        project=invitation.project,
        user=user,
        role=invitation.role,
        actor=invitation.invited_by,
        now=now,
    )
    _log(invitation, "invited", "accepted", user.get_username(), now)


def _log(invitation: Invitation, old: str, new: str, actor: str, now: datetime) -> None:
    log_state_change(
        instance=invitation,
        old=old,
        new=new,
        actor=actor,
        now=now,
        reason=f"{invitation.role} {invitation.email}",
    )
