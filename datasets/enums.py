"""Enumerations of the datasets app."""

from django.db.models import TextChoices


class Population(TextChoices):
    """The parts of annotations from which an error sample is drawn."""

    EXTRA = "extra", "annotations missing from the reference"
    MISSED = "missed", "annotations of the reference that the gold misses"
    ALL = "all", "everything"
