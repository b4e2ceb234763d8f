from django.db import models


class StateChange(models.Model):
    """A logged change of a row's state."""

    aggregate = models.CharField(max_length=60)  # a model's label, such as "annotation.Submission"
    object_id = models.BigIntegerField()
    old = models.CharField(max_length=30)
    new = models.CharField(max_length=30)
    actor = models.CharField(max_length=150)
    reason = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["aggregate", "object_id", "at"])]

    def __str__(self) -> str:
        return f"{self.aggregate} {self.object_id}: {self.old} -> {self.new}"

    @property
    def what(self) -> str:
        """Return the row's name without its app, such as "Submission 12"."""
        return f"{self.aggregate.rpartition('.')[2]} {self.object_id}"


class DataVersion(models.Model):
    """A version whose migrations were applied. The data belong to the last one.

    `oldest` is the oldest version that works on its tables.
    """

    version = models.CharField(max_length=40)
    oldest = models.CharField(max_length=40)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.version} since {self.at}"
