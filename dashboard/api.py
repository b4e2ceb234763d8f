"""What looks across apps: people, money, exports, and what is under way."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.endpoint import ProjectEndpoint
from annotation.domain.kept_figures import figures_of
from annotation.domain.qualification_codes import qualifications_of
from annotation.domain.queries import Cost, Work, cost_by_role, work_of_everyone, workers_of
from annotation.enums import Partition
from consolidation.domain.export_gold import formats_of
from consolidation.domain.queries import count_gold, finished_costs
from consolidation.downloads import download
from consolidation.enums import GoldSource
from crowd.domain.queries import (
    LedgerFilter,
    ledger_of,
    narrowed_ledger,
    pending_work,
    sums_of,
    troubles_of,
)
from crowd.enums import LedgerKind
from crowd.models import LedgerEntry, Worker
from dashboard.exports import (
    FoundExport,
    begin_export,
    export_named,
    exports_of,
    open_export_file,
)
from dashboard.tasks import write_export
from rest.actions import action
from rest.cursors import Cursors
from rest.filters import StrictFilters
from rest.problems import Problem

# --- workers -----------------------------------------------------------------------------------


class WorkerSerializer(serializers.Serializer[Any]):
    """A worker of the project, by pseudonym; the marketplace's id for them stays inside."""

    pseudonym = serializers.CharField()
    first_seen_at = serializers.DateTimeField()
    submissions = serializers.IntegerField()
    accepted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    mean_seconds = serializers.FloatField(allow_null=True)
    active_seconds = serializers.IntegerField()
    earned_cents = serializers.IntegerField(help_text="Confirmed; fees not counted.")


class _OfWorkers(ProjectEndpoint):
    queryset = Worker.objects.none()
    serializer_class = WorkerSerializer
    tag = "workers"

    def listed(self) -> QuerySet[Worker]:
        return workers_of(project=self.project)

    def told(self, workers: list[Worker]) -> list[dict[str, Any]]:
        by_worker = figures_of(work_of_everyone, project=self.project).value
        work = [(one, by_worker.get(one.pk, Work())) for one in workers]
        return [
            {
                "pseudonym": one.pseudonym,
                "first_seen_at": one.first_seen_at,
                "submissions": done.figures.submissions,
                "accepted": done.figures.accepted,
                "rejected": done.figures.rejected,
                "mean_seconds": done.figures.mean_seconds,
                "active_seconds": done.figures.active_seconds,
                "earned_cents": done.earned_cents,
            }
            for one, done in work
        ]


class Workers(_OfWorkers):
    pagination_class = Cursors
    ordering = ("-pk",)
    operations = {"GET": "list_workers"}

    def get(self, request: Request, slug: str) -> Response:
        """Those who have submitted something in the project, the newest first."""
        page = self.paginate_queryset(self.get_queryset()) or []
        rows = self.get_serializer(self.told(list(page)), many=True)
        return self.get_paginated_response(rows.data)


class WorkerDetail(_OfWorkers):
    operations = {"GET": "get_worker"}

    def get(self, request: Request, slug: str, pseudonym: str) -> Response:
        """One worker of the project."""
        [told] = self.told([self.one(pseudonym=pseudonym)])
        return Response(self.get_serializer(told).data)


# --- money -------------------------------------------------------------------------------------


class CostSerializer(serializers.Serializer[Any]):
    amount_cents = serializers.IntegerField(help_text="What workers got.")
    fee_cents = serializers.IntegerField(help_text="What the marketplace took.")
    total_cents = serializers.IntegerField()


class BudgetSerializer(serializers.Serializer[Any]):
    cap_cents = serializers.IntegerField(allow_null=True)
    reserved_cents = serializers.IntegerField()
    spent_cents = serializers.IntegerField()
    left_cents = serializers.IntegerField(allow_null=True, help_text="Null without a cap.")


class CostsSerializer(serializers.Serializer[Any]):
    """What the project's work has cost so far. `ledger` sums the entries by kind, fees included."""

    budget = BudgetSerializer()
    total = CostSerializer()
    by_role = serializers.DictField(child=CostSerializer())
    ledger = serializers.DictField(child=serializers.IntegerField())
    finished_items = serializers.IntegerField()
    mean_finished_item_cents = serializers.FloatField(allow_null=True)


class Costs(ProjectEndpoint):
    serializer_class = CostsSerializer
    operations = {"GET": "get_costs"}
    tag = "money"

    def get(self, request: Request, slug: str) -> Response:
        """The project's budget and costs."""
        by_role = cost_by_role(project=self.project)
        finished = [one.total_cents for one in finished_costs(project=self.project)]
        entries = ledger_of(budget=self.project.budget, wanted=LedgerFilter())
        sums = sums_of(entries=entries)
        told = {
            "budget": self.project.budget,
            "total": sum(by_role.values(), Cost()),
            "by_role": {role or "compensation": cost for role, cost in by_role.items()},
            "ledger": {kind.value: sums.get(kind, 0) for kind in LedgerKind},
            "finished_items": len(finished),
            "mean_finished_item_cents": sum(finished) / len(finished) if finished else None,
        }
        return Response(self.get_serializer(told).data)


class LedgerEntrySerializer(serializers.ModelSerializer[LedgerEntry]):
    role = serializers.SerializerMethodField()
    hit = serializers.CharField(source="hit.external_id", read_only=True, allow_null=True)
    worker = serializers.CharField(
        source="payment.assignment.worker.pseudonym", read_only=True, allow_null=True, default=None
    )
    payment = serializers.CharField(
        source="payment.kind",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="reward or bonus; null where nobody is paid.",
    )

    class Meta:
        model = LedgerEntry
        fields = (
            "id",
            "at",
            "kind",
            "amount_cents",
            "fee_cents",
            "role",
            "hit",
            "worker",
            "payment",
            "key",
        )
        read_only_fields = fields

    def get_role(self, entry: LedgerEntry) -> str | None:
        return entry.hit.task.role if hasattr(entry.hit, "task") else None


class LedgerFilters(filters.FilterSet):
    kind = filters.ChoiceFilter(choices=LedgerKind.choices)
    worker = filters.CharFilter(max_length=20, label="A pseudonym.")
    first_day = filters.DateFilter(label="In UTC.")
    last_day = filters.DateFilter(label="In UTC; it is meant as well.")

    class Meta:
        model = LedgerEntry
        fields: list[str] = []

    def filter_queryset(self, queryset: QuerySet[LedgerEntry]) -> QuerySet[LedgerEntry]:
        given = dict(self.form.cleaned_data)
        return narrowed_ledger(queryset, LedgerFilter(pseudonym=given.pop("worker"), **given))


class Ledger(ProjectEndpoint):
    queryset = LedgerEntry.objects.none()
    serializer_class = LedgerEntrySerializer
    pagination_class = Cursors
    filter_backends = [StrictFilters]
    filterset_class = LedgerFilters
    ordering = ("-pk",)
    operations = {"GET": "list_ledger_entries"}
    tag = "money"

    def listed(self) -> QuerySet[LedgerEntry]:
        return ledger_of(budget=self.project.budget, wanted=LedgerFilter())

    def get(self, request: Request, slug: str) -> Response:
        """Every movement of the project's money, the newest first."""
        return self.page(request)


# --- exports -----------------------------------------------------------------------------------


class ExportFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    rows = serializers.IntegerField(allow_null=True)
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.URLField()


class ExportSerializer(serializers.Serializer[Any]):
    """An export: being written until it has its files, or an error."""

    name = serializers.CharField()
    state = serializers.ChoiceField(choices=["running", "finished", "failed"])
    at = serializers.DateTimeField()
    format = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    items = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    files = ExportFileSerializer(many=True)


class ExportsSerializer(serializers.Serializer[Any]):
    results = ExportSerializer(many=True)


class NewExportSerializer(serializers.Serializer[Any]):
    """Which gold, in which format; empty: all domains, all partitions."""

    format = serializers.CharField(max_length=30, help_text="qasrl-csv, qasrl-bank or jsonl.")
    source = serializers.ChoiceField(choices=GoldSource.choices, default=GoldSource.CONSOLIDATED)  # type: ignore[assignment]
    domain = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    partition = serializers.ChoiceField(
        choices=Partition.choices, required=False, default="", allow_blank=True
    )
    licence = serializers.RegexField(
        r"^[A-Za-z0-9.+ ()-]*\Z",
        max_length=100,
        required=False,
        default="",
        allow_blank=True,
        help_text="An SPDX identifier, such as CC-BY-SA-4.0.",
    )

    def validate_format(self, value: str) -> str:
        known = self.context["formats"]
        if value not in known:
            raise serializers.ValidationError(f"One of {', '.join(known)}.")
        return value


class _OfExports(ProjectEndpoint):
    serializer_class = ExportSerializer
    tag = "exports"

    def named(self, name: str) -> FoundExport:
        one = export_named(self.project, name)
        if one is None:
            raise Http404
        return one

    def told(self, one: FoundExport) -> dict[str, Any]:
        state = "finished" if one.is_finished else "failed" if one.error else "running"
        files = [
            {
                "name": file.name,
                "rows": file.rows,
                "bytes": file.bytes,
                "sha256": file.sha256,
                "url": reverse(
                    "api:export_file",
                    args=[self.project.slug, one.name, file.name],
                    request=self.request,
                ),
            }
            for file in one.files
        ]
        facts = {"name": one.name, "state": state, "at": one.at, "format": one.fmt, "files": files}
        more = {"source": one.source, "items": one.items, "error": one.error}
        return dict(ExportSerializer({**facts, **more}).data)


class Exports(_OfExports):
    operations = {"GET": "list_exports", "POST": "start_export"}
    refusals = (409,)

    @extend_schema(responses=ExportsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The project's exports, the newest first."""
        return Response({"results": [self.told(one) for one in exports_of(self.project)]})

    @extend_schema(request=NewExportSerializer, responses={202: ExportSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Start an export; a worker process writes it. Follow `Location` until it is finished."""
        given = NewExportSerializer(
            data=request.data, context={"formats": formats_of(self.project)}
        )
        given.is_valid(raise_exception=True)
        facts = dict(given.validated_data)
        if facts["source"] not in count_gold(project=self.project).items_by_source:
            raise Problem("nothing-to-export", f"There is no {facts['source']} gold.")
        fmt = facts.pop("format")
        name = begin_export(self.project, fmt=fmt, now=timezone.now(), **facts)
        pk = self.project.pk
        transaction.on_commit(lambda: write_export.delay(pk, name))
        where = reverse("api:export", args=[slug, name], request=request)
        return Response(self.told(self.named(name)), 202, headers={"Location": where})


class ExportDetail(_OfExports):
    operations = {"GET": "get_export"}

    def get(self, request: Request, slug: str, name: str) -> Response:
        """One export, and its files once it is finished."""
        return Response(self.told(self.named(name)))


class ExportedFile(ProjectEndpoint):
    serializer_class = ExportFileSerializer
    operations = {"GET": "download_export_file"}
    tag = "exports"

    @extend_schema(
        parameters=[
            OpenApiParameter("file", OpenApiTypes.STR, OpenApiParameter.PATH),
            OpenApiParameter("Range", OpenApiTypes.STR, OpenApiParameter.HEADER),
            OpenApiParameter("If-Range", OpenApiTypes.STR, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "*/*"): OpenApiTypes.ANY,
            (206, "*/*"): OpenApiTypes.ANY,
            416: OpenApiResponse(description="The range begins where the file has ended."),
        },
    )
    def get(self, request: Request, slug: str, name: str, file: str) -> HttpResponseBase:
        """A file of a finished export. What was cut off is resumed with Range and If-Range."""
        found = open_export_file(self.project, name, file)
        if found is None:
            raise Http404
        opened, facts = found
        return download(request._request, opened, name=file, sha256=facts.sha256)


# --- what is under way -------------------------------------------------------------------------


class PendingSerializer(serializers.Serializer[Any]):
    """How many rows are in each state; of payments, those that are not confirmed."""

    hits = serializers.DictField(child=serializers.IntegerField())
    payments = serializers.DictField(child=serializers.IntegerField())
    payment_cents = serializers.DictField(child=serializers.IntegerField())
    rejections = serializers.IntegerField()
    unrecorded = serializers.IntegerField(help_text="Assignments to be recorded.")
    grants = serializers.DictField(child=serializers.IntegerField())
    messages = serializers.DictField(child=serializers.IntegerField())


class TroubleSerializer(serializers.Serializer[Any]):
    what = serializers.CharField()
    state = serializers.CharField()
    error = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    worker = serializers.CharField(allow_blank=True)
    cents = serializers.IntegerField(allow_null=True)


class JobsSerializer(serializers.Serializer[Any]):
    """What the sweeps have before them, and what did not go through: at most 50 of each kind."""

    pending = PendingSerializer()
    troubles = serializers.DictField(child=TroubleSerializer(many=True))


class Jobs(ProjectEndpoint):
    serializer_class = JobsSerializer
    operations = {"GET": "get_jobs"}
    tag = "jobs"

    def get(self, request: Request, slug: str) -> Response:
        """What is under way between us and the marketplace."""
        of: dict[str, Any] = {
            "budget": self.project.budget,
            "qualifications": qualifications_of(self.project),
        }
        told = {"pending": pending_work(**of), "troubles": troubles_of(**of)}
        return Response(self.get_serializer(told).data)
