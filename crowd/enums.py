from django.db.models import TextChoices


class Provider(TextChoices):
    """The kinds of marketplace. `crowd.providers.registry` maps each to its implementation."""

    MTURK = "mturk", "MTurk-compatible"


class HitState(TextChoices):
    PENDING = "pending", "to be created"
    LIVE = "live", "live"
    FINISHED = "finished", "finished"
    EXPIRED = "expired", "expired"
    FAILED = "failed", "failed at the marketplace"
    WITHDRAWN = "withdrawn", "withdrawn before creation"


class AssignmentState(TextChoices):
    SUBMITTED = "submitted", "submitted"
    APPROVED = "approved", "approved"
    REJECTING = "rejecting", "rejection pending"
    REJECTED = "rejected", "rejected"


class PaymentKind(TextChoices):
    REWARD = "reward", "reward"
    BONUS = "bonus", "bonus"


class PaymentState(TextChoices):
    HELD = "held", "waiting for budget"
    REVIEW = "review", "waiting for review"
    PENDING = "pending", "to be sent"
    SENT = "sent", "sent, not confirmed"
    CONFIRMED = "confirmed", "confirmed"
    FAILED = "failed", "failed at the marketplace"
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
    FAILED = "failed", "failed at the marketplace"


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
    """The state of an e-mail. UNCERTAIN means an unknown outcome and is never retried automatically."""

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
