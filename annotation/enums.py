from django.db.models import TextChoices

from web.states import Phrase, State, Tone, action


class Partition(TextChoices):
    TRAIN = "train", "train"
    DEV = "dev", "dev"
    TEST = "test", "test"


class ModelUse(TextChoices):
    """What people get to see of a model's annotation of an item.

    ANNOTATOR replaces one of an item's generators, and SOURCE is an additional annotation for the
    consolidator. Neither is marked. SHOWN_SOURCE is marked, and generators edit a PREANNOTATION.
    """

    NONE = "", "none"
    ANNOTATOR = "annotator", "one of the annotators, unmarked"
    SOURCE = "source", "another source for the consolidator, unmarked"
    SHOWN_SOURCE = "shown-source", "another source for the consolidator, marked"
    PREANNOTATION = "pre-annotation", "pre-annotation that annotators edit"


# The consolidator gets the model's annotation as a source.
AS_SOURCE = (ModelUse.ANNOTATOR, ModelUse.SOURCE, ModelUse.SHOWN_SOURCE)


class RedundancyDecision(TextChoices):
    """What follows from the annotations of an item under adaptive redundancy."""

    UNDECIDED = "", "undecided"
    CONSOLIDATE = "consolidate", "consolidate"
    ACCEPT = "accept", "accept an annotation"


class BatchState(State):
    PUBLISHING = (
        "publishing",
        Tone.RUNNING,
        Phrase(
            "started to publish {it}: {detail}",
            "the publication of {it} was started: {detail}",
            shows_reason=False,
        ),
        "being published",
    )
    OPEN = "open", Tone.RUNNING, action("reopened"), "open"
    PAUSED = "paused", Tone.WAITING, action("paused"), "paused"
    CLOSED = "closed", Tone.NEUTRAL, action("ended"), "closed"


class BatchPhase(State):
    """The state to show for an open batch without open HITs."""

    SUBMITTED = "submitted", Tone.WAITING, "pending review"
    WAITING = "waiting", Tone.WAITING, "waiting for consolidation"
    FINISHED = "finished", Tone.SUCCESS, "finished"


class SubmissionState(State):
    SUBMITTED = "submitted", Tone.WAITING, action("submitted"), "pending review"
    # Gold can use it, and it is accepted once the gold has enough of the worker's units.
    WAITING = (
        "waiting",
        Tone.WAITING,
        Phrase("postponed {it} until consolidation", "{it} is in review until consolidation"),
        "waiting for consolidation",
    )
    ACCEPTED = "accepted", Tone.SUCCESS, action("accepted"), "accepted"
    REJECTED = "rejected", Tone.DANGER, action("rejected"), "rejected"
    WITHDRAWN = "withdrawn", Tone.NEUTRAL, action("withdrew", "withdrawn"), "withdrawn"


class HeldBonusState(State):
    HELD = (
        "held",
        Tone.WAITING,
        Phrase("held {it} for review", "{it} was held for review"),
        "waiting for review",
    )
    WAITING = (
        "waiting",
        Tone.WAITING,
        Phrase("postponed {it} until consolidation", "{it} is in review until consolidation"),
        "waiting for consolidation",
    )
    ACCEPTED = "accepted", Tone.SUCCESS, action("accepted"), "accepted"
    DECLINED = "declined", Tone.DANGER, action("declined"), "declined"


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


class AppealState(State):
    """The state of a worker's appeal against a declined bonus."""

    OPEN = "open", Tone.RUNNING, "waiting for an answer"
    GRANTED = "granted", Tone.SUCCESS, "bonus paid"
    UPHELD = "upheld", Tone.DANGER, "decision upheld"


class BonusDecision(TextChoices):
    ACCEPT = "accept", "Accept"
    DECLINE = "decline", "Decline"
