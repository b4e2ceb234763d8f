"""Language models that annotate a project's items, and all that they answered."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from annotation.models import Item
from model_annotators.enums import ModelState
from projects.models import Project


class ModelAnnotator(models.Model):
    """A model behind an endpoint that speaks the chat-completions protocol, or a local command.

    `url` is the endpoint's base address, such as "https://models.example/v1", and `model` the name of
    the model there. `command` is run instead of an endpoint, and only the operator can set it.
    `requests_per_minute` 0 means no limit. `sealed_key` is the encrypted key, or "". Prices are in cents
    per million tokens. No request is sent once the answers have cost `cap_cents`. Prompts have up to
    `examples` items with expert gold.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="model_annotators")
    name = models.CharField(max_length=60)
    url = models.CharField(max_length=300, blank=True)
    command = models.CharField(max_length=1000, blank=True)
    requests_per_minute = models.PositiveIntegerField(default=0)
    model = models.CharField(max_length=200)
    sealed_key = models.TextField(blank=True)
    temperature = models.FloatField(default=0.0)
    examples = models.PositiveSmallIntegerField(default=4)
    input_price_cents = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(0))
    output_price_cents = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(0))
    cap_cents = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=ModelState, default=ModelState.ACTIVE)
    registered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="model_annotator_name_once"),
            models.CheckConstraint(
                condition=(Q(url="") & ~Q(command="")) | (~Q(url="") & Q(command="")),
                name="model_annotator_url_or_command",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project}: {self.name}"


class ModelAnswer(models.Model):
    """An answer of a model about an item. It never changes.

    `digest` is the SHA-256 of the first request about the item, in hexadecimal digits. Later attempts
    add what was wrong with the earlier answers. `content` was parsed by the scheme as a generator's
    work is. It is None if the scheme refused the answer, and `problem` then says why.
    """

    annotator = models.ForeignKey(ModelAnnotator, on_delete=models.CASCADE, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="model_answers")
    digest = models.CharField(max_length=64)
    attempt = models.PositiveSmallIntegerField()
    raw = models.TextField()
    content = models.JSONField(null=True)
    schema_version = models.PositiveSmallIntegerField()
    problem = models.TextField(blank=True)
    input_tokens = models.PositiveIntegerField()
    output_tokens = models.PositiveIntegerField()
    cost_cents = models.DecimalField(max_digits=14, decimal_places=6)
    seconds = models.FloatField()
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "item", "digest", "attempt"], name="model_answer_once"
            )
        ]

    def __str__(self) -> str:
        return f"answer {self.attempt} of {self.annotator_id} on item {self.item_id}"
