"""What the API says of projects and their work, and what it understands. Cents are whole US cents."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.enums import Partition
from annotation.models import Batch, CorpusImport, Project, Sentence, Submission
from crowd.domain.pay_scheme import PRESETS, PaySchemeError, check_pay_scheme
from schemes.registry import SCHEMES

MOST_CENTS = 10_000_000_00
_TERMS = {
    name: {"type": "integer", "minimum": 0, "maximum": 100_000}
    for name in (
        "reward_cents",
        "free_units",
        "bonus_first_cents",
        "bonus_step_cents",
        "allowance_units",
    )
}
_PAY_SCHEME = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "type": "object",
        "properties": _TERMS,
        "required": list(_TERMS),
        "additionalProperties": False,
    },
}


@extend_schema_field(_PAY_SCHEME)
class PaySchemeField(serializers.JSONField):
    """Role -> its terms."""


@extend_schema_field({"oneOf": [{"type": "string", "enum": sorted(PRESETS)}, _PAY_SCHEME]})
class PayField(serializers.JSONField):
    """A preset's name, or role -> its terms."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return check_pay_scheme(super().to_internal_value(data))
        except PaySchemeError as error:
            raise serializers.ValidationError(str(error)) from error


class ProjectSerializer(serializers.ModelSerializer[Project]):
    pay_scheme = PaySchemeField(read_only=True)

    class Meta:
        model = Project
        fields = (
            "slug",
            "title",
            "scheme",
            "provider",
            "pay_scheme",
            "generators_per_item",
            "exclusion_scope",
            "seed",
            "created_at",
        )
        read_only_fields = fields


class NewProjectSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(
        max_length=60,
        validators=[RegexValidator(r"^[-a-zA-Z0-9_]+\Z", "Letters, digits, - and _ only.")],
        help_text="Its name in addresses and commands.",
    )
    title = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    scheme = serializers.ChoiceField(choices=sorted(SCHEMES))
    pay_scheme = PayField(default="qasrl-2020")  # type: ignore[arg-type]  # a preset's name
    cap_cents = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MOST_CENTS,
        help_text="The most it may cost, in cents; null for no cap.",
    )
    seed = serializers.IntegerField(
        required=False,
        default=1,
        min_value=-(2**63),
        max_value=2**63 - 1,
        help_text="Of the items' shuffle.",
    )


class SentenceSerializer(serializers.ModelSerializer[Sentence]):
    tokens = serializers.ListField(child=serializers.CharField(), read_only=True)
    metadata = serializers.DictField(read_only=True)

    class Meta:
        model = Sentence
        fields = ("id", "external_id", "tokens", "domain", "partition", "image", "metadata")
        read_only_fields = fields


class FileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    bytes = serializers.IntegerField()


class RowErrorSerializer(serializers.Serializer[Any]):
    file = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    field = serializers.CharField(allow_blank=True)
    message = serializers.CharField()


class ImportSerializer(serializers.ModelSerializer[CorpusImport]):
    """An import: `..._read` grow while it runs (of a strict one only at its end)."""

    format = serializers.CharField(source="fmt", read_only=True)
    files = FileSerializer(many=True, read_only=True)
    items_file = FileSerializer(read_only=True, allow_null=True)
    errors = RowErrorSerializer(many=True, read_only=True)  # type: ignore[assignment]

    class Meta:
        model = CorpusImport
        fields = (
            "id",
            "state",
            "format",
            "domain",
            "partition",
            "strict",
            "files",
            "items_file",
            "asked_by",
            "asked_at",
            "started_at",
            "ended_at",
            "sentences_read",
            "items_read",
            "sentences_added",
            "sentences_known",
            "items_added",
            "items_known",
            "error_count",
            "errors",
            "problem",
        )
        read_only_fields = fields


class NewImportSerializer(serializers.Serializer[Any]):
    files = serializers.ListField(
        child=serializers.FileField(max_length=200), min_length=1, max_length=20
    )
    items_file = serializers.FileField(
        required=False, max_length=200, help_text="A file of items, where the corpus has none."
    )
    format = serializers.CharField(
        max_length=30, help_text="qasrl-csv, qasrl-bank, conllu or text (QA-SRL)."
    )
    domain = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    partition = serializers.ChoiceField(
        choices=Partition.choices, required=False, default="", allow_blank=True
    )
    strict = serializers.BooleanField(
        required=False, default=False, help_text="One bad row: nothing is kept."
    )

    def validate_format(self, value: str) -> str:
        known = self.context["formats"]
        if value not in known:
            raise serializers.ValidationError(f"One of {', '.join(known)}.")
        return value


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class RequirementsField(serializers.JSONField):
    """What the marketplace asks of the HITs' workers."""


class BatchSerializer(serializers.ModelSerializer[Batch]):
    qualifications = RequirementsField(read_only=True)
    cap_cents = serializers.IntegerField(
        source="budget.cap_cents", read_only=True, allow_null=True, default=None
    )

    class Meta:
        model = Batch
        fields = (
            "id",
            "role",
            "state",
            "title",
            "description",
            "keywords",
            "reward_cents",
            "bonus_allowance_cents",
            "assignment_seconds",
            "lifetime_seconds",
            "auto_approval_seconds",
            "qualifications",
            "cap_cents",
            "keep_open",
            "item_limit",
            "problem",
            "created_at",
        )
        read_only_fields = fields


class NewBatchSerializer(serializers.Serializer[Any]):
    """What to publish for generation, and to whom."""

    limit = serializers.IntegerField(
        min_value=1, max_value=1_000_000, help_text="At most so many items, in shuffled order."
    )
    pool = serializers.CharField(
        max_length=80,
        required=False,
        allow_null=True,
        default=None,
        help_text="The code of a qualification: only its holders may work.",
    )
    groups = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        required=False,
        default=list,
        max_length=30,
        help_text="Only holders of the pool with these values.",
    )
    approval_rate = serializers.IntegerField(
        min_value=0, max_value=100, required=False, allow_null=True, default=None
    )
    locales = serializers.ListField(
        child=serializers.RegexField(r"^[A-Z]{2}\Z"),
        required=False,
        default=list,
        max_length=30,
        help_text="Countries of the workers, two letters each.",
    )
    keep_open = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, allow_null=True, default=None
    )
    cap_cents = serializers.IntegerField(
        min_value=0, max_value=MOST_CENTS, required=False, allow_null=True, default=None
    )


class BatchProgressSerializer(serializers.Serializer[Any]):
    """How many HITs of a batch are in each state, and how many submissions."""

    hits = serializers.DictField(child=serializers.IntegerField())
    submissions = serializers.DictField(child=serializers.IntegerField())


@extend_schema_field({"type": "object"})
class ContentField(serializers.JSONField):
    """Content as the project's scheme writes it."""


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    item = serializers.CharField(source="item.key", read_only=True)
    item_id = serializers.IntegerField(read_only=True)
    worker = serializers.CharField(
        source="worker.pseudonym",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="A pseudonym; null for an expert's.",
    )
    content = ContentField(read_only=True)

    class Meta:
        model = Submission
        fields = (
            "id",
            "item",
            "item_id",
            "role",
            "worker",
            "state",
            "content",
            "schema_version",
            "problem",
            "opened_at",
            "submitted_at",
            "active_seconds",
            "moves",
            "comment",
        )
        read_only_fields = fields


class ReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=1000, help_text="The worker reads this.")
