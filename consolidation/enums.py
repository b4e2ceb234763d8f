from django.db.models import TextChoices

from web.states import Phrase, State, Tone, action


class CaseState(State):
    OPEN = "open", Tone.RUNNING, action("opened"), "open"
    OFFERED = (
        "offered",
        Tone.RUNNING,
        Phrase("offered {it} to workers", "{it} was offered to workers"),
        "offered to workers",
    )
    CONSOLIDATED = "consolidated", Tone.SUCCESS, action("consolidated"), "consolidated"
    VALIDATED = "validated", Tone.SUCCESS, action("validated"), "validated"
    REVISING = (
        "revising",
        Tone.RUNNING,
        Phrase("sent {it} back for revision", "{it} was sent back for revision"),
        "disputed, being revised",
    )
    DISPUTED = "disputed", Tone.DANGER, Phrase("left {it} disputed", "{it} is disputed"), "disputed"
    RESOLVED = "resolved", Tone.SUCCESS, action("resolved"), "resolved by an expert"
    REOPENED = (
        "reopened",
        Tone.RUNNING,
        Phrase("reopened {it} for new annotations", "{it} was reopened for new annotations"),
        "being annotated again",
    )
    REPLACED = (
        "replaced",
        Tone.NEUTRAL,
        Phrase("replaced {it}", "{it} was replaced by new annotations"),
        "replaced by new annotations",
    )


# The states of a case that has its gold.
SETTLED = (CaseState.CONSOLIDATED, CaseState.VALIDATED, CaseState.RESOLVED)


class ItemState(State):
    """An item's progress towards consolidated or validated gold."""

    NOT_PUBLISHED = "not-published", Tone.NEUTRAL, "not published"
    GENERATING = "generating", Tone.RUNNING, "generating"
    CASE_OPEN = "case-open", Tone.RUNNING, "case open"
    REVISING = "revising", Tone.RUNNING, "being revised"
    DISPUTED = "disputed", Tone.DANGER, "disputed"
    CONSOLIDATED = "consolidated", Tone.SUCCESS, "consolidated"
    VALIDATED = "validated", Tone.SUCCESS, "validated"
    RESOLVED = "resolved", Tone.SUCCESS, "resolved by an expert"
    REOPENED = "reopened", Tone.RUNNING, "being annotated again"
    TRAINING = "training", Tone.NEUTRAL, "training item"
    WITHDRAWN = "withdrawn", Tone.NEUTRAL, "withdrawn"


class GoldSource(TextChoices):
    CONSOLIDATED = "consolidated", "consolidated"
    VALIDATED = "validated", "validated"
    EXPERT = "expert", "expert"
    IMPORTED = "imported", "imported"


class ReviewState(State):
    DRAWN = "drawn", Tone.WAITING, Phrase("sampled {it}", "{it} was sampled"), "pending review"
    CONFIRMED = (
        "confirmed",
        Tone.SUCCESS,
        Phrase("confirmed {it} as correct", "{it} was confirmed as correct"),
        "confirmed",
    )
    CORRECTED = (
        "corrected",
        Tone.SUCCESS,
        Phrase("corrected the gold in {it}", "the gold in {it} was corrected"),
        "corrected",
    )
    RETURNED = (
        "returned",
        Tone.WAITING,
        Phrase(
            "returned {it} for another consolidation", "{it} was returned for another consolidation"
        ),
        "returned",
    )


class ReviewOrigin(TextChoices):
    """Why gold is reviewed. Only the sample measures the error rate."""

    SAMPLED = "sampled", "sampled"
    REQUESTED = "requested", "requested"


class FlagState(State):
    """What became of an expert's report that an item is bad or unclear."""

    OPEN = "open", Tone.WAITING, action("raised"), "to be decided"
    DISMISSED = "dismissed", Tone.SUCCESS, action("dismissed"), "item kept"
    FOLLOWED = (
        "followed",
        Tone.NEUTRAL,
        Phrase("followed {it} and withdrew the item", "{it} led to a withdrawal"),
        "item withdrawn",
    )


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


class QueueState(State):
    OPEN = "open", Tone.RUNNING, action("opened"), "open"
    CLOSED = "closed", Tone.NEUTRAL, action("closed"), "closed"


class MergeState(State):
    OPEN = "open", Tone.RUNNING, action("opened"), "open"
    MERGED = "merged", Tone.SUCCESS, action("completed"), "merged"


class SourceOrigin(TextChoices):
    """The origin of an annotation in a merge. Only the merge report shows it."""

    GENERATOR = "generator", "workers' generations"
    EXPERT = "expert", "expert"
    CONSOLIDATED = "consolidated", "consolidated gold"
    IMPORTED = "imported", "imported gold"
    REFERENCE = "reference", "earlier expert gold"
    SYSTEM = "system", "system"
