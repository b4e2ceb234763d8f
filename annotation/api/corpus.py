"""Sentences, and the imports that bring them."""

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.endpoint import ProjectEndpoint
from annotation.api.roles import actor_of
from annotation.api.serializers import ImportSerializer, NewImportSerializer, SentenceSerializer
from annotation.domain.queue_import import queue_import
from annotation.enums import ImportState, Partition
from annotation.models import CorpusImport, Sentence
from annotation.tasks import run_waiting_imports
from rest.actions import action
from rest.cursors import Cursors
from rest.filters import StrictFilters
from schemes.registry import get_scheme


class SentenceFilters(filters.FilterSet):
    external_id = filters.CharFilter(max_length=200)
    domain = filters.CharFilter(max_length=60)
    partition = filters.ChoiceFilter(choices=Partition.choices)

    class Meta:
        model = Sentence
        fields: list[str] = []


class Sentences(ProjectEndpoint):
    queryset = Sentence.objects.none()
    serializer_class = SentenceSerializer
    pagination_class = Cursors
    filter_backends = [StrictFilters]
    filterset_class = SentenceFilters
    operations = {"GET": "list_sentences"}
    tag = "corpus"

    def listed(self) -> QuerySet[Sentence]:
        return self.project.sentences.all()

    def get(self, request: Request, slug: str) -> Response:
        """The project's sentences."""
        return self.page(request)


class ImportFilters(filters.FilterSet):
    state = filters.ChoiceFilter(choices=ImportState.choices)

    class Meta:
        model = CorpusImport
        fields: list[str] = []


class Imports(ProjectEndpoint):
    queryset = CorpusImport.objects.none()
    serializer_class = ImportSerializer
    pagination_class = Cursors
    filter_backends = [StrictFilters]
    filterset_class = ImportFilters
    parser_classes = [MultiPartParser]
    ordering = ("-pk",)
    operations = {"GET": "list_imports", "POST": "import_corpus"}
    tag = "corpus"

    @property
    def most_bytes(self) -> int:
        return settings.API_UPLOAD_MAX_BYTES

    def listed(self) -> QuerySet[CorpusImport]:
        return self.project.imports.all()

    def get(self, request: Request, slug: str) -> Response:
        """The project's imports, the newest first."""
        return self.page(request)

    @extend_schema(
        request={"multipart/form-data": NewImportSerializer}, responses={202: ImportSerializer}
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Upload a corpus; a worker process reads it. Follow `Location` for its progress."""
        formats = get_scheme(self.project.scheme).corpus_formats
        given = NewImportSerializer(data=request.data, context={"formats": formats})
        given.is_valid(raise_exception=True)
        facts = given.validated_data
        row = queue_import(
            project=self.project,
            fmt=facts["format"],
            files=facts["files"],
            items_file=facts.get("items_file"),
            domain=facts["domain"],
            partition=facts["partition"],
            strict=facts["strict"],
            actor=actor_of(request),
            now=timezone.now(),
        )
        # Robust: with the broker away the row stands, and the sweep finds it.
        transaction.on_commit(run_waiting_imports.delay, robust=True)
        where = reverse("api:import", args=[slug, row.pk], request=request)
        return Response(ImportSerializer(row).data, 202, headers={"Location": where})


class ImportDetail(ProjectEndpoint):
    queryset = CorpusImport.objects.none()
    serializer_class = ImportSerializer
    operations = {"GET": "get_import"}
    tag = "corpus"

    def listed(self) -> QuerySet[CorpusImport]:
        return self.project.imports.all()

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One import, and how far it is."""
        return Response(ImportSerializer(self.one(pk=pk)).data)
