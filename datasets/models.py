"""Models of dataset partitions and quality measurements."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Item, Submission
from consolidation.enums import GoldSource, PartitionUnit
from consolidation.models import Gold
from crowd.models import Worker
from datasets.enums import Population
from projects.models import Project


class Decision(models.Model):
    """A person's correction of an automatic match between a reference and a prediction.

    The prediction is a submission (a trainee's) or other gold. `kind` is declared by the scheme
    (`schemes.contract.comparison.DecisionKind`), and the keys are those of aligned rows. A decision
    without a reference key concerns the prediction alone.
    """

    reference = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="decisions")
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    predicted = models.ForeignKey(
        Gold, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions_on"
    )
    kind = models.CharField(max_length=40)
    reference_key = models.CharField(max_length=200, blank=True)
    predicted_key = models.CharField(max_length=200)
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


class ErrorSample(models.Model):
    """A random sample of a source's annotations, for an analysis of errors by people.

    The sample comes from the parts that the reference lacks, from those that the gold misses, or from all
    parts of the gold. `matched` and `unmatched` are the automatic counts of true positives and of false
    positives, or negatives for what is missed, on the compared items. `parts` is the number of parts from
    which the sample was drawn.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="error_samples")
    source = models.CharField(max_length=20, choices=GoldSource)
    against = models.CharField(max_length=20, choices=GoldSource)
    population = models.CharField(max_length=20, choices=Population)
    seed = models.BigIntegerField()
    items = models.PositiveIntegerField()
    parts = models.PositiveIntegerField()
    matched = models.PositiveIntegerField()
    unmatched = models.PositiveIntegerField()
    drawn_by = models.CharField(max_length=150)
    drawn_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"sample {self.pk} of {self.source} gold of {self.project}"

    @property
    def is_of_missed(self) -> bool:
        return self.population == Population.MISSED


class SampledPart(models.Model):
    """A part of gold in a sample, and the category that a person gave it.

    `key` is that of the part's side in aligned rows, which is the reference's for what the gold misses.
    """

    sample = models.ForeignKey(ErrorSample, on_delete=models.CASCADE, related_name="sampled_parts")
    position = models.PositiveIntegerField()
    predicted = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="sampled_parts")
    reference = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=200)
    category = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    judged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    judged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "position"], name="sampled_part_order"),
            models.UniqueConstraint(
                fields=["sample", "predicted", "key"], name="sampled_part_once"
            ),
            models.CheckConstraint(
                condition=Q(category="", judged_at=None)
                | (~Q(category="") & Q(judged_at__isnull=False)),
                name="sampled_part_judged_with_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id}.{self.position}"


class StoredComparison(models.Model):
    """The figures of a project's latest comparison with a file of another resource.

    `kind` is a key of `schemes.contract.scheme.Scheme.external`. The file itself is not stored,
    because others own it.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="external_comparisons"
    )
    source = models.CharField(max_length=20, choices=GoldSource)
    kind = models.CharField(max_length=40)
    file_name = models.CharField(max_length=255)
    figures = models.JSONField()
    compared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "source", "kind"], name="stored_comparison_once_per_source"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source} gold of {self.project} against {self.file_name}"


class EquivalenceModel(models.Model):
    """A version of the equivalence of labels, learned from people's decisions between two sources.

    `weights` are those of `metrics.logistic_regression` with the names of the features, which `rule`
    defines. `figures` compares it with other rules on the items with decisions, cross-validated.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="equivalence_models"
    )
    version = models.PositiveIntegerField()
    source = models.CharField(max_length=20, choices=GoldSource)
    against = models.CharField(max_length=20, choices=GoldSource)
    rule = models.CharField(max_length=60)
    weights = models.JSONField()
    pairs = models.PositiveIntegerField()
    items = models.PositiveIntegerField()
    figures = models.JSONField()
    trained_by = models.CharField(max_length=150)
    trained_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], name="equivalence_model_version_once"
            )
        ]
        ordering = ["version"]

    def __str__(self) -> str:
        return f"equivalence of labels of {self.project}, version {self.version}"


class CertaintyFit(models.Model):
    """The latest fit of a project's judgments (`metrics.judgment_model`).

    `right` is the estimated share of right parts among those found, and `spread` the standard deviation
    of difficulties, on the scale of log-odds. `calibration` has what experts kept of parts and items, by
    their estimates.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="certainty_fit")
    rule = models.CharField(max_length=60)
    fitted_at = models.DateTimeField()
    items = models.PositiveIntegerField()
    parts = models.PositiveIntegerField()
    right = models.FloatField()
    right_error = models.FloatField()
    spread = models.FloatField()
    spread_error = models.FloatField()
    calibration = models.JSONField()
    # See datasets.domain.quality.redundancy_curve.
    redundancy = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"certainty of {self.project}"


class FittedSkill(models.Model):
    """A worker's estimated shares of right and wrong parts that they find, or as a judge keep.

    `judged` is the number of items of an annotator, and of parts of a judge. An annotator who
    `is_compared` shared an item with another one.
    """

    fit = models.ForeignKey(CertaintyFit, on_delete=models.CASCADE, related_name="skills")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="fitted_skills")
    is_judge = models.BooleanField()
    right = models.FloatField()
    right_error = models.FloatField()
    wrong = models.FloatField()
    wrong_error = models.FloatField()
    judged = models.PositiveIntegerField()
    is_compared = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["fit", "worker", "is_judge"], name="fitted_skill_once_per_worker"
            )
        ]

    def __str__(self) -> str:
        return f"skill of {self.worker} in {self.fit}"


class ItemCertainty(models.Model):
    """An item's estimated difficulty, and the certainty of its gold.

    `probabilities` maps the keys of the gold's parts, which are those of aligned rows, to the probability
    that an expert would keep them. `lowest` is the lowest of them. `coverage` is the expected share of
    all right parts that the gold has, and `missed` the expected number of those that nobody found. They
    are None if they can't be estimated.
    """

    fit = models.ForeignKey(CertaintyFit, on_delete=models.CASCADE, related_name="certainties")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    gold = models.ForeignKey(Gold, on_delete=models.CASCADE, related_name="+")
    difficulty = models.FloatField()
    difficulty_error = models.FloatField()
    lowest = models.FloatField(null=True)
    coverage = models.FloatField(null=True)
    missed = models.FloatField(null=True)
    probabilities = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["fit", "gold"], name="item_certainty_once_per_gold")
        ]

    def __str__(self) -> str:
        return f"certainty of {self.item}"


class Partitioning(models.Model):
    """The partitioning of a project's sentences.

    `shares` maps partitions to percentages. `digest` identifies frozen partitions (see
    datasets.domain.exports.partitions).
    """

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
