"""The marketplace's tables: requesters and their ledger, workers, HITs, qualifications, messages.

Public identifiers (`code`) have MTurk's form of capitals and digits. Money is whole cents, and
time is aware UTC.
"""

from datetime import datetime
from typing import Any, NoReturn

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from marketplace.enums import (
    LIVE,
    AppealStatus,
    AssignmentStatus,
    BonusStatus,
    EntryKind,
    GrantStatus,
    Guarded,
    HitStatus,
    QualificationTypeStatus,
    RequestStatus,
    ReviewActionName,
    ReviewActionStatus,
    ReviewPolicyLevel,
    TransportKind,
)


class Requester(models.Model):
    """An account that publishes HITs. It can spend `balance_cents - held_cents`."""

    code = models.CharField(max_length=32, unique=True)
    name = models.CharField(max_length=100, unique=True)
    email = models.EmailField(blank=True)
    #: Who the requester is and what the tasks are for, as workers read it.
    about = models.TextField(blank=True, max_length=2000, default="", db_default="")
    active = models.BooleanField(default=True)
    balance_cents = models.BigIntegerField(default=0)
    held_cents = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        permissions = [("operate_marketplace", "Can run the marketplace")]
        constraints = [
            models.CheckConstraint(condition=Q(held_cents__gte=0), name="market_held_not_negative"),
            models.CheckConstraint(
                condition=Q(balance_cents__gte=F("held_cents")), name="market_balance_covers_held"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def available_cents(self) -> int:
        return self.balance_cents - self.held_cents


class OperatorProfile(models.Model):
    """What workers read about the operator. There is at most one row."""

    contact = models.CharField(max_length=300, blank=True)
    payouts = models.TextField(max_length=2000, blank=True)

    def __str__(self) -> str:
        return "the operator's profile"


class AccessKey(models.Model):
    """A key pair that signs requests. SigV4 needs the plain secret, so it is not hashed."""

    requester = models.ForeignKey(Requester, models.CASCADE, related_name="access_keys")
    access_key_id = models.CharField(max_length=64, unique=True)
    secret_encrypted = models.CharField(max_length=400)
    created_at = models.DateTimeField(default=timezone.now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.access_key_id


class RequesterSession(models.Model):
    """A requester's login with an access key. The cookie holds the token and the table its digest."""

    digest = models.CharField(max_length=64, primary_key=True)
    access_key = models.ForeignKey(AccessKey, models.CASCADE, related_name="sessions")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"session of {self.access_key_id}"


class WorkerAccount(AbstractBaseUser):
    """A person who works on HITs, separate from Django's users and never a staff login."""

    code = models.CharField("worker id", max_length=32, unique=True)
    username = models.CharField(max_length=60, unique=True)
    email = models.EmailField()
    country = models.CharField(max_length=2)
    subdivision = models.CharField(max_length=2, blank=True)
    is_adult = models.BooleanField(default=False)
    # Of the messages that the marketplace itself writes. Pages follow the browser.
    language = models.CharField(max_length=10, default="en")
    active = models.BooleanField(default=True)
    accepts_next = models.BooleanField("auto-accept the next HIT", default=True)
    approved_count = models.PositiveIntegerField(default=0)
    rejected_count = models.PositiveIntegerField(default=0)
    # Invited by a rehearsal. Operators' lists and payout statements leave them out.
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    #: When the worker closed the account, which erased the personal data.
    closed_at = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.code


class WorkerSession(models.Model):
    """A worker's login. The cookie holds the token and the table only its digest."""

    digest = models.CharField(max_length=64, primary_key=True)
    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="sessions")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"session of {self.worker_id}"


class LoginFailure(models.Model):
    username = models.CharField(max_length=60)
    address = models.CharField(max_length=45)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["username", "address", "at"], name="market_login_failure")]

    def __str__(self) -> str:
        return f"{self.username} from {self.address}"


class Invitation(models.Model):
    """An invitation with which one person can sign up as a worker."""

    code = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=200, blank=True)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)
    worker = models.OneToOneField(WorkerAccount, models.SET_NULL, null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(worker__isnull=True) | Q(used_at__isnull=False),
                name="market_invitation_used_by_someone",
            )
        ]

    def __str__(self) -> str:
        return self.code


class HitType(models.Model):
    """The properties that HITs share. Workers see the HITs of a type as one group."""

    code = models.CharField(max_length=64, unique=True)
    group_code = models.CharField(max_length=64, unique=True)
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="hit_types")
    #: SHA-256 of all values from the requester. Equal values share one type.
    digest = models.CharField(max_length=64)
    #: The same for types that differ only in the workers they exclude. They are listed as one group.
    list_digest = models.CharField(max_length=64, db_index=True)
    title = models.CharField(max_length=128)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    reward_cents = models.PositiveIntegerField()
    duration_seconds = models.PositiveIntegerField()
    auto_approval_seconds = models.PositiveIntegerField()
    #: QualificationRequirement structures in the API's spelling.
    requirements = models.JSONField(default=list)
    #: A NotificationSpecification, or null.
    notification = models.JSONField(null=True, blank=True)
    notification_active = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    #: When a qualification type that it requires was deleted. Its HITs remain.
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "digest"], name="market_one_type_per_values"
            )
        ]

    def __str__(self) -> str:
        return self.title

    def notifies(self, event: str) -> bool:
        return self.notification_active and event in (self.notification or {}).get("EventTypes", ())


class HitLayout(models.Model):
    """A page with placeholders such as ${name}, from which a requester creates HTMLQuestions."""

    code = models.CharField(max_length=64, unique=True)
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="layouts")
    name = models.CharField(max_length=128)
    html = models.TextField()
    #: In CSS pixels, or 0 for the height of the window.
    frame_height = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class HitTypeRequirement(models.Model):
    """A requirement of a HIT type, as a query reads it. `HitType.requirements` has the same in JSON."""

    hit_type = models.ForeignKey(HitType, models.CASCADE, related_name="requirement_rows")
    qualification_code = models.CharField(max_length=64, db_index=True)
    action = models.CharField(max_length=30, choices=Guarded)
    comparator = models.CharField(max_length=30)
    #: The limit of a comparison by size.
    bound = models.IntegerField(null=True, blank=True)
    #: The other comparisons' values, with a space before and after each. States are like "US-CA".
    choices = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.qualification_code


class Hit(models.Model):
    """A task that up to `max_assignments` workers can do.

    The counters always add up to `max_assignments`. `open` is true while workers can accept the
    HIT. A HIT past `expires_at` stays open until maintenance sets `expiry_noted`.
    """

    code = models.CharField(max_length=64, unique=True)
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="hits", db_index=False)
    hit_type = models.ForeignKey(HitType, models.CASCADE, related_name="hits")
    question = models.TextField()
    #: The layout that the question was created from, which may be changed or deleted since.
    layout_code = models.CharField(max_length=64, blank=True)
    #: The page in the worker's frame. Empty for a QuestionForm, which has no page of its own.
    external_url = models.TextField(blank=True)
    frame_height = models.PositiveIntegerField(default=0)
    annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.PositiveIntegerField()
    available = models.PositiveIntegerField()
    pending = models.PositiveIntegerField(default=0)
    submitted = models.PositiveIntegerField(default=0)
    completed = models.PositiveIntegerField(default=0)
    open = models.BooleanField(default=True)
    reward_cents = models.PositiveIntegerField()
    #: Fee of one assignment.
    fee_cents = models.PositiveIntegerField()
    #: Reserved for assignments that are available, in progress or awaiting a decision.
    held_cents = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    expiry_noted = models.BooleanField(default=False)
    reviewing = models.BooleanField(default=False)
    has_review_policies = models.BooleanField(default=False)
    disposed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    max_assignments=F("available") + F("pending") + F("submitted") + F("completed")
                ),
                name="market_hit_counters_add_up",
            ),
            models.CheckConstraint(
                condition=Q(open=False)
                | Q(available__gt=0, disposed_at__isnull=True, expiry_noted=False),
                name="market_open_hit_has_room",
            ),
        ]
        indexes = [
            models.Index(
                fields=["hit_type", "id"], condition=Q(open=True), name="market_open_hits"
            ),
            models.Index(
                fields=["expires_at"],
                condition=Q(expiry_noted=False, disposed_at__isnull=True),
                name="market_hits_to_expire",
            ),
            models.Index(
                fields=["requester", "-id"],
                condition=Q(disposed_at__isnull=True),
                name="market_hits_of_requester",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    def status(self, now: datetime) -> HitStatus:
        if self.disposed_at is not None:
            return HitStatus.DISPOSED
        if self.available and self.expires_at > now:
            return HitStatus.ASSIGNABLE
        if self.pending:
            return HitStatus.UNASSIGNABLE
        return HitStatus.REVIEWING if self.reviewing else HitStatus.REVIEWABLE

    @property
    def cost_cents(self) -> int:
        return self.reward_cents + self.fee_cents


class Assignment(models.Model):
    """A worker's assignment to a HIT. Its pay is fixed when the worker accepts the HIT."""

    code = models.CharField(max_length=64, unique=True)
    hit = models.ForeignKey(Hit, models.CASCADE, related_name="assignments", db_index=False)
    hit_type = models.ForeignKey(HitType, models.CASCADE, related_name="+", db_index=False)
    worker = models.ForeignKey(
        WorkerAccount, models.CASCADE, related_name="assignments", db_index=False
    )
    status = models.CharField(
        max_length=10, choices=AssignmentStatus, default=AssignmentStatus.ACCEPTED
    )
    reward_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField()
    accepted_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    auto_approve_at = models.DateTimeField(null=True, blank=True)
    #: When it was approved, rejected, returned or abandoned.
    closed_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)
    feedback = models.TextField(blank=True)
    #: The requester's page refused the worker, who is not offered the HIT again.
    is_refused = models.BooleanField(default=False, db_default=False)
    #: How often the worker has extended the deadline.
    extensions = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "worker"],
                condition=Q(status__in=LIVE),
                name="market_one_live_assignment",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["Accepted", "Returned", "Abandoned"])
                | Q(submitted_at__isnull=False),
                name="market_decided_only_if_submitted",
            ),
        ]
        indexes = [
            models.Index(fields=["hit", "worker"], name="market_assignment_of_hit"),
            models.Index(fields=["worker", "hit_type", "-id"], name="market_assignment_position"),
            models.Index(
                fields=["deadline_at"], condition=Q(status="Accepted"), name="market_overdue"
            ),
            models.Index(
                fields=["worker"], condition=Q(status="Accepted"), name="market_in_progress"
            ),
            models.Index(
                fields=["auto_approve_at"],
                condition=Q(status="Submitted"),
                name="market_to_auto_approve",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def cost_cents(self) -> int:
        return self.reward_cents + self.fee_cents


class Appeal(models.Model):
    """A worker's objection to a rejection, which the operator decides."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="appeal")
    text = models.TextField(max_length=2000)
    status = models.CharField(max_length=10, choices=AppealStatus, default=AppealStatus.OPEN)
    answer = models.TextField(max_length=2000, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status="open", decided_at__isnull=True)
                | (~Q(status="open") & Q(decided_at__isnull=False)),
                name="market_appeal_decided_when_closed",
            )
        ]

    def __str__(self) -> str:
        return f"appeal for {self.assignment_id}"


class Bonus(models.Model):
    code = models.CharField(max_length=64, unique=True)
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="bonuses")
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="bonuses")
    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="bonuses")
    amount_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField()
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.code


class AnnouncedBonus(models.Model):
    """A bonus that the requester reviews or has declined. It is not paid, and holds no money."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="announced_bonus")
    amount_cents = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=BonusStatus)
    reason = models.TextField(blank=True)
    #: A page of the requester on which the worker can appeal.
    appeal_url = models.TextField(blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "announced bonuses"

    def __str__(self) -> str:
        return f"bonus of {self.amount_cents} cents for {self.assignment_id}"


class RequestToken(models.Model):
    """A UniqueRequestToken that was used, with the id of the object that it created."""

    requester = models.ForeignKey(Requester, models.CASCADE, related_name="+", db_index=False)
    operation = models.CharField(max_length=60)
    token = models.CharField(max_length=64)
    result = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "operation", "token"], name="market_token_used_once"
            )
        ]

    def __str__(self) -> str:
        return self.token


class AppendOnlyQuerySet(models.QuerySet[Any]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("Ledger entries cannot be changed. Add a correcting entry instead.")

    def delete(self) -> NoReturn:
        raise TypeError("Ledger entries cannot be deleted. Add a correcting entry instead.")


class LedgerEntry(models.Model):
    """An append-only change of a requester's balance, reserved money or both."""

    requester = models.ForeignKey(Requester, models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=10, choices=EntryKind)
    amount_cents = models.BigIntegerField(default=0)
    held_cents = models.BigIntegerField(default=0)
    worker = models.ForeignKey(WorkerAccount, models.PROTECT, null=True, related_name="entries")
    hit = models.ForeignKey(Hit, models.PROTECT, null=True, related_name="+", db_index=False)
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, related_name="entries", db_index=False
    )
    bonus = models.ForeignKey(Bonus, models.PROTECT, null=True, related_name="+", db_index=False)
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(kind__in=["reward", "reward fee"]),
                name="market_reward_paid_once",
            ),
            models.UniqueConstraint(
                fields=["bonus", "kind"],
                condition=Q(kind__in=["bonus", "bonus fee"]),
                name="market_bonus_paid_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at", "worker"],
                condition=Q(kind__in=["reward", "bonus"]),
                name="market_entries_of_workers",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount_cents}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("Ledger entries cannot be changed. Add a correcting entry instead.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("Ledger entries cannot be deleted. Add a correcting entry instead.")


class PaymentDetails(models.Model):
    """How a worker wants to be paid, in their own words, encrypted."""

    worker = models.OneToOneField(WorkerAccount, models.CASCADE, related_name="payment_details")
    text_encrypted = models.TextField()
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "payment details"

    def __str__(self) -> str:
        return f"payment details of {self.worker_id}"


class Payout(models.Model):
    """A payment of the operator to a worker, made elsewhere, such as a bank transfer."""

    worker = models.ForeignKey(WorkerAccount, models.PROTECT, related_name="payouts")
    amount_cents = models.PositiveBigIntegerField()
    reference = models.CharField(max_length=200)
    paid_on = models.DateField()
    recorded_by = models.CharField(max_length=150)
    recorded_at = models.DateTimeField()
    #: When the record was withdrawn. Its entries are due again.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.amount_cents} cents to {self.worker_id}"


class PaidEntry(models.Model):
    """A ledger entry that a payout has paid. An entry is paid out once."""

    payout = models.ForeignKey(Payout, models.PROTECT, related_name="paid_entries")
    entry = models.OneToOneField(LedgerEntry, models.PROTECT, related_name="paid")

    def __str__(self) -> str:
        return f"entry {self.entry_id} of payout {self.payout_id}"


class QualificationType(models.Model):
    code = models.CharField(max_length=64, unique=True)
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="qualification_types")
    name = models.CharField(max_length=200)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=QualificationTypeStatus)
    retry_delay_seconds = models.PositiveBigIntegerField(null=True, blank=True)
    test = models.TextField(blank=True)
    answer_key = models.TextField(blank=True)
    test_duration_seconds = models.PositiveBigIntegerField(null=True, blank=True)
    auto_granted = models.BooleanField(default=False)
    auto_granted_value = models.IntegerField(default=1)
    #: Whether workers are offered to request it. MTurk offers all active types.
    is_requestable = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "name"],
                condition=Q(deleted_at__isnull=True),
                name="market_qualification_name_unique",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Grant(models.Model):
    """A qualification that a worker holds, or held until it was revoked."""

    qualification_type = models.ForeignKey(
        QualificationType, models.CASCADE, related_name="grants", db_index=False
    )
    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="grants")
    value = models.IntegerField(null=True)
    status = models.CharField(max_length=10, choices=GrantStatus)
    granted_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification_type", "worker"], name="market_one_grant_per_worker"
            )
        ]

    def __str__(self) -> str:
        return f"{self.qualification_type_id} of {self.worker_id}: {self.value}"


class QualificationRequest(models.Model):
    code = models.CharField(max_length=64, unique=True)
    qualification_type = models.ForeignKey(
        QualificationType, models.CASCADE, related_name="requests"
    )
    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="requests")
    answer = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=RequestStatus, default=RequestStatus.PENDING)
    submitted_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification_type", "worker"],
                condition=Q(status="Pending"),
                name="market_one_open_request",
            )
        ]

    def __str__(self) -> str:
        return self.code


class QualificationAttempt(models.Model):
    """A worker's attempt at a qualification test, with the test as it was at the start.

    It is open until the worker submits the answers (`request`), or starts again after the deadline.
    """

    qualification_type = models.ForeignKey(
        QualificationType, models.CASCADE, related_name="attempts", db_index=False
    )
    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="attempts")
    test = models.TextField()
    answer_key = models.TextField(blank=True)
    started_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    request = models.OneToOneField(
        QualificationRequest, models.CASCADE, null=True, blank=True, related_name="attempt"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification_type", "worker"],
                condition=Q(closed_at__isnull=True),
                name="market_one_open_attempt",
            ),
            models.CheckConstraint(
                condition=Q(request__isnull=True) | Q(closed_at__isnull=False),
                name="market_submitted_attempt_is_closed",
            ),
        ]
        indexes = [
            models.Index(fields=["qualification_type", "worker"], name="market_attempts_of_worker")
        ]

    def __str__(self) -> str:
        return f"{self.qualification_type_id} by {self.worker_id}"


class WorkerBlock(models.Model):
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="blocks", db_index=False)
    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="blocks")
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "worker"], name="market_blocked_once")
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} blocked by {self.requester_id}"


class Message(models.Model):
    """A message between a requester and a worker.

    `requester` is null if the marketplace itself is the sender. `read_at` is when the worker read it,
    and stays null if the worker wrote it. `hit` is the HIT that the worker writes about.
    """

    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="messages")
    requester = models.ForeignKey(Requester, models.CASCADE, null=True, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    from_worker = models.BooleanField(default=False, db_default=False)
    hit = models.ForeignKey(Hit, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        indexes = [
            models.Index(
                fields=["requester", "-id"],
                condition=Q(from_worker=True),
                name="market_messages_of_workers",
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(from_worker=False) | Q(requester__isnull=False),
                name="market_workers_write_to_requesters",
            )
        ]

    def __str__(self) -> str:
        return self.subject


class SavedSearch(models.Model):
    """A filter of the list of HITs that a worker keeps, with or without messages about new groups.

    Groups with a HIT up to the id `seen_hit` are not reported again.
    """

    worker = models.ForeignKey(
        WorkerAccount, models.CASCADE, related_name="searches", db_index=False
    )
    name = models.CharField(max_length=60)
    #: The fields of a GroupFilter.
    criteria = models.JSONField(default=dict)
    notifies = models.BooleanField(default=False)
    seen_hit = models.BigIntegerField(default=0)
    notified_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["worker", "name"], name="market_search_name_unique")
        ]
        indexes = [
            models.Index(
                fields=["seen_hit"],
                condition=Q(notifies=True),
                name="market_searches_to_notify",
            )
        ]

    def __str__(self) -> str:
        return self.name


class ReviewPolicy(models.Model):
    """A policy of a HIT or of its assignments, with checked parameters by MTurk's names."""

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="review_policies", db_index=False)
    level = models.CharField(max_length=10, choices=ReviewPolicyLevel)
    name = models.CharField(max_length=60)
    parameters = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "level"], name="market_one_policy_per_level")
        ]

    def __str__(self) -> str:
        return self.name


class DueReview(models.Model):
    """A submitted assignment, or a reviewable HIT, that its policy has not reviewed yet."""

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="due_reviews")
    policy = models.ForeignKey(ReviewPolicy, models.CASCADE, related_name="due_reviews")
    #: Null for the policy of the HIT.
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.policy_id} for {self.assignment_id or self.hit_id}"


class ReviewResult(models.Model):
    """A score or finding of a policy."""

    policy = models.ForeignKey(ReviewPolicy, models.CASCADE, related_name="results")
    code = models.CharField(max_length=64)
    subject_type = models.CharField(max_length=10)
    subject_code = models.CharField(max_length=64)
    question = models.TextField(blank=True)
    key = models.CharField(max_length=40)
    value = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.key} of {self.subject_code}"


class ReviewAction(models.Model):
    """An action of a policy. It is taken once, while its status is Intended."""

    policy = models.ForeignKey(ReviewPolicy, models.CASCADE, related_name="actions")
    code = models.CharField(max_length=64)
    name = models.CharField(max_length=10, choices=ReviewActionName)
    target_type = models.CharField(max_length=10)
    target_code = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=ReviewActionStatus)
    completed_at = models.DateTimeField(null=True, blank=True)
    result = models.TextField(blank=True)
    error_code = models.CharField(max_length=100, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["policy"],
                condition=Q(status="Intended"),
                name="market_intended_actions",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.target_code}"


class Notification(models.Model):
    """An outbox entry, created in the same transaction as the event."""

    doc_id = models.CharField(max_length=64, unique=True)
    requester = models.ForeignKey(Requester, models.CASCADE, related_name="+")
    transport = models.CharField(max_length=10, choices=TransportKind)
    #: The version of the document, which the requester chose.
    version = models.CharField(max_length=10)
    destination = models.TextField()
    origin = models.CharField(max_length=300)
    event = models.JSONField()
    created_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, blank=True)
    given_up_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["origin", "due_at"],
                condition=Q(delivered_at__isnull=True, given_up_at__isnull=True),
                name="market_notifications_due",
            )
        ]

    def __str__(self) -> str:
        return self.doc_id


class NotificationHost(models.Model):
    """A host of destinations, leased to one delivery pass at a time, with its failures in a row."""

    origin = models.CharField(max_length=300, unique=True)
    failures = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.origin


class ConsentText(models.Model):
    """A version of the text that workers accept before they accept HITs. It never changes.

    The newest version counts. An empty text asks for no consent.
    """

    version = models.PositiveIntegerField(unique=True)
    text = models.TextField(blank=True)
    published_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"consent text {self.version}"


class WorkerConsent(models.Model):
    """A worker's acceptance of a version of the consent text."""

    worker = models.ForeignKey(WorkerAccount, models.CASCADE, related_name="consents")
    text = models.ForeignKey(ConsentText, models.PROTECT, related_name="consents", db_index=False)
    accepted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["text", "worker"], name="market_consent_once")
        ]

    def __str__(self) -> str:
        return f"consent of {self.worker_id} to {self.text}"
