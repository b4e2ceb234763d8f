"""From several submissions to one gold annotation, and what people say of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Batch, Item, PageDraft, Project, Sentence, Submission, Task
from consolidation.enums import (
    CaseState,
    DecisionKind,
    ExpertWork,
    GoldSource,
    MergeState,
    PartitionUnit,
    QueueState,
    ReviewState,
    SourceOrigin,
)


class Case(models.Model):
    """An item whose accepted generations wait for, or have had, their consolidation or validation.
    `place` 0 is the first; later places are second consolidations, made to measure agreement."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="cases")
    place = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=20, choices=CaseState, default=CaseState.OPEN)
    task = models.OneToOneField(
        Task, on_delete=models.PROTECT, null=True, blank=True, related_name="case"
    )
    # Offers that ended without a consolidation, and whose HIT could not be offered again.
    earlier_tasks = models.ManyToManyField(Task, blank=True, related_name="earlier_case")
    # In a qualification round the annotations to merge are given, the same ones to every trainee; it
    # has no sources then, and its consolidations become no gold.
    given = models.JSONField(null=True, blank=True)
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "place"], name="case_once_per_place"),
            models.CheckConstraint(
                condition=Q(state="open", task=None)
                | Q(state="validated")  # without a task where nothing was asked
                | (~Q(state="open") & ~Q(task=None)),
                name="case_offered_with_its_task",
            ),
        ]
        indexes = [models.Index(fields=["id"], name="case_to_offer", condition=Q(state="open"))]

    def __str__(self) -> str:
        return f"case {self.pk} of {self.item_id}"


class CaseSource(models.Model):
    """A submission in its case. `position` is its place in a random order: pages show it as a letter,
    so that nothing tells who wrote it or who was first."""

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


class Gold(models.Model):
    """An authoritative annotation of an item. Immutable: a correction is a new version, and per source
    the newest stands. `provenance` has an entry per question: where it came from."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="gold")
    source = models.CharField(max_length=20, choices=GoldSource)
    version = models.PositiveIntegerField()
    content = models.JSONField()
    schema_version = models.PositiveSmallIntegerField()
    provenance = models.JSONField(default=list)
    case = models.ForeignKey(
        Case, on_delete=models.PROTECT, null=True, blank=True, related_name="gold"
    )
    submission = models.OneToOneField(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="gold"
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "gold"
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
    """By what a search finds the standing gold of an item from one source; kept by
    consolidation.domain.index_gold. Each text is words in lower case with a blank before and after
    each, so that ` who reject` finds a phrase whose last word is a beginning."""

    gold = models.OneToOneField(Gold, on_delete=models.CASCADE, related_name="entry")
    item = models.ForeignKey(
        Item, on_delete=models.CASCADE, related_name="gold_entries", db_index=False
    )
    source = models.CharField(max_length=20, choices=GoldSource)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    sentence = models.ForeignKey(Sentence, on_delete=models.CASCADE, related_name="gold_entries")
    questions = models.TextField()
    target = models.TextField()
    workers = models.TextField()

    class Meta:
        verbose_name_plural = "gold entries"
        constraints = [
            models.UniqueConstraint(fields=["item", "source"], name="gold_entry_once_per_source")
        ]
        # A page lists sentences in this order and stops when it is full.
        indexes = [models.Index(fields=["project", "sentence", "source"])]

    def __str__(self) -> str:
        return f"entry of {self.gold}"


class Judgment(models.Model):
    """A validation that a gold annotation was worked out of. `position` is the validator's in the
    gold's provenance."""

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
    """A gold annotation drawn for an expert to judge without knowing whose it is."""

    gold = models.OneToOneField(Gold, on_delete=models.PROTECT, related_name="review")
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
        ]

    def __str__(self) -> str:
        return f"review of gold {self.gold_id}"


class ExpertQueue(models.Model):
    """Items that a project's experts work on, on the site, one after the other. Each item is annotated
    by so many experts, none of whom learns of the others, or merged by one."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="expert_queues")
    title = models.CharField(max_length=120)
    kind = models.CharField(max_length=20, choices=ExpertWork)
    state = models.CharField(max_length=20, choices=QueueState, default=QueueState.OPEN)
    experts_per_item = models.PositiveSmallIntegerField(default=1)
    # Whether an annotation is expert gold as it stands, without a merge: a merge always is.
    makes_gold = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
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
    """Annotations of one item from several sources, of which an expert makes one without knowing whose
    they are. `content` is the consolidation as sent; `summary` counts what the result holds."""

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
    """One annotation in a merge, as it was when the merge was set up. `position` is its place in a
    seeded order, shown as a letter; `name` tells systems and experts apart; `fate` is a
    `schemes.base.Fate` once the merge is done."""

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
    fate = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["merge", "position"], name="merge_source_order")
        ]

    def __str__(self) -> str:
        return f"{self.merge_id}.{self.position}"


class SystemAnnotation(models.Model):
    """What a program wrote about an item: a source to be merged, never gold."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="system_annotations")
    system = models.CharField(max_length=60)
    content = models.JSONField()
    schema_version = models.PositiveSmallIntegerField()
    imported_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "system"], name="system_annotation_once")
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.item_id}"


class ExpertDraft(PageDraft):
    """An expert's work on a queued item or on the correction of a review, begun or handed in. A draft
    is also a seat: who has one is at work on the item."""

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="expert_drafts"
    )
    queued = models.ForeignKey(
        QueuedItem, on_delete=models.CASCADE, null=True, blank=True, related_name="drafts"
    )
    review = models.ForeignKey(
        Review, on_delete=models.CASCADE, null=True, blank=True, related_name="drafts"
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


class Decision(models.Model):
    """A person's correction of one automatic match between a reference and what is measured by it: a
    submission (a trainee's), or other gold.

    The rows are named by their spans, which outlive a reordering of questions; with no reference
    span the decision speaks of the predicted one alone, and the other way round.
    """

    reference = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="decisions")
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    predicted = models.ForeignKey(
        Gold, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions_on"
    )
    kind = models.CharField(max_length=20, choices=DecisionKind)
    reference_span = models.JSONField(null=True, blank=True)
    predicted_span = models.JSONField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    decided_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(submission__isnull=False, predicted=None)
                | Q(submission=None, predicted__isnull=False),
                name="decision_on_a_submission_or_on_gold",
            )
        ]

    def __str__(self) -> str:
        if self.predicted_id is not None:
            return f"{self.kind} on gold {self.predicted_id}"
        return f"{self.kind} on submission {self.submission_id}"


class Experiment(models.Model):
    """Consolidated items annotated again by people who had no part in them, to measure agreement:
    `generators` of them each, under a batch of its own; with `consolidates` a third then merges what
    two of them wrote, so that two disjoint teams can be compared."""

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


class PropBankComparison(models.Model):
    """What the newest comparison of a project's gold with PropBank gave: see `propbank_figures`. The file
    itself, which belongs to others, is not kept."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="propbank")
    source = models.CharField(max_length=20, choices=GoldSource)
    file_name = models.CharField(max_length=255)
    figures = models.JSONField()
    compared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "source"], name="propbank_comparison_once_per_source"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source} gold of {self.project} against {self.file_name}"


class Partitioning(models.Model):
    """How a project's sentences were divided. Once frozen, `digest` is what the division must remain
    (see consolidation.domain.partitions). `shares` maps a partition to its percentage."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="partitioning")
    unit = models.CharField(max_length=20, choices=PartitionUnit)
    seed = models.BigIntegerField(null=True, blank=True)
    shares = models.JSONField(default=dict, blank=True)
    drawn_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(frozen_at=None, digest="")
                | (Q(frozen_at__isnull=False) & ~Q(digest="")),
                name="partitioning_frozen_with_its_digest",
            ),
            models.CheckConstraint(
                condition=Q(unit="given", seed=None, drawn_at=None)
                | (~Q(unit="given") & Q(seed__isnull=False, drawn_at__isnull=False)),
                name="partitioning_drawn_by_a_seed",
            ),
        ]

    def __str__(self) -> str:
        return f"partitions of {self.project}"


class Monitoring(models.Model):
    """How much of a project's consolidated work an expert looks over; without a row, 1 %."""

    PER_THOUSAND = 10

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="monitoring")
    per_thousand = models.PositiveSmallIntegerField(default=PER_THOUSAND)

    class Meta:
        verbose_name_plural = "monitoring"
        constraints = [
            models.CheckConstraint(
                condition=Q(per_thousand__range=(0, 1000)), name="monitoring_at_most_everything"
            )
        ]

    def __str__(self) -> str:
        return f"{self.per_thousand / 10:g} % of {self.project}"
