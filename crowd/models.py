"""Models of workers, HITs, messages and money. Amounts are whole US cents, times are aware UTC.

Hit, Payment, QualificationGrant and Message each stand for a call to a marketplace. The row is
committed before the call and carries the token that makes a repeat harmless. The calling process
leases the row with `leased_until` (see `jobs.domain.lease`).
"""

import secrets
from datetime import datetime, timedelta

from django.db import models
from django.db.models import F, Q

from crowd.enums import (
    AnnouncementStatus,
    AssignmentState,
    BlockState,
    DealState,
    GrantState,
    HitState,
    LedgerKind,
    MailState,
    MessageState,
    PaymentKind,
    PaymentState,
    Provider,
    RejectionCategory,
    RequestState,
    SessionIssue,
    SessionState,
    SettlementState,
    StudyState,
)

# Without characters that look alike, and without vowels, so that no pseudonym spells a word.
PSEUDONYM_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"


def new_pseudonym() -> str:
    return "W" + "".join(secrets.choice(PSEUDONYM_LETTERS) for _ in range(9))


class Budget(models.Model):
    """A spending limit. `reserved_cents` and `spent_cents` are sums of its ledger entries."""

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
        """Return the cents that can still be reserved, or None without a cap."""
        if self.cap_cents is None:
            return None
        return self.cap_cents - self.reserved_cents - self.spent_cents


class Worker(models.Model):
    """A person at a marketplace, where `external_id` identifies them. Exports use `pseudonym`.

    `language` is that of the workers' pages when the worker last used them, or empty for English (see
    `crowd.domain.workers.languages`).
    """

    provider = models.CharField(max_length=20, choices=Provider)
    external_id = models.CharField(max_length=64)
    pseudonym = models.CharField(max_length=20, unique=True, default=new_pseudonym)
    first_seen_at = models.DateTimeField()
    is_simulated = models.BooleanField(default=False)  # created by a rehearsal
    language = models.CharField(max_length=10, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "external_id"], name="worker_once_per_provider"
            )
        ]

    def __str__(self) -> str:
        return self.pseudonym


class QualificationType(models.Model):
    """A qualification of ours. `external_id` is empty until it is created at the marketplace.

    Workers are offered to request it there only if it `is_requestable`.
    """

    provider = models.CharField(max_length=20, choices=Provider)
    code = models.CharField(max_length=80)
    name = models.CharField(max_length=200)
    description = models.TextField()
    is_requestable = models.BooleanField(default=True, db_default=True)
    external_id = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "code"], name="qualification_code_once")
        ]

    def __str__(self) -> str:
        return self.code


class QualificationGrant(models.Model):
    """A qualification that a worker holds. Its value lets a HIT exclude some of the holders."""

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


class QualificationRequest(models.Model):
    """A worker's request at the marketplace for one of our qualifications.

    `value` is that of the granted qualification. `refusal` is the reason that a refused worker reads.
    """

    qualification_type = models.ForeignKey(
        QualificationType, on_delete=models.PROTECT, related_name="requests"
    )
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="requests")
    external_id = models.CharField(max_length=64, unique=True)
    answer = models.TextField(blank=True)
    requested_at = models.DateTimeField()
    state = models.CharField(max_length=20, choices=RequestState, default=RequestState.OPEN)
    value = models.PositiveIntegerField(null=True, blank=True)
    refusal = models.TextField(blank=True)
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["qualification_type", "id"],
                name="request_to_decide",
                condition=Q(state__in=["open", "granting", "refusing"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.worker} requests {self.qualification_type}"


class HitType(models.Model):
    """The terms that several HITs share. Equal terms are one HIT type, also at the marketplace."""

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


class ProviderAccount(models.Model):
    """Our account at a provider, as it was when it was last checked. Rates are fractions.

    The row is leased while a bonus is being paid, so that there is only one payment at a time.
    """

    provider = models.CharField(max_length=20, choices=Provider, unique=True)
    workspace = models.CharField(max_length=64, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    balance_cents = models.BigIntegerField(null=True, blank=True)
    fee_rate = models.DecimalField(max_digits=6, decimal_places=5, null=True, blank=True)
    vat_rate = models.DecimalField(max_digits=6, decimal_places=5, null=True, blank=True)
    filters = models.PositiveIntegerField(default=0)
    # The pay per hour that the provider requires and recommends, if it reports them.
    minimum_hourly_cents = models.PositiveIntegerField(null=True, blank=True)
    recommended_hourly_cents = models.PositiveIntegerField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.provider


class Study(models.Model):
    """A posting whose places are sessions. HITs with the same terms are dealt to its sessions.

    `places` is the wanted total, and `confirmed_places` the total at the provider. A session has up to
    `hits_per_session` HITs, for which the provider pays `reward_cents`, and `minutes` is its
    estimated time.

    The HITs of a study that `is_gradual` are published one by one, as other work is done. Those that
    don't fill a session get its place at `waits_until`, or at once if they are older than
    `hurried_at`. `waiting` is their number of assignments.
    """

    provider = models.CharField(max_length=20, choices=Provider)
    token = models.CharField(max_length=64, unique=True)
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="studies")
    hit_type = models.ForeignKey(HitType, on_delete=models.PROTECT, related_name="studies")
    # The requirements that the provider checks. Those on single HITs are checked when dealing.
    requirements = models.JSONField(default=list)
    hits_per_session = models.PositiveSmallIntegerField()
    minutes = models.PositiveSmallIntegerField()
    reward_cents = models.PositiveIntegerField()
    reward_fee_cents = models.PositiveIntegerField(null=True, blank=True)
    completion_code = models.CharField(max_length=20)
    # The code of workers who choose not to take part, empty in studies without one.
    decline_code = models.CharField(max_length=20, blank=True)
    is_gradual = models.BooleanField(default=False)
    hurried_at = models.DateTimeField(null=True, blank=True)
    waiting = models.PositiveIntegerField(default=0)
    waits_until = models.DateTimeField(null=True, blank=True)
    # See crowd.providers.base.StudySettings.
    settings = models.JSONField(default=dict, blank=True)
    # What the requesters should know about the study at the provider, and since when.
    notice = models.TextField(blank=True)
    noticed_at = models.DateTimeField(null=True, blank=True)
    places = models.PositiveIntegerField(default=0)
    confirmed_places = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=20, choices=StudyState, default=StudyState.PENDING)
    external_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    attempted_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    # When the provider's list of its sessions was last compared with ours.
    listed_at = models.DateTimeField(null=True, blank=True)
    sync_due_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.external_id or f"study {self.token}"


class HitQuerySet(models.QuerySet["Hit"]):
    def to_create(self) -> "HitQuerySet":
        """Return pending HITs, including paused ones that may already exist at the marketplace."""
        return self.filter(state=HitState.PENDING).filter(Q(paused_at=None) | ~Q(attempted_at=None))

    def to_sync(self, now: datetime) -> "HitQuerySet":
        return self.filter(sync_due_at__lte=now).exclude(external_id=None)

    def to_move_end(self) -> "HitQuerySet":
        return self.exclude(expiration_wanted=None).exclude(external_id=None)

    def to_increase(self) -> "HitQuerySet":
        return self.exclude(increase_to=None).exclude(external_id=None)

    def open(self) -> "HitQuerySet":
        """Return the HITs that are published or about to be."""
        return self.filter(state__in=[HitState.PENDING, HitState.LIVE], paused_at=None)


class Hit(models.Model):
    hit_type = models.ForeignKey(HitType, on_delete=models.PROTECT, related_name="hits")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="hits")
    # A second budget, such as the batch's, whose cap also applies. Both are updated from the same
    # ledger entries.
    sub_budget = models.ForeignKey(
        Budget, on_delete=models.PROTECT, null=True, blank=True, related_name="sub_hits"
    )
    # The study whose sessions do the HIT, if the provider has sessions.
    study = models.ForeignKey(
        Study, on_delete=models.PROTECT, null=True, blank=True, related_name="hits"
    )
    expected_seconds = models.PositiveIntegerField(default=60, db_default=60)
    # Derived from the published content. The marketplace refuses a second HIT with the same token.
    # As RequesterAnnotation, the token identifies a HIT whose creation got no response.
    token = models.CharField(max_length=64, unique=True)
    url = models.CharField(max_length=500)
    max_assignments = models.PositiveSmallIntegerField(default=1)
    lifetime_seconds = models.PositiveIntegerField()
    bonus_allowance_cents = models.PositiveIntegerField(default=0)
    # The number of times that the HIT was extended after it expired, or that assignments were
    # added. Each round has its own ledger keys.
    reservation_round = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=20, choices=HitState, default=HitState.PENDING)
    paused_at = models.DateTimeField(null=True, blank=True)
    # The end that the marketplace has confirmed. None means creation plus lifetime.
    ends_at = models.DateTimeField(null=True, blank=True)
    # A new end that is not sent to the marketplace yet.
    expiration_wanted = models.DateTimeField(null=True, blank=True)
    # A new number of assignments that is not sent to the marketplace yet.
    increase_to = models.PositiveSmallIntegerField(null=True, blank=True)
    external_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    prepared_at = models.DateTimeField()
    attempted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(null=True, blank=True)
    sync_due_at = models.DateTimeField(null=True, blank=True)
    # Submissions reported by the task page, and the time of the last report.
    reported_submissions = models.PositiveIntegerField(default=0)
    reported_at = models.DateTimeField(null=True, blank=True)
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


class StudySession(models.Model):
    """A worker's place in a study. `external_id` is the provider's id of it.

    `provider_state` is that of the provider. `deadline` is the end of the time that it allows.
    `arrived_at` is empty if the provider lists the session and the worker has never opened this site.
    `finished_at` is when this site sent the worker back with the completion code. `issue` is what a
    requester should look at. It changes nothing by itself.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="sessions")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="sessions")
    external_id = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=20, choices=SessionState, default=SessionState.ACTIVE)
    provider_state = models.CharField(max_length=20, blank=True)
    arrived_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    # When the worker chose not to take part, unless they have changed their mind.
    declined_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    return_requested_at = models.DateTimeField(null=True, blank=True)
    issue = models.CharField(max_length=20, choices=SessionIssue, blank=True)
    issue_at = models.DateTimeField(null=True, blank=True)
    # A person's reason to reject a session without any task.
    rejection_reason = models.TextField(blank=True)
    sync_due_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["sync_due_at"], name="session_to_sync", condition=~Q(sync_due_at=None)
            )
        ]

    def __str__(self) -> str:
        return self.external_id


class Deal(models.Model):
    """A HIT that was dealt to a session. Its place is taken until the deal is released.

    `token` is the id of the assignment that the work becomes.
    """

    session = models.ForeignKey(StudySession, on_delete=models.PROTECT, related_name="deals")
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="deals")
    token = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=20, choices=DealState, default=DealState.OPEN)
    dealt_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "hit"], name="hit_dealt_once_per_session"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(state="open"), name="one_open_deal_per_session"
            ),
        ]
        indexes = [
            models.Index(fields=["hit"], name="deal_open", condition=Q(state="open")),
        ]

    def __str__(self) -> str:
        return self.token


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def unrecorded(self) -> "AssignmentQuerySet":
        return self.filter(recorded_at=None)


class Assignment(models.Model):
    """A worker's submitted assignment to a HIT, as the marketplace confirmed it.

    The key includes the worker, because the id of a returned assignment may be used again.
    """

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    external_id = models.CharField(max_length=64)
    state = models.CharField(
        max_length=20, choices=AssignmentState, default=AssignmentState.SUBMITTED
    )
    answer = models.JSONField(default=dict)  # form field -> text, as stored by the marketplace
    accepted_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)
    # Why it was rejected, at providers that ask for a category.
    decision_category = models.CharField(max_length=20, choices=RejectionCategory, blank=True)
    # The time of a rejection, by us or at the marketplace. A later approval must override it.
    refused_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    # Set by the app that owns the task, once it has processed the assignment.
    recorded_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    session = models.ForeignKey(
        StudySession,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="assignments",
    )

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


class Settlement(models.Model):
    """The payment of a session: its reward by approval, and the rest as a bonus. Each once.

    The reward is part of the first settlement of a submitted session. Work that is accepted
    later has settlements of its own. `order` is the provider's id of the bonus that was set up.
    `bonuses_before` is the number of bonuses that the provider listed before it was paid.
    """

    session = models.ForeignKey(StudySession, on_delete=models.PROTECT, related_name="settlements")
    reward_cents = models.PositiveIntegerField(default=0)
    reward_fee_cents = models.PositiveIntegerField(default=0)
    bonus_cents = models.PositiveIntegerField(default=0)
    bonus_fee_cents = models.PositiveIntegerField(default=0)
    state = models.CharField(
        max_length=20, choices=SettlementState, default=SettlementState.PLANNED
    )
    order = models.CharField(max_length=64, blank=True)
    bonuses_before = models.PositiveIntegerField(null=True, blank=True)
    planned_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session"],
                condition=~Q(state="confirmed"),
                name="one_settlement_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["session"], condition=Q(reward_cents__gt=0), name="session_reward_once"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="settlement_open", condition=~Q(state="confirmed"))
        ]

    def __str__(self) -> str:
        return f"settlement {self.pk} of {self.session_id}"


class Payment(models.Model):
    """An amount to be paid exactly once for an assignment.

    A payment that `needs_review` is not sent before a person has accepted it.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=20, choices=PaymentKind)
    amount_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField()
    token = models.CharField(max_length=64, unique=True)
    reason = models.CharField(max_length=2000)
    state = models.CharField(max_length=20, choices=PaymentState, default=PaymentState.PENDING)
    needs_review = models.BooleanField(default=False, db_default=False)
    # What the minimum of the session has paid of it. It is not part of the amount.
    covered_cents = models.PositiveIntegerField(default=0, db_default=0)
    intended_at = models.DateTimeField()
    attempted_at = models.DateTimeField(null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    settlement = models.ForeignKey(
        Settlement, on_delete=models.PROTECT, null=True, blank=True, related_name="payments"
    )

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
            models.CheckConstraint(
                condition=Q(needs_review=False) | Q(state__in=["held", "review", "declined"]),
                name="payment_not_sent_before_its_review",
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


class BonusAnnouncement(models.Model):
    """What the marketplace shows the worker about a bonus that waits for review or was declined.

    It is sent again whenever it changes. `sent_at` is empty until the marketplace has the newest.
    """

    payment = models.OneToOneField(Payment, on_delete=models.PROTECT, related_name="announcement")
    status = models.CharField(max_length=20, choices=AnnouncementStatus)
    amount_cents = models.PositiveIntegerField()
    text = models.CharField(max_length=4000, blank=True)
    appeal_url = models.CharField(max_length=500, blank=True)
    changed_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["id"], name="announcement_to_send", condition=Q(sent_at=None, error="")
            )
        ]

    def __str__(self) -> str:
        return f"{self.status}: payment {self.payment_id}"


class LedgerEntry(models.Model):
    """An append-only movement of money: `amount_cents` to a worker, `fee_cents` to the marketplace.

    The cost of a model has no HIT, and is not part of the budget's sums.
    """

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=20, choices=LedgerKind)
    amount_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()
    key = models.CharField(max_length=120, unique=True)
    hit = models.ForeignKey(
        Hit, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_entries"
    )
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
            models.CheckConstraint(
                condition=Q(kind="model", hit=None, payment=None)
                | (~Q(kind="model") & Q(hit__isnull=False)),
                name="ledger_of_a_hit_or_a_model",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def role(self) -> str:
        """The role of the work that the entry is about, or ""."""
        return self.hit.task.role if self.hit and hasattr(self.hit, "task") else ""


class Message(models.Model):
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="messages")
    # The budget of the project that writes. Members see only their own project's messages.
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


class Inbox(models.Model):
    """Our inbox at a provider. `last_message` is the provider's id of the newest message fetched."""

    provider = models.CharField(max_length=20, choices=Provider, unique=True)
    last_message = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "inboxes"

    def __str__(self) -> str:
        return f"inbox at {self.provider}"


class ReceivedMessage(models.Model):
    """A worker's message to a project.

    `external_id` is the marketplace's, or null if the worker wrote on a page of this site. `read_at` is
    when the first member opened it.
    """

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="received_messages")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="received_messages")
    external_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["budget"], name="message_unread", condition=Q(read_at=None))
        ]

    def __str__(self) -> str:
        return self.subject


class MailAddress(models.Model):
    """An email address that a worker has given, and may withdraw."""

    worker = models.OneToOneField(Worker, on_delete=models.CASCADE, related_name="mail_address")
    address = models.EmailField()
    given_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "mail addresses"

    def __str__(self) -> str:
        return f"address of {self.worker}"


class Mail(models.Model):
    """An email copy of a message. `address` is cleared when the worker withdraws it."""

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
    """A block that bars a worker from our HITs. The row stays when the block is lifted."""

    worker = models.OneToOneField(Worker, on_delete=models.PROTECT, related_name="block")
    reason = models.CharField(max_length=1000)
    state = models.CharField(max_length=20, choices=BlockState, default=BlockState.PENDING)
    changed_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.worker} {self.state}"


class NotificationReceipt(models.Model):
    """A processed notification of a marketplace, so that repeats are ignored."""

    doc_id = models.CharField(max_length=120, unique=True)
    received_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.doc_id


class OrphanHit(models.Model):
    """A HIT of our marketplace account that had no Hit row when the account was listed.

    It was created in a history that the database has lost, or by another user of the account.
    `hit` is set once it is matched to a Hit.
    """

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


class SiteKey(models.Model):
    """The site's key for ids and pseudonyms (see `crowd.domain.provider.site_key`). There is one row."""

    value = models.CharField(max_length=64)

    def __str__(self) -> str:
        return "the site's key"


class PublishingHold(models.Model):
    """A hold on creating HITs at a marketplace (see `crowd.domain.provider.hold_publishing`)."""

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
