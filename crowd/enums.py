from django.db.models import TextChoices

from crowd.providers.kinds import DEFAULT_PROVIDER, Provider
from web.states import Phrase, State, Tone, action, event

__all__ = [
    "DEFAULT_PROVIDER",
    "ENDED_PAYMENTS",
    "AssignmentState",
    "BlockState",
    "GrantState",
    "HitState",
    "LedgerKind",
    "MailState",
    "MessageState",
    "PaymentKind",
    "PaymentState",
    "Provider",
    "RequestState",
]


class HitState(State):
    PENDING = "pending", Tone.WAITING, action("planned"), "to be created"
    LIVE = "live", Tone.RUNNING, action("published"), "live"
    FINISHED = "finished", Tone.SUCCESS, event("finished"), "finished"
    EXPIRED = "expired", Tone.NEUTRAL, action("ended"), "expired"
    FAILED = (
        "failed",
        Tone.DANGER,
        Phrase("reported that {it} failed", "{it} could not be created"),
        "failed",
    )
    WITHDRAWN = (
        "withdrawn",
        Tone.NEUTRAL,
        action("withdrew", "withdrawn"),
        "withdrawn before creation",
    )


class AssignmentState(State):
    SUBMITTED = "submitted", Tone.WAITING, action("submitted"), "submitted"
    APPROVED = "approved", Tone.SUCCESS, action("approved"), "approved"
    REJECTING = "rejecting", Tone.WAITING, action("rejected"), "rejection pending"
    REJECTED = (
        "rejected",
        Tone.DANGER,
        Phrase("confirmed the rejection of {it}", "the rejection of {it} was confirmed"),
        "rejected",
    )


class StudyState(State):
    PENDING = "pending", Tone.WAITING, action("planned"), "to be created"
    DRAFT = "draft", Tone.NEUTRAL, event("was created"), "to be published"
    LIVE = "live", Tone.RUNNING, action("published"), "live"
    PAUSED = "paused", Tone.WAITING, action("paused"), "paused"
    ENDED = "ended", Tone.NEUTRAL, action("ended"), "ended"


class SessionState(State):
    """The state of a worker's session. ENDED sessions get no more HITs."""

    ACTIVE = "active", Tone.RUNNING, event("began"), "active"
    FINISHED = "finished", Tone.SUCCESS, event("was finished"), "finished, not confirmed"
    SUBMITTED = "submitted", Tone.WAITING, event("was submitted"), "submitted"
    APPROVED = "approved", Tone.SUCCESS, action("approved"), "approved"
    RETURNED = "returned", Tone.WAITING, event("ended before it was submitted"), "returned"
    REJECTED = "rejected", Tone.DANGER, action("rejected"), "rejected"


class RejectionCategory(TextChoices):
    """Why work is rejected, at providers that ask. NO_DATA is for sessions without any task."""

    LOW_EFFORT = "LOW_EFFORT", "Low effort"
    FAILED_INSTRUCTIONS = "FAILED_INSTRUCTIONS", "Did not follow the instructions"
    FAILED_CHECK = "FAILED_CHECK", "Failed attention checks"
    TOO_QUICKLY = "TOO_QUICKLY", "Much too fast"
    TOO_SLOWLY = "TOO_SLOWLY", "Took too long"
    MALINGERING = "MALINGERING", "Pretended or made things up"
    UNSUPPORTED_DEVICE = "UNSUPP_DEVICE", "Used a device that the study excludes"
    OTHER = "OTHER", "Another reason"
    NO_DATA = "NO_DATA", "Submitted nothing"


# The categories of rejected work.
WORK_CATEGORIES = [
    choice for choice in RejectionCategory.choices if choice[0] != RejectionCategory.NO_DATA
]


class SessionIssue(TextChoices):
    """Why a session needs attention: it ended with little work, or was never opened."""

    SHORT = "short", "few tasks"
    EMPTY = "empty", "no task"
    UNOPENED = "unopened", "never opened"


class DealState(State):
    OPEN = "open", Tone.RUNNING, "in progress"
    DONE = "done", Tone.SUCCESS, "done"
    RELEASED = "released", Tone.NEUTRAL, "given back"


class SettlementState(State):
    """The state of a session's payment. UNKNOWN needs a person, and is never repeated automatically."""

    PLANNED = "planned", Tone.WAITING, action("planned"), "to be paid"
    APPROVED = (
        "approved",
        Tone.SUCCESS,
        Phrase("asked to pay {it} again", "{it} will be paid again"),
        "approved, bonus to be paid",
    )
    PAYING = "paying", Tone.RUNNING, event("was sent"), "bonus being paid"
    CONFIRMED = (
        "confirmed",
        Tone.SUCCESS,
        Phrase("confirmed that {it} was paid", "{it} was paid"),
        "confirmed",
    )
    UNKNOWN = (
        "unknown",
        Tone.WAITING,
        Phrase("reported that {it} was not found", "{it} has an unknown outcome"),
        "outcome unknown",
    )


class AnnouncementStatus(TextChoices):
    """What a marketplace shows its worker about a bonus that is not paid."""

    REVIEWING = "reviewing", "in review"
    ACCEPTED = "accepted", "accepted"
    DECLINED = "declined", "declined"


class PaymentKind(TextChoices):
    """The kind of a payment. A TOP_UP completes the reward of a session with less work."""

    REWARD = "reward", "reward"
    BONUS = "bonus", "bonus"
    TOP_UP = "top_up", "minimum of the session"


class PaymentState(State):
    HELD = (
        "held",
        Tone.WAITING,
        Phrase(
            "put {it} on hold until there is budget", "{it} was put on hold until there is budget"
        ),
        "waiting for budget",
    )
    REVIEW = (
        "review",
        Tone.WAITING,
        Phrase("put {it} on hold for review", "{it} was put on hold for review"),
        "waiting for review",
    )
    PENDING = "pending", Tone.WAITING, action("released"), "to be sent"
    SENT = "sent", Tone.RUNNING, action("sent"), "sent, not confirmed"
    CONFIRMED = "confirmed", Tone.SUCCESS, action("confirmed"), "confirmed"
    FAILED = "failed", Tone.DANGER, event("failed"), "failed"
    DECLINED = "declined", Tone.DANGER, action("declined"), "declined after review"
    CLOSED = "closed", Tone.NEUTRAL, action("closed"), "closed after a rejection"


# Payments about which nothing is left to do
ENDED_PAYMENTS = (PaymentState.CONFIRMED, PaymentState.DECLINED, PaymentState.CLOSED)


class LedgerKind(TextChoices):
    RESERVE = "reserve", "reserved"
    RELEASE = "release", "released"
    SETTLE = "settle", "settled"
    MODEL = "model", "model"


class GrantState(State):
    PENDING = (
        "pending",
        Tone.WAITING,
        Phrase("started granting {it}", "{it} is being granted"),
        "to be granted",
    )
    HELD = "held", Tone.WAITING, action("granted"), "held"
    REVOKING = (
        "revoking",
        Tone.WAITING,
        Phrase("started revoking {it}", "{it} is being revoked"),
        "to be revoked",
    )
    REVOKED = "revoked", Tone.NEUTRAL, action("revoked"), "revoked"
    FAILED = (
        "failed",
        Tone.DANGER,
        Phrase("reported that {it} failed", "{it} could not be granted or revoked"),
        "failed",
    )


class RequestState(State):
    """The state of a worker's request for a qualification."""

    OPEN = "open", Tone.RUNNING, action("recorded"), "to be decided"
    GRANTING = "granting", Tone.WAITING, action("granted"), "to be granted"
    GRANTED = "granted", Tone.SUCCESS, Phrase("confirmed {it}", "{it} was granted"), "granted"
    REFUSING = "refusing", Tone.WAITING, action("refused"), "to be refused"
    REFUSED = (
        "refused",
        Tone.DANGER,
        Phrase("confirmed the refusal of {it}", "the refusal of {it} was confirmed"),
        "refused",
    )
    GONE = (
        "gone",
        Tone.NEUTRAL,
        Phrase("closed {it}", "{it} was closed by the crowd provider"),
        "decided or withdrawn at the marketplace",
    )


class MessageState(State):
    PENDING = "pending", Tone.WAITING, "to be sent"
    SENT = "sent", Tone.RUNNING, "sent"
    FAILED = "failed", Tone.DANGER, "not delivered"


class MailState(State):
    """The state of an email. UNCERTAIN means an unknown outcome and is never retried automatically."""

    PENDING = "pending", Tone.WAITING, "to be sent"
    SENDING = "sending", Tone.RUNNING, "being sent"
    SENT = "sent", Tone.RUNNING, "sent"
    FAILED = "failed", Tone.DANGER, "not delivered"
    UNCERTAIN = "uncertain", Tone.WAITING, "delivery unknown"
    DROPPED = "dropped", Tone.NEUTRAL, "cancelled"


class BlockState(State):
    PENDING = "pending", Tone.WAITING, "to be blocked"
    BLOCKED = "blocked", Tone.DANGER, "blocked"
    LIFTING = "lifting", Tone.WAITING, "to be lifted"
    LIFTED = "lifted", Tone.NEUTRAL, "lifted"
