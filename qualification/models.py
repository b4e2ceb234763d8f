"""How a worker becomes one of the trained pool: rounds, figures, feedback."""

from django.conf import settings
from django.db import models

from annotation.enums import Role
from annotation.models import Batch, Guidelines, Item, Project, Submission
from consolidation.models import Gold
from crowd.models import Message, Worker
from qualification.enums import (
    AlertKind,
    EnrolmentState,
    EvaluationCause,
    RoundEntry,
    RoundKind,
)


class Round(models.Model):
    """One step of a project's qualification for a role. `thresholds` names the least figure that
    suggests a pass, such as {"UA.f1": 0.6}; `pool_roles` the roles whose trained pool a pass opens;
    `requirements` the marketplace's own qualifications asked for (see crowd.models.HitType).

    Everybody does all the items or, with `items_per_worker`, one hand of so many (see
    annotation.models.Task). `terms` (of pay) and `guidelines` are the round's own, if it has any."""

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
    """An item of a round and the reference that answers are held against. `given` are the annotations
    that a round of consolidators merges; of generators' rounds there are none."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")
    reference = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="round_items")
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
    """A worker's place in a round, their seat in its newest intake, and their hand there, if it is
    dealt in hands."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="enrolments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="enrolments")
    state = models.CharField(max_length=20, choices=EnrolmentState, default=EnrolmentState.INVITED)
    enrolled_at = models.DateTimeField()
    intake = models.ForeignKey(
        Intake, on_delete=models.PROTECT, null=True, blank=True, related_name="enrolments"
    )
    hand = models.PositiveSmallIntegerField(null=True, blank=True)

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
    # Of a worker who is still at it: over the items that they have handed in.
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


class Letter(models.Model):
    """What a trainer tells a worker: a text, and notes by item id; and what the worker says to it."""

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
    question = models.TextField(blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=models.Q(sent_at=None, message=None)
                | models.Q(sent_at__isnull=False, message__isnull=False),
                name="%(class)s_sent_as_a_message",
            ),
        ]


class Feedback(Letter):
    """On a round."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="feedback")

    class Meta(Letter.Meta):
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return f"feedback on evaluation {self.evaluation_id}"


class PoolFeedback(Letter):
    """On work in production: some items beside the gold that came of them, as they were then (as in
    `Evaluation.alignment`)."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="pool_feedback")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="pool_feedback")
    alignment = models.JSONField(default=list)

    class Meta(Letter.Meta):
        verbose_name_plural = "pool feedback"
        constraints = [
            *Letter.Meta.constraints,
            models.UniqueConstraint(
                fields=["project", "worker"],
                condition=models.Q(sent_at=None),
                name="one_draft_of_pool_feedback",
            ),
        ]

    def __str__(self) -> str:
        return f"feedback to {self.worker} in {self.project}"


class Outcome(models.Model):
    """An annotation of production held against the gold that came of its item, by the rule named.
    `counts` maps a figure to its {"tp", "fp", "fn"}. A newer version of the gold replaces it."""

    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="outcome")
    gold = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="outcomes")
    rule = models.CharField(max_length=60)
    counts = models.JSONField()
    compared_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"outcome of submission {self.submission_id}"


class Alert(models.Model):
    """A worker in production who needs a look, and since when; `items` is how many they had done.
    Somebody acknowledges it; it is raised again only by what comes after."""

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
    """A part of the trained generators that a batch can be published to. Its members hold their pool's
    qualification with its `number` for a value."""

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
