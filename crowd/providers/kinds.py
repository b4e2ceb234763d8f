"""The kinds of crowd providers. `crowd.providers.registry` maps each to its implementation."""

from django.db.models import TextChoices


class Provider(TextChoices):
    MTURK = "mturk", "MTurk-compatible marketplace"
    PROLIFIC = "prolific", "Prolific"


DEFAULT_PROVIDER = Provider.MTURK
