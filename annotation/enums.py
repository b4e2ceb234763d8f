from django.db.models import TextChoices


class Partition(TextChoices):
    TRAIN = "train", "train"
    DEV = "dev", "dev"
    TEST = "test", "test"


class BatchState(TextChoices):
    PUBLISHING = "publishing", "being published"
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


class SubmissionState(TextChoices):
    SUBMITTED = "submitted", "pending review"
    # Gold can use it, and it is accepted once the gold has enough of the worker's units.
    WAITING = "waiting", "waiting for consolidation"
    ACCEPTED = "accepted", "accepted"
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"


class HeldBonusState(TextChoices):
    HELD = "held", "waiting for review"
    WAITING = "waiting", "waiting for consolidation"
    ACCEPTED = "accepted", "accepted"
    DECLINED = "declined", "declined"


class FieldKind(TextChoices):
    """The kinds of fields of a questionnaire."""

    TEXT = "text", "short text"
    NUMBER = "number", "whole number"
    CHOICE = "choice", "single choice"
    LANGUAGE = "language", "language"


# The states of a submission that counts. An item has at most one per worker and role.
LIVE = (SubmissionState.SUBMITTED, SubmissionState.WAITING, SubmissionState.ACCEPTED)
# The states of a submission that gold can be made of.
USABLE = (SubmissionState.WAITING, SubmissionState.ACCEPTED)


class AppealState(TextChoices):
    """The state of a worker's appeal against a declined bonus."""

    OPEN = "open", "waiting for an answer"
    GRANTED = "granted", "bonus paid"
    UPHELD = "upheld", "decision upheld"


class BonusDecision(TextChoices):
    ACCEPT = "accept", "Accept"
    DECLINE = "decline", "Decline"
