from django.db.models import TextChoices


class Role(TextChoices):
    """What someone does with an item."""

    GENERATOR = "generator", "generator"
    CONSOLIDATOR = "consolidator", "consolidator"
    VALIDATOR = "validator", "validator"
    EXPERT = "expert", "expert"


class Partition(TextChoices):
    TRAIN = "train", "train"
    DEV = "dev", "dev"
    TEST = "test", "test"


class MemberRole(TextChoices):
    """What a colleague may do in a project."""

    ADMIN = "admin", "admin"
    REQUESTER = "requester", "requester"
    TRAINER = "trainer", "trainer"
    EXPERT = "expert", "expert"


class BatchState(TextChoices):
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


class SubmissionState(TextChoices):
    SUBMITTED = "submitted", "waiting for a decision"
    ACCEPTED = "accepted", "accepted"
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"


class ExclusionScope(TextChoices):
    """For whom a consolidator must have generated nothing."""

    ITEM = "item", "the item"
    SENTENCE = "sentence", "the whole sentence"
