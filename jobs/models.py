"""Long-running work that a worker process does in the background."""

from datetime import datetime

from django.db import models
from django.db.models import Q

from jobs.enums import UNFINISHED, JobState


class Job(models.Model):
    """A piece of background work, such as an import, an export or a rehearsal.

    `kind` is a key of settings.JOB_KINDS and `scope` is the slug of the job's project. `parameters` and
    `result` belong to the kind. `progress` maps the name of a unit to the number that is done, out of
    `total` if that is known. `log` is a list of {"at", "text"}. A running job belongs to the process that
    renews `leased_until`.
    """

    kind = models.CharField(max_length=30)
    scope = models.CharField(max_length=100)
    state = models.CharField(max_length=20, choices=JobState, default=JobState.QUEUED)
    parameters = models.JSONField(default=dict)
    result = models.JSONField(default=dict, blank=True)
    progress = models.JSONField(default=dict, blank=True)
    total = models.PositiveIntegerField(null=True, blank=True)
    log = models.JSONField(default=list, blank=True)
    problem = models.TextField(blank=True)
    requested_by = models.CharField(max_length=150)
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["scope", "kind", "id"], name="job_by_scope"),
            models.Index(fields=["id"], name="job_to_run", condition=Q(state__in=UNFINISHED)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of {self.scope}"

    @property
    def is_unfinished(self) -> bool:
        return self.state in UNFINISHED

    @property
    def done(self) -> int:
        return sum(self.progress.values())

    @property
    def progress_text(self) -> str:
        """Return the progress in words, such as "8 of 20 items"."""
        total = f" of {self.total:,}" if self.total is not None else ""
        return " and ".join(f"{done:,}{total} {unit}" for unit, done in self.progress.items())

    @property
    def can_be_cancelled(self) -> bool:
        return self.is_unfinished or self.state == JobState.UPLOADED


class SweepFailure(models.Model):
    """A row that a sweep failed to process, with the last error and the time of the next attempt.

    A failure that was set aside has no further attempts.
    """

    sweep = models.CharField(max_length=80)
    model = models.CharField(max_length=60)  # the model's label, such as "crowd.Assignment"
    object_id = models.BigIntegerField()
    error = models.TextField()
    attempts = models.PositiveIntegerField(default=1)
    first_failed_at = models.DateTimeField()
    retry_at = models.DateTimeField()
    set_aside_at = models.DateTimeField(null=True, blank=True)
    set_aside_by = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sweep", "object_id"], name="one_failure_per_row")
        ]

    def __str__(self) -> str:
        return f"{self.sweep}: {self.model} {self.object_id}, attempt {self.attempts}"

    def is_due(self, now: datetime) -> bool:
        return self.set_aside_at is None and self.retry_at <= now
