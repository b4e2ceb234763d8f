"""How a worker becomes one of the trained pool: rounds, figures, feedback."""

from django.conf import settings
from django.db import models

from annotation.enums import Role
from annotation.models import Batch, Item, Project
from consolidation.models import Gold
from crowd.models import Message, Worker
from qualification.enums import EnrolmentState, EvaluationCause, RoundEntry, RoundKind


class Round(models.Model):
    """One step of a project's qualification for a role. `thresholds` names the least figure that
    suggests a pass, such as {"UA.f1": 0.6}; `pool_roles` the roles whose trained pool a pass opens;
    `requirements` the marketplace's own qualifications asked for (see crowd.models.HitType)."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    role = models.CharField(max_length=20, choices=Role, default=Role.GENERATOR)
    ordinal = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20, choices=RoundKind)
    title = models.CharField(max_length=120)
    entry = models.CharField(max_length=20, choices=RoundEntry, default=RoundEntry.INVITED)
    thresholds = models.JSONField(default=dict, blank=True)
    pool_roles = models.JSONField(default=list, blank=True)
    requirements = models.JSONField(default=list, blank=True)
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


class Intake(models.Model):
    """One publication of a round's items, with a seat for each of a group of workers. The number is
    the value of the qualification that lets them in: who was here before can't take the seats of
    the next group."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="intakes")
    number = models.PositiveSmallIntegerField()
    batch = models.OneToOneField(Batch, on_delete=models.PROTECT, related_name="intake")
    seats = models.PositiveSmallIntegerField()
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="intake_number_once")
        ]

    def __str__(self) -> str:
        return f"intake {self.number} of round {self.round_id}"


class Enrolment(models.Model):
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="enrolments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="enrolments")
    state = models.CharField(max_length=20, choices=EnrolmentState, default=EnrolmentState.INVITED)
    enrolled_at = models.DateTimeField()
    intake = models.ForeignKey(
        Intake, on_delete=models.PROTECT, null=True, blank=True, related_name="enrolments"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "worker"], name="enrolment_once")]

    def __str__(self) -> str:
        return f"{self.worker} in round {self.round_id}"


class Evaluation(models.Model):
    """A worker's figures in a round, by the rule named, against the references listed. Recomputing
    adds a row: the old figures stay."""

    enrolment = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="evaluations")
    rule = models.CharField(max_length=60)
    cause = models.CharField(
        max_length=20, choices=EvaluationCause, default=EvaluationCause.FINISHED
    )
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


class Feedback(models.Model):
    """What a trainer tells a worker about a round: a text, and notes by item id; and what the worker
    says to it."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="feedback")
    trainer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.TextField(blank=True)
    notes = models.JSONField(default=dict, blank=True)
    trainer_seconds = models.PositiveIntegerField(default=0)
    written_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    message = models.OneToOneField(
        Message, on_delete=models.PROTECT, null=True, blank=True, related_name="feedback"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    question = models.TextField(blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "feedback"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(sent_at=None, message=None)
                | models.Q(sent_at__isnull=False, message__isnull=False),
                name="feedback_sent_as_a_message",
            ),
        ]

    def __str__(self) -> str:
        return f"feedback on evaluation {self.evaluation_id}"
