"""Choices of benchmarks."""

from django.db.models import TextChoices

from web.states import State, Tone, event


class PhaseKind(TextChoices):
    """The phase of a benchmark. Systems are tuned in the first, and compared in the second."""

    DEVELOPMENT = "development", "development"
    TEST = "test", "test"


class EntryState(State):
    """The state of an entry. Refused entries have no scores, and an error."""

    WAITING = "waiting", Tone.WAITING, event("was received"), "Waiting"
    SCORED = "scored", Tone.SUCCESS, event("was scored"), "Scored"
    REFUSED = "refused", Tone.DANGER, event("was refused"), "Refused"
