"""Rehearsals, in which simulated workers annotate a copy of a project."""

from django.db import models

from jobs.models import Job
from projects.models import Project


class Rehearsal(models.Model):
    """A copy of some of a project's items, and the job that rehearses it."""

    original = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="rehearsals")
    copy = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="rehearsal")
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="rehearsal")

    def __str__(self) -> str:
        return f"rehearsal of {self.original}"
