from django.db.models import TextChoices


class RoundKind(TextChoices):
    SCREENING = "screening", "screening"
    TRAINING = "training", "training"


class EnrolmentState(TextChoices):
    INVITED = "invited", "invited"
    WORKING = "working", "working"
    FINISHED = "finished", "finished, to be judged"
    PASSED = "passed", "passed"
    REPEATING = "repeating", "to repeat the round"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"
