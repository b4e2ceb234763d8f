"""The state of a running installation, which backups omit."""

from django.db import models

from operations.enums import AlertKind, BackupKind


class Heartbeat(models.Model):
    """The time when a worker last ran a task of the queue.

    The main queue's heartbeat also has the marketplace's problem at that time, and when it began.
    """

    queue = models.CharField(max_length=20, unique=True, default="celery")
    at = models.DateTimeField()
    marketplace_problem = models.CharField(max_length=200, blank=True)
    marketplace_since = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"Heartbeat of {self.queue} at {self.at}"


class TaskStats(models.Model):
    """The number and total seconds of a task's runs with one outcome, in all processes."""

    task = models.CharField(max_length=120)
    outcome = models.CharField(max_length=20)
    runs = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    last_run_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "task stats"
        constraints = [
            models.UniqueConstraint(fields=["task", "outcome"], name="task_stats_unique")
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.outcome}: {self.runs}"


class Alert(models.Model):
    """A problem that an operator must solve. It is deleted when the problem is gone.

    `found_at` is when checks began to find it without a break. It is open once a second check has.
    """

    key = models.CharField(max_length=60, unique=True)
    text = models.CharField(max_length=300)
    since = models.DateTimeField()
    found_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["since", "pk"]

    def __str__(self) -> str:
        return self.text

    @property
    def kind(self) -> AlertKind | None:
        """The first word or words of the key, or None if a newer version wrote it."""
        key = f"{self.key} "
        return next((kind for kind in AlertKind if key.startswith(f"{kind} ")), None)


class BackupRecord(models.Model):
    """The last good run of a kind of backup, and the problem of the last run if it failed.

    `since` is when the site began to expect this kind. `tried_at` is the start of the last run, and
    while it runs, its process renews `leased_until`. `succeeded_at` is the time of the newest archived
    file for the archive, so it can be older than the run.
    """

    kind = models.CharField(max_length=20, choices=BackupKind, unique=True)
    since = models.DateTimeField()
    tried_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=300, blank=True)
    digest = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.succeeded_at or 'never'}"
