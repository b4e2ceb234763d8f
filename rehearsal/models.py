"""Projects tried out with simulated workers, each in a copy of its own."""

from django.db import models

from annotation.models import Project
from rehearsal.enums import RehearsalState


class Rehearsal(models.Model):
    """A copy of a few of a project's items, worked through by simulated workers. `report` is what
    `rehearsal.domain.rehearse.report` counted; `done` of `total` items have gold.
    While a worker process is at it, it keeps `leased_until` ahead of the clock."""

    original = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="rehearsals")
    copy = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="rehearsal")
    state = models.CharField(max_length=20, choices=RehearsalState, default=RehearsalState.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    report = models.JSONField(null=True, blank=True)
    problem = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["original"],
                condition=models.Q(state__in=["queued", "running"]),
                name="one_rehearsal_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"rehearsal of {self.original}"
