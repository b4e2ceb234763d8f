"""Projects, their sentences and items, and the work done on them."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.enums import (
    BatchState,
    ExclusionScope,
    ImportState,
    MemberRole,
    Partition,
    Protocol,
    Role,
    SubmissionState,
)
from crowd.enums import Provider


class Project(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    scheme = models.CharField(max_length=30)
    provider = models.CharField(max_length=20, choices=Provider, default=Provider.MTURK)
    budget = models.OneToOneField("crowd.Budget", on_delete=models.PROTECT, related_name="project")
    pay_scheme = models.JSONField()  # see crowd.domain.pay_scheme
    generators_per_item = models.PositiveSmallIntegerField(default=2)
    protocol = models.CharField(
        max_length=20, choices=Protocol, default=Protocol.CONSOLIDATION, db_default="consolidation"
    )
    # Under validation: how many judge each question, and how many of them must find it valid.
    validators_per_item = models.PositiveSmallIntegerField(default=2, db_default=2)
    validators_to_agree = models.PositiveSmallIntegerField(default=2, db_default=2)
    exclusion_scope = models.CharField(
        max_length=20, choices=ExclusionScope, default=ExclusionScope.ITEM
    )
    # What every HIT asks of its workers, such as an approval rate; see crowd.models.HitType.
    worker_requirements = models.JSONField(default=list, blank=True)
    # Pages warn where an hour of active time has earned less than this; None: never.
    minimum_hourly_cents = models.PositiveIntegerField(null=True, blank=True)
    seed = models.BigIntegerField(default=1)
    created_at = models.DateTimeField()

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
                condition=~Q(protocol="validation") | Q(generators_per_item=1),
                name="project_validation_of_one_generator",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    def places(self, role: str) -> int:
        """How many people of the role work on each item; 0 where the protocol has no such role."""
        if role == Role.GENERATOR:
            return self.generators_per_item
        if role == Role.VALIDATOR and self.protocol == Protocol.VALIDATION:
            return self.validators_per_item
        return int(role == Role.CONSOLIDATOR and self.protocol == Protocol.CONSOLIDATION)


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


class Guidelines(models.Model):
    """One version of what workers of a role read; never changed once written."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    role = models.CharField(max_length=20, choices=Role)
    version = models.PositiveIntegerField()
    text = models.TextField()  # Markdown
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


class WorkerNote(models.Model):
    """What a colleague wrote down about a worker in a project; workers do not see it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="worker_notes")
    worker = models.ForeignKey("crowd.Worker", on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.CharField(max_length=2000)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["-written_at", "-pk"]

    def __str__(self) -> str:
        return f"note on {self.worker}"


class Sentence(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sentences")
    external_id = models.CharField(max_length=200)
    tokens = models.JSONField()
    domain = models.CharField(max_length=60, blank=True)
    partition = models.CharField(max_length=10, choices=Partition, blank=True)
    image = models.CharField(max_length=500, blank=True)
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "external_id"], name="sentence_once_per_project"
            )
        ]
        indexes = [models.Index(fields=["project", "domain", "partition", "external_id"])]

    def __str__(self) -> str:
        return self.external_id


class Item(models.Model):
    """The unit of annotation. `target` is the scheme's own; `position` orders a seeded shuffle.
    Items kept back for qualification are not `in_production`: they become neither cases nor gold."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="items")
    sentence = models.ForeignKey(Sentence, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=240)
    target = models.JSONField()
    position = models.BigIntegerField()
    in_production = models.BooleanField(default=True, db_default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="item_once_per_project")
        ]
        indexes = [models.Index(fields=["project", "position"])]

    def __str__(self) -> str:
        return self.key


class Batch(models.Model):
    """HITs published together, for one role, under one set of terms."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="batches")
    role = models.CharField(max_length=20, choices=Role)
    state = models.CharField(max_length=20, choices=BatchState, default=BatchState.OPEN)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.PositiveIntegerField()
    bonus_allowance_cents = models.PositiveIntegerField(default=0)
    assignment_seconds = models.PositiveIntegerField(default=3600)
    lifetime_seconds = models.PositiveIntegerField(default=14 * 86400)
    auto_approval_seconds = models.PositiveIntegerField(default=3 * 86400)
    qualifications = models.JSONField(default=list, blank=True)  # see crowd.models.HitType
    # The batch's own cap, under the project's; None without one.
    budget = models.OneToOneField(
        "crowd.Budget", on_delete=models.PROTECT, null=True, blank=True, related_name="batch"
    )
    # Offer more items whenever fewer HITs than this are open, and at most so many items in all.
    keep_open = models.PositiveIntegerField(null=True, blank=True)
    item_limit = models.PositiveIntegerField(null=True, blank=True)
    problem = models.TextField(blank=True)  # why the last top-up offered less than it should
    # How often an item that came back without enough work is offered again by itself; 0: never.
    reoffer_limit = models.PositiveSmallIntegerField(default=3, db_default=0)
    # Why the last re-offer left items out.
    reoffer_problem = models.TextField(blank=True, default="", db_default="")
    # A qualification round's: production adds nothing to it. Such a batch may have terms of its own
    # (see crowd.domain.pay_scheme.Terms), and show one version of the guidelines, not the newest.
    for_training = models.BooleanField(default=False, db_default=False)
    terms = models.JSONField(null=True, blank=True)
    guidelines = models.ForeignKey(
        Guidelines, on_delete=models.PROTECT, null=True, blank=True, related_name="batches"
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(role="consolidator", state="open", for_training=False),
                name="one_open_consolidation_batch",
            ),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(role="validator", state="open"),
                name="one_open_validation_batch",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.role} {self.pk}"


class Task(models.Model):
    """What one HIT offers: an ordered list of items, usually one. `public_id` is in the HIT's URL. In a
    batch that is dealt in hands, `hand` numbers the one that it belongs to, from 1."""

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="tasks")
    hit = models.OneToOneField("crowd.Hit", on_delete=models.PROTECT, related_name="task")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4)
    role = models.CharField(max_length=20, choices=Role)
    ended_at = models.DateTimeField(
        null=True, blank=True
    )  # by a person: not offered again by itself
    hand = models.PositiveSmallIntegerField(null=True, blank=True)
    items = models.ManyToManyField(Item, through="TaskItem", related_name="tasks")

    def __str__(self) -> str:
        return str(self.public_id)


class TaskItem(models.Model):
    """An item's place in a task. `place` counts the HITs that offer an item to a role (0; 1 for a second
    consolidation, or where the first HIT could not be offered again ...): each place is published
    once, ever. `reoffers` counts how often the work was offered again, here and at earlier places."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="task_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="task_items")
    ordinal = models.PositiveSmallIntegerField(default=0)
    role = models.CharField(max_length=20, choices=Role)
    place = models.PositiveSmallIntegerField(default=0)
    reoffers = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "role", "place"], name="item_published_once_per_place"
            ),
            models.UniqueConstraint(fields=["task", "ordinal"], name="task_item_order"),
        ]

    def __str__(self) -> str:
        return f"{self.item} in {self.task}"


class HandTaken(models.Model):
    """The one hand of a batch that a worker has begun, under the name that their page claims."""

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="hands_taken")
    worker_ref = models.CharField(max_length=64)
    hand = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name_plural = "hands taken"
        constraints = [
            models.UniqueConstraint(fields=["batch", "worker_ref"], name="one_hand_per_worker")
        ]

    def __str__(self) -> str:
        return f"hand {self.hand} of {self.batch_id}"


class PageDraft(models.Model):
    """What a page has sent us so far. `content` maps an item's id, as text, to its content."""

    content = models.JSONField(default=dict)
    comment = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField()
    saved_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    moves = models.PositiveIntegerField(default=0)
    guidelines = models.ForeignKey(Guidelines, on_delete=models.PROTECT, null=True, blank=True)

    class Meta:
        abstract = True


class Draft(PageDraft):
    """What a page in an iframe has sent us, under the names that it claims.

    Nothing here counts until the marketplace confirms the assignment (then Submissions are made of
    it).
    """

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="drafts")
    assignment_ref = models.CharField(max_length=64)
    worker_ref = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment_ref", "worker_ref", "task"], name="draft_once_per_assignment"
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.assignment_ref}"


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def live(self) -> "SubmissionQuerySet":
        return self.filter(state__in=[SubmissionState.SUBMITTED, SubmissionState.ACCEPTED])

    def accepted(self) -> "SubmissionQuerySet":
        return self.filter(state=SubmissionState.ACCEPTED)


class Submission(models.Model):
    """Someone's finished annotation of one item: a worker's, confirmed by the marketplace, or an
    expert's (`author`), written on the site."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="submissions")
    role = models.CharField(max_length=20, choices=Role)
    worker = models.ForeignKey(
        "crowd.Worker", on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    assignment = models.ForeignKey(
        "crowd.Assignment",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="submissions",
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="submissions",
    )
    content = models.JSONField()
    schema_version = models.PositiveSmallIntegerField()
    state = models.CharField(
        max_length=20, choices=SubmissionState, default=SubmissionState.SUBMITTED
    )
    # Why it waits for a person, if it does: content refused by the scheme, copies that differ.
    problem = models.TextField(blank=True)
    other_copy = models.JSONField(null=True, blank=True)
    # By a person; the other copy is kept.
    copy_chosen = models.BooleanField(default=False, db_default=False)
    opened_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    active_seconds = models.PositiveIntegerField(default=0)
    moves = models.PositiveIntegerField(default=0)
    comment = models.TextField(blank=True)
    guidelines = models.ForeignKey(Guidelines, on_delete=models.PROTECT, null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "worker", "role"],
                condition=Q(state__in=["submitted", "accepted"]),
                name="one_live_submission",
            ),
            models.UniqueConstraint(
                fields=["item", "author", "role"],
                condition=Q(state__in=["submitted", "accepted"], author__isnull=False),
                name="one_live_submission_per_author",
            ),
            models.UniqueConstraint(
                fields=["assignment", "item"], name="submission_once_per_assignment"
            ),
            models.CheckConstraint(
                condition=Q(worker__isnull=False, assignment__isnull=False, author=None)
                | Q(worker=None, assignment=None, author__isnull=False),
                name="submission_by_worker_or_expert",
            ),
        ]
        indexes = [
            models.Index(fields=["item", "role", "state"]),
            # What may wait for a person, to be found among a million that do not.
            models.Index(
                fields=["id"],
                name="submission_may_wait",
                condition=(Q(state="submitted") & ~Q(problem=""))
                | Q(state__in=["withdrawn", "rejected"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.item_id}"

    @property
    def is_readable(self) -> bool:
        """Whether the scheme could read the content; what it refused is kept under `refused`."""
        return bool(self.content) and "refused" not in self.content


class Compensation(models.Model):
    """Money for work that no HIT can pay: a HIT for one worker alone, with nothing to do but to hand
    it in."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="compensations")
    worker = models.ForeignKey(
        "crowd.Worker", on_delete=models.PROTECT, related_name="compensations"
    )
    hit = models.OneToOneField("crowd.Hit", on_delete=models.PROTECT, related_name="compensation")
    public_id = models.UUIDField(unique=True)
    reason = models.CharField(max_length=1000)
    key = models.CharField(max_length=120)
    offered_by = models.CharField(max_length=150)
    offered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "worker", "key"], name="compensation_once_per_key"
            )
        ]

    def __str__(self) -> str:
        return f"compensation of {self.worker}"


class CorpusImport(models.Model):
    """Files that were uploaded to be read into a project by a worker process.

    `files` and `items_file` are {"name", "path", "bytes"}, the path below UPLOAD_DIR; `errors` the
    first rows that were left out, {"file", "line", "field", "message"}.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    state = models.CharField(max_length=20, choices=ImportState, default=ImportState.QUEUED)
    fmt = models.CharField(max_length=30)
    domain = models.CharField(max_length=60, blank=True)
    partition = models.CharField(max_length=10, choices=Partition, blank=True)
    strict = models.BooleanField(default=False)
    files = models.JSONField()
    items_file = models.JSONField(null=True, blank=True)
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sentences_read = models.PositiveIntegerField(default=0)
    items_read = models.PositiveIntegerField(default=0)
    sentences_added = models.PositiveIntegerField(default=0)
    sentences_known = models.PositiveIntegerField(default=0)
    items_added = models.PositiveIntegerField(default=0)
    items_known = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    errors = models.JSONField(default=list)
    problem = models.TextField(blank=True)  # why it failed

    class Meta:
        indexes = [
            models.Index(
                fields=["id"], name="import_to_run", condition=Q(state__in=["queued", "running"])
            )
        ]

    def __str__(self) -> str:
        return f"import {self.pk} into {self.project}"


class ApiToken(models.Model):
    """Lets a program act as its owner, within its scopes and projects. Of the token itself only a
    digest is kept: it is shown once, when it is made."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    beginning = models.CharField(max_length=12)  # enough to recognise it, too little to use it
    scopes = models.JSONField()
    # Not told by the absence of projects: a token whose project is deleted must not get all of them.
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
