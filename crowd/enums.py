from django.db.models import TextChoices

from crowd.providers.kinds import DEFAULT_PROVIDER, Provider

__all__ = [
    "DEFAULT_PROVIDER",
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


class HitState(TextChoices):
    PENDING = "pending", "to be created"
    LIVE = "live", "live"
    FINISHED = "finished", "finished"
    EXPIRED = "expired", "expired"
    FAILED = "failed", "failed"
    WITHDRAWN = "withdrawn", "withdrawn before creation"


class AssignmentState(TextChoices):
    SUBMITTED = "submitted", "submitted"
    APPROVED = "approved", "approved"
    REJECTING = "rejecting", "rejection pending"
    REJECTED = "rejected", "rejected"


class StudyState(TextChoices):
    PENDING = "pending", "to be created"
    DRAFT = "draft", "to be published"
    LIVE = "live", "live"
    PAUSED = "paused", "paused"
    ENDED = "ended", "ended"


class SessionState(TextChoices):
    """The state of a worker's session. ENDED sessions get no more HITs."""

    ACTIVE = "active", "active"
    FINISHED = "finished", "finished, not confirmed"
    SUBMITTED = "submitted", "submitted"
    APPROVED = "approved", "approved"
    RETURNED = "returned", "returned"
    REJECTED = "rejected", "rejected"


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
    """What is unusual about a session that ended, or that nobody has opened."""

    SHORT = "short", "few tasks"
    EMPTY = "empty", "no task"
    UNOPENED = "unopened", "never opened"


class DealState(TextChoices):
    OPEN = "open", "in progress"
    DONE = "done", "done"
    RELEASED = "released", "given back"


class SettlementState(TextChoices):
    """The state of a session's payment. UNKNOWN needs a person, and is never repeated automatically."""

    PLANNED = "planned", "to be paid"
    APPROVED = "approved", "approved, bonus to be paid"
    PAYING = "paying", "bonus being paid"
    CONFIRMED = "confirmed", "confirmed"
    UNKNOWN = "unknown", "outcome unknown"


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


class PaymentState(TextChoices):
    HELD = "held", "waiting for budget"
    REVIEW = "review", "waiting for review"
    PENDING = "pending", "to be sent"
    SENT = "sent", "sent, not confirmed"
    CONFIRMED = "confirmed", "confirmed"
    FAILED = "failed", "failed"
    DECLINED = "declined", "declined after review"


class LedgerKind(TextChoices):
    RESERVE = "reserve", "reserved"
    RELEASE = "release", "released"
    SETTLE = "settle", "settled"


class GrantState(TextChoices):
    PENDING = "pending", "to be granted"
    HELD = "held", "held"
    REVOKING = "revoking", "to be revoked"
    REVOKED = "revoked", "revoked"
    FAILED = "failed", "failed"


class RequestState(TextChoices):
    """The state of a worker's request for a qualification."""

    OPEN = "open", "to be decided"
    GRANTING = "granting", "to be granted"
    GRANTED = "granted", "granted"
    REFUSING = "refusing", "to be refused"
    REFUSED = "refused", "refused"
    GONE = "gone", "decided or withdrawn at the marketplace"


class MessageState(TextChoices):
    PENDING = "pending", "to be sent"
    SENT = "sent", "sent"
    FAILED = "failed", "not delivered"


class MailState(TextChoices):
    """The state of an email. UNCERTAIN means an unknown outcome and is never retried automatically."""

    PENDING = "pending", "to be sent"
    SENDING = "sending", "being sent"
    SENT = "sent", "sent"
    FAILED = "failed", "not delivered"
    UNCERTAIN = "uncertain", "delivery unknown"
    DROPPED = "dropped", "cancelled"


class BlockState(TextChoices):
    PENDING = "pending", "to be blocked"
    BLOCKED = "blocked", "blocked"
    LIFTING = "lifting", "to be lifted"
    LIFTED = "lifted", "lifted"
