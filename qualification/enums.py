from django.db.models import TextChoices


class RoundKind(TextChoices):
    SCREENING = "screening", "screening"
    TRAINING = "training", "training"


class RoundEntry(TextChoices):
    """Who may take part in a round."""

    OPEN = "open", "whoever meets the marketplace's qualifications"
    INVITED = "invited", "whoever is invited"
    PASSED = "passed", "whoever passed the round before, or is invited"


class EnrolmentState(TextChoices):
    INVITED = "invited", "invited"
    WORKING = "working", "working"
    FINISHED = "finished", "finished, to be judged"
    PASSED = "passed", "passed"
    REPEATING = "repeating", "to repeat the round"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"


class AlertKind(TextChoices):
    """Why a worker in production needs a look."""

    COVERAGE = "coverage", "asks too little"
    DRIFT = "drift", "agreement falls"


class EvaluationCause(TextChoices):
    """Why figures were computed."""

    FINISHED = "finished", "the last item came in"
    REFERENCE = "reference", "the expert's reference was corrected"
    ASKED = "asked", "the trainer asked"
