"""States and kinds, in the spelling of the Requester API where it defines them."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy


class AssignmentStatus(TextChoices):
    """A status of an assignment. The API never shows Accepted, Returned or Abandoned."""

    ACCEPTED = "Accepted", gettext_lazy("Accepted")
    SUBMITTED = "Submitted", gettext_lazy("Submitted")
    APPROVED = "Approved", gettext_lazy("Approved")
    REJECTED = "Rejected", gettext_lazy("Rejected")
    RETURNED = "Returned", gettext_lazy("Returned")
    ABANDONED = "Abandoned", gettext_lazy("Abandoned")


#: A worker holds at most one assignment of a HIT in one of these states.
LIVE = (
    AssignmentStatus.ACCEPTED,
    AssignmentStatus.SUBMITTED,
    AssignmentStatus.APPROVED,
    AssignmentStatus.REJECTED,
)
#: The states in which the API shows an assignment.
SHOWN = (AssignmentStatus.SUBMITTED, AssignmentStatus.APPROVED, AssignmentStatus.REJECTED)


class HitStatus(TextChoices):
    ASSIGNABLE = "Assignable"
    UNASSIGNABLE = "Unassignable"
    REVIEWABLE = "Reviewable"
    REVIEWING = "Reviewing"
    DISPOSED = "Disposed"


class QualificationTypeStatus(TextChoices):
    ACTIVE = "Active"
    INACTIVE = "Inactive"


class GrantStatus(TextChoices):
    GRANTED = "Granted"
    REVOKED = "Revoked"


class RequestStatus(TextChoices):
    PENDING = "Pending"
    ACCEPTED = "Accepted"
    REJECTED = "Rejected"


class EntryKind(TextChoices):
    DEPOSIT = "deposit"
    HOLD = "hold"
    RELEASE = "release"
    REWARD = "reward"
    REWARD_FEE = "reward fee"
    BONUS = "bonus"
    BONUS_FEE = "bonus fee"


class AppealStatus(TextChoices):
    OPEN = "open", gettext_lazy("Open")
    UPHELD = "upheld", gettext_lazy("Rejection upheld")
    OVERTURNED = "overturned", gettext_lazy("Work paid")


class BonusStatus(TextChoices):
    """The status of a bonus that a requester announces."""

    REVIEWING = "Reviewing"
    ACCEPTED = "Accepted"
    DECLINED = "Declined"


class Guarded(TextChoices):
    """An action that a requirement guards, from the narrowest guard to the widest."""

    ACCEPT = "Accept"
    PREVIEW = "PreviewAndAccept"
    DISCOVER = "DiscoverPreviewAndAccept"


class Event(TextChoices):
    ACCEPTED = "AssignmentAccepted"
    ABANDONED = "AssignmentAbandoned"
    RETURNED = "AssignmentReturned"
    SUBMITTED = "AssignmentSubmitted"
    REJECTED = "AssignmentRejected"
    APPROVED = "AssignmentApproved"
    HIT_CREATED = "HITCreated"
    HIT_EXPIRED = "HITExpired"
    HIT_REVIEWABLE = "HITReviewable"
    HIT_EXTENDED = "HITExtended"
    HIT_DISPOSED = "HITDisposed"
    PING = "Ping"


class ReviewPolicyLevel(TextChoices):
    ASSIGNMENT = "Assignment"
    HIT = "HIT", "HIT"


class ReviewActionName(TextChoices):
    APPROVE = "approve"
    REJECT = "reject"
    EXTEND = "extend"


class ReviewActionStatus(TextChoices):
    INTENDED = "Intended"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    CANCELLED = "Cancelled"


class TransportKind(TextChoices):
    """A way of delivering notifications. The Requester API has webhooks as a kind of SNS."""

    WEBHOOK = "Webhook"
    SNS = "SNS", "SNS"
    SQS = "SQS", "SQS"
    EMAIL = "Email", "Email"
