from django.db.models import TextChoices


class CaseState(TextChoices):
    OPEN = "open", "open"
    OFFERED = "offered", "offered to workers"
    CONSOLIDATED = "consolidated", "consolidated"
    VALIDATED = "validated", "validated"
    REVISING = "revising", "disputed, being revised"
    DISPUTED = "disputed", "disputed"
    RESOLVED = "resolved", "resolved by an expert"
    REOPENED = "reopened", "being annotated again"
    REPLACED = "replaced", "replaced by new annotations"


# The states of a case that has its gold.
SETTLED = (CaseState.CONSOLIDATED, CaseState.VALIDATED, CaseState.RESOLVED)


class ItemState(TextChoices):
    """An item's progress towards consolidated or validated gold."""

    NOT_PUBLISHED = "not-published", "not published"
    GENERATING = "generating", "generating"
    CASE_OPEN = "case-open", "case open"
    REVISING = "revising", "being revised"
    DISPUTED = "disputed", "disputed"
    CONSOLIDATED = "consolidated", "consolidated"
    VALIDATED = "validated", "validated"
    RESOLVED = "resolved", "resolved by an expert"
    REOPENED = "reopened", "being annotated again"
    TRAINING = "training", "training item"
    WITHDRAWN = "withdrawn", "withdrawn"


class GoldSource(TextChoices):
    CONSOLIDATED = "consolidated", "consolidated"
    VALIDATED = "validated", "validated"
    EXPERT = "expert", "expert"
    IMPORTED = "imported", "imported"


class ReviewState(TextChoices):
    DRAWN = "drawn", "pending review"
    CONFIRMED = "confirmed", "confirmed"
    CORRECTED = "corrected", "corrected"
    RETURNED = "returned", "returned"


class ReviewOrigin(TextChoices):
    """Why gold is reviewed. Only the sample measures the error rate."""

    SAMPLED = "sampled", "sampled"
    REQUESTED = "requested", "requested"


class FlagState(TextChoices):
    """What became of an expert's report that an item is bad or unclear."""

    OPEN = "open", "to be decided"
    DISMISSED = "dismissed", "item kept"
    FOLLOWED = "followed", "item withdrawn"


class PartitionUnit(TextChoices):
    """The unit that is never split between partitions."""

    SENTENCE = "sentence", "whole sentences"
    DOCUMENT = "document", "whole documents"
    GIVEN = "given", "as given in the corpus"


class Action(TextChoices):
    """An action on a batch, or on some of its HITs."""

    PAUSE = "pause", "pause"
    RESUME = "resume", "resume"
    EXTEND = "extend", "extend"
    ADD = "add", "add assignments to"
    EXPIRE = "expire", "end"
    REPUBLISH = "republish", "republish"


class Decision(TextChoices):
    """A decision on submitted work."""

    ACCEPT = "accept", "accept and pay"
    PAY = "pay", "pay, but exclude the work of"
    REJECT = "reject", "reject"


class ExpertWork(TextChoices):
    """The kind of work in an expert queue."""

    ANNOTATE = "annotate", "write annotations"
    MERGE = "merge", "merge annotations"


class QueueState(TextChoices):
    OPEN = "open", "open"
    CLOSED = "closed", "closed"


class MergeState(TextChoices):
    OPEN = "open", "open"
    MERGED = "merged", "merged"


class SourceOrigin(TextChoices):
    """The origin of an annotation in a merge. Only the merge report shows it."""

    GENERATOR = "generator", "workers' generations"
    EXPERT = "expert", "expert"
    CONSOLIDATED = "consolidated", "consolidated gold"
    IMPORTED = "imported", "imported gold"
    REFERENCE = "reference", "earlier expert gold"
    SYSTEM = "system", "system"
