"""Models of cases, gold annotations, reviews and experts' work."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Batch, Item, MappedAnnotation, PageDraft, Sentence, Submission, Task
from consolidation.enums import (
    CaseState,
    ExpertWork,
    FlagState,
    GoldSource,
    MergeState,
    QueueState,
    ReviewOrigin,
    ReviewState,
    SourceOrigin,
)
from projects.models import Project


class Case(models.Model):
    """An item whose accepted generations are consolidated, validated or verified.

    `attempt` 0 is the first case. Later attempts are second consolidations that measure agreement.
    `round` counts the revisions of its annotation. A case that is being revised has no task until the
    revision is published. A case that is replaced keeps its sources and gold, and a newer case of the
    same attempt has the new annotations.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="cases")
    attempt = models.PositiveSmallIntegerField(default=0)
    round = models.PositiveSmallIntegerField(default=0, db_default=0)
    state = models.CharField(max_length=20, choices=CaseState, default=CaseState.OPEN)
    task = models.OneToOneField(
        Task, on_delete=models.PROTECT, null=True, blank=True, related_name="case"
    )
    # The annotations to merge in a qualification round, the same for every trainee. Such a case has no
    # sources and produces no gold.
    given = models.JSONField(null=True, blank=True)
    # True if the sources leave nothing to work on. The case then gets its gold without workers.
    is_empty = models.BooleanField(default=False, db_default=False)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "attempt"],
                condition=~Q(state="replaced"),
                name="case_once_per_place",
            ),
            models.CheckConstraint(
                condition=Q(state="open", task=None)
                | Q(state="validated")  # without a task if it is empty
                | Q(state="consolidated")  # without a task if its sources are identical
                | Q(state__in=["revising", "disputed", "resolved", "reopened", "replaced"])
                | (~Q(state="open") & ~Q(task=None)),
                name="case_offered_with_its_task",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="case_to_offer", condition=Q(state="open")),
            models.Index(fields=["id"], name="case_being_revised", condition=Q(state="revising")),
        ]

    def __str__(self) -> str:
        return f"case {self.pk} of {self.item_id}"


class CaseTask(models.Model):
    """A task that offers a case. A case has several if its HIT could not be offered again."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="case_tasks")
    task = models.OneToOneField(Task, on_delete=models.PROTECT, related_name="case_task")

    def __str__(self) -> str:
        return f"task {self.task_id} of case {self.case_id}"


class CaseSource(models.Model):
    """A submission in its case.

    `position` is its place in a random order. Pages show it as a letter, which hides the author and
    the order of submission.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="sources")
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="case_sources"
    )
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["case", "position"], name="case_source_order"),
            models.UniqueConstraint(fields=["case", "submission"], name="case_source_once"),
        ]

    def __str__(self) -> str:
        return f"{self.case_id}.{self.position}"


class Dispute(models.Model):
    """The disputed parts of a case's annotation after a round of verifications.

    `content` is what the generator's page shows (see `schemes.contract.judging.Validating`). `source`
    is the annotation that was verified. `revision` replaced it, or is None if the annotation was not
    revised.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="disputes")
    round = models.PositiveSmallIntegerField()
    content = models.JSONField()
    source = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="disputes_of_source"
    )
    verifications = models.ManyToManyField(Submission, related_name="disputes")
    revision = models.OneToOneField(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="revises"
    )
    found_at = models.DateTimeField()

    class Meta:
        ordering = ["round"]
        constraints = [
            models.UniqueConstraint(fields=["case", "round"], name="dispute_once_per_round")
        ]

    def __str__(self) -> str:
        return f"dispute {self.round} of {self.case_id}"


class Gold(models.Model):
    """An authoritative annotation of an item.

    Gold is immutable. A correction is a new version, and the newest version of each source is
    current. `provenance` has an entry per unit. `rule` names the rule that made the gold without a
    person's decision, if there is one. `mapped_from` is the version that this one repeats in the form of
    a later definition of the scheme.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="gold")
    source = models.CharField(max_length=20, choices=GoldSource)
    version = models.PositiveIntegerField()
    content = models.JSONField()
    schema_version = models.PositiveSmallIntegerField()
    provenance = models.JSONField(default=list)
    rule = models.CharField(max_length=60, blank=True, db_default="")
    case = models.ForeignKey(
        Case, on_delete=models.PROTECT, null=True, blank=True, related_name="gold"
    )
    submission = models.OneToOneField(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="gold"
    )
    mapped_from = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="mapped"
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "gold"
        indexes = [
            models.Index(
                fields=["item"],
                name="gold_of_experts",
                condition=Q(source="expert", version=1),
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["item", "source", "version"], name="gold_version_once"),
            models.CheckConstraint(
                condition=~Q(source="consolidated") | Q(case__isnull=False),
                name="gold_consolidated_in_a_case",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} gold v{self.version} of {self.item_id}"


class GoldEntry(models.Model):
    """The search entry of an item's current gold from one source.

    `consolidation.domain.gold.index_gold` maintains it. Texts are lower-case words with a blank before
    and after each. A query without its last blank therefore matches a phrase whose last word is
    incomplete.
    """

    gold = models.OneToOneField(Gold, on_delete=models.CASCADE, related_name="entry")
    item = models.ForeignKey(
        Item, on_delete=models.CASCADE, related_name="gold_entries", db_index=False
    )
    source = models.CharField(max_length=20, choices=GoldSource)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    sentence = models.ForeignKey(Sentence, on_delete=models.CASCADE, related_name="gold_entries")
    content_text = models.TextField()
    target_text = models.TextField()
    workers = models.TextField()

    class Meta:
        verbose_name_plural = "gold entries"
        constraints = [
            models.UniqueConstraint(fields=["item", "source"], name="gold_entry_once_per_source")
        ]
        # The order in which pages list sentences.
        indexes = [models.Index(fields=["project", "sentence", "source"])]

    def __str__(self) -> str:
        return f"entry of {self.gold}"


class Judgment(models.Model):
    """A validation that a gold annotation was computed from.

    `position` is the validator's index in the gold's provenance.
    """

    gold = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="judgments")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="judgments")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["gold", "position"], name="judgment_order"),
            models.UniqueConstraint(fields=["gold", "submission"], name="judgment_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gold_id}.{self.position}"


class Review(models.Model):
    """A blind review of gold by an expert.

    The gold was drawn for the monitoring sample, or a person requested its review.
    """

    gold = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="reviews")
    origin = models.CharField(
        max_length=20, choices=ReviewOrigin, default=ReviewOrigin.SAMPLED, db_default="sampled"
    )
    requested_by = models.CharField(max_length=150, blank=True)
    state = models.CharField(max_length=20, choices=ReviewState, default=ReviewState.DRAWN)
    drawn_at = models.DateTimeField()
    reviewed_at = models.DateTimeField(null=True, blank=True)
    expert = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    correction = models.OneToOneField(
        Gold, on_delete=models.PROTECT, null=True, blank=True, related_name="corrects"
    )
    comment = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="drawn", reviewed_at=None, expert=None)
                | (~Q(state="drawn") & Q(reviewed_at__isnull=False, expert__isnull=False)),
                name="review_judged_by_an_expert",
            ),
            models.UniqueConstraint(
                fields=["gold"], condition=Q(origin="sampled"), name="review_sampled_once"
            ),
            models.UniqueConstraint(
                fields=["gold"], condition=Q(state="drawn"), name="review_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"review of gold {self.gold_id}"


class ExpertQueue(models.Model):
    """Items that a project's experts work on one by one on the site.

    Each item is annotated by `experts_per_item` experts who don't see each other's work, or merged
    by one expert.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="expert_queues")
    title = models.CharField(max_length=120)
    kind = models.CharField(max_length=20, choices=ExpertWork)
    state = models.CharField(max_length=20, choices=QueueState, default=QueueState.OPEN)
    experts_per_item = models.PositiveSmallIntegerField(default=1)
    # True if an annotation becomes expert gold without a merge. A merge always becomes gold.
    makes_gold = models.BooleanField(default=False)
    # The queue to which the site adds the project's disputed items. Nobody created it.
    is_for_disputes = models.BooleanField(default=False, db_default=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    created_at = models.DateTimeField()
    items = models.ManyToManyField(Item, through="QueuedItem", related_name="expert_queues")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "title"], name="expert_queue_title_once"),
            models.CheckConstraint(
                condition=Q(kind="merge", experts_per_item=1, makes_gold=True)
                | Q(kind="annotate", experts_per_item__range=(1, 9), makes_gold=False)
                | Q(kind="annotate", experts_per_item=1, makes_gold=True),
                name="expert_queue_one_expert_makes_gold",
            ),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(is_for_disputes=True),
                name="one_queue_of_disputed_items",
            ),
            models.CheckConstraint(
                condition=Q(is_for_disputes=True) | Q(created_by__isnull=False),
                name="expert_queue_created_by_someone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project}: {self.title}"


class QueuedItem(models.Model):
    queue = models.ForeignKey(ExpertQueue, on_delete=models.CASCADE, related_name="queued")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="queued")
    ordinal = models.PositiveIntegerField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["queue", "item"], name="queued_item_once"),
            models.UniqueConstraint(fields=["queue", "ordinal"], name="queued_item_order"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} in queue {self.queue_id}"


class Merge(models.Model):
    """Annotations of one item from several sources that an expert merges blind.

    `content` is the consolidation as submitted. `summary` counts the parts of the
    result.
    """

    queued = models.OneToOneField(QueuedItem, on_delete=models.CASCADE, related_name="merge")
    state = models.CharField(max_length=20, choices=MergeState, default=MergeState.OPEN)
    content = models.JSONField(null=True, blank=True)
    summary = models.JSONField(default=dict, blank=True)
    rule = models.CharField(max_length=60, blank=True)
    merged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    merged_at = models.DateTimeField(null=True, blank=True)
    gold = models.OneToOneField(
        Gold, on_delete=models.PROTECT, null=True, blank=True, related_name="merge"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", merged_by=None, merged_at=None, gold=None)
                | Q(
                    state="merged",
                    merged_by__isnull=False,
                    merged_at__isnull=False,
                    gold__isnull=False,
                ),
                name="merge_done_with_its_gold",
            ),
        ]

    def __str__(self) -> str:
        return f"merge of {self.queued_id}"


class MergeSource(models.Model):
    """An annotation in a merge, copied when the merge was created.

    `position` is its place in a seeded order, shown as a letter. `name` is the name of the system
    or expert. `outcome` has the counts of `Merging.outcomes` of the scheme once the merge is done.
    """

    merge = models.ForeignKey(Merge, on_delete=models.CASCADE, related_name="sources")
    position = models.PositiveSmallIntegerField()
    origin = models.CharField(max_length=20, choices=SourceOrigin)
    name = models.CharField(max_length=150, blank=True)
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="merge_sources"
    )
    gold = models.ForeignKey(
        Gold, on_delete=models.PROTECT, null=True, blank=True, related_name="merge_sources"
    )
    content = models.JSONField()
    outcome = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["merge", "position"], name="merge_source_order")
        ]

    def __str__(self) -> str:
        return f"{self.merge_id}.{self.position}"


class SystemAnnotation(MappedAnnotation):
    """A program's or model's annotation of an item.

    Experts can merge it, and batches can use it (see `annotation.models.Arm`). It becomes no gold by
    itself.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="system_annotations")
    system = models.CharField(max_length=60)
    content = models.JSONField()
    schema_version = models.PositiveSmallIntegerField()
    imported_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "system"], name="system_annotation_once"),
            *MappedAnnotation.Meta.constraints,
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.item_id}"


class ItemFlag(models.Model):
    """An expert's report that an item is bad or unclear. Experts don't work on it until it is decided."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="flags")
    raised_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="item_flags"
    )
    reason = models.TextField()
    state = models.CharField(max_length=20, choices=FlagState, default=FlagState.OPEN)
    raised_at = models.DateTimeField()
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "raised_by"], condition=Q(state="open"), name="item_flag_open_once"
            ),
            models.CheckConstraint(
                condition=Q(state="open", decided_at=None)
                | (~Q(state="open") & Q(decided_at__isnull=False)),
                name="item_flag_decided_with_time",
            ),
        ]
        indexes = [models.Index(fields=["item"], name="item_flag_open", condition=Q(state="open"))]

    def __str__(self) -> str:
        return f"flag on {self.item_id} by {self.raised_by}"


class ExpertDraft(PageDraft):
    """An expert's work on a queued item or on the correction of a review.

    A draft also reserves the item for its expert. A submitted draft that is open again `corrects` the
    submission that was made of it.
    """

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="expert_drafts"
    )
    queued = models.ForeignKey(
        QueuedItem, on_delete=models.CASCADE, null=True, blank=True, related_name="drafts"
    )
    review = models.ForeignKey(
        Review, on_delete=models.CASCADE, null=True, blank=True, related_name="drafts"
    )
    corrects = models.ForeignKey(
        Submission, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["queued", "author"], name="expert_draft_once_per_item"),
            models.UniqueConstraint(
                fields=["review", "author"], name="expert_draft_once_per_review"
            ),
            models.CheckConstraint(
                condition=Q(queued=None, review__isnull=False)
                | Q(queued__isnull=False, review=None),
                name="expert_draft_of_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.author}"


class RejectedEntry(models.Model):
    """An entry that annotations propose for a resource and a person rejected, until it is restored."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rejected_entries")
    resource = models.CharField(max_length=40)
    key = models.TextField()
    rejected_by = models.CharField(max_length=150)
    rejected_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "rejected entries"
        constraints = [
            models.UniqueConstraint(
                fields=["project", "resource", "key"], name="rejected_entry_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} in the {self.resource} of {self.project}"


class Experiment(models.Model):
    """Consolidated items that other workers annotate again, to measure agreement.

    Each item gets `generators` new annotations in a separate batch. With `consolidates`, another
    worker then merges them, so that two disjoint teams can be compared.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="experiments")
    batch = models.OneToOneField(Batch, on_delete=models.PROTECT, related_name="experiment")
    generators = models.PositiveSmallIntegerField()
    consolidates = models.BooleanField()
    started_by = models.CharField(max_length=150)
    started_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(generators__range=(1, 9)), name="experiment_one_to_nine_generators"
            )
        ]

    def __str__(self) -> str:
        return f"experiment {self.pk} of {self.project}"
