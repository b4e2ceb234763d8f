"""Benchmarks, their phases, the teams that take part, and what the teams entered."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from benchmarks.enums import EntryState, PhaseKind
from jobs.models import Job
from releases.models import Release


class Benchmark(models.Model):
    """A release on which people outside the project score their systems.

    `ranked_by` is the measure of the scheme that ranks systems. Without a public leaderboard, only the
    teams and the project's staff see it.
    """

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="benchmark")
    title = models.CharField(max_length=200)
    rules = models.TextField(blank=True)
    ranked_by = models.CharField(max_length=40)
    has_public_leaderboard = models.BooleanField(default=True)
    opened_by = models.CharField(max_length=150)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"benchmark {self.title}"


class Phase(models.Model):
    """A time in which entries are accepted, for the items of the released `partitions`.

    `max_per_day` and `max_total` limit a team's entries for a task. A day is one in UTC. Unless
    `shows_scores`, nobody outside the project sees scores before the end.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="phases")
    kind = models.CharField(max_length=20, choices=PhaseKind)
    partitions = models.JSONField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    max_per_day = models.PositiveIntegerField()
    max_total = models.PositiveIntegerField()
    shows_scores = models.BooleanField()

    class Meta:
        ordering = ["kind"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "kind"], name="phase_once_per_kind"),
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="phase_ends_after_its_start"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} phase of {self.benchmark}"

    def has_started(self, now: datetime) -> bool:
        """Return True from the start on. A phase that was closed before never starts."""
        closed_at = self.benchmark.closed_at
        return self.starts_at <= (min(now, closed_at) if closed_at else now)

    def has_ended(self, now: datetime) -> bool:
        closed_at = self.benchmark.closed_at
        return self.ends_at <= now or (closed_at is not None and closed_at <= now)

    def is_open(self, now: datetime) -> bool:
        return self.has_started(now) and not self.has_ended(now)

    def reveals_scores(self, now: datetime) -> bool:
        """Return True if teams and visitors may see scores."""
        return self.has_started(now) and (self.shows_scores or self.has_ended(now))

    def reveals_items(self, now: datetime) -> bool:
        """Return True if teams and visitors may see scores of types and items, which tell the gold."""
        return self.has_started(now) and self.has_ended(now)


class Team(models.Model):
    """A team that takes part, or a baseline, which has no members. Members join by `code`."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=80)
    affiliation = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    is_baseline = models.BooleanField(default=False)
    code = models.CharField(max_length=43, unique=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.CharField(max_length=150, blank=True)
    withdrawal_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], name="team_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """An account of the site that belongs to a team, at most one per benchmark."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="members")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="team_memberships"
    )
    joined_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "user"], name="member_of_one_team"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team}"


class Entry(models.Model):
    """The predictions of a team's system for a phase and a task, and their scores.

    `file` is a stored upload with its name and bytes, which nobody can download. `result` has figures
    with intervals and tables by type. `draws` has the main figures on the draws of the bootstrap, with
    which entries are compared, and `item_scores` a score per item.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="entries")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="entries")
    variant = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=80)
    description = models.TextField(blank=True)
    file = models.JSONField()
    sha256 = models.CharField(max_length=64)
    job = models.ForeignKey(
        Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="entries"
    )
    state = models.CharField(max_length=20, choices=EntryState, default=EntryState.WAITING)
    result = models.JSONField(default=dict, blank=True)
    draws = models.JSONField(default=dict, blank=True)
    item_scores = models.JSONField(default=dict, blank=True)
    error = models.TextField(blank=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    scored_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.CharField(max_length=150, blank=True)
    withdrawal_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["phase", "variant", "team"], name="entry_by_phase")]

    def __str__(self) -> str:
        return f"entry {self.pk} of {self.team}"

    @property
    def figures(self) -> dict[str, Any]:
        figures: dict[str, Any] = self.result.get("figures", {})
        return figures
