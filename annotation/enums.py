from django.db.models import TextChoices


class Partition(TextChoices):
    TRAIN = "train", "train"
    DEV = "dev", "dev"
    TEST = "test", "test"


class BatchState(TextChoices):
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


class SubmissionState(TextChoices):
    SUBMITTED = "submitted", "pending review"
    ACCEPTED = "accepted", "accepted"
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"


class HeldBonusState(TextChoices):
    HELD = "held", "waiting for review"
    ACCEPTED = "accepted", "accepted"
    DECLINED = "declined", "declined"


# The states of a submission that counts. An item has at most one per worker and role.
LIVE = (SubmissionState.SUBMITTED, SubmissionState.ACCEPTED)
