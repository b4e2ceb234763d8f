"""API endpoints for items, cases and gold."""

from collections import Counter
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.corpus import CancelJob, JobFilters
from annotation.api.filters import FiltersByItem
from annotation.api.serializers import (
    BatchSerializer,
    ContentField,
    ReadFilesSerializer,
    SentenceSerializer,
    UploadSerializer,
    reading_in,
    settings_in,
)
from annotation.bad_rows_download import bad_rows_download
from annotation.domain.corpus.choose_columns import settings_of
from annotation.domain.corpus.item_context import headline_of
from annotation.domain.decisions.changed_figures import forget_batches, forget_decided
from annotation.domain.publishing.queries import submissions_of
from annotation.domain.publishing.withdraw_items import (
    WithdrawalError,
    items_by_key,
    restore_items,
    withdraw_items,
)
from annotation.enums import Partition, SubmissionState
from annotation.models import Batch, Item
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.cases.manage_batch import Order, apply_action, count_short
from consolidation.domain.cases.queries import (
    cases_of,
    current,
    gold_versions_of,
    items_of,
    narrowed,
    state_of,
)
from consolidation.domain.gold.queue_gold import GOLD_IMPORT, queue_gold
from consolidation.domain.reviews.decide_many import decide_many
from consolidation.enums import Action, CaseState, Decision, GoldSource, ItemState
from consolidation.models import Case, CaseSource, Gold
from crowd.domain.hits.manage_hits import HitChangeError
from crowd.domain.money.ledger import BudgetExceededError
from crowd.enums import WORK_CATEGORIES
from crowd.models import Assignment
from crowd.tasks import publish_hits, send_hit_changes
from jobs.domain.queries import jobs_of
from jobs.enums import JobState
from jobs.models import Job
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.cached_figures import forget_figures
from projects.domain.schemes import scheme_of
from projects.enums import TokenScope
from projects.permissions import CAN_SEE_WORKERS, MEMBERS, STAFF, post, read
from schemes.import_settings import Setting
from web.actions import action, money_action
from web.errors import conflicts
from web.filters import MAX_ID, ChoiceFilter, IdAfterFilter, MomentFilter
from web.serializers import BodySerializer

MAX_DAYS = 365
MAX_ADDED = 9
REFUSED_ORDERS: dict[type[Exception], str] = {
    TransitionNotAllowedError: "invalid_state",
    HitChangeError: "invalid_state",
    BudgetExceededError: "budget_exceeded",
}
# As many as a page of the list has.
MAX_DECISIONS = 200


class ItemSerializer(serializers.ModelSerializer[Item]):
    sentence = serializers.CharField(source="sentence.external_id", read_only=True)
    domain = serializers.CharField(source="sentence.domain", read_only=True)
    partition = serializers.CharField(source="sentence.partition", read_only=True)
    target = ContentField(read_only=True)
    headline = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    generations = serializers.IntegerField(
        read_only=True, help_text="Number of accepted generations."
    )
    golds = serializers.IntegerField(
        read_only=True, help_text="Number of gold versions from all sources."
    )

    class Meta:
        model = Item
        fields = (
            "id",
            "key",
            "sentence",
            "domain",
            "partition",
            "target",
            "headline",
            "position",
            "in_production",
            "state",
            "generations",
            "golds",
        )
        read_only_fields = fields

    def get_headline(self, item: Item) -> str:
        return headline_of(item, self.context["view"].project)

    @extend_schema_field({"type": "string", "enum": ItemState.values})
    def get_state(self, item: Any) -> str:
        return state_of(item).value


class ItemFilters(filters.FilterSet):
    state = ChoiceFilter(choices=ItemState.choices)
    domain = filters.CharFilter(max_length=60)
    partition = ChoiceFilter(choices=Partition.choices)
    text = filters.CharFilter(max_length=200, label="A phrase in the sentence, or part of the key.")
    skipped = filters.BooleanFilter(
        label="Items whose gold, or newest annotation without gold, is a skip."
    )

    def filter_queryset(self, queryset: QuerySet[Item]) -> QuerySet[Item]:
        project = self.request.parser_context["view"].project
        return narrowed(queryset, project=project, **self.form.cleaned_data)


class _OfItems(ProjectEndpoint):
    queryset = Item.objects.none()
    serializer_class = ItemSerializer
    tag = "corpus"

    def listed(self) -> QuerySet[Item]:
        return items_of(project=self.project)


class Items(_OfItems, ListEndpoint):
    """List the project's items in publishing order."""

    rules = read(MEMBERS)
    filterset_class = ItemFilters
    ordering = ("position", "pk")
    operations = {"GET": "list_items"}


class ItemDetail(_OfItems, DetailEndpoint):
    """Return an item."""

    rules = read(MEMBERS)
    operations = {"GET": "get_item"}


class ItemWithdrawalSerializer(BodySerializer):
    items = serializers.ListField(
        child=serializers.CharField(max_length=240),
        min_length=1,
        max_length=MAX_DECISIONS,
        help_text="The keys of items, such as wiki:3/2.",
    )
    reason = serializers.CharField(max_length=1000, help_text="Stored in the log.")


class ItemRestorationSerializer(BodySerializer):
    items = serializers.ListField(
        child=serializers.CharField(max_length=240),
        min_length=1,
        max_length=MAX_DECISIONS,
        help_text="The keys of items, such as wiki:3/2.",
    )


class ChangedItemsSerializer(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="The number of items that were not so before.")


class _ItemChange(ProjectEndpoint):
    rules = post(STAFF, TokenScope.PUBLISH)
    serializer_class: Any = ChangedItemsSerializer
    refusals = (409,)
    tag = "corpus"

    def named(self, keys: list[str]) -> QuerySet[Item]:
        """Return the items with these keys. Raise ValidationError for an unknown one."""
        try:
            return items_by_key(project=self.project, keys=keys)
        except WithdrawalError as error:
            raise ValidationError({"items": [str(error)]}) from error


class WithdrawItems(_ItemChange):
    operations = {"POST": "withdraw_items"}

    @extend_schema(request=ItemWithdrawalSerializer, responses={200: ChangedItemsSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Withdraw items, which are then neither published nor exported. Their HITs end."""
        data = self.read_body(request, ItemWithdrawalSerializer)
        with conflicts({WithdrawalError: "invalid_state"}):
            changed = withdraw_items(
                items=self.named(data["items"]),
                reason=data["reason"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(ChangedItemsSerializer({"changed": changed}).data)


class RestoreItems(_ItemChange):
    operations = {"POST": "restore_items"}

    @extend_schema(request=ItemRestorationSerializer, responses={200: ChangedItemsSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Restore withdrawn items. Their gold counts again. HITs that have ended stay so."""
        data = self.read_body(request, ItemRestorationSerializer)
        items = self.named(data["items"])
        changed = restore_items(items=items, actor=actor_of(request), now=timezone.now())
        return Response(ChangedItemsSerializer({"changed": changed}).data)


class CaseSourceSerializer(serializers.ModelSerializer[CaseSource]):
    submission = serializers.IntegerField(source="submission_id", read_only=True)

    class Meta:
        model = CaseSource
        fields = ("position", "submission")
        read_only_fields = fields


class CaseSerializer(serializers.ModelSerializer[Case]):
    item = serializers.CharField(source="item.key", read_only=True)
    sources = CaseSourceSerializer(many=True, read_only=True)

    class Meta:
        model = Case
        fields = ("id", "item", "item_id", "attempt", "round", "state", "opened_at", "sources")
        read_only_fields = fields


class CaseFilters(FiltersByItem):
    state = ChoiceFilter(choices=CaseState.choices)
    attempt = filters.NumberFilter(min_value=0, max_value=32767)


class Cases(ListEndpoint):
    """List the project's cases."""

    rules = read(CAN_SEE_WORKERS)
    queryset = Case.objects.none()
    serializer_class = CaseSerializer
    filterset_class = CaseFilters
    operations = {"GET": "list_cases"}
    tag = "consolidation"

    def listed(self) -> QuerySet[Case]:
        return cases_of(project=self.project)


class ExtensionSerializer(BodySerializer):
    days = serializers.IntegerField(
        min_value=1,
        max_value=MAX_DAYS,
        default=14,
        help_text="The days from now until the HITs end.",
    )


class EnlargementSerializer(BodySerializer):
    assignments = serializers.IntegerField(
        min_value=1, max_value=MAX_ADDED, help_text="How many more workers each HIT is offered to."
    )


class _BatchOrder(ProjectEndpoint):
    """An action on a whole batch that depends on its kind."""

    queryset = Batch.objects.none()
    serializer_class = BatchSerializer
    rules = post(STAFF, TokenScope.PUBLISH)
    refusals = (409, 412)
    tag = "batches"

    def listed(self) -> QuerySet[Batch]:
        return self.project.batches.select_related("budget", "project__budget")

    def carry_out(self, request: Request, pk: int, order: Order) -> Response:
        self.project.batches.select_for_update().filter(pk=pk).first()
        batch = self.find_row(pk=pk)
        self.require_match(request, BatchSerializer(batch).data)
        with conflicts(REFUSED_ORDERS):
            apply_action(batch=batch, order=order, actor=actor_of(request), now=timezone.now())
        # Robust, because the next sweep sends the changes if the broker is down.
        for task in (publish_hits.delay, send_hit_changes.delay):
            transaction.on_commit(task, robust=True)
        transaction.on_commit(partial(forget_batches, project=self.project), robust=True)
        short = partial(forget_figures, count_short, str(pk), project=self.project)
        transaction.on_commit(short, robust=True)
        return Response(BatchSerializer(self.find_row(pk=pk)).data)


class ExtendBatch(_BatchOrder):
    operations = {"POST": "extend_batch"}

    @extend_schema(request=ExtensionSerializer, responses={200: BatchSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Extend the unfinished HITs of a batch, also those that have expired."""
        data = self.read_body(request, ExtensionSerializer)
        return self.carry_out(request, pk, Order(Action.EXTEND, days=data["days"]))


class EnlargeBatch(_BatchOrder):
    operations = {"POST": "enlarge_batch"}

    @extend_schema(request=EnlargementSerializer, responses={200: BatchSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Offer each HIT of a batch to more workers. This reserves budget."""
        data = self.read_body(request, EnlargementSerializer)
        return self.carry_out(request, pk, Order(Action.ADD, assignments=data["assignments"]))


class RepublishBatch(_BatchOrder):
    operations = {"POST": "republish_batch"}

    @extend_schema(request=None, responses={200: BatchSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Republish the work that a batch lacks, whatever its limit. This reserves budget."""
        self.read_body(request)
        return self.carry_out(request, pk, Order(Action.REPUBLISH))


class RejectionSerializer(BodySerializer):
    id = serializers.IntegerField(min_value=1, max_value=MAX_ID)
    reason = serializers.CharField(max_length=1000, help_text="Shown to the worker.")
    category = serializers.ChoiceField(
        choices=WORK_CATEGORIES,
        required=False,
        default="",
        help_text="Required by providers with sessions, whose reasons need at least 100 characters.",
    )


class DecisionsSerializer(BodySerializer):
    """The ids of submissions to accept, and those to reject with a reason each."""

    accept = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_ID),
        default=list,
        max_length=MAX_DECISIONS,
    )
    reject = RejectionSerializer(many=True, default=list, max_length=MAX_DECISIONS)  # type: ignore[call-arg]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        ids = [*attrs["accept"], *(rejection["id"] for rejection in attrs["reject"])]
        if not 1 <= len(ids) <= MAX_DECISIONS:
            raise serializers.ValidationError(f"Decide 1 to {MAX_DECISIONS} submissions.")
        if repeated := [pk for pk, count in Counter(ids).items() if count > 1]:
            raise serializers.ValidationError(f"There are two decisions on {repeated[0]}.")
        return attrs


class DecidedSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(
        choices=SubmissionState.choices, allow_null=True, help_text="Null if there is none."
    )
    problem = serializers.CharField(help_text="Why it was not decided, or empty.")


class AllDecidedSerializer(serializers.Serializer[Any]):
    results = DecidedSerializer(many=True)


class DecideSubmissions(ProjectEndpoint):
    rules = post(STAFF, TokenScope.PAY)
    serializer_class = AllDecidedSerializer
    operations = {"POST": "decide_submissions"}
    tag = "submissions"

    @extend_schema(request=DecisionsSerializer, responses={200: AllDecidedSerializer})
    @money_action
    def post(self, request: Request, slug: str) -> Response:
        """Accept and reject submissions. The answer has what became of each, in the same order."""
        data = self.read_body(request, DecisionsSerializer)
        wanted = [(pk, Decision.ACCEPT, "", "") for pk in data["accept"]]
        wanted += [
            (entry["id"], Decision.REJECT, entry["reason"], entry["category"])
            for entry in data["reject"]
        ]
        rows = submissions_of(project=self.project)
        ids = [pk for pk, *_ in wanted]
        assignments = {row.pk: row.assignment for row in rows.filter(pk__in=ids)}
        problems = {
            pk: self._decide(assignments.get(pk), decision, reason, category, actor_of(request))
            for pk, decision, reason, category in wanted
        }
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        states = dict(rows.filter(pk__in=ids).values_list("pk", "state"))
        results = [
            {"id": pk, "state": states.get(pk), "problem": problem}
            for pk, problem in problems.items()
        ]
        return Response(AllDecidedSerializer({"results": results}).data)

    def _decide(
        self,
        assignment: Assignment | None,
        decision: Decision,
        reason: str,
        category: str,
        actor: str,
    ) -> str:
        """Decide the assignment, and return why that was not possible or an empty text."""
        if assignment is None:
            return "The project has no worker's submission with this id."
        outcome = decide_many(
            assignments=[assignment],
            decision=decision,
            reason=reason,
            category=category,
            actor=actor,
            now=timezone.now(),
        )
        return "".join(problem for _, problem in outcome.failed)


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class ProvenanceField(serializers.JSONField):
    """The origin of each unit."""


class GoldSerializer(serializers.ModelSerializer[Gold]):
    item = serializers.CharField(source="item.key", read_only=True)
    content = ContentField(read_only=True)
    provenance = ProvenanceField(read_only=True)
    case = serializers.IntegerField(source="case_id", read_only=True, allow_null=True)
    submission = serializers.IntegerField(source="submission_id", read_only=True, allow_null=True)
    target = ContentField(source="item.target", read_only=True)
    sentence = serializers.SerializerMethodField()

    class Meta:
        model = Gold
        fields = (
            "id",
            "item",
            "item_id",
            "target",
            "sentence",
            "source",
            "version",
            "content",
            "schema_version",
            "provenance",
            "case",
            "submission",
            "created_at",
        )
        read_only_fields = fields

    @extend_schema_field(SentenceSerializer(allow_null=True))
    def get_sentence(self, gold: Gold) -> dict[str, Any] | None:
        """Return the sentence of the item if the request has `include=sentence`, or null."""
        if self.context["request"].query_params.get("include") != "sentence":
            return None
        return SentenceSerializer(gold.item.sentence).data


class GoldImportSerializer(ReadFilesSerializer):
    """An import of annotations. `items_read` grows while it runs, and a new version is `added`."""

    source = serializers.ChoiceField(  # type: ignore[assignment]
        source="parameters.source", choices=GoldSource.choices
    )
    add_roles = serializers.SerializerMethodField()
    items_read = serializers.IntegerField(source="progress.items", default=0)
    items_added = serializers.IntegerField(source="result.added", default=0)
    items_known = serializers.IntegerField(
        source="result.known", default=0, help_text="Whose newest gold was the same."
    )
    items_left_out = serializers.IntegerField(
        source="result.items_left_out",
        default=0,
        allow_null=True,
        help_text="Because of errors. Null if the reader of the format does not know them.",
    )
    blank_count = serializers.IntegerField(
        source="result.blank", default=0, help_text="Records without an annotation, left out."
    )
    notes = serializers.DictField(
        source="result.notes",
        child=serializers.IntegerField(),
        default={},
        help_text="What was changed to fit the items, such as clipped boxes.",
    )

    class Meta(ReadFilesSerializer.Meta):
        fields = (
            *ReadFilesSerializer.Meta.fields, "source", "add_roles", "items_read", "items_added",
            "items_known", "items_left_out", "blank_count", "notes",
        )  # fmt: skip
        read_only_fields = fields

    def get_add_roles(self, job: Job) -> bool:
        return Setting.ADD_ROLES in settings_of(job.parameters)


class NewGoldImportSerializer(UploadSerializer):
    """Annotations of experts or of a published dataset, for items that the project has."""

    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=[
            (source.value, source.label) for source in (GoldSource.EXPERT, GoldSource.IMPORTED)
        ],
        help_text="expert is the reference of training and quality, imported a published dataset.",
    )
    add_roles = serializers.BooleanField(
        default=False, help_text="Add roles that the project's inventory lacks to it."
    )


class _OfGoldImports(ProjectEndpoint):
    queryset = Job.objects.none()
    serializer_class = GoldImportSerializer
    tag = "consolidation"

    def listed(self) -> QuerySet[Job]:
        return jobs_of(scope=self.project.slug, kind=GOLD_IMPORT)


class GoldImports(_OfGoldImports, ListEndpoint):
    """List the project's imports of annotations, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.IMPORT)
    filterset_class = JobFilters
    parser_classes = [MultiPartParser]
    ordering = ("-pk",)
    operations = {"GET": "list_gold_imports", "POST": "import_gold"}

    @property
    def max_bytes(self) -> int:
        return settings.API_UPLOAD_MAX_BYTES

    @extend_schema(
        request={"multipart/form-data": NewGoldImportSerializer},
        responses={202: GoldImportSerializer},
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Upload annotations. A background job imports them, and `Location` shows its progress."""
        formats = scheme_of(self.project).corpus.gold_formats
        data = self.read_body(request, NewGoldImportSerializer, formats=formats)
        job = queue_gold(
            project=self.project,
            fmt=data["format"],
            source=data["source"],
            files=data["files"],
            strict=data["strict"],
            reading=reading_in(data),
            settings=settings_in(data),
            actor=actor_of(request),
            now=timezone.now(),
            state=JobState.QUEUED,
        )
        location = reverse("api:gold_import", args=[slug, job.pk], request=request)
        return Response(GoldImportSerializer(job).data, 202, headers={"Location": location})


class GoldImportDetail(_OfGoldImports, DetailEndpoint):
    """Return an import of annotations with its progress."""

    rules = read(STAFF)
    operations = {"GET": "get_gold_import"}


class CancelGoldImport(CancelJob, _OfGoldImports):
    """Cancel an import of annotations that has not ended. What it has stored stays."""

    rules = post(STAFF, TokenScope.IMPORT)
    operations = {"POST": "cancel_gold_import"}


class GoldBadRows(_OfGoldImports):
    rules = read(STAFF)
    operations = {"GET": "download_gold_bad_rows"}

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        """Download the bad rows of an import of annotations as CSV: file, line, field and message."""
        return bad_rows_download(self.find_row(pk=pk))


class GoldFilters(FiltersByItem):
    source = ChoiceFilter(choices=GoldSource.choices)
    domain = filters.CharFilter(field_name="item__sentence__domain", max_length=60)
    partition = ChoiceFilter(field_name="item__sentence__partition", choices=Partition.choices)
    current = filters.BooleanFilter(
        method="only_current", label="true leaves out older versions of an item and source."
    )
    created_after = MomentFilter(field_name="created_at", lookup_expr="gte")
    id_after = IdAfterFilter()
    include = ChoiceFilter(
        choices=[("sentence", "sentence")],
        method="with_sentence",
        label="sentence fills the field `sentence` of each row.",
    )

    def only_current(self, queryset: QuerySet[Gold], name: str, value: bool) -> QuerySet[Gold]:
        return current(queryset) if value else queryset

    def with_sentence(self, queryset: QuerySet[Gold], name: str, value: str) -> QuerySet[Gold]:
        return queryset.select_related("item__sentence")


class GoldList(ListEndpoint):
    """List all versions of gold. The highest version of each item and source is current."""

    rules = read(CAN_SEE_WORKERS)
    queryset = Gold.objects.none()
    serializer_class = GoldSerializer
    filterset_class = GoldFilters
    operations = {"GET": "list_gold"}
    tag = "consolidation"

    def listed(self) -> QuerySet[Gold]:
        return gold_versions_of(project=self.project)
