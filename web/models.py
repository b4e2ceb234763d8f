from django.conf import settings
from django.db import models


class AnsweredRequest(models.Model):
    """A stored response to a request with an Idempotency-Key, returned to its repeats."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="answered_requests"
    )
    key = models.CharField(max_length=100)
    # Hash of method, path and body. Another request with the same key is an error.
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    location = models.CharField(max_length=500, blank=True)
    body = models.JSONField(null=True)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="answered_once_per_key")
        ]

    def __str__(self) -> str:
        return self.key
