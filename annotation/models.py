"""Sentences, items, batches, tasks, drafts and submissions."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Max, Q

from annotation.enums import (
    LIVE,
    USABLE,
    AppealState,
    BatchState,
    HeldBonusState,
    ModelUse,
    Partition,
    RedundancyDecision,
    SubmissionState,
)
from projects.enums import Role, SuggestionChoice
from projects.models import Guidelines, Project
from schemes.original_text import ShownToken, shown_tokens, span_text


class WorkerNote(models.Model):
    """A colleague's note on a worker in a project. Workers do not see it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="worker_notes")
    worker = models.ForeignKey("crowd.Worker", on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.CharField(max_length=2000)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["-written_at", "-pk"]

    def __str__(self) -> str:
        return f"note on {self.worker}"


class Image(models.Model):
    """A picture of a project. `name` is that of the stored file, and `digest` is of its content."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="images")
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="image_once_per_project")
        ]

    def __str__(self) -> str:
        return self.name


class Sentence(models.Model):
    # The indexes below start with the project.
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="sentences", db_index=False
    )
    external_id = models.CharField(max_length=200)
    tokens = models.JSONField()
    domain = models.CharField(max_length=60, blank=True)
    partition = models.CharField(max_length=10, choices=Partition, blank=True)
    # The document or image that the sentence belongs to. Partitions and exclusion can use it.
    group = models.CharField(max_length=200, blank=True, db_default="")
    # The place in the group, if the file states it. Equal ones are in the order of import.
    position = models.BigIntegerField(default=0, db_default=0)
    image = models.ForeignKey(
        Image, on_delete=models.PROTECT, null=True, blank=True, related_name="sentences"
    )
    metadata = models.JSONField(default=dict, blank=True)
    # The sentence as it was written, or "", and the range of each token in it, or [].
    text = models.TextField(blank=True, db_default="")
    offsets = models.JSONField(default=list, db_default=[], blank=True)

    class Meta:
        constraints = [
            # Imports search by external id alone (see annotation.domain.corpus.import_corpus).
            models.UniqueConstraint(
                fields=["external_id", "project"], name="sentence_once_per_project"
            )
        ]
        indexes = [
            models.Index(fields=["project", "domain", "partition", "external_id"]),
            models.Index(
                fields=["project", "group", "position", "id"],
                name="sentence_in_its_group",
                condition=~Q(group=""),
            ),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def shown_text(self) -> str:
        """The sentence as it was written, or its tokens joined with blanks."""
        return span_text(self.tokens, self.text, self.offsets, 0, len(self.tokens))

    def shown_tokens(self) -> list[ShownToken]:
        """Return the tokens as pages show them."""
        return shown_tokens(self.tokens, self.text, self.offsets)


class Item(models.Model):
    """A unit of annotation.

    `target` is defined by the scheme, and `position` orders a seeded shuffle. Items reserved for
    qualification are not `in_production` and become neither cases nor gold. Neither do withdrawn items,
    which are not exported either.
    """

    # The indexes below start with the project.
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="items", db_index=False
    )
    sentence = models.ForeignKey(Sentence, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=240)
    target = models.JSONField()
    position = models.BigIntegerField()
    in_production = models.BooleanField(default=True, db_default=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="item_once_per_project"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(in_production=False),
                name="withdrawn_item_not_in_production",
            ),
        ]
        indexes = [models.Index(fields=["project", "position"])]

    def __str__(self) -> str:
        return self.key


class Batch(models.Model):
    """A set of HITs published together for a role under the same terms."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="batches")
    # The first batch of a project is number 1.
    number = models.PositiveIntegerField(editable=False)
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
    # The batch's own cap, below the project's. None means no cap.
    budget = models.OneToOneField(
        "crowd.Budget", on_delete=models.PROTECT, null=True, blank=True, related_name="batch"
    )
    # The sweep keeps `keep_open` HITs open and publishes at most `item_limit` items in total.
    keep_open = models.PositiveIntegerField(null=True, blank=True)
    item_limit = models.PositiveIntegerField(null=True, blank=True)
    problem = models.TextField(blank=True)  # why the last top-up left items out
    # The limit of automatic republications of an item that lacks submissions.
    republish_limit = models.PositiveSmallIntegerField(default=3, db_default=0)
    # Why the last automatic republication left items out.
    republish_problem = models.TextField(blank=True, default="", db_default="")
    # A batch of a qualification round. It may have its own terms (see crowd.domain.money.pay_scheme)
    # and a fixed version of the guidelines.
    for_training = models.BooleanField(default=False, db_default=False)
    terms = models.JSONField(null=True, blank=True)
    guidelines = models.ForeignKey(
        Guidelines, on_delete=models.PROTECT, null=True, blank=True, related_name="batches"
    )
    # The number of items to publish, until all are published, and the job that publishes them.
    to_publish = models.PositiveIntegerField(null=True, blank=True)
    publication = models.ForeignKey(
        "jobs.Job", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # Whether items of the test partition are assigned to arms too.
    assists_test_items = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["project", "number"], name="batch_number_once_per_project"
            ),
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
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(role="reviser", state="open"),
                name="one_open_revision_batch",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.role} {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the batch. A new batch gets the project's next number."""
        if self.number is not None:
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            # Another new batch of the project waits here.
            Project.objects.select_for_update(no_key=True).get(pk=self.project_id)
            newest = self.project.batches.aggregate(newest=Max("number"))["newest"]
            self.number = (newest or 0) + 1
            super().save(*args, **kwargs)

    @property
    def name(self) -> str:
        return f"Batch {self.number}"

    @property
    def can_top_up(self) -> bool:
        """Return True if the sweep can publish more items in this batch."""
        return self.role == Role.GENERATOR and not self.for_training


class Task(models.Model):
    """An ordered list of items on a HIT, usually a single item.

    `public_id` is part of the HIT's URL. `block` numbers the task's block, from 1, if the batch is
    divided into blocks.
    """

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="tasks")
    hit = models.OneToOneField("crowd.Hit", on_delete=models.PROTECT, related_name="task")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4)
    role = models.CharField(max_length=20, choices=Role)
    # Work on a revised annotation starts a new round. Work of earlier rounds is not a repeat.
    round = models.PositiveSmallIntegerField(default=0, db_default=0)
    # When a person ended the task, which excludes it from automatic republication.
    ended_at = models.DateTimeField(null=True, blank=True)
    block = models.PositiveSmallIntegerField(null=True, blank=True)
    items = models.ManyToManyField(Item, through="TaskItem", related_name="tasks")

    def __str__(self) -> str:
        return str(self.public_id)


class TaskItem(models.Model):
    """An attempt to get an item annotated in a task.

    `attempt` counts the HITs with the item for a role, from 0. It increases for a second
    consolidation or when a HIT can't be extended. `republications` counts the republications of the
    item, including those of earlier attempts.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="task_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="task_items")
    ordinal = models.PositiveSmallIntegerField(default=0)
    role = models.CharField(max_length=20, choices=Role)
    attempt = models.PositiveSmallIntegerField(default=0)
    republications = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "role", "attempt"], name="item_published_once_per_attempt"
            ),
            models.UniqueConstraint(fields=["task", "ordinal"], name="task_item_order"),
        ]

    def __str__(self) -> str:
        return f"{self.item} in {self.task}"


class Arm(models.Model):
    """A way to help annotators, which a share of a batch's items gets at random.

    `suggestions` replaces the project's setting, and `system` names the model or the imported
    predictions that are used. Both may be "". `percent` is the arm's share. Those of a batch add up to
    100.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="arms")
    ordinal = models.PositiveSmallIntegerField()
    percent = models.PositiveSmallIntegerField()
    suggestions = models.CharField(max_length=20, choices=SuggestionChoice, blank=True)
    system = models.CharField(max_length=60, blank=True)
    use = models.CharField(max_length=20, choices=ModelUse, blank=True)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "ordinal"], name="arm_order"),
            models.UniqueConstraint(
                fields=["batch", "suggestions", "system", "use"], name="arm_once_per_batch"
            ),
            models.CheckConstraint(condition=Q(percent__range=(1, 100)), name="arm_has_a_share"),
            models.CheckConstraint(
                condition=Q(system="", use="") | (~Q(system="") & ~Q(use="")),
                name="arm_uses_its_system",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.batch}"

    @property
    def name(self) -> str:
        """Say what the arm does, such as "pre-annotation by parser"."""
        uses = {
            ModelUse.ANNOTATOR: f"{self.system} as an annotator",
            ModelUse.SOURCE: f"{self.system} as an unmarked source",
            ModelUse.SHOWN_SOURCE: f"{self.system} as a marked source",
            ModelUse.PREANNOTATION: f"pre-annotation by {self.system}",
        }
        suggestions = f"suggestions {self.suggestions}" if self.suggestions else ""
        helps = [suggestions, uses.get(ModelUse(self.use), "")]
        return ", ".join(filter(None, helps)) or "project's settings"


class ItemArm(models.Model):
    """The arm that an item was assigned to when it was published.

    `content` is the system's annotation of that time, or None if there was none. The item stays in its
    arm.
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="item_arm")
    arm = models.ForeignKey(Arm, on_delete=models.PROTECT, related_name="item_arms")
    content = models.JSONField(null=True)
    assigned_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.item_id} in {self.arm_id}"


class Redundancy(models.Model):
    """How many people work on an item of a project with adaptive redundancy, and what was decided.

    `people` is the number of annotators so far. An audited item gets everything that the protocol has.
    `coverage` and `precision` are what the estimates expected of the annotations at the last decision:
    those of the accepted one, or of all together. `looked_at` is when that was, or None while it waits
    for annotations. `cents` is the expected cost of the people after the first annotator.
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="redundancy")
    people = models.PositiveSmallIntegerField()
    is_audited = models.BooleanField()
    decision = models.CharField(max_length=20, choices=RedundancyDecision, blank=True, default="")
    accepted = models.ForeignKey(
        "Submission", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    coverage = models.FloatField(null=True, blank=True)
    precision = models.FloatField(null=True, blank=True)
    cents = models.PositiveIntegerField(default=0)
    looked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "redundancy"
        indexes = [
            models.Index(fields=["item"], condition=Q(decision=""), name="undecided_redundancy")
        ]

    def __str__(self) -> str:
        return f"redundancy of {self.item_id}"


class BlockAssignment(models.Model):
    """The block that a worker has started. `worker_ref` is the id that the page claims."""

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="block_assignments")
    worker_ref = models.CharField(max_length=64)
    block = models.PositiveSmallIntegerField()
    assigned_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "blocks taken"
        constraints = [
            models.UniqueConstraint(fields=["batch", "worker_ref"], name="one_block_per_worker")
        ]

    def __str__(self) -> str:
        return f"block {self.block} of {self.batch_id}"


class FinishedTutorial(models.Model):
    """A tutorial that a worker has finished or skipped. `worker_ref` is the id that the page claims."""

    worker_ref = models.CharField(max_length=64)
    scheme = models.CharField(max_length=40)
    role = models.CharField(max_length=20)
    finished_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker_ref", "scheme", "role"], name="one_tutorial_per_worker_and_role"
            )
        ]

    def __str__(self) -> str:
        return f"{self.scheme} {self.role} of {self.worker_ref}"


class PageDraft(models.Model):
    """The content that a page has saved so far, by item id (as text).

    `active_seconds` and `moves` are totals. `steps` maps the names of the page's steps to their
    shares, `{"seconds": n, "moves": n}`. It is empty if the scheme's page has no steps. `log` has the
    newest moves in order: `[active second, step, what was done]`. `save_id` is the page's own id of the
    last save. `definition_digest` is that of the definition whose form the content has, or "" if the
    scheme has none or the page didn't state it.
    """

    content = models.JSONField(default=dict)
    comment = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    save_id = models.CharField(max_length=40, blank=True, db_default="")
    definition_digest = models.CharField(max_length=64, blank=True, db_default="")
    opened_at = models.DateTimeField()
    saved_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    moves = models.PositiveIntegerField(default=0)
    steps = models.JSONField(default=dict, blank=True)
    log = models.JSONField(default=list, db_default=[], blank=True)
    guidelines = models.ForeignKey(Guidelines, on_delete=models.PROTECT, null=True, blank=True)

    class Meta:
        abstract = True


class Draft(PageDraft):
    """The draft of a page in a marketplace's frame, under the ids that the page claims.

    It becomes submissions when the marketplace confirms the assignment.
    """

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="drafts")
    assignment_ref = models.CharField(max_length=64)
    worker_ref = models.CharField(max_length=64)
    # For a day (see annotation.domain.work.unconfirmed_drafts).
    address_digest = models.CharField(max_length=16, blank=True, db_default="")
    # How the answers were entered, by item id (see annotation.domain.work.input_records).
    inputs = models.JSONField(default=dict, db_default={}, blank=True)
    # Of the page that saved last, in the form of crowd.models.Worker.language.
    language = models.CharField(max_length=10, blank=True, default="", db_default="")
    # Whether the claim was signed when the page saved, or the marketplace has listed the assignment.
    is_confirmed = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment_ref", "worker_ref", "task"], name="draft_once_per_assignment"
            )
        ]
        indexes = [
            models.Index(
                fields=["address_digest"],
                name="draft_not_confirmed",
                condition=Q(is_confirmed=False),
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.assignment_ref}"


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def live(self) -> "SubmissionQuerySet":
        return self.filter(state__in=LIVE)

    def usable(self) -> "SubmissionQuerySet":
        return self.filter(state__in=USABLE)

    def accepted(self) -> "SubmissionQuerySet":
        return self.filter(state=SubmissionState.ACCEPTED)


class MappedAnnotation(models.Model):
    """An annotation whose content has the form of the newest version of the scheme's definition.

    If that is another form than the one in which the annotation was made, `original` has what was made,
    and `original_version` the version of the definition.
    """

    original = models.JSONField(null=True, blank=True)
    original_version = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(original__isnull=True, original_version__isnull=True)
                | Q(original__isnull=False, original_version__isnull=False),
                name="%(class)s_original_with_its_version",
            )
        ]


class Submission(MappedAnnotation):
    """A finished annotation of an item.

    It comes from a worker, confirmed by the marketplace, from an expert (`author`) on this site, or from
    a model or another program (`system`).
    """

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
    system = models.CharField(max_length=60, blank=True, db_default="")
    content = models.JSONField()
    schema_version = models.PositiveSmallIntegerField()
    state = models.CharField(
        max_length=20, choices=SubmissionState, default=SubmissionState.SUBMITTED
    )
    # Why the submission needs review, such as content that the scheme refused or differing copies.
    problem = models.TextField(blank=True)
    other_version = models.JSONField(null=True, blank=True)
    # Set when a person chose a copy. The other copy stays in `other_version`.
    conflict_resolved = models.BooleanField(default=False, db_default=False)
    opened_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    active_seconds = models.PositiveIntegerField(default=0)
    moves = models.PositiveIntegerField(default=0)
    steps = models.JSONField(default=dict, blank=True)  # see PageDraft
    log = models.JSONField(default=list, db_default=[], blank=True)  # see PageDraft
    # How the worker entered the answers, or {}. It is deleted after a time.
    inputs = models.JSONField(default=dict, db_default={}, blank=True)
    comment = models.TextField(blank=True)
    guidelines = models.ForeignKey(Guidelines, on_delete=models.PROTECT, null=True, blank=True)
    # The paid units that the item's first gold has, once there is gold, and the number of units that
    # they are a share of: those of the work, or 1 if it has none and the gold has some. If nobody judged
    # the work, all are kept and none judged. Only for workers' generations.
    kept_units = models.PositiveIntegerField(null=True, blank=True)
    judged_units = models.PositiveIntegerField(null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "worker", "role"],
                condition=Q(state__in=["submitted", "waiting", "accepted"]),
                name="one_live_submission",
            ),
            models.UniqueConstraint(
                fields=["item", "author", "role"],
                condition=Q(state__in=["submitted", "waiting", "accepted"], author__isnull=False),
                name="one_live_submission_per_author",
            ),
            models.UniqueConstraint(
                fields=["assignment", "item"], name="submission_once_per_assignment"
            ),
            models.CheckConstraint(
                condition=Q(kept_units=None, judged_units=None)
                | Q(kept_units__isnull=False, judged_units__isnull=False),
                name="submission_kept_of_judged_units",
            ),
            models.CheckConstraint(
                condition=Q(worker__isnull=False, assignment__isnull=False, author=None, system="")
                | Q(worker=None, assignment=None, author__isnull=False, system="")
                | (Q(worker=None, assignment=None, author=None, role="model") & ~Q(system="")),
                name="submission_by_worker_expert_or_model",
            ),
            *MappedAnnotation.Meta.constraints,
        ]
        indexes = [
            models.Index(fields=["item", "role", "state"]),
            models.Index(
                fields=["item"],
                name="submission_kept_unknown",
                condition=Q(
                    role="generator",
                    kept_units=None,
                    state__in=["waiting", "accepted", "withdrawn"],
                ),
            ),
            models.Index(
                fields=["assignment"], name="submission_waits", condition=Q(state="waiting")
            ),
            # Finds the few submissions that may need review.
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
        """True if the scheme could parse the content. Refused content is under `refused`."""
        return bool(self.content) and "refused" not in self.content


class HeldBonus(models.Model):
    """A bonus that is not paid at once.

    A HELD one is checked by a person (see `annotation.domain.decisions.hold_bonus`), and a WAITING one is
    decided once its items have gold (see `await_gold` there). `earned_cents` is the bonus for all
    units under `terms`, those of the work. `reasons` are `{"code", "text", "parts"}`. `note` is the text
    of the decision for the worker, and `note_parts` are the parts of an automatic one, or None. Pages
    translate texts from their parts (see `schemes.contract.texts`). `news` is the text for the worker's
    next message, in their language, written at `news_at` and emptied once it is in a message, which was
    written at `news_sent_at`.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="held_bonuses")
    payment = models.OneToOneField(
        "crowd.Payment", on_delete=models.PROTECT, related_name="held_bonus"
    )
    state = models.CharField(
        max_length=20, choices=HeldBonusState, default=HeldBonusState.HELD, db_index=True
    )
    earned_cents = models.PositiveIntegerField()
    terms = models.JSONField()  # see crowd.domain.money.pay_scheme
    reasons = models.JSONField(default=list)
    held_at = models.DateTimeField()
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    note_parts = models.JSONField(null=True, blank=True)
    news = models.TextField(blank=True, db_default="")
    news_at = models.DateTimeField(null=True, blank=True)
    news_sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "held bonuses"
        indexes = [
            models.Index(fields=["id"], name="held_bonus_with_news", condition=~Q(news="")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["held", "waiting"], decided_at=None)
                | (~Q(state__in=["held", "waiting"]) & Q(decided_at__isnull=False)),
                name="held_bonus_decided_with_its_time",
            )
        ]

    def __str__(self) -> str:
        return f"held bonus {self.payment_id}"

    @property
    def unpaid_cents(self) -> int:
        """The part of the earned bonus that was declined."""
        if self.state == HeldBonusState.DECLINED:
            return self.earned_cents
        is_accepted = self.state == HeldBonusState.ACCEPTED
        return self.earned_cents - self.payment.amount_cents if is_accepted else 0


class BonusAppeal(models.Model):
    """A worker's objection to a declined bonus, with the requester's answer."""

    held = models.OneToOneField(HeldBonus, on_delete=models.PROTECT, related_name="appeal")
    text = models.TextField(max_length=2000)
    state = models.CharField(
        max_length=20, choices=AppealState, default=AppealState.OPEN, db_index=True
    )
    answer = models.TextField(max_length=1000, blank=True)
    created_at = models.DateTimeField()
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", decided_at=None)
                | (~Q(state="open") & Q(decided_at__isnull=False)),
                name="bonus_appeal_decided_with_its_time",
            )
        ]

    def __str__(self) -> str:
        return f"appeal about {self.held}"


class Compensation(models.Model):
    """A payment for lost or expired work.

    It is the reward of a HIT for one worker, who only has to submit it.
    """

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


class ConsentText(models.Model):
    """A version of the text that workers accept before their first task of a project.

    It never changes. The newest version is the current one, and an empty text asks for no consent.
    Consent to an earlier version remains valid until a version with `asks_again`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)  # Markdown
    asks_again = models.BooleanField(default=True)
    published_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="consent_text_version_once")
        ]

    def __str__(self) -> str:
        return f"consent text {self.version} of {self.project}"


class Questionnaire(models.Model):
    """A version of the questionnaire before the first task of a project. It never changes.

    The newest version is the current one. `fields` is in the format of
    `annotation.domain.work.onboarding.questionnaire`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="questionnaires")
    version = models.PositiveIntegerField()
    fields = models.JSONField(default=list, blank=True)
    published_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], name="questionnaire_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"questionnaire {self.version} of {self.project}"


class OnboardingDraft(models.Model):
    """The consent and answers of a page in a marketplace's frame, under the ids that it claims.

    They become a consent and answers of the worker when the marketplace confirms an assignment.
    `answers` maps the keys of fields to `{"label", "value"}`.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="onboarding_drafts", db_index=False
    )
    assignment_ref = models.CharField(max_length=64)
    worker_ref = models.CharField(max_length=64)
    # For a day (see annotation.domain.work.unconfirmed_drafts).
    address_digest = models.CharField(max_length=16, blank=True)
    consent_text = models.ForeignKey(
        ConsentText, on_delete=models.CASCADE, null=True, blank=True, related_name="drafts"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    answers = models.JSONField(default=dict, blank=True)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "worker_ref", "assignment_ref"],
                name="onboarding_draft_once_per_assignment",
            ),
            models.CheckConstraint(
                condition=Q(consent_text=None, accepted_at=None)
                | Q(consent_text__isnull=False, accepted_at__isnull=False),
                name="onboarding_draft_accepted_with_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"onboarding draft of {self.assignment_ref}"


class Consent(models.Model):
    """A worker's acceptance of a version of a project's consent text."""

    text = models.ForeignKey(ConsentText, on_delete=models.CASCADE, related_name="consents")
    worker = models.ForeignKey("crowd.Worker", on_delete=models.CASCADE, related_name="consents")
    accepted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["worker", "text"], name="consent_once_per_version")
        ]

    def __str__(self) -> str:
        return f"consent of {self.worker} to {self.text}"


class QuestionnaireAnswer(models.Model):
    """A worker's answer to a field of a project's questionnaire, with its wording at that time.

    The value is empty if the worker skipped the field.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="questionnaire_answers", db_index=False
    )
    worker = models.ForeignKey(
        "crowd.Worker", on_delete=models.CASCADE, related_name="questionnaire_answers"
    )
    key = models.CharField(max_length=20)
    label = models.CharField(max_length=300)
    value = models.CharField(max_length=500, blank=True)
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "worker", "key"], name="questionnaire_answer_once"
            )
        ]

    def __str__(self) -> str:
        return f"answer {self.key} of {self.worker}"
