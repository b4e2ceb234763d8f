"""Projects, their members, guidelines, invitations, notifications, API tokens and webhooks."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from crowd.domain.provider.providers import capabilities_of
from crowd.enums import DEFAULT_PROVIDER, MailState, Provider
from projects.enums import (
    AfterDisputes,
    BonusTiming,
    DeliveryState,
    DigestPeriod,
    ExclusionScope,
    InputSignals,
    MemberRole,
    NotificationKind,
    Protocol,
    Role,
    ShownContext,
    SuggestionChoice,
    WebhookEvent,
)
from projects.languages import DEFAULT_LANGUAGE, MAX_TAG_LENGTH
from projects.protocols import TERMS
from schemes.contract.values import Noun


class Project(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    scheme = models.CharField(max_length=30)
    # Of the resource that declares the scheme, or "". See projects.domain.schemes.
    definition_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    provider = models.CharField(max_length=20, choices=Provider, default=DEFAULT_PROVIDER)
    budget = models.OneToOneField("crowd.Budget", on_delete=models.PROTECT, related_name="project")
    pay_scheme = models.JSONField()  # see crowd.domain.money.pay_scheme
    generators_per_item = models.PositiveSmallIntegerField(default=2)
    protocol = models.CharField(
        max_length=20, choices=Protocol, default=Protocol.CONSOLIDATION, db_default="consolidation"
    )
    # The number of validators per item, and the number who must find a unit valid.
    validators_per_item = models.PositiveSmallIntegerField(default=2, db_default=2)
    validators_to_agree = models.PositiveSmallIntegerField(default=2, db_default=2)
    # Under verification, how often a disputed annotation returns to its generator, and what follows.
    revision_limit = models.PositiveSmallIntegerField(default=1, db_default=1)
    after_disputes = models.CharField(
        max_length=20, choices=AfterDisputes, default=AfterDisputes.EXPERTS, db_default="experts"
    )
    exclusion_scope = models.CharField(
        max_length=20, choices=ExclusionScope, default=ExclusionScope.ITEM
    )
    # Whether the work of generators and its bonus wait until the item has gold.
    bonus_timing = models.CharField(
        max_length=20,
        choices=BonusTiming,
        default=BonusTiming.BY_TRUST,
        db_default="by-trust",
    )
    # What is recorded of how workers enter their answers. See annotation.domain.decisions.signals.
    input_signals = models.CharField(
        max_length=20, choices=InputSignals, default=InputSignals.SHOWN, db_default="shown"
    )
    # Worker requirements of every HIT, such as an approval rate. See crowd.models.HitType.
    worker_requirements = models.JSONField(default=list, blank=True)
    # How studies are offered, at a provider with studies. See crowd.providers.base.StudySettings.
    study_settings = models.JSONField(default=dict, blank=True)
    # Whether workers may submit units outside the scheme's template.
    allow_free_form = models.BooleanField(default=False, db_default=False)
    # What workers' pages suggest, in schemes with suggestions.
    suggestions = models.CharField(
        max_length=20,
        choices=SuggestionChoice,
        default=SuggestionChoice.BY_PARTITION,
        db_default="by-partition",
    )
    # The sentences of the same document that pages show around a sentence.
    shown_context = models.CharField(
        max_length=20, choices=ShownContext, default=ShownContext.NONE, db_default="none"
    )
    # A BCP 47 tag of projects.languages
    language = models.CharField(
        max_length=MAX_TAG_LENGTH, default=DEFAULT_LANGUAGE, db_default=DEFAULT_LANGUAGE
    )
    # Whether experts and consolidators mark what the text only implies, in schemes with this setting.
    asks_implied = models.BooleanField(default=False, db_default=False)
    # Whether annotators may mark answers in the shown context, in schemes with this setting.
    allows_context_answers = models.BooleanField(default=False, db_default=False)
    # Whether identical annotations of an item become gold without a consolidation.
    accepts_identical = models.BooleanField(default=False, db_default=False)
    # The expected coverage and precision, in percent, with which an item needs no more people, and the
    # most that the people after its first annotator may cost. None means the protocol's number of people.
    # See annotation.domain.publishing.redundancy.
    adaptive_percent = models.PositiveSmallIntegerField(null=True, blank=True)
    adaptive_cents = models.PositiveIntegerField(null=True, blank=True)
    # Steps of the set-up that need nothing more. See projects.domain.settle_step.
    settled_steps = models.JSONField(default=list, blank=True)
    # The share of finished items whose gold experts review.
    monitoring_per_thousand = models.PositiveSmallIntegerField(default=10, db_default=10)
    # Pages warn if an hour of active time pays less than this. None means no warning.
    minimum_hourly_cents = models.PositiveIntegerField(null=True, blank=True)
    # Whom workers can ask, on the pages of their sessions.
    contact = models.CharField(max_length=200, blank=True, default="", db_default="")
    seed = models.BigIntegerField(default=1)
    # Whether simulated workers have worked in the project. Its pages, cards and downloads say so.
    has_simulated_work = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField()
    # Archived projects are read-only.
    archived_at = models.DateTimeField(null=True, blank=True)
    # A background job deletes the project's rows, and until then nothing shows it.
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(generators_per_item__range=(1, 9)),
                name="project_one_to_nine_generators",
            ),
            models.CheckConstraint(
                condition=Q(
                    validators_per_item__range=(1, 9),
                    validators_to_agree__gte=1,
                    validators_to_agree__lte=F("validators_per_item"),
                ),
                name="project_validators_can_agree",
            ),
            models.CheckConstraint(
                condition=~Q(protocol__in=["validation", "verification"])
                | Q(generators_per_item=1),
                name="project_validation_of_one_generator",
            ),
            models.CheckConstraint(
                condition=Q(revision_limit__range=(0, 3)), name="project_at_most_three_revisions"
            ),
            models.CheckConstraint(
                condition=Q(monitoring_per_thousand__range=(0, 1000)),
                name="project_monitoring_at_most_everything",
            ),
            models.CheckConstraint(
                condition=Q(adaptive_percent=None, adaptive_cents=None)
                | Q(adaptive_percent__range=(50, 99), adaptive_cents__isnull=False),
                name="project_adaptive_with_a_budget",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def has_sessions(self) -> bool:
        """True if workers take places in studies, instead of accepting HITs."""
        return capabilities_of(self.provider).has_sessions

    @property
    def hit_noun(self) -> str:
        """What requesters call a HIT at the project's provider. The plural ends in -s."""
        return capabilities_of(self.provider).hit_noun

    @property
    def hits_noun(self) -> Noun:
        """The word for HITs, which counts them."""
        return Noun(self.hit_noun, f"{self.hit_noun}s")

    @property
    def crowd_name(self) -> str:
        """The name of the project's provider in a sentence."""
        return capabilities_of(self.provider).crowd_name

    @cached_property
    def labels_by_worker(self) -> "dict[int, WorkerLabel]":
        """Return the nicknames and tags of the project's workers, by worker id."""
        return {label.worker_id: label for label in self.worker_labels.all()}

    def redundancy(self, role: str) -> int:
        """Return the number of people of the role per item, 0 if the protocol has no such role."""
        if role == Role.GENERATOR:
            return self.generators_per_item
        terms = TERMS[self.protocol]
        if role not in terms.case_roles:
            return 0
        if role == Role.REVISER:
            return 1
        return self.validators_per_item if terms.is_voted else 1


class Membership(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=20, choices=MemberRole)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user", "role"], name="membership_once")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.project}"


class WorkerLabel(models.Model):
    """A worker's nickname and tags in a project. Workers don't see them, and no export has them."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="worker_labels")
    worker = models.ForeignKey("crowd.Worker", on_delete=models.CASCADE, related_name="labels")
    nickname = models.CharField(max_length=60, blank=True)
    tags = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "worker"], name="worker_label_once")
        ]

    def __str__(self) -> str:
        return f"label of {self.worker}"


class SavedFilter(models.Model):
    """A filter and sort of a list that a user saved under a name.

    `page` is the view name of the list, and `query` the query string of its URL.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="saved_filters")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters"
    )
    page = models.CharField(max_length=80)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user", "page", "name"], name="saved_filter_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Guidelines(models.Model):
    """A version of the guidelines of a role. It never changes."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    role = models.CharField(max_length=20, choices=Role)
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=MAX_TAG_LENGTH, default=DEFAULT_LANGUAGE)
    text = models.TextField()  # Markdown
    # By language. Workers who read one of them see it instead of `text`.
    translations = models.JSONField(default=dict)
    written_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "guidelines"
        constraints = [
            models.UniqueConstraint(
                fields=["project", "role", "version"], name="guidelines_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.role} v{self.version}"

    def text_in(self, language: str) -> str:
        """Return the text in the language, or "" if there is none."""
        if language == self.language:
            return self.text
        return str(self.translations.get(language, ""))


class Resource(models.Model):
    """A version of a project's resource, such as a lexicon. It never changes.

    The newest version of a name is the current one. `value` was parsed by the scheme.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="resources")
    name = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    value = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "version"], name="resource_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.name} v{self.version}"


class ApiToken(models.Model):
    """A token with which a program acts as its owner, within its scopes and projects."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    beginning = models.CharField(max_length=12)  # identifies the token to its owner
    scopes = models.JSONField()
    # A separate field, because a token whose project is deleted must not cover all projects.
    all_projects = models.BooleanField(default=True)
    projects = models.ManyToManyField(Project, blank=True, related_name="api_tokens")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.beginning}...)"

    def is_live(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, now: datetime) -> "InvitationQuerySet":
        return self.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=now)


class Invitation(models.Model):
    """An invitation of a person without an account. Its signed link works once."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=20, choices=MemberRole)
    invited_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(withdrawn_at=None),
                name="invitation_accepted_or_withdrawn",
            )
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.project}"


class Notification(models.Model):
    """An event that a member is notified of. Its text is `projects.notification_texts.text_of`.

    `key` identifies the event. `path` is the address of the page where the user can act.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications"
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=20, choices=NotificationKind)
    key = models.CharField(max_length=160)
    details = models.JSONField(default=dict, blank=True)
    path = models.CharField(max_length=300)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="notification_once_per_user")
        ]
        indexes = [
            models.Index(fields=["key"], name="notification_by_key"),
            models.Index(
                fields=["user"], name="notification_unread", condition=Q(read_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user}"


class NotificationSettings(models.Model):
    """A user's choices. Users without a row have the defaults."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_settings"
    )
    digest = models.CharField(
        max_length=10, choices=DigestPeriod, default=DigestPeriod.DAILY, db_default="daily"
    )
    muted_kinds = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "notification settings"

    def __str__(self) -> str:
        return f"notification settings of {self.user}"


class Digest(models.Model):
    """An email with a user's unread notifications of a period, sent at most once.

    It covers the notifications from `begins_at` until `ends_at`. It is committed as SENDING before
    it is sent. If the process dies in between, the outcome is unknown and it is not sent again.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="digests"
    )
    period = models.CharField(max_length=10, choices=DigestPeriod)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    state = models.CharField(max_length=20, choices=MailState, default=MailState.PENDING)
    sent_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "period", "begins_at"], name="digest_once_per_period"
            )
        ]
        indexes = [
            models.Index(
                fields=["id"], name="digest_to_send", condition=Q(state__in=["pending", "sending"])
            )
        ]

    def __str__(self) -> str:
        return f"{self.period} digest for {self.user}"


class Webhook(models.Model):
    """An address of another program that receives the project's events.

    `events` has values of WebhookEvent. `failing_since` is the first failure after the last success.
    While `retry_at` lies ahead, a pass is at work or the receiver is left alone.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField()
    sealed_secret = models.TextField()
    is_active = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField()
    failing_since = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.project}"


class WebhookDelivery(models.Model):
    """An event for a webhook, stored in the transaction of what happened, and how its delivery went.

    All webhooks and repeats of an event have the same `event_id`. `answer` is the beginning of the
    receiver's last answer, or the error.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event_id = models.CharField(max_length=40)
    event = models.CharField(max_length=30, choices=WebhookEvent)
    data = models.JSONField()
    created_at = models.DateTimeField()
    state = models.CharField(
        max_length=20, choices=DeliveryState, default=DeliveryState.PENDING, db_default="pending"
    )
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    attempted_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.CharField(max_length=300, blank=True, default="", db_default="")

    class Meta:
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "event_id"], name="webhook_delivery_once_per_event"
            )
        ]
        indexes = [
            models.Index(
                fields=["due_at"], name="webhook_delivery_due", condition=Q(state="pending")
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} for {self.webhook_id}"
