"""Choices of benchmarks."""

from django.db.models import TextChoices


class PhaseKind(TextChoices):
    """The phase of a benchmark. Systems are tuned in the first, and compared in the second."""

    DEVELOPMENT = "development", "development"
    TEST = "test", "test"


class EntryState(TextChoices):
    """The state of an entry. Refused entries have no scores, and an error."""

    WAITING = "waiting", "waiting"
    SCORED = "scored", "scored"
    REFUSED = "refused", "refused"
