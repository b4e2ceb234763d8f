"""Endpoints of sentences, their imports, and the previews of these."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.serializers import (
    ImportSerializer,
    NewImportSerializer,
    PreviewedImportSerializer,
    SentenceSerializer,
    reading_in,
    settings_in,
)
from annotation.bad_rows_download import bad_rows_download
from annotation.domain.corpus.check_upload import queue_check
from annotation.domain.corpus.preview_corpus import CORPUS_CHECK
from annotation.domain.corpus.queue_import import IMPORT, queue_import
from annotation.enums import Partition
from annotation.models import Sentence
from audit.domain.change_state import TransitionNotAllowedError
from jobs.domain.cancel_job import cancel_job
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import confirm_job
from jobs.enums import JobState
from jobs.models import Job
from projects.api.endpoint import DRY_RUN, DetailEndpoint, DryRuns, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.schemes import scheme_of
from projects.enums import TokenScope
from projects.permissions import MEMBERS, STAFF, post, read
from web.actions import action
from web.errors import conflicts
from web.filters import ChoiceFilter

PREVIEW_FIRST = OpenApiParameter(
    DRY_RUN.name, bool, description="Store the files, and only show what an import would do."
)


class SentenceFilters(filters.FilterSet):
    external_id = filters.CharFilter(max_length=200)
    domain = filters.CharFilter(max_length=60)
    partition = ChoiceFilter(choices=Partition.choices)


class Sentences(ListEndpoint):
    """List the project's sentences."""

    rules = read(MEMBERS)
    queryset = Sentence.objects.none()
    serializer_class = SentenceSerializer
    filterset_class = SentenceFilters
    operations = {"GET": "list_sentences"}
    tag = "corpus"

    def listed(self) -> QuerySet[Sentence]:
        return self.project.sentences.all()


class JobFilters(filters.FilterSet):
    state = ChoiceFilter(choices=JobState.choices)


class CancelJob(ProjectEndpoint):
    """An action that cancels a job of the list."""

    refusals = (409,)

    @extend_schema(request=None)
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        self.read_body(request)
        with conflicts({TransitionNotAllowedError: "invalid_state"}):
            cancel_job(job=self.find_row(pk=pk), actor=actor_of(request), now=timezone.now())
        return Response(self.get_serializer(self.find_row(pk=pk)).data)


class _OfImports(ProjectEndpoint):
    queryset = Job.objects.none()
    serializer_class: Any = PreviewedImportSerializer
    tag = "corpus"

    def listed(self) -> QuerySet[Job]:
        return jobs_of(scope=self.project.slug, kind=IMPORT)


class Imports(_OfImports, ListEndpoint, DryRuns):
    """List the project's imports, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.IMPORT)
    serializer_class = ImportSerializer
    filterset_class = JobFilters
    parser_classes = [MultiPartParser]
    ordering = ("-pk",)
    operations = {"GET": "list_imports", "POST": "import_corpus"}

    def is_trial(self, request: Request) -> bool:
        """Return False, because a dry run stores the files until they are imported or discarded."""
        return False

    @property
    def max_bytes(self) -> int:
        return settings.API_UPLOAD_MAX_BYTES

    @extend_schema(
        request={"multipart/form-data": NewImportSerializer},
        parameters=[PREVIEW_FIRST],
        responses={202: PreviewedImportSerializer},
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Upload a corpus. A background job imports it, and `Location` shows its progress.

        With `dry_run=true`, the job only reads it. `Location` then shows the preview, until the import is
        confirmed or cancelled, or for a day.
        """
        previews = self.wants_dry_run(request)
        corpus = scheme_of(self.project).corpus
        data = self.read_body(
            request, NewImportSerializer, formats=corpus.formats, searches=corpus.searches
        )
        job = queue_import(
            project=self.project,
            fmt=data["format"],
            files=data["files"],
            items_files=data["items_files"],
            images=data["images"],
            search=data["search"],
            domain=data["domain"],
            partition=data["partition"],
            strict=data["strict"],
            reading=reading_in(data),
            settings=settings_in(data),
            actor=actor_of(request),
            now=timezone.now(),
            state=JobState.UPLOADED if previews else JobState.QUEUED,
        )
        if previews:
            queue_check(kind=CORPUS_CHECK, upload=job, actor=job.requested_by, now=job.requested_at)
        location = reverse("api:import", args=[slug, job.pk], request=request)
        return Response(PreviewedImportSerializer(job).data, 202, headers={"Location": location})


class ImportDetail(_OfImports, DetailEndpoint):
    """Return an import with its progress, or with its preview until it is confirmed."""

    rules = read(STAFF)
    operations = {"GET": "get_import"}


class ConfirmImport(_OfImports):
    rules = post(STAFF, TokenScope.IMPORT)
    operations = {"POST": "confirm_import"}
    refusals = (409,)

    @extend_schema(request=None, responses={202: PreviewedImportSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Import the files of a dry run."""
        self.read_body(request)
        job = self.find_row(pk=pk)
        with conflicts({TransitionNotAllowedError: "invalid_state"}):
            confirm_job(job=job, actor=actor_of(request), now=timezone.now())
        location = reverse("api:import", args=[slug, pk], request=request)
        body = PreviewedImportSerializer(self.find_row(pk=pk)).data
        return Response(body, 202, headers={"Location": location})


class CancelImport(CancelJob, _OfImports):
    """Cancel an import that has not ended, or discard the files of a dry run. What is stored stays."""

    rules = post(STAFF, TokenScope.IMPORT)
    operations = {"POST": "cancel_import"}


class BadRows(_OfImports):
    """Download the bad rows of an import as CSV: file, line, field and message."""

    rules = read(STAFF)
    operations = {"GET": "download_bad_rows"}

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        return bad_rows_download(self.find_row(pk=pk))
