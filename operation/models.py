"""What the parts of a running installation tell of themselves; nothing of it is worth a backup."""

from django.db import models


class Sign(models.Model):
    """The last sign of life of one part, such as the worker or the marketplace as seen from there."""

    part = models.CharField(max_length=30, unique=True)
    at = models.DateTimeField()
    well = models.BooleanField(default=True)
    told = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.part} at {self.at}"


class TaskTally(models.Model):
    """How often a background task ended in one way, and the seconds it took in all. Kept here and
    not in the processes: they are many, on several machines, and are restarted."""

    task = models.CharField(max_length=120)
    outcome = models.CharField(max_length=20)
    runs = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0)

    class Meta:
        verbose_name_plural = "task tallies"
        constraints = [models.UniqueConstraint(fields=["task", "outcome"], name="tally_once")]

    def __str__(self) -> str:
        return f"{self.task} {self.outcome}: {self.runs}"
