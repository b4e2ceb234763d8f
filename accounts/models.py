"""How staff get in: sessions that can be listed, codes for a lost phone, invitations."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django_otp.models import Device, ThrottlingMixin

from annotation.enums import MemberRole
from annotation.models import Project


class UserSession(AbstractBaseSession):
    """A browser that has signed in; written by `accounts.sessions`, listed to its user."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="sessions",
    )
    browser = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=45, blank=True)
    signed_in_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta(AbstractBaseSession.Meta):
        verbose_name = "session"

    @classmethod
    def get_session_store_class(cls) -> Any:
        from accounts.sessions import SessionStore  # noqa: PLC0415 - it needs this module

        return SessionStore

    @property
    def name(self) -> str:
        """What a page calls the session by: its key would let anyone in."""
        return salted_hmac("accounts.session", self.session_key, algorithm="sha256").hexdigest()[
            :20
        ]


class RecoverySheet(ThrottlingMixin, Device):
    """A user's sheet of recovery codes, each good for one sign-in without the phone."""

    def verify_token(self, token: str) -> bool:
        """Spends the code where it is one. The caller holds the row's lock."""
        allowed, _ = self.verify_is_allowed()
        if not allowed:
            return False
        spent = self.codes.filter(digest=self.digest(token)).delete()[0]
        if spent:
            self.throttle_reset()
        else:
            self.throttle_increment()
        return bool(spent)

    def get_throttle_factor(self) -> int:
        return 1

    def digest(self, code: str) -> str:
        """Enough entropy is in a code that a quick digest under SECRET_KEY keeps it."""
        plain = "".join(code.split()).replace("-", "").upper()
        return salted_hmac(
            "accounts.recovery", f"{self.user_id}:{plain}", algorithm="sha256"
        ).hexdigest()


class RecoveryCode(models.Model):
    sheet = models.ForeignKey(RecoverySheet, on_delete=models.CASCADE, related_name="codes")
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sheet", "digest"], name="code_once")]

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, now: datetime) -> "InvitationQuerySet":
        return self.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=now)


class Invitation(models.Model):
    """Somebody without an account is asked into a project. The link that they get is signed, and
    works once and until `expires_at`."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=20, choices=MemberRole)
    invited_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(withdrawn_at=None),
                name="invitation_accepted_or_withdrawn",
            )
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.project}"
