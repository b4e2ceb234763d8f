"""From several submissions to one gold annotation, and what people say of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Item, Project, Submission, Task
from consolidation.enums import (
    CaseState,
    DecisionKind,
    GoldSource,
    PartitionUnit,
    ReviewState,
)


class Case(models.Model):
    """An item whose accepted generations wait for, or have had, their consolidation. `place` 0 is the
    first; later places are second consolidations, made to measure agreement."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="cases")
    place = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=20, choices=CaseState, default=CaseState.OPEN)
    task = models.OneToOneField(
        Task, on_delete=models.PROTECT, null=True, blank=True, related_name="case"
    )
    opened_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "place"], name="case_once_per_place"),
            models.CheckConstraint(
                condition=Q(state="open", task=None) | (~Q(state="open") & ~Q(task=None)),
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


class Decision(models.Model):
    """A person's correction of one automatic match between a reference and a submission.

    The rows are named by their spans, which outlive a reordering of questions; with no reference
    span the decision speaks of the predicted one alone, and the other way round.
    """

    reference = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="decisions")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="decisions")
    kind = models.CharField(max_length=20, choices=DecisionKind)
    reference_span = models.JSONField(null=True, blank=True)
    predicted_span = models.JSONField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    decided_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.kind} on submission {self.submission_id}"


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
