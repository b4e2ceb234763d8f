"""How a worker becomes one of the trained pool: rounds, figures, feedback."""

from django.conf import settings
from django.db import models

from annotation.enums import Role
from annotation.models import Batch, Item, Project
from consolidation.models import Gold
from crowd.models import Worker
from qualification.enums import EnrolmentState, RoundKind


class Round(models.Model):
    """One step of a project's qualification for a role. `thresholds` names the least figure that
    suggests a pass, such as {"ua_f1": 0.6}."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    role = models.CharField(max_length=20, choices=Role, default=Role.GENERATOR)
    ordinal = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20, choices=RoundKind)
    title = models.CharField(max_length=120)
    thresholds = models.JSONField(default=dict, blank=True)
    batch = models.OneToOneField(
        Batch, on_delete=models.PROTECT, null=True, blank=True, related_name="round"
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
    """An item of a round and the reference that answers are held against."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")
    reference = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="round_items")
    ordinal = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="round_item_once"),
            models.UniqueConstraint(fields=["round", "ordinal"], name="round_item_order"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} in round {self.round_id}"


class Enrolment(models.Model):
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="enrolments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="enrolments")
    state = models.CharField(max_length=20, choices=EnrolmentState, default=EnrolmentState.INVITED)
    enrolled_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "worker"], name="enrolment_once")]

    def __str__(self) -> str:
        return f"{self.worker} in round {self.round_id}"


class Evaluation(models.Model):
    """A worker's figures in a round, by the rule named, against the references listed. Recomputing
    adds a row: the old figures stay."""

    enrolment = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="evaluations")
    rule = models.CharField(max_length=60)
    figures = models.JSONField()
    corrected_figures = models.JSONField(null=True, blank=True)
    computed_from = models.JSONField()  # {"submissions": [...], "gold": [...], "decisions": [...]}
    computed_at = models.DateTimeField()

    class Meta:
        get_latest_by = "computed_at"

    def __str__(self) -> str:
        return f"evaluation of enrolment {self.enrolment_id}"


class Feedback(models.Model):
    """What a trainer tells a worker about a round: a text, and notes by item id."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="feedback")
    trainer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.TextField(blank=True)
    notes = models.JSONField(default=dict, blank=True)
    trainer_seconds = models.PositiveIntegerField(default=0)
    written_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return f"feedback on evaluation {self.evaluation_id}"
