"""API endpoints that combine apps: workers, costs, exports, jobs, and the end of projects."""

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.corpus import CancelJob, JobFilters
from annotation.domain.publishing.qualification_codes import qualifications_of
from annotation.domain.publishing.queries import (
    Cost,
    Work,
    cost_by_role,
    work_of_everyone,
    workers_of,
)
from annotation.enums import Partition
from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from consolidation.domain.cases.queries import count_gold, finished_costs
from consolidation.enums import GoldSource
from crowd.domain.hits.queries import (
    LedgerFilter,
    failures_of,
    ledger_of,
    narrowed_ledger,
    payments_of,
    pending_work,
    sums_of,
)
from crowd.domain.money.close_payment import close_payment
from crowd.enums import LedgerKind
from crowd.models import LedgerEntry, Payment, Worker
from dashboard.archive import WorkLeftError, archive_project, unarchive_project
from dashboard.delete_project import delete_project
from dashboard.project_log import KINDS, LogFilter, log_ids
from datasets.domain.exports.export_gold import formats_of
from datasets.domain.exports.export_submissions import (
    ANNOTATIONS,
    submission_formats_of,
    submissions_of,
)
from datasets.domain.exports.queue_export import (
    ExportFile,
    archive_of,
    exports_of,
    files_of,
    open_file,
    queue_export,
)
from jobs.models import Job
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of, own_projects
from projects.api.serializers import ProjectSerializer
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.enums import TokenScope
from projects.models import Project
from projects.permissions import ADMINS, CAN_SEE_WORKERS, STAFF, post, read
from web.actions import action, money_action
from web.downloads import download
from web.errors import Conflict, conflicts
from web.fields import PeriodForm
from web.filters import ChoiceFilter, IdAfterFilter, MomentFilter
from web.serializers import BodySerializer


class WorkSerializer(serializers.Serializer[Any]):
    submissions = serializers.IntegerField()
    accepted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    mean_seconds = serializers.FloatField(allow_null=True)
    active_seconds = serializers.IntegerField()
    earned_cents = serializers.IntegerField(help_text="Confirmed payments, without fees.")


class WorkerSerializer(serializers.Serializer[Any]):
    """A worker of the project, by pseudonym, without the marketplace's id."""

    pseudonym = serializers.CharField(source="worker.pseudonym")
    first_seen_at = serializers.DateTimeField(source="worker.first_seen_at")
    production = WorkSerializer(
        source="work.production", help_text="Includes agreement experiments and compensation."
    )
    training = WorkSerializer(source="work.training")


class _OfWorkers(ProjectEndpoint):
    queryset = Worker.objects.none()
    serializer_class = WorkerSerializer
    tag = "workers"

    def listed(self) -> QuerySet[Worker]:
        return workers_of(project=self.project)

    def shown(self, rows: list[Worker]) -> list[dict[str, Any]]:
        by_worker = figures_of(work_of_everyone, project=self.project).value
        return [{"worker": worker, "work": by_worker.get(worker.pk, Work())} for worker in rows]


class Workers(_OfWorkers, ListEndpoint):
    """List the workers who have submitted work in the project, newest first."""

    rules = read(CAN_SEE_WORKERS)
    ordering = ("-pk",)
    operations = {"GET": "list_workers"}


class WorkerDetail(_OfWorkers):
    rules = read(CAN_SEE_WORKERS)
    operations = {"GET": "get_worker"}

    def get(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Return a worker of the project."""
        [row] = self.shown([self.find_row(pseudonym=pseudonym)])
        return Response(self.get_serializer(row).data)


class CostSerializer(serializers.Serializer[Any]):
    amount_cents = serializers.IntegerField(help_text="Paid to workers.")
    fee_cents = serializers.IntegerField(help_text="Fees of the marketplace.")
    total_cents = serializers.IntegerField()


class BudgetSerializer(serializers.Serializer[Any]):
    cap_cents = serializers.IntegerField(allow_null=True)
    reserved_cents = serializers.IntegerField()
    spent_cents = serializers.IntegerField()
    left_cents = serializers.IntegerField(allow_null=True, help_text="Null without a budget limit.")


class CostsSerializer(serializers.Serializer[Any]):
    """The cost of the project so far. `ledger` sums the entries by kind, with fees."""

    budget = BudgetSerializer()
    total = CostSerializer()
    by_role = serializers.DictField(child=CostSerializer())
    ledger = serializers.DictField(child=serializers.IntegerField())
    finished_items = serializers.IntegerField()
    mean_finished_item_cents = serializers.FloatField(allow_null=True)


class Costs(ProjectEndpoint):
    rules = read(STAFF)
    serializer_class = CostsSerializer
    operations = {"GET": "get_costs"}
    tag = "money"

    def get(self, request: Request, slug: str) -> Response:
        """Return the project's budget and costs."""
        by_role = cost_by_role(project=self.project)
        finished = [cost.total_cents for cost in finished_costs(project=self.project)]
        entries = ledger_of(budget=self.project.budget, wanted=LedgerFilter())
        sums = sums_of(entries=entries)
        data = {
            "budget": self.project.budget,
            "total": sum(by_role.values(), Cost()),
            "by_role": {role or "compensation": cost for role, cost in by_role.items()},
            "ledger": {kind.value: sums.get(kind, 0) for kind in LedgerKind},
            "finished_items": len(finished),
            "mean_finished_item_cents": sum(finished) / len(finished) if finished else None,
        }
        return Response(self.get_serializer(data).data)


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
        help_text="reward or bonus, or null if the entry is not a payment.",
    )

    class Meta:
        model = LedgerEntry
        fields = (
            "id", "at", "kind", "amount_cents", "fee_cents", "role", "hit", "worker", "payment",
            "key",
        )  # fmt: skip
        read_only_fields = fields

    def get_role(self, entry: LedgerEntry) -> str | None:
        return entry.role or None


class LedgerFilters(filters.FilterSet):
    kind = ChoiceFilter(choices=LedgerKind.choices)
    worker = filters.CharFilter(max_length=20, label="Pseudonym")
    first_day = filters.DateFilter(label="First day (UTC)")
    last_day = filters.DateFilter(label="Last day (UTC), inclusive")
    created_after = MomentFilter(field_name="at", lookup_expr="gte")
    id_after = IdAfterFilter()

    class Meta:
        model = LedgerEntry
        fields: list[str] = []
        form = PeriodForm

    def filter_queryset(self, queryset: QuerySet[LedgerEntry]) -> QuerySet[LedgerEntry]:
        data = dict(self.form.cleaned_data)
        for name in ("created_after", "id_after"):
            queryset = self.filters[name].filter(queryset, data.pop(name))
        return narrowed_ledger(queryset, LedgerFilter(pseudonym=data.pop("worker"), **data))


class Ledger(ListEndpoint):
    """List the project's ledger entries, newest first."""

    rules = read(STAFF)
    queryset = LedgerEntry.objects.none()
    serializer_class = LedgerEntrySerializer
    filterset_class = LedgerFilters
    ordering = ("-pk",)
    operations = {"GET": "list_ledger_entries"}
    tag = "money"

    def listed(self) -> QuerySet[LedgerEntry]:
        return ledger_of(budget=self.project.budget, wanted=LedgerFilter())


class ChangeSerializer(serializers.ModelSerializer[StateChange]):
    """A change of a row. `kind` and `object_id` name the row, and `actor` a person, token or task."""

    kind = serializers.CharField(source="aggregate", read_only=True)

    class Meta:
        model = StateChange
        fields = ("id", "at", "actor", "kind", "object_id", "old", "new", "reason")
        read_only_fields = fields


class LogFilters(filters.FilterSet):
    by = ChoiceFilter(choices=[("people", "people"), ("automatic", "automatic")])
    kind = ChoiceFilter(choices=[(label, kind.name) for label, kind in KINDS.items()])
    actor = filters.CharFilter(max_length=150, label="As it is in the log.")
    first_day = filters.DateFilter(label="First day (UTC)")
    last_day = filters.DateFilter(label="Last day (UTC), inclusive")
    id_after = IdAfterFilter()

    class Meta:
        model = StateChange
        fields: list[str] = []
        form = PeriodForm

    def filter_queryset(self, queryset: QuerySet[StateChange]) -> QuerySet[StateChange]:
        """Return the changes of the requested page, and one more. See `log_ids`."""
        data = {name: value for name, value in self.form.cleaned_data.items() if value}
        after = data.pop("id_after", None)
        view = self.request.parser_context["view"]
        cursor = view.paginator.decode_cursor(self.request)
        bounds = {"before": None, "after": after}
        if cursor and cursor.position:
            position = int(cursor.position)
            is_earlier = cursor.reverse
            bounds["after" if is_earlier else "before"] = (
                max(position, after or 0) if is_earlier else position
            )
        ids = log_ids(
            project=view.project,
            wanted=LogFilter(**data, **bounds),
            oldest_first=bool(cursor and cursor.reverse),
            limit=view.paginator.get_page_size(self.request) + 1,
        )
        return queryset.filter(pk__in=ids)


class Log(ListEndpoint):
    """List the changes in the project, newest first: who did what, and why."""

    rules = read(STAFF)
    queryset = StateChange.objects.none()
    serializer_class = ChangeSerializer
    filterset_class = LogFilters
    ordering = ("-pk",)
    operations = {"GET": "list_log"}
    tag = "log"

    def listed(self) -> QuerySet[StateChange]:
        return StateChange.objects.all()


class ExportFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    rows = serializers.IntegerField(allow_null=True)
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.URLField()


class ExportSerializer(serializers.ModelSerializer[Job]):
    """An export. It has files once it has finished."""

    format = serializers.CharField(source="parameters.format")
    source = serializers.CharField(source="parameters.source")  # type: ignore[assignment]
    items = serializers.IntegerField(
        source="result.manifest.counts.items", default=None, allow_null=True
    )
    files = serializers.SerializerMethodField()
    archive = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = (
            "id", "state", "requested_at", "ended_at", "format", "source", "items", "problem",
            "files", "archive",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(ExportFileSerializer(many=True))
    def get_files(self, job: Job) -> list[dict[str, Any]]:
        return [asdict(file) | {"url": self._url(job, file)} for file in files_of(job)]

    @extend_schema_field(ExportFileSerializer(allow_null=True))
    def get_archive(self, job: Job) -> dict[str, Any] | None:
        """Return the ZIP file of all files."""
        archive = archive_of(job)
        return asdict(archive) | {"url": self._url(job, archive)} if archive else None

    def _url(self, job: Job, file: ExportFile) -> str:
        arguments = [job.scope, job.pk, file.name]
        return reverse("api:export_file", args=arguments, request=self.context["request"])


class NewExportSerializer(BodySerializer):
    """The contents of an export and its format. Empty fields include all domains and partitions."""

    format = serializers.CharField(max_length=30, help_text="jsonl, or a format of the scheme.")
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=[*GoldSource.choices, (ANNOTATIONS, "individual annotations")],
        default=GoldSource.CONSOLIDATED,
        help_text="The source of the gold, or annotations for individual annotations without gold.",
    )
    annotations = serializers.BooleanField(
        default=False, help_text="Add the individual annotations to the gold."
    )
    certainty = serializers.BooleanField(
        default=False, help_text="Add the certainty of the gold, if it was estimated."
    )
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

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        known = self.context["formats"]
        if attrs["source"] == ANNOTATIONS:
            known = self.context["annotation_formats"]
        if attrs["format"] not in known:
            raise serializers.ValidationError({"format": f"Use one of {', '.join(known)}."})
        return attrs


class _OfExports(ProjectEndpoint):
    queryset = Job.objects.none()
    serializer_class: type[serializers.BaseSerializer[Any]] = ExportSerializer
    tag = "exports"

    def listed(self) -> QuerySet[Job]:
        return exports_of(self.project)


class Exports(_OfExports, ListEndpoint):
    """List the project's exports, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.EXPORT)
    filterset_class = JobFilters
    ordering = ("-pk",)
    operations = {"GET": "list_exports", "POST": "start_export"}
    refusals = (409,)

    @extend_schema(request=NewExportSerializer, responses={202: ExportSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Start an export. A background job writes it, and `Location` shows its progress."""
        data = self.read_body(
            request,
            NewExportSerializer,
            formats=formats_of(self.project),
            annotation_formats=submission_formats_of(scheme_of(self.project)),
        )
        if data["source"] == ANNOTATIONS:
            if not submissions_of(self.project).exists():
                raise Conflict("There are no accepted annotations.", "nothing_to_export")
        elif data["source"] not in count_gold(project=self.project).items_by_source:
            raise Conflict(f"There is no {data['source']} gold.", "nothing_to_export")
        job = queue_export(
            project=self.project,
            fmt=data.pop("format"),
            actor=actor_of(request),
            now=timezone.now(),
            **data,
        )
        location = reverse("api:export", args=[slug, job.pk], request=request)
        return Response(self.get_serializer(job).data, 202, headers={"Location": location})


class ExportDetail(_OfExports, DetailEndpoint):
    """Return an export, with its files once it has finished."""

    rules = read(STAFF)
    operations = {"GET": "get_export"}


class CancelExport(CancelJob, _OfExports):
    """Cancel an export that has not ended."""

    rules = post(STAFF, TokenScope.EXPORT)
    operations = {"POST": "cancel_export"}


class ExportedFile(_OfExports):
    rules = read(STAFF, TokenScope.EXPORT)
    serializer_class = ExportFileSerializer
    operations = {"GET": "download_export_file"}

    @extend_schema(
        parameters=[
            OpenApiParameter("file", OpenApiTypes.STR, OpenApiParameter.PATH),
            OpenApiParameter("Range", OpenApiTypes.STR, OpenApiParameter.HEADER),
            OpenApiParameter("If-Range", OpenApiTypes.STR, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "*/*"): OpenApiTypes.ANY,
            (206, "*/*"): OpenApiTypes.ANY,
            416: OpenApiResponse(description="The range starts after the end of the file."),
        },
    )
    def get(self, request: Request, slug: str, pk: int, file: str) -> HttpResponseBase:
        """Download a file of a finished export. Range and If-Range resume a download."""
        file_and_facts = open_file(self.find_row(pk=pk), file)
        if file_and_facts is None:
            raise Http404
        content, facts = file_and_facts
        return download(request._request, content, name=file, sha256=facts.sha256)


class PendingSerializer(serializers.Serializer[Any]):
    """The numbers of rows by state, without confirmed payments."""

    hits = serializers.DictField(child=serializers.IntegerField())
    payments = serializers.DictField(child=serializers.IntegerField())
    payment_cents = serializers.DictField(child=serializers.IntegerField())
    rejections = serializers.IntegerField()
    unrecorded = serializers.IntegerField(help_text="Assignments to be recorded.")
    grants = serializers.DictField(child=serializers.IntegerField())
    messages = serializers.DictField(child=serializers.IntegerField())


class FailureSerializer(serializers.Serializer[Any]):
    what = serializers.CharField()
    state = serializers.CharField()
    error = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    worker = serializers.CharField(allow_blank=True)
    cents = serializers.IntegerField(allow_null=True)
    payment = serializers.IntegerField(
        source="to_close",
        allow_null=True,
        help_text="The id of a rejected payment, which can be closed, or null.",
    )


class JobsSerializer(serializers.Serializer[Any]):
    """Pending work of the sweeps, and up to 50 failures of each kind."""

    pending = PendingSerializer()
    failures = serializers.DictField(child=FailureSerializer(many=True))


class Jobs(ProjectEndpoint):
    rules = read(STAFF)
    serializer_class = JobsSerializer
    operations = {"GET": "get_jobs"}
    tag = "jobs"

    def get(self, request: Request, slug: str) -> Response:
        """Return the pending and failed work with the marketplace."""
        scope: dict[str, Any] = {
            "budget": self.project.budget,
            "qualifications": qualifications_of(self.project),
        }
        data = {"pending": pending_work(**scope), "failures": failures_of(**scope)}
        return Response(self.get_serializer(data).data)


class PaymentSerializer(serializers.ModelSerializer[Payment]):
    """A payment for an assignment."""

    worker = serializers.CharField(source="assignment.worker.pseudonym", read_only=True)
    assignment = serializers.CharField(
        source="assignment.external_id", read_only=True, help_text="The provider's id of it."
    )
    problem = serializers.CharField(
        source="error", read_only=True, help_text="Why the provider rejected it, or empty."
    )

    class Meta:
        model = Payment
        fields = (
            "id", "kind", "state", "amount_cents", "fee_cents", "worker", "assignment",
            "intended_at", "problem",
        )  # fmt: skip
        read_only_fields = fields


class ClosingSerializer(BodySerializer):
    reason = serializers.CharField(
        max_length=1000,
        help_text="How the worker was paid, or why nothing is owed. Stored in the log.",
    )


class ClosePayment(ProjectEndpoint):
    rules = post(STAFF, TokenScope.PAY)
    queryset = Payment.objects.none()
    serializer_class = PaymentSerializer
    operations = {"POST": "close_payment"}
    refusals = (409,)
    tag = "money"

    def listed(self) -> QuerySet[Payment]:
        return payments_of(budget=self.project.budget).select_related("assignment__worker")

    @extend_schema(request=ClosingSerializer, responses={200: PaymentSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Close a payment that the provider rejected, so that it is no longer listed as a failure.

        No money moves, and it is never sent again.
        """
        data = self.read_body(request, ClosingSerializer)
        with conflicts({TransitionNotAllowedError: "invalid_state"}):
            close_payment(
                payment=self.find_row(pk=pk),
                actor=actor_of(request),
                reason=data["reason"],
                now=timezone.now(),
            )
        return Response(self.get_serializer(self.find_row(pk=pk)).data)


class _OfProject(ProjectEndpoint):
    rules = post(ADMINS, TokenScope.PUBLISH)
    serializer_class: Any = ProjectSerializer
    tag = "projects"

    def matching(self, request: Request) -> Project:
        """Return the locked project. Raise PreconditionFailed if it is not as the request expects."""
        locked = own_projects(request).select_for_update(of=("self",))
        project = locked.get(pk=self.project.pk)
        self.require_match(request, ProjectSerializer(project).data)
        return project


class ArchiveProject(_OfProject):
    operations = {"POST": "archive_project"}
    refusals = (409, 412)

    @extend_schema(request=None, responses={200: ProjectSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Make a project read-only and end its batches. Its work and pay must be settled."""
        self.read_body(request)
        project = self.matching(request)
        with conflicts({WorkLeftError: "invalid_state"}):
            archive_project(project=project, actor=actor_of(request), now=timezone.now())
        project.refresh_from_db()
        return Response(ProjectSerializer(project).data)


class UnarchiveProject(_OfProject):
    operations = {"POST": "unarchive_project"}
    refusals = (412,)
    changes_archived = True

    @extend_schema(request=None, responses={200: ProjectSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Let an archived project be changed again. Its batches stay ended."""
        self.read_body(request)
        project = self.matching(request)
        unarchive_project(project=project, actor=actor_of(request), now=timezone.now())
        project.refresh_from_db()
        return Response(ProjectSerializer(project).data)


class DeletionSerializer(BodySerializer):
    slug = serializers.CharField(
        max_length=60, help_text="The project's slug once more, so that no other one is deleted."
    )

    def validate_slug(self, slug: str) -> str:
        if slug != self.context["project"].slug:
            raise serializers.ValidationError("This is not the slug of the project.")
        return slug


class DeleteProject(_OfProject):
    operations = {"POST": "delete_project"}
    refusals = (409, 412)
    changes_archived = True

    @extend_schema(request=DeletionSerializer, responses={202: ProjectSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Delete a project's content, which can't be undone. Money, payments and the log are kept.

        The project is hidden at once, and a worker process deletes its rows. The answer has what it was.
        """
        self.read_body(request, DeletionSerializer, project=self.project)
        project = self.matching(request)
        body = ProjectSerializer(project).data
        with conflicts({WorkLeftError: "invalid_state"}):
            delete_project(project=project, actor=actor_of(request), now=timezone.now())
        return Response(body, 202)
