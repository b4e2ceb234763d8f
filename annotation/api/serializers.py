"""Serializers of sentences, imports, batches and submissions. Amounts are in whole US cents."""

from collections.abc import Collection, Mapping
from math import ceil
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.domain.corpus.choose_columns import encoding_of, settings_of
from annotation.domain.corpus.source_files import (
    ColumnsError,
    ReadOptions,
    parse_columns,
    parse_reading,
)
from annotation.domain.corpus.text_encodings import UnknownEncodingError
from annotation.domain.publishing.arms import MAX_ARMS
from annotation.domain.publishing.batch_actions import MAX_REPUBLICATIONS
from annotation.domain.publishing.choose_workers import Who
from annotation.domain.publishing.preview_import import ImportPreview, preview_of
from annotation.domain.publishing.publish import AUTO_APPROVAL_SECONDS, REPUBLISH_LIMIT
from annotation.enums import ModelUse, Partition
from annotation.models import Arm, Batch, HeldBonus, Sentence, Submission
from crowd.enums import WORK_CATEGORIES
from jobs.enums import JobState
from jobs.models import Job
from projects.api.serializers import MAX_CENTS
from projects.enums import SuggestionChoice
from schemes.import_settings import Setting, with_parameters
from web.serializers import BodySerializer


class SentenceSerializer(serializers.ModelSerializer[Sentence]):
    tokens = serializers.ListField(child=serializers.CharField(), read_only=True)
    text = serializers.CharField(read_only=True, help_text="As it was written, empty if unknown")
    offsets = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        read_only=True,
        help_text="The half-open range of characters of each token in the text",
    )
    metadata = serializers.DictField(read_only=True)
    # Empty for most corpora.
    partition = serializers.CharField(read_only=True)

    class Meta:
        model = Sentence
        fields = (
            "id",
            "external_id",
            "tokens",
            "text",
            "offsets",
            "domain",
            "partition",
            "group",
            "metadata",
        )
        read_only_fields = fields


class FileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    bytes = serializers.IntegerField()


class RowErrorSerializer(serializers.Serializer[Any]):
    file = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    field = serializers.CharField(allow_blank=True)
    message = serializers.SerializerMethodField()

    def get_message(self, row: dict[str, Any]) -> str:
        """Return the message with the parameters that it suggests."""
        return with_parameters(row["message"])


class ReadFilesSerializer(serializers.ModelSerializer[Job]):
    """An import of uploaded files: how they are read, and the rows that were refused."""

    format = serializers.CharField(source="parameters.format")
    strict = serializers.BooleanField(source="parameters.strict")
    align = serializers.SerializerMethodField()
    rescale_boxes = serializers.SerializerMethodField()
    encoding = serializers.SerializerMethodField()
    columns = serializers.DictField(source="parameters.reading.columns")
    sheet = serializers.CharField(source="parameters.reading.sheet")
    files = FileSerializer(source="parameters.files", many=True)
    error_count = serializers.IntegerField(source="result.error_count", default=0)
    errors = RowErrorSerializer(source="result.errors", many=True, default=[])  # type: ignore[assignment]
    problem = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields: tuple[str, ...] = (
            "id", "state", "format", "strict", "align", "rescale_boxes", "encoding", "columns", "sheet",
            "files", "requested_by", "requested_at", "started_at", "ended_at", "error_count", "errors",
            "problem",
        )  # fmt: skip
        read_only_fields = fields

    def get_align(self, job: Job) -> bool:
        return Setting.ALIGN in settings_of(job.parameters)

    def get_rescale_boxes(self, job: Job) -> bool:
        return Setting.RESCALE_BOXES in settings_of(job.parameters)

    def get_problem(self, job: Job) -> str:
        return with_parameters(job.problem)

    def get_encoding(self, job: Job) -> str:
        """Return the encoding in which the first file is read."""
        return encoding_of(job.parameters)


class ImportSerializer(ReadFilesSerializer):
    """An import. The counts ending in `_read` grow while it runs."""

    domain = serializers.CharField(source="parameters.domain")
    partition = serializers.CharField(source="parameters.partition")
    update = serializers.SerializerMethodField()  # type: ignore[assignment]
    items_files = FileSerializer(source="parameters.items_files", many=True)
    sentences_read = serializers.IntegerField(source="progress.sentences", default=0)
    items_read = serializers.IntegerField(source="progress.items", default=0)
    sentences_added = serializers.IntegerField(source="result.sentences_added", default=0)
    sentences_updated = serializers.IntegerField(source="result.sentences_updated", default=0)
    sentences_known = serializers.IntegerField(source="result.sentences_known", default=0)
    items_added = serializers.IntegerField(source="result.items_added", default=0)
    items_updated = serializers.IntegerField(source="result.items_updated", default=0)
    items_known = serializers.IntegerField(source="result.items_known", default=0)
    warning_count = serializers.IntegerField(source="result.warning_count", default=0)
    warnings = RowErrorSerializer(source="result.warnings", many=True, default=[])

    class Meta(ReadFilesSerializer.Meta):
        fields = (
            *ReadFilesSerializer.Meta.fields, "domain", "partition", "update", "items_files",
            "sentences_read", "items_read", "sentences_added", "sentences_updated", "sentences_known",
            "items_added", "items_updated", "items_known", "warning_count", "warnings",
        )  # fmt: skip
        read_only_fields = fields

    def get_update(self, job: Job) -> bool:
        return Setting.UPDATE in settings_of(job.parameters)


class EncodingSerializer(serializers.Serializer[Any]):
    encoding = serializers.CharField(help_text="An encoding in which the file can be read.")
    text = serializers.CharField(help_text="The first line that is not UTF-8, in this encoding.")


class PreviewedSentenceSerializer(serializers.Serializer[Any]):
    external_id = serializers.CharField()
    text = serializers.CharField()
    items = serializers.ListField(
        source="headlines", child=serializers.CharField(), help_text="What people see of its items."
    )
    note = serializers.CharField(help_text="What is special about it, or empty.")


class ImportPreviewSerializer(serializers.Serializer[Any]):
    """What an import would do. Its counts grow until `state` is finished."""

    state = serializers.ChoiceField(
        source="check.state", choices=JobState.choices, help_text="The state of the reading job."
    )
    problem = serializers.SerializerMethodField()
    is_whole = serializers.BooleanField(
        source="read.whole", help_text="False if only the first rows of the files were read."
    )
    encodings = serializers.SerializerMethodField()
    notes = serializers.SerializerMethodField()
    sentences_listed = serializers.IntegerField(
        source="read.listed", help_text="The readable sentences of the files."
    )
    sentences_added = serializers.IntegerField(source="read.sentences")
    sentences_updated = serializers.IntegerField(source="read.updated")
    sentences_known = serializers.IntegerField(source="read.known")
    sentences_repeated = serializers.IntegerField(
        source="read.repeated", help_text="Those whose id came before in the files."
    )
    duplicates = serializers.IntegerField(
        source="read.duplicates", help_text="New sentences with the text of another one."
    )
    items_added = serializers.IntegerField(source="read.items")
    items_updated = serializers.IntegerField(source="read.items_updated")
    error_count = serializers.IntegerField(source="read.bad_rows")
    errors = RowErrorSerializer(source="read.error_rows", many=True)  # type: ignore[assignment]
    settings = serializers.DictField(
        source="read.offers",
        child=serializers.IntegerField(),
        help_text="Settings of the import, and the number of bad rows that each would accept.",
    )
    warning_count = serializers.IntegerField(source="read.warning_count")
    warnings = serializers.ListField(
        source="read.warnings",
        child=serializers.CharField(),
        help_text="The first warnings of each kind, with the line in the file.",
    )
    item_cents = serializers.FloatField(
        source="cost.cents", help_text="The expected cost of an item until it is gold, with fees."
    )
    expected_cents = serializers.SerializerMethodField()
    is_assumed = serializers.BooleanField(
        source="cost.is_assumed",
        help_text="True if the cost is an estimate without data of this project.",
    )
    sentences = PreviewedSentenceSerializer(
        source="read.shown", many=True, help_text="The first sentences with their items."
    )

    def get_problem(self, row: ImportPreview) -> str:
        """Return why the files can't be read, or an empty text."""
        return with_parameters(row.check.problem or row.read.problem)

    @extend_schema_field(EncodingSerializer(many=True))
    def get_encodings(self, row: ImportPreview) -> list[dict[str, str]]:
        """Return encodings in which files that are not UTF-8 can be read, the likeliest first."""
        return [{"encoding": name, "text": text} for name, text in row.read.readings.items()]

    def get_notes(self, row: ImportPreview) -> list[str]:
        """Return how a table was read."""
        return list(row.read.table["notes"]) if row.read.table else []

    def get_expected_cents(self, row: ImportPreview) -> int:
        """Return the expected cost of the new items, rounded up."""
        return ceil(row.cost.cents * row.read.items)


class PreviewedImportSerializer(ImportSerializer):
    """An import. After a dry run, it is `uploaded`, and has a preview until it is confirmed."""

    preview = serializers.SerializerMethodField()

    class Meta(ImportSerializer.Meta):
        fields = (*ImportSerializer.Meta.fields, "preview")
        read_only_fields = fields

    @extend_schema_field(ImportPreviewSerializer(allow_null=True))
    def get_preview(self, job: Job) -> dict[str, Any] | None:
        """Return what the import would do, or null if it is not `uploaded`."""
        preview = preview_of(job)
        return ImportPreviewSerializer(preview).data if preview else None


class UploadSerializer(BodySerializer):
    """Files to import, and how to read them. The context has the `formats` to choose from."""

    files = serializers.ListField(
        child=serializers.FileField(max_length=200), min_length=1, max_length=20
    )
    format = serializers.CharField(
        max_length=30,
        default="",
        allow_blank=True,
        help_text="A format of the project's scheme. Recognised if it is empty.",
    )
    encoding = serializers.CharField(
        max_length=40,
        default="",
        allow_blank=True,
        help_text="Of text files. Without it, they are in UTF-8 or have a byte-order mark.",
    )
    columns = serializers.CharField(
        max_length=2000,
        default="",
        allow_blank=True,
        help_text="Columns of a table with other names, such as id=doc_id,text=body.",
    )
    sheet = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="Of a workbook. The first visible one by default.",
    )
    strict = serializers.BooleanField(
        default=False, help_text="Import nothing if a row is invalid."
    )
    align = serializers.BooleanField(
        default=False, help_text="Move positions in other tokens, by characters."
    )
    rescale_boxes = serializers.BooleanField(
        default=False,
        help_text="Accept images that are resized copies of those that the files describe.",
    )

    def validate_format(self, value: str) -> str:
        return _one_of(self.context["formats"], value) if value else value

    def validate_encoding(self, value: str) -> str:
        try:
            return parse_reading(encoding=value).encoding
        except UnknownEncodingError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate_columns(self, value: str) -> dict[str, str]:
        try:
            return parse_columns(value)
        except ColumnsError as error:
            raise serializers.ValidationError(str(error)) from error


def reading_in(data: Mapping[str, Any]) -> ReadOptions:
    """Return how the files of a checked upload are read."""
    return ReadOptions(data["encoding"], data["columns"], data["sheet"])


def settings_in(data: Mapping[str, Any]) -> list[Setting]:
    """Return the settings that a checked upload chooses."""
    return [setting for setting in Setting if data.get(setting.parameter)]


class NewImportSerializer(UploadSerializer):
    items_files = serializers.ListField(
        child=serializers.FileField(max_length=200),
        default=list,
        max_length=20,
        help_text="Files that list the items, if the corpus has none.",
    )
    images = serializers.FileField(
        max_length=200,
        default=None,
        help_text="A ZIP archive of the images that the sentences describe.",
    )
    search = serializers.CharField(
        max_length=30,
        default="",
        allow_blank=True,
        help_text="What to look for in the sentences without `items_files`, if the scheme has a choice.",
    )
    domain = serializers.CharField(max_length=60, default="", allow_blank=True)
    partition = serializers.ChoiceField(choices=Partition.choices, default="", allow_blank=True)
    update = serializers.BooleanField(  # type: ignore[assignment]
        default=False,
        help_text="Replace sentences and items that exist otherwise, unless work depends on them.",
    )

    def validate_search(self, value: str) -> str:
        return _one_of(self.context["searches"], value) if value else value


def _one_of(known: Collection[str], value: str) -> str:
    if value not in known:
        raise serializers.ValidationError(f"Use one of {', '.join(known) or 'none'}.")
    return value


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class RequirementsField(serializers.JSONField):
    """The requirements that workers must meet."""


class ArmSerializer(serializers.ModelSerializer[Arm]):
    class Meta:
        model = Arm
        fields = ("name", "percent", "suggestions", "system", "use")
        read_only_fields = fields


class BatchSerializer(serializers.ModelSerializer[Batch]):
    qualifications = RequirementsField(read_only=True)
    cap_cents = serializers.IntegerField(
        source="budget.cap_cents", read_only=True, allow_null=True, default=None
    )
    arms = ArmSerializer(many=True, read_only=True)

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
            "republish_limit",
            "arms",
            "assists_test_items",
            "to_publish",
            "problem",
            "created_at",
        )
        read_only_fields = fields


class NewArmSerializer(BodySerializer):
    """A way to help annotators, for a share of the batch's items."""

    percent = serializers.IntegerField(min_value=1, max_value=100)
    suggestions = serializers.ChoiceField(
        choices=SuggestionChoice.choices,
        allow_blank=True,
        default="",
        help_text="Replaces the project's setting.",
    )
    system = serializers.CharField(
        max_length=60,
        allow_blank=True,
        default="",
        help_text="A model or imported predictions.",
    )
    use = serializers.ChoiceField(
        choices=ModelUse.choices,
        allow_blank=True,
        default="",
        help_text="What people see of the system's annotation.",
    )


class NewBatchSerializer(BodySerializer):
    """A request to publish items for generation."""

    limit = serializers.IntegerField(
        min_value=1, max_value=1_000_000, help_text="Maximum number of items, in shuffled order."
    )
    who = serializers.ChoiceField(
        choices=[(who.value, who.value) for who in Who],
        required=False,
        help_text="The trained pool or anyone. The default is the pool, if the project has one.",
    )
    pool = serializers.CharField(
        max_length=80,
        allow_null=True,
        default=None,
        help_text="The code of another qualification of the project, whose holders may work.",
    )
    groups = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        default=list,
        max_length=30,
        help_text="Admit only holders of the pool with these values.",
    )
    approval_rate = serializers.IntegerField(
        min_value=0, max_value=100, allow_null=True, default=None
    )
    locales = serializers.ListField(
        child=serializers.RegexField(r"^[A-Z]{2}\Z"),
        default=list,
        max_length=30,
        help_text="Countries of the workers, two letters each.",
    )
    keep_open = serializers.IntegerField(
        min_value=1, max_value=1_000_000, allow_null=True, default=None
    )
    cap_cents = serializers.IntegerField(
        min_value=0, max_value=MAX_CENTS, allow_null=True, default=None
    )
    auto_approval_seconds = serializers.IntegerField(
        min_value=0,
        max_value=30 * 86400,
        default=AUTO_APPROVAL_SECONDS,
        help_text="Work without a decision is approved after this time.",
    )
    republish_limit = serializers.IntegerField(
        min_value=0,
        max_value=MAX_REPUBLICATIONS,
        default=REPUBLISH_LIMIT,
        help_text="How often an item that lacks annotations is republished automatically.",
    )
    arms = serializers.ListField(
        child=NewArmSerializer(),
        default=list,
        max_length=MAX_ARMS,
        help_text="Assign the items at random to these arms, whose shares add up to 100.",
    )
    assists_test_items = serializers.BooleanField(
        default=False, help_text="Assign items of the test partition to arms too."
    )


class ChangedBatchSerializer(BodySerializer):
    """The changes of a batch. Fields that are left out stay as they are."""

    keep_open = serializers.IntegerField(
        min_value=1,
        max_value=1_000_000,
        allow_null=True,
        required=False,
        help_text="The number of HITs that the top-up keeps open, or null for no top-up.",
    )
    cap_cents = serializers.IntegerField(
        min_value=0, max_value=MAX_CENTS, allow_null=True, required=False
    )
    republish_limit = serializers.IntegerField(
        min_value=0, max_value=MAX_REPUBLICATIONS, required=False
    )


class BatchPreviewSerializer(serializers.Serializer[Any]):
    """What a publication would cost. Nothing was published."""

    items = serializers.IntegerField(help_text="The number of items of the whole batch.")
    hits = serializers.IntegerField(help_text="The HITs that would be created at once.")
    reserved_cents = serializers.IntegerField(help_text="What these HITs would reserve, with fees.")
    most_cents = serializers.IntegerField(help_text="The highest cost of the batch, with fees.")
    expected_cents = serializers.IntegerField(
        help_text="The expected cost of the items until they are gold, with fees."
    )
    budget_left_cents = serializers.IntegerField(
        allow_null=True, help_text="Before the publication. Null without a budget limit."
    )
    is_affordable = serializers.BooleanField(
        help_text="False if the budget or the batch's limit is below what would be reserved."
    )
    pool = serializers.CharField(
        allow_null=True, help_text="The qualification that workers need, or null for anyone."
    )


class BatchProgressSerializer(serializers.Serializer[Any]):
    """The numbers of a batch's HITs and submissions, by state."""

    hits = serializers.DictField(child=serializers.IntegerField())
    submissions = serializers.DictField(child=serializers.IntegerField())


@extend_schema_field({"type": "object"})
class ContentField(serializers.JSONField):
    """Content in the format of the project's scheme."""


class StepSerializer(serializers.Serializer[Any]):
    seconds = serializers.IntegerField(help_text="Active time on the step.")
    moves = serializers.IntegerField()


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    item = serializers.CharField(source="item.key", read_only=True)
    item_id = serializers.IntegerField(read_only=True)
    worker = serializers.CharField(
        source="worker.pseudonym",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="The worker's pseudonym, or null for an expert.",
    )
    content = ContentField(read_only=True)
    steps = serializers.DictField(
        child=StepSerializer(),
        read_only=True,
        help_text="The page's steps by name. Empty if the scheme's page has no steps.",
    )

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
            "steps",
            "comment",
        )
        read_only_fields = fields


class HoldReasonSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    text = serializers.CharField()


class HeldBonusSerializer(serializers.ModelSerializer[HeldBonus]):
    """A bonus that is paid after a review. `submissions` are the ids of its work.

    A bonus in the state `waiting` is decided when its items are consolidated. `earned_cents` is the bonus
    for all units, and `amount_cents` the one that is paid.
    """

    worker = serializers.CharField(
        source="payment.assignment.worker.pseudonym",
        read_only=True,
        help_text="The worker's pseudonym.",
    )
    submissions: serializers.Field[Any, Any, Any, Any] = serializers.PrimaryKeyRelatedField(
        source="payment.assignment.submissions",
        many=True,
        read_only=True,
    )
    amount_cents = serializers.IntegerField(source="payment.amount_cents", read_only=True)
    reasons = HoldReasonSerializer(many=True, read_only=True)

    class Meta:
        model = HeldBonus
        fields = (
            "id",
            "state",
            "worker",
            "submissions",
            "amount_cents",
            "earned_cents",
            "reasons",
            "held_at",
            "decided_by",
            "decided_at",
            "note",
        )
        read_only_fields = fields


class AcceptBonusSerializer(BodySerializer):
    units = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=100_000),
        required=False,
        help_text="The units to pay by submission id. Without it, the whole bonus is paid.",
    )
    note = serializers.CharField(
        max_length=1000,
        required=False,
        default="",
        allow_blank=True,
        help_text="Sent to the worker.",
    )

    def validate_units(self, units: dict[str, int]) -> dict[int, int]:
        if not all(key.isascii() and key.isdigit() for key in units):
            raise serializers.ValidationError("The keys must be submission ids.")
        return {int(key): number for key, number in units.items()}


class ReasonSerializer(BodySerializer):
    reason = serializers.CharField(max_length=1000, help_text="Shown to the worker.")


class RejectionReasonSerializer(ReasonSerializer):
    category = serializers.ChoiceField(
        choices=WORK_CATEGORIES,
        required=False,
        default="",
        help_text="Required by providers with sessions, whose reasons need at least 100 characters.",
    )


class OverturnSerializer(BodySerializer):
    use = serializers.BooleanField(
        help_text="Whether the work is used, unless other work has replaced it."
    )
    reason = serializers.CharField(max_length=1000, help_text="Stored with the assignment.")
