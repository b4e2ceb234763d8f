"""Projects, their sentences and items, and the work done on them."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.enums import (
    BatchState,
    ExclusionScope,
    MemberRole,
    Partition,
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
    exclusion_scope = models.CharField(
        max_length=20, choices=ExclusionScope, default=ExclusionScope.ITEM
    )
    # What every HIT asks of its workers, such as an approval rate; see crowd.models.HitType.
    worker_requirements = models.JSONField(default=list, blank=True)
    seed = models.BigIntegerField(default=1)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(generators_per_item__range=(1, 9)),
                name="project_one_to_nine_generators",
            )
        ]

    def __str__(self) -> str:
        return self.slug


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
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(role="consolidator", state="open"),
                name="one_open_consolidation_batch",
            )
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.role} {self.pk}"


class Task(models.Model):
    """What one HIT offers: an ordered list of items, usually one. `public_id` is in the HIT's URL."""

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="tasks")
    hit = models.OneToOneField("crowd.Hit", on_delete=models.PROTECT, related_name="task")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4)
    role = models.CharField(max_length=20, choices=Role)
    items = models.ManyToManyField(Item, through="TaskItem", related_name="tasks")

    def __str__(self) -> str:
        return str(self.public_id)


class TaskItem(models.Model):
    """An item's place in a task. `place` counts the times that a role is offered an item on purpose
    (0; 1 for a second consolidation ...): each place is published once, ever."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="task_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="task_items")
    ordinal = models.PositiveSmallIntegerField(default=0)
    role = models.CharField(max_length=20, choices=Role)
    place = models.PositiveSmallIntegerField(default=0)

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


class Draft(models.Model):
    """What a page in an iframe has sent us, under the names that it claims.

    Nothing here counts until the marketplace confirms the assignment (then Submissions are made of
    it). `content` maps an item's id, as text, to its content.
    """

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="drafts")
    assignment_ref = models.CharField(max_length=64)
    worker_ref = models.CharField(max_length=64)
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
                fields=["assignment", "item"], name="submission_once_per_assignment"
            ),
            models.CheckConstraint(
                condition=Q(worker__isnull=False, assignment__isnull=False, author=None)
                | Q(worker=None, assignment=None, author__isnull=False),
                name="submission_by_worker_or_expert",
            ),
        ]
        indexes = [models.Index(fields=["item", "role", "state"])]

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
