from django.db.models import TextChoices


class RoundKind(TextChoices):
    SCREENING = "screening", "screening"
    TRAINING = "training", "training"


class RoundEntry(TextChoices):
    """The workers who may take part in a round."""

    OPEN = "open", "workers who meet the marketplace's qualifications"
    INVITED = "invited", "invited workers"
    PASSED = "passed", "workers who passed the previous round, and invited workers"


class EnrolmentState(TextChoices):
    INVITED = "invited", "invited"
    WORKING = "working", "working"
    FINISHED = "finished", "finished, to be judged"
    PASSED = "passed", "passed"
    REPEATING = "repeating", "to repeat the round"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"


class AlertKind(TextChoices):
    """The reason for an alert about a worker in production."""

    COVERAGE = "coverage", "low coverage"
    DRIFT = "drift", "agreement falls"


class EvaluationCause(TextChoices):
    """The reason for an evaluation."""

    FINISHED = "finished", "the last item came in"
    REFERENCE = "reference", "the expert's reference was corrected"
    ASKED = "asked", "the trainer asked"
