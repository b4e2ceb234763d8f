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
