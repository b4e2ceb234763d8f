"""Endpoints of benchmarks: what is open, and the entries of the caller's team."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from benchmarks.domain.entries import MAX_FILE_BYTES, NewEntry, submit_entry
from benchmarks.domain.errors import EntryError, LimitError
from benchmarks.domain.queries import entries_of, open_benchmarks, phases_of, scoring_of, team_of
from benchmarks.enums import EntryState, PhaseKind
from benchmarks.models import Benchmark, Entry, Phase
from projects.api.roles import actor_of, own_projects
from projects.domain.queries import roles_in
from projects.enums import MemberRole, TokenScope
from projects.models import ApiToken
from projects.permissions import Access, post, read
from web.actions import action
from web.endpoints import Endpoint
from web.errors import conflicts
from web.pagination import Cursors
from web.serializers import BodySerializer

AT = [
    OpenApiParameter("slug", OpenApiTypes.STR, OpenApiParameter.PATH),
    OpenApiParameter("version", OpenApiTypes.STR, OpenApiParameter.PATH),
]
# Scores are rounded to 0.1 %, so that single items can't be read from them.
DECIMALS = 3


class BenchmarkTaskSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()


class PhaseSerializer(serializers.ModelSerializer[Phase]):
    """A phase. Its inputs have an address once it has started."""

    is_open = serializers.SerializerMethodField()
    inputs = serializers.SerializerMethodField()

    class Meta:
        model = Phase
        fields = (
            "kind", "starts_at", "ends_at", "max_per_day", "max_total", "shows_scores", "is_open",
            "inputs",
        )  # fmt: skip
        read_only_fields = fields

    def get_is_open(self, phase: Phase) -> bool:
        return phase.is_open(timezone.now())

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_inputs(self, phase: Phase) -> str | None:
        if not phase.has_started(timezone.now()):
            return None
        release = phase.benchmark.release
        arguments = [release.project.slug, release.version, phase.kind]
        return reverse(
            "benchmarks:benchmark_inputs", args=arguments, request=self.context["request"]
        )


class BenchmarkSerializer(serializers.ModelSerializer[Benchmark]):
    """A benchmark on a version of a dataset. Without tasks, there is only one."""

    dataset = serializers.CharField(source="release.project.slug")
    version = serializers.CharField(source="release.version")
    tasks = serializers.SerializerMethodField()
    phases = serializers.SerializerMethodField()

    class Meta:
        model = Benchmark
        fields = (
            "dataset", "version", "title", "ranked_by", "has_public_leaderboard", "opened_at",
            "closed_at", "tasks", "phases",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(BenchmarkTaskSerializer(many=True))
    def get_tasks(self, benchmark: Benchmark) -> list[dict[str, str]]:
        variants = scoring_of(benchmark).variants
        return [{"key": str(key), "title": title} for key, title in variants.items()]

    @extend_schema_field(PhaseSerializer(many=True))
    def get_phases(self, benchmark: Benchmark) -> Any:
        return PhaseSerializer(phases_of(benchmark), many=True, context=self.context).data


class EntryScoreSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="The lower end of the 95 % interval.")
    high = serializers.FloatField(allow_null=True)


class EntrySerializer(serializers.ModelSerializer[Entry]):
    """An entry. It has scores once it is scored and the phase shows scores."""

    team = serializers.CharField(source="team.name")
    phase = serializers.ChoiceField(source="phase.kind", choices=PhaseKind.choices)
    task = serializers.CharField(source="variant")
    file = serializers.CharField(source="file.name")
    sent_at = serializers.DateTimeField(source="created_at")
    scores = serializers.SerializerMethodField()

    class Meta:
        model = Entry
        fields = (
            "id", "team", "phase", "task", "system", "description", "file", "sha256", "state", "error",
            "sent_at", "withdrawn_at", "scores",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(serializers.DictField(child=EntryScoreSerializer(), allow_null=True))
    def get_scores(self, entry: Entry) -> dict[str, dict[str, float | None]] | None:
        """Return the scores in [0, 1] by measure, rounded to three decimals."""
        is_shown = self.context["is_staff"] or entry.phase.reveals_scores(timezone.now())
        if entry.state != EntryState.SCORED or not is_shown:
            return None
        return {
            key: {
                name: None if value is None else round(value, DECIMALS)
                for name, value in figure.items()
            }
            for key, figure in entry.figures.items()
        }


class NewEntrySerializer(BodySerializer):
    phase = serializers.ChoiceField(choices=PhaseKind.choices)
    task = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=20,
        help_text="A task of the benchmark, such as B.1.",
    )
    system = serializers.CharField(max_length=80, help_text="Its name on the leaderboard.")
    description = serializers.CharField(default="", allow_blank=True, max_length=2000)
    file = serializers.FileField(max_length=200, help_text="The predictions.")


class _OfBenchmarks(Endpoint):
    tag = "benchmarks"

    @property
    def is_described(self) -> bool:
        return getattr(self, "swagger_fake_view", False)

    def find_benchmark(self) -> Benchmark:
        row = (
            open_benchmarks()
            .filter(
                release__project__slug=self.kwargs["slug"], release__version=self.kwargs["version"]
            )
            .first()
        )
        if row is None:
            raise Http404
        return row


class Benchmarks(_OfBenchmarks):
    rules = read(Access.SIGNED_IN)
    serializer_class = BenchmarkSerializer
    pagination_class = Cursors
    ordering = ("-pk",)
    operations = {"GET": "list_benchmarks"}

    def get_queryset(self) -> QuerySet[Benchmark]:
        rows = Benchmark.objects.none() if self.is_described else open_benchmarks()
        return rows.prefetch_related("phases")

    def get(self, request: Request) -> Response:
        """List the benchmarks of the site, newest first."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        response: Response = self.get_paginated_response(self.get_serializer(page, many=True).data)
        return response


class BenchmarkDetail(_OfBenchmarks):
    rules = read(Access.SIGNED_IN)
    queryset = Benchmark.objects.none()
    serializer_class = BenchmarkSerializer
    operations = {"GET": "get_benchmark"}

    @extend_schema(parameters=AT)
    def get(self, request: Request, slug: str, version: str) -> Response:
        """Return a benchmark with its phases."""
        return Response(self.get_serializer(self.find_benchmark()).data)


class _OfEntries(_OfBenchmarks):
    queryset = Entry.objects.none()
    serializer_class = EntrySerializer

    def entries(self, request: Request) -> QuerySet[Entry]:
        """Return the entries of the caller's team, and all entries for the project's admins."""
        benchmark = self.find_benchmark()
        if self.is_staff(request, benchmark):
            rows = Entry.objects.filter(phase__benchmark=benchmark)
            return rows.select_related("team", "phase__benchmark").defer("draws", "item_scores")
        team = team_of(benchmark=benchmark, user=request.user)
        return entries_of(team) if team else Entry.objects.none()

    def is_staff(self, request: Request, benchmark: Benchmark) -> bool:
        project = own_projects(request).filter(pk=benchmark.release.project_id).first()
        return project is not None and MemberRole.ADMIN in roles_in(
            project=project, user=request.user
        )

    def get_serializer_context(self) -> dict[str, Any]:
        context = super().get_serializer_context()
        is_staff = not self.is_described and self.is_staff(self.request, self.find_benchmark())
        return {**context, "is_staff": is_staff}


class Entries(_OfEntries):
    rules = read(Access.SIGNED_IN) | post(Access.SIGNED_IN, TokenScope.ENTER)
    parser_classes = [MultiPartParser]
    pagination_class = Cursors
    ordering = ("-pk",)
    operations = {"GET": "list_entries", "POST": "enter_benchmark"}
    refusals = (409,)

    @property
    def max_bytes(self) -> int:
        return min(settings.API_UPLOAD_MAX_BYTES, MAX_FILE_BYTES + (1 << 20))

    @extend_schema(parameters=AT)
    def get(self, request: Request, slug: str, version: str) -> Response:
        """List your team's entries, newest first. Admins of the project get those of all teams."""
        page = self.paginate_queryset(self.filter_queryset(self.entries(request)))
        response: Response = self.get_paginated_response(self.get_serializer(page, many=True).data)
        return response

    @extend_schema(
        parameters=AT,
        request={"multipart/form-data": NewEntrySerializer},
        responses={202: EntrySerializer},
    )
    @action
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Send predictions for a phase. A background job scores them, and `Location` shows the result."""
        if isinstance(request.auth, ApiToken) and not request.auth.all_projects:
            raise PermissionDenied("Use a token that is not limited to projects.")
        benchmark = self.find_benchmark()
        data = self.read_body(request, NewEntrySerializer)
        team = team_of(benchmark=benchmark, user=request.user)
        phase = next((p for p in phases_of(benchmark) if p.kind == data["phase"]), None)
        if phase is None:
            raise ValidationError({"phase": "The benchmark has no such phase."})
        new = NewEntry(
            file=data["file"],
            system=data["system"],
            variant=data["task"],
            description=data["description"],
        )
        with conflicts({LimitError: "limit_reached", EntryError: "not_accepted"}):
            if team is None:
                raise EntryError("Register a team on the page of the benchmark first.")
            entry = submit_entry(
                team=team, phase=phase, new=new, actor=actor_of(request), now=timezone.now()
            )
        location = reverse("api:entry", args=[slug, version, entry.pk], request=request)
        body = self.get_serializer(self.entries(request).get(pk=entry.pk)).data
        return Response(body, 202, headers={"Location": location})


class EntryDetail(_OfEntries):
    rules = read(Access.SIGNED_IN)
    operations = {"GET": "get_entry"}

    @extend_schema(parameters=AT)
    def get(self, request: Request, slug: str, version: str, pk: int) -> Response:
        """Return an entry of your team, with its scores once they are shown."""
        entry = self.entries(request).filter(pk=pk).first()
        if entry is None:
            raise Http404
        return Response(self.get_serializer(entry).data)
