"""People and money. Amounts are whole US cents; times are aware UTC.

Rows that stand for a call to a marketplace (Hit, Payment, QualificationGrant, Message) are written
and committed before the call, carry the token that makes a repeat harmless, and are leased by the
process that makes the call (`leased_until`): see `crowd.domain.lease`.
"""

import secrets
from datetime import datetime, timedelta

from django.db import models
from django.db.models import F, Q

from crowd.enums import (
    AssignmentState,
    BlockState,
    GrantState,
    HitState,
    LedgerKind,
    MailState,
    MessageState,
    PaymentKind,
    PaymentState,
    Provider,
)

# Letters that can't be misread for one another, and no vowels, so that no word appears by chance.
PSEUDONYM_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"


def new_pseudonym() -> str:
    return "W" + "".join(secrets.choice(PSEUDONYM_LETTERS) for _ in range(9))


class Budget(models.Model):
    """What may be spent under one heading. `reserved` and `spent` are the sums of its ledger."""

    key = models.CharField(max_length=120, unique=True)
    cap_cents = models.BigIntegerField(null=True, blank=True)
    reserved_cents = models.BigIntegerField(default=0)
    spent_cents = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reserved_cents__gte=0), name="budget_reserved_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(spent_cents__gte=0), name="budget_spent_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(cap_cents=None)
                | Q(cap_cents__gte=F("reserved_cents") + F("spent_cents")),
                name="budget_within_cap",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def left_cents(self) -> int | None:
        """Free to reserve; None without a cap."""
        if self.cap_cents is None:
            return None
        return self.cap_cents - self.reserved_cents - self.spent_cents


class Worker(models.Model):
    """A person at a marketplace. `external_id` identifies them there; exports use `pseudonym`."""

    provider = models.CharField(max_length=20, choices=Provider)
    external_id = models.CharField(max_length=64)
    pseudonym = models.CharField(max_length=20, unique=True, default=new_pseudonym)
    first_seen_at = models.DateTimeField()
    is_simulated = models.BooleanField(default=False)  # one of a rehearsal's, not a person

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "external_id"], name="worker_once_per_provider"
            )
        ]

    def __str__(self) -> str:
        return self.pseudonym


class QualificationType(models.Model):
    """A qualification that we define at a marketplace; `external_id` is empty until it is made there."""

    provider = models.CharField(max_length=20, choices=Provider)
    code = models.CharField(max_length=80)
    name = models.CharField(max_length=200)
    description = models.TextField()
    external_id = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "code"], name="qualification_code_once")
        ]

    def __str__(self) -> str:
        return self.code


class QualificationGrant(models.Model):
    """A worker holds a qualification with a value. Of a project's consolidators the value is a number
    of their own, so that a HIT can leave out the people who generated for it."""

    qualification_type = models.ForeignKey(
        QualificationType, on_delete=models.PROTECT, related_name="grants"
    )
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="grants")
    value = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=20, choices=GrantState, default=GrantState.PENDING)
    changed_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification_type", "worker"], name="grant_once_per_worker"
            )
        ]

    def __str__(self) -> str:
        return f"{self.worker} {self.qualification_type}={self.value}"


class HitType(models.Model):
    """What HITs of one kind have in common; equal values are one HIT type, here and there."""

    provider = models.CharField(max_length=20, choices=Provider)
    fingerprint = models.CharField(max_length=64)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.PositiveIntegerField()
    assignment_seconds = models.PositiveIntegerField()
    auto_approval_seconds = models.PositiveIntegerField()
    # [{"code" | "system": ..., "comparator": ..., "values": [...], "guard": ...}, ...]
    qualifications = models.JSONField(default=list)
    external_id = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "fingerprint"], name="hit_type_once")
        ]

    def __str__(self) -> str:
        return self.title


class HitQuerySet(models.QuerySet["Hit"]):
    def to_create(self) -> "HitQuerySet":
        """A paused HIT that may exist at the marketplace already is looked after all the same."""
        return self.filter(state=HitState.PENDING).filter(Q(paused_at=None) | ~Q(attempted_at=None))

    def to_sync(self, now: datetime) -> "HitQuerySet":
        return self.filter(sync_due_at__lte=now).exclude(external_id=None)

    def to_move_end(self) -> "HitQuerySet":
        return self.exclude(expiration_wanted=None).exclude(external_id=None)

    def to_increase(self) -> "HitQuerySet":
        return self.exclude(increase_to=None).exclude(external_id=None)

    def open(self) -> "HitQuerySet":
        """Offered to workers, or about to be."""
        return self.filter(state__in=[HitState.PENDING, HitState.LIVE], paused_at=None)


class Hit(models.Model):
    hit_type = models.ForeignKey(HitType, on_delete=models.PROTECT, related_name="hits")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="hits")
    # A second cap that the HIT's money stays under, such as its batch's; its sums are kept beside
    # the budget's, from the same ledger entries.
    sub_budget = models.ForeignKey(
        Budget, on_delete=models.PROTECT, null=True, blank=True, related_name="sub_hits"
    )
    # Derived from what is offered: the marketplace refuses a second HIT under the same token, and
    # the HIT is found again by it (as RequesterAnnotation) when the answer to its creation was lost.
    token = models.CharField(max_length=64, unique=True)
    url = models.CharField(max_length=500)
    max_assignments = models.PositiveSmallIntegerField(default=1)
    lifetime_seconds = models.PositiveIntegerField()
    bonus_allowance_cents = models.PositiveIntegerField(default=0)
    # How often its unused places were given back and offered again: each offer has its own keys in
    # the ledger.
    offer_round = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=20, choices=HitState, default=HitState.PENDING)
    paused_at = models.DateTimeField(null=True, blank=True)
    # The end that the marketplace was last told (None: its creation plus its lifetime), and one
    # that it has yet to be told.
    ends_at = models.DateTimeField(null=True, blank=True)
    expiration_wanted = models.DateTimeField(null=True, blank=True)
    # The number of assignments that the marketplace has yet to raise the HIT to.
    increase_to = models.PositiveSmallIntegerField(null=True, blank=True)
    external_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    prepared_at = models.DateTimeField()
    attempted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(null=True, blank=True)
    # When to look for finished work next; how many workers say they have finished, and since when.
    sync_due_at = models.DateTimeField(null=True, blank=True)
    claimed_assignments = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    objects = HitQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="hit_to_create", condition=Q(state="pending")),
            models.Index(
                fields=["sync_due_at"], name="hit_to_sync", condition=~Q(sync_due_at=None)
            ),
            models.Index(
                fields=["id"], name="hit_to_move_end", condition=~Q(expiration_wanted=None)
            ),
            models.Index(fields=["id"], name="hit_to_increase", condition=~Q(increase_to=None)),
            models.Index(fields=["budget", "state"]),
            models.Index(
                fields=["id"], name="hit_in_trouble", condition=Q(state="failed") | ~Q(error="")
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["pending", "failed", "withdrawn"]) | ~Q(external_id=None),
                name="hit_known_to_the_marketplace",
            )
        ]

    def __str__(self) -> str:
        return self.external_id or f"HIT {self.token}"

    @property
    def expires_at(self) -> datetime | None:
        return self.ends_at or (
            self.created_at and self.created_at + timedelta(seconds=self.lifetime_seconds)
        )


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def unrecorded(self) -> "AssignmentQuerySet":
        return self.filter(recorded_at=None)


class Assignment(models.Model):
    """One worker's finished work on one HIT, as the marketplace confirmed it.

    A returned assignment's id may come back with another worker, so neither alone is the key.
    """

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    external_id = models.CharField(max_length=64)
    state = models.CharField(
        max_length=20, choices=AssignmentState, default=AssignmentState.SUBMITTED
    )
    answer = models.JSONField(default=dict)  # form field -> text, as the marketplace holds it
    accepted_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)
    # When it was first refused, by us or at the marketplace: approving it then means overriding.
    refused_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    # Set by the owner of the work once it has taken the assignment in.
    recorded_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["external_id", "worker"], name="assignment_once"),
            models.CheckConstraint(
                condition=Q(state__in=["submitted", "rejecting"]) | ~Q(decided_at=None),
                name="assignment_decided_with_its_time",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="assignment_to_record", condition=Q(recorded_at=None)),
            models.Index(
                fields=["id"], name="assignment_to_reject", condition=Q(state="rejecting")
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class Payment(models.Model):
    """An intent to pay one amount for one assignment, once, whatever happens on the way."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=20, choices=PaymentKind)
    amount_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField()
    token = models.CharField(max_length=64, unique=True)
    reason = models.CharField(max_length=2000)
    state = models.CharField(max_length=20, choices=PaymentState, default=PaymentState.PENDING)
    intended_at = models.DateTimeField()
    attempted_at = models.DateTimeField(null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(kind="reward"), name="reward_once_per_assignment"
            ),
            models.CheckConstraint(
                condition=Q(state="confirmed", confirmed_at__isnull=False)
                | (~Q(state="confirmed") & Q(confirmed_at=None)),
                name="payment_confirmed_with_its_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"], name="payment_to_send", condition=Q(state__in=["pending", "sent"])
            ),
            models.Index(
                fields=["id"], name="payment_not_confirmed", condition=~Q(state="confirmed")
            ),
            models.Index(
                fields=["id"],
                name="payment_in_trouble",
                condition=Q(state__in=["held", "failed"]) | ~Q(error=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.amount_cents} cents for {self.assignment_id}"


class LedgerEntry(models.Model):
    """One movement of money, written once. `amount` is what workers get, `fee` the marketplace."""

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=20, choices=LedgerKind)
    amount_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()
    key = models.CharField(max_length=120, unique=True)
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="ledger_entries")
    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_entries"
    )
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(
                condition=Q(amount_cents__gte=0, fee_cents__gte=0), name="ledger_not_negative"
            ),
            models.CheckConstraint(
                condition=~Q(kind="settle") | ~Q(payment=None), name="ledger_settles_a_payment"
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Message(models.Model):
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="messages")
    # It stands for the project that writes: what another one writes is none of its members' business.
    budget = models.ForeignKey(
        Budget, on_delete=models.PROTECT, null=True, blank=True, related_name="messages"
    )
    subject = models.CharField(max_length=200)
    text = models.CharField(max_length=4096)
    state = models.CharField(max_length=20, choices=MessageState, default=MessageState.PENDING)
    written_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    retry_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="message_to_send", condition=Q(state="pending"))
        ]

    def __str__(self) -> str:
        return self.subject


class MailAddress(models.Model):
    """Where a worker wants to be written to as well; theirs to give and to take back."""

    worker = models.OneToOneField(Worker, on_delete=models.CASCADE, related_name="mail_address")
    address = models.EmailField()
    given_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "mail addresses"

    def __str__(self) -> str:
        return f"address of {self.worker}"


class Mail(models.Model):
    """A message as an e-mail beside the marketplace's own. The address is forgotten when the worker
    takes it back."""

    message = models.OneToOneField(Message, on_delete=models.PROTECT, related_name="mail")
    address = models.EmailField(blank=True)
    state = models.CharField(max_length=20, choices=MailState, default=MailState.PENDING)
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    retry_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "mail"
        indexes = [
            models.Index(
                fields=["id"], name="mail_to_send", condition=Q(state__in=["pending", "sending"])
            )
        ]

    def __str__(self) -> str:
        return f"mail of message {self.message_id}"


class Block(models.Model):
    """A worker may take no more of our HITs; kept when it is lifted, for the record."""

    worker = models.OneToOneField(Worker, on_delete=models.PROTECT, related_name="block")
    reason = models.CharField(max_length=1000)
    state = models.CharField(max_length=20, choices=BlockState, default=BlockState.PENDING)
    changed_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.worker} {self.state}"


class NotificationReceipt(models.Model):
    """A marketplace's notification that has been acted on: its repeats are dropped."""

    doc_id = models.CharField(max_length=120, unique=True)
    received_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.doc_id


class TopicSubscription(models.Model):
    """A topic asks whether it may send us notifications; an operator answers (`confirm_topic`)."""

    topic = models.CharField(max_length=300, unique=True)  # its ARN
    confirm_url = models.CharField(max_length=2000)
    asked_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.topic


class FoundHit(models.Model):
    """A HIT of our account at a marketplace that no row of ours stood for when we looked: made in a
    history that the database has lost, or by somebody else who uses the account. Kept as it was
    found; `hit` is set once it is ours again."""

    provider = models.CharField(max_length=20, choices=Provider)
    external_id = models.CharField(max_length=64)
    annotation = models.CharField(max_length=255, blank=True)
    hit_type_id_there = models.CharField(max_length=64)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.PositiveIntegerField()
    assignment_seconds = models.PositiveIntegerField()
    auto_approval_seconds = models.PositiveIntegerField()
    max_assignments = models.PositiveIntegerField()
    undecided_assignments = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    found_at = models.DateTimeField()
    hit = models.OneToOneField(
        Hit, on_delete=models.PROTECT, null=True, blank=True, related_name="found"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "external_id"], name="found_hit_once")
        ]
        indexes = [models.Index(fields=["annotation"])]

    def __str__(self) -> str:
        return self.external_id


class PublishingHold(models.Model):
    """No HIT is made at a marketplace while one stands; see crowd.domain.hold_publishing."""

    reason = models.CharField(max_length=500)
    since = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                models.Value(1), condition=Q(lifted_at=None), name="one_standing_hold"
            ),
            models.CheckConstraint(
                condition=Q(lifted_at=None, lifted_by="")
                | (Q(lifted_at__isnull=False) & ~Q(lifted_by="")),
                name="hold_lifted_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return self.reason
