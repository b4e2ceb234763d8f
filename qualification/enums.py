from django.db.models import TextChoices

from web.states import Phrase, State, Tone, action, event


class RoundKind(TextChoices):
    SCREENING = "screening", "screening"
    TRAINING = "training", "training"


class RoundEntry(TextChoices):
    """The workers who may take part in a round."""

    OPEN = "open", "workers who meet the requirements"
    INVITED = "invited", "invited workers"
    PASSED = "passed", "invited workers and those who passed the previous round"


class AfterPassing(TextChoices):
    """What follows a pass."""

    PRODUCTION = "production", "Production: workers who pass are admitted to the pool"
    NEXT_ROUND = "next-round", "The next round"


class EnrolmentState(State):
    INVITED = "invited", Tone.RUNNING, action("invited"), "invited"
    WORKING = "working", Tone.RUNNING, event("started"), "working"
    FINISHED = "to-decide", Tone.WAITING, event("finished"), "finished, awaiting decision"
    PASSED = "passed", Tone.SUCCESS, action("passed"), "passed"
    REPEATING = (
        "repeating",
        Tone.RUNNING,
        Phrase("asked {it} to repeat", "{it} has to repeat"),
        "to repeat the round",
    )
    DECLINED = "declined", Tone.DANGER, action("declined"), "declined"
    WITHDRAWN = "withdrawn", Tone.NEUTRAL, action("withdrew", "withdrawn"), "withdrawn"


class Opinion(TextChoices):
    """A trainer's judgement of a worker's round, as in a decision."""

    PASS = "pass", "Pass"
    REPEAT = "repeat", "Repeat the round"
    DECLINE = "decline", "Decline"


class AlertKind(TextChoices):
    """The reason for an alert about a worker in production."""

    COVERAGE = "coverage", "low coverage"
    DRIFT = "drift", "falling agreement"


class EvaluationCause(TextChoices):
    """The reason for an evaluation."""

    FINISHED = "finished", "after the last submission"
    REFERENCE = "reference", "after a correction of the reference"
    ASKED = "asked", "on request"
