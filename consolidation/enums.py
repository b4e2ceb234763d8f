from django.db.models import TextChoices

from annotation.enums import Protocol


class CaseState(TextChoices):
    OPEN = "open", "open"
    OFFERED = "offered", "offered to workers"
    CONSOLIDATED = "consolidated", "consolidated"
    VALIDATED = "validated", "validated"


# A case with its gold.
SETTLED = (CaseState.CONSOLIDATED, CaseState.VALIDATED)


class GoldSource(TextChoices):
    CONSOLIDATED = "consolidated", "consolidated"
    VALIDATED = "validated", "validated"
    EXPERT = "expert", "expert"
    IMPORTED = "imported", "imported"


# What a project makes itself, by its protocol.
SOURCES = {
    Protocol.CONSOLIDATION: GoldSource.CONSOLIDATED,
    Protocol.VALIDATION: GoldSource.VALIDATED,
}


class ReviewState(TextChoices):
    DRAWN = "drawn", "waiting for an expert"
    CONFIRMED = "confirmed", "confirmed"
    CORRECTED = "corrected", "corrected"
    RETURNED = "returned", "returned"


class DecisionKind(TextChoices):
    """A person's word on one automatic decision."""

    PAIR_ACCEPTED = "pair-accepted", "the same argument"
    PAIR_REFUSED = "pair-refused", "not the same argument"
    LABEL_ACCEPTED = "label-accepted", "the same role"
    LABEL_REFUSED = "label-refused", "not the same role"
    ANSWER_ACCEPTED = "answer-accepted", "right, though the expert lacks it"


class PartitionUnit(TextChoices):
    """What a drawing of partitions never splits."""

    SENTENCE = "sentence", "whole sentences"
    DOCUMENT = "document", "whole documents"
    GIVEN = "given", "as the corpus came"


class Action(TextChoices):
    """What can be done with a batch, or with some of its HITs."""

    PAUSE = "pause", "pause"
    RESUME = "resume", "resume"
    EXTEND = "extend", "extend"
    ADD = "add", "add assignments to"
    EXPIRE = "expire", "end"
    REOFFER = "reoffer", "offer again"


class ExpertWork(TextChoices):
    """What a queue asks of experts."""

    ANNOTATE = "annotate", "write annotations"
    MERGE = "merge", "merge annotations"


class QueueState(TextChoices):
    OPEN = "open", "open"
    CLOSED = "closed", "closed"


class MergeState(TextChoices):
    OPEN = "open", "open"
    MERGED = "merged", "merged"


class SourceOrigin(TextChoices):
    """Where an annotation that is merged came from. Only the report tells it."""

    GENERATOR = "generator", "workers' generations"
    EXPERT = "expert", "expert"
    CONSOLIDATED = "consolidated", "consolidated gold"
    IMPORTED = "imported", "imported gold"
    REFERENCE = "reference", "earlier expert gold"
    SYSTEM = "system", "system"
