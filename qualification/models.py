"""The qualification of workers for the trained pool: rounds, evaluations and feedback."""

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models import Batch, Item, Submission
from consolidation.models import Gold
from crowd.models import Message, Worker
from projects.enums import Role
from projects.models import Guidelines, Project
from qualification.enums import (
    AlertKind,
    EnrolmentState,
    EvaluationCause,
    Opinion,
    RoundEntry,
    RoundKind,
)


class Round(models.Model):
    """A step of a project's qualification for a role.

    `thresholds` maps figures to values that suggest a pass (see `Comparison.round_thresholds`). Passing
    opens the pools of `pool_roles`. `requirements` are on the marketplace's own qualifications (see
    crowd.models.HitType).

    Workers do all items or, with `items_per_worker`, a block of that size (see annotation.models.Task).
    `terms` (of pay) and `guidelines` override the project's.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    role = models.CharField(max_length=20, choices=Role, default=Role.GENERATOR)
    ordinal = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20, choices=RoundKind)
    title = models.CharField(max_length=120)
    entry = models.CharField(max_length=20, choices=RoundEntry, default=RoundEntry.INVITED)
    thresholds = models.JSONField(default=dict, blank=True)
    pool_roles = models.JSONField(default=list, blank=True)
    requirements = models.JSONField(default=list, blank=True)
    items_per_worker = models.PositiveSmallIntegerField(null=True, blank=True)
    terms = models.JSONField(null=True, blank=True)
    guidelines = models.ForeignKey(
        Guidelines, on_delete=models.PROTECT, null=True, blank=True, related_name="rounds"
    )
    items = models.ManyToManyField(Item, through="RoundItem", related_name="rounds")

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["project", "role", "ordinal"], name="round_order")
        ]

    def __str__(self) -> str:
        return f"{self.project}: {self.title}"


class RoundItem(models.Model):
    """An item of a round with its reference, and with the annotations that consolidators merge.

    A round can be set up before its items have expert gold. Publishing needs all references.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")
    reference = models.ForeignKey(
        Gold, on_delete=models.PROTECT, null=True, blank=True, related_name="round_items"
    )
    given = models.JSONField(default=list, db_default=[], blank=True)
    ordinal = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="round_item_once"),
            models.UniqueConstraint(fields=["round", "ordinal"], name="round_item_order"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} in round {self.round_id}"

    @property
    def gold(self) -> Gold:
        """Return the reference of an item in a published round."""
        assert self.reference, f"Item {self.item_id} has no reference."
        return self.reference


class Cohort(models.Model):
    """A publication of a round, to workers who hold its qualification with this number."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="cohorts")
    number = models.PositiveSmallIntegerField()
    batch = models.OneToOneField(Batch, on_delete=models.PROTECT, related_name="cohort")
    places = models.PositiveSmallIntegerField()
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="cohort_number_once")
        ]

    def __str__(self) -> str:
        return f"cohort {self.number} of round {self.round_id}"


class Enrolment(models.Model):
    """A worker in a round, with their newest cohort and, if items are split, their block."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="enrolments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="enrolments")
    state = models.CharField(max_length=20, choices=EnrolmentState, default=EnrolmentState.INVITED)
    enrolled_at = models.DateTimeField()
    cohort = models.ForeignKey(
        Cohort, on_delete=models.PROTECT, null=True, blank=True, related_name="enrolments"
    )
    block = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "worker"], name="enrolment_once")]

    def __str__(self) -> str:
        return f"{self.worker} in round {self.round_id}"


class Evaluation(models.Model):
    """A worker's figures in a round, computed with a rule. Recomputing adds an evaluation."""

    enrolment = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="evaluations")
    rule = models.CharField(max_length=60)
    cause = models.CharField(
        max_length=20, choices=EvaluationCause, default=EvaluationCause.FINISHED
    )
    # True while the worker has not finished. Figures then cover only submitted items.
    so_far = models.BooleanField(default=False, db_default=False)
    figures = models.JSONField()
    corrected_figures = models.JSONField(null=True, blank=True)
    # Per item of the round: {"item", "submission", "gold", "rows", "remarks", "figures"}.
    alignment = models.JSONField(default=list, blank=True)
    computed_from = models.JSONField()  # {"submissions": [...], "gold": [...], "decisions": [...]}
    computed_at = models.DateTimeField()

    class Meta:
        get_latest_by = "computed_at"

    def __str__(self) -> str:
        return f"evaluation of enrolment {self.enrolment_id}"


class BaseFeedback(models.Model):
    """A trainer's text and notes by item id for a worker, and the worker's reply."""

    trainer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.TextField(blank=True)
    notes = models.JSONField(default=dict, blank=True)
    trainer_seconds = models.PositiveIntegerField(default=0)
    written_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    message = models.OneToOneField(
        Message, on_delete=models.PROTECT, null=True, blank=True, related_name="%(class)s"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    reply = models.TextField(blank=True)
    replied_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=models.Q(sent_at=None, message=None)
                | models.Q(sent_at__isnull=False, message__isnull=False),
                name="%(class)s_sent_as_a_message",
            ),
        ]


class Feedback(BaseFeedback):
    """Feedback on a round."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="feedback")

    class Meta(BaseFeedback.Meta):
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return f"feedback on evaluation {self.evaluation_id}"

    @property
    def worker(self) -> Worker:
        return self.evaluation.enrolment.worker

    @property
    def project(self) -> Project:
        return self.evaluation.enrolment.round.project

    @property
    def title(self) -> str:
        return self.evaluation.enrolment.round.title

    @property
    def role(self) -> str:
        return self.evaluation.enrolment.round.role

    @property
    def alignment(self) -> list[dict[str, Any]]:
        return self.evaluation.alignment


class PoolFeedback(BaseFeedback):
    """Feedback on production work, with the alignment of its items when they were chosen."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="pool_feedback")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="pool_feedback")
    role = Role.GENERATOR
    alignment = models.JSONField(default=list)

    class Meta(BaseFeedback.Meta):
        verbose_name_plural = "pool feedback"
        constraints = [
            *BaseFeedback.Meta.constraints,
            models.UniqueConstraint(
                fields=["project", "worker"],
                condition=models.Q(sent_at=None),
                name="one_draft_of_pool_feedback",
            ),
        ]

    def __str__(self) -> str:
        return f"feedback to {self.worker} in {self.project}"

    @property
    def title(self) -> str:
        return self.project.title


class SecondOpinion(models.Model):
    """A judgement of a worker's round by another trainer than the one who decides."""

    enrolment = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="opinions")
    trainer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    opinion = models.CharField(max_length=20, choices=Opinion)
    comment = models.TextField(blank=True)
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "trainer"], name="opinion_once")
        ]

    def __str__(self) -> str:
        return f"{self.opinion} for enrolment {self.enrolment_id}"


class Snippet(models.Model):
    """A text that the trainers of a project insert into their notes."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="snippets")
    text = models.CharField(max_length=1000)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.text


class GoldComparison(models.Model):
    """A production annotation's measures by figure against its item's newest gold."""

    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="outcome")
    gold = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="gold_comparisons")
    rule = models.CharField(max_length=60)
    measures = models.JSONField()
    compared_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"gold comparison of submission {self.submission_id}"


class Alert(models.Model):
    """An alert about a worker, raised again only for work after its acknowledgement."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="alerts")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="alerts")
    kind = models.CharField(max_length=20, choices=AlertKind)
    reason = models.TextField()
    items = models.PositiveIntegerField()
    raised_at = models.DateTimeField()
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "worker", "kind"],
                condition=models.Q(acknowledged_at=None),
                name="one_open_alert_of_a_kind",
            ),
            models.CheckConstraint(
                condition=models.Q(acknowledged_at=None, acknowledged_by=None)
                | models.Q(acknowledged_at__isnull=False, acknowledged_by__isnull=False),
                name="alert_acknowledged_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.worker} in {self.project}"


class ProductionGroup(models.Model):
    """A part of the trained generators, who hold the pool's qualification with `number`."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="groups")
    number = models.PositiveSmallIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="group_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="group_from_one"),
        ]

    def __str__(self) -> str:
        return f"group {self.number} of {self.project}"
