"""Endpoints of evaluations of systems."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.corpus import CancelJob, JobFilters
from annotation.enums import Partition
from consolidation.enums import GoldSource
from datasets.domain.systems.evaluate_systems import (
    EvaluationError,
    Reference,
    evaluations_of,
    queue_evaluation,
)
from datasets.domain.systems.evaluation_files import FILES, evaluation_file, evaluation_json
from datasets.evaluation_download import evaluation_download
from jobs.enums import JobState
from jobs.models import Job
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import STAFF, post, read
from schemes.contract.errors import MissingPartError
from web.actions import action
from web.serializers import BodySerializer


class SystemFigureSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="The lower end of the 95 % interval.")
    high = serializers.FloatField(allow_null=True)


class ScoredSystemSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    facts = serializers.DictField(child=serializers.IntegerField())
    figures = serializers.DictField(child=SystemFigureSerializer())


class SystemDifferenceSerializer(serializers.Serializer[Any]):
    """How far the first system is above the second. Systems are numbers in `systems`, from 0."""

    first = serializers.IntegerField()
    second = serializers.IntegerField()
    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)
    adjusted = serializers.FloatField(
        allow_null=True, help_text="The p-value, adjusted for the number of pairs (Holm)."
    )


class SystemResultSerializer(serializers.Serializer[Any]):
    items = serializers.IntegerField()
    documents = serializers.IntegerField()
    systems = ScoredSystemSerializer(many=True)
    differences = SystemDifferenceSerializer(many=True)


class SystemEvaluationSerializer(serializers.ModelSerializer[Job]):
    """An evaluation. It has a result and files once it has finished."""

    systems = serializers.SerializerMethodField()
    result = serializers.SerializerMethodField()
    files = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = (
            "id", "state", "requested_at", "ended_at", "systems", "problem", "result", "files",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_systems(self, job: Job) -> list[str]:
        return [file["name"] for file in job.parameters["files"]]

    @extend_schema_field(SystemResultSerializer(allow_null=True))
    def get_result(self, job: Job) -> dict[str, Any] | None:
        if job.state != JobState.FINISHED:
            return None
        result = evaluation_json(job)
        return {str(key): result[str(key)] for key in SystemResultSerializer().fields}

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_files(self, job: Job) -> dict[str, str]:
        if job.state != JobState.FINISHED:
            return {}
        request = self.context["request"]
        return {
            name: reverse(
                "api:system_evaluation_file", args=[job.scope, job.pk, name], request=request
            )
            for name in FILES
        }


class NewSystemEvaluationSerializer(BodySerializer):
    """The systems and their reference, which is the project's gold of a source, or files."""

    systems = serializers.ListField(
        child=serializers.FileField(max_length=200),
        min_length=1,
        max_length=12,
        help_text="A file per system, named after it.",
    )
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=GoldSource.choices, default="", allow_blank=True
    )
    partition = serializers.ChoiceField(
        choices=Partition.choices, default="", allow_blank=True, help_text="Of the project's gold."
    )
    reference = serializers.ListField(
        child=serializers.FileField(max_length=200), default=list, max_length=20
    )
    sentences = serializers.ListField(
        child=serializers.FileField(max_length=200),
        default=list,
        max_length=20,
        help_text="Sentences of parsers' output without ids, if the scheme has such files.",
    )
    variant = serializers.CharField(
        default="", allow_blank=True, max_length=20, help_text="A task of the scheme, such as B.1."
    )
    skip_bad_rows = serializers.BooleanField(
        default=False, help_text="Leave out the items of bad rows, instead of refusing the file."
    )


class _OfEvaluations(ProjectEndpoint):
    queryset = Job.objects.none()
    serializer_class: type[serializers.BaseSerializer[Any]] = SystemEvaluationSerializer
    tag = "systems"

    def listed(self) -> QuerySet[Job]:
        return evaluations_of(self.project)


class SystemEvaluations(_OfEvaluations, ListEndpoint):
    """List the project's evaluations of systems, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.EXPORT)
    filterset_class = JobFilters
    parser_classes = [MultiPartParser]
    ordering = ("-pk",)
    operations = {"GET": "list_system_evaluations", "POST": "evaluate_systems"}

    @property
    def max_bytes(self) -> int:
        return settings.API_UPLOAD_MAX_BYTES

    @extend_schema(
        request={"multipart/form-data": NewSystemEvaluationSerializer},
        responses={202: SystemEvaluationSerializer},
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Upload the output of systems. A background job scores it, and `Location` shows the result."""
        data = self.read_body(request, NewSystemEvaluationSerializer)
        reference = Reference(
            source=data.pop("source"),
            partition=data.pop("partition"),
            files=data.pop("reference"),
        )
        try:
            job = queue_evaluation(
                project=self.project,
                reference=reference,
                actor=actor_of(request),
                now=timezone.now(),
                **data,
            )
        except (EvaluationError, MissingPartError) as error:
            raise ValidationError(str(error)) from error
        location = reverse("api:system_evaluation", args=[slug, job.pk], request=request)
        return Response(self.get_serializer(job).data, 202, headers={"Location": location})


class SystemEvaluationDetail(_OfEvaluations, DetailEndpoint):
    """Return an evaluation, with its result once it has finished."""

    rules = read(STAFF)
    operations = {"GET": "get_system_evaluation"}


class CancelSystemEvaluation(CancelJob, _OfEvaluations):
    """Cancel an evaluation that has not ended."""

    rules = post(STAFF, TokenScope.EXPORT)
    operations = {"POST": "cancel_system_evaluation"}


class SystemEvaluationFile(_OfEvaluations):
    rules = read(STAFF)
    operations = {"GET": "download_system_evaluation_file"}

    @extend_schema(
        parameters=[OpenApiParameter("file", OpenApiTypes.STR, OpenApiParameter.PATH)],
        responses={(200, "*/*"): OpenApiTypes.ANY},
    )
    def get(self, request: Request, slug: str, pk: int, file: str) -> HttpResponseBase:
        """Download a file of a finished evaluation: tables as CSV and LaTeX, JSON, or charts."""
        job = self.find_row(pk=pk)
        content = evaluation_file(job, file)
        if content is None:
            raise Http404
        return evaluation_download(job, file, content)
