from django.db import models


class PasswordResetRequest(models.Model):
    """A request for a password reset, for any address, that a task answers by email.

    The row is deleted when the mail was sent, or when no account has the address.
    """

    email = models.EmailField()
    requested_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"password reset {self.pk}"


class ParticipantSignUp(models.Model):
    """A request for an account of a participant, for any address, that a task answers by email.

    The mail has a link to the form that creates the account, after which `path` is opened. The row is
    deleted when the account is created, or when the link is too old.
    """

    email = models.EmailField()
    path = models.CharField(max_length=300)
    requested_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-up {self.pk}"
