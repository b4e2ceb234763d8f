"""Endpoints of releases: their list, their ZIP files, and what differs between two of them."""

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.corpus import CancelJob
from annotation.enums import Partition
from consolidation.domain.cases.queries import count_gold
from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from jobs.models import Job
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import STAFF, post, read
from releases.domain.build_release import ReleaseFilesError, open_archive
from releases.domain.details import Author, ReleaseDetails, ReleaseDetailsError, parse_orcid
from releases.domain.differences import ADDED, CHANGED, MOVED, REMOVED, differences_between
from releases.domain.licences import LICENCE_CHOICES
from releases.domain.queue_release import queue_release, release_jobs
from releases.domain.topics import TOPICS
from releases.models import Release
from web.actions import action
from web.downloads import download
from web.errors import Conflict
from web.serializers import BodySerializer

VERSION = OpenApiParameter("version", OpenApiTypes.STR, OpenApiParameter.PATH)


class AuthorSerializer(serializers.Serializer[Any]):
    family = serializers.CharField()
    given = serializers.CharField()
    orcid = serializers.CharField()
    affiliation = serializers.CharField()


class ArchiveSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.URLField()


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    """A release. It has an archive once its files are stored."""

    released_at = serializers.DateTimeField(source="frozen_at")
    items = serializers.IntegerField(source="facts.manifest.counts.items")
    sentences = serializers.IntegerField(source="facts.manifest.counts.sentences")
    licence = serializers.CharField(source="details.licence")
    text_licence = serializers.CharField(source="details.text_licence")
    notes = serializers.CharField(source="details.notes")
    authors = AuthorSerializer(source="details.authors", many=True)
    archive = serializers.SerializerMethodField()

    class Meta:
        model = Release
        fields = (
            "version", "source", "released_at", "released_by", "items", "sentences", "licence",
            "text_licence", "notes", "authors", "archive",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(ArchiveSerializer(allow_null=True))
    def get_archive(self, release: Release) -> dict[str, Any] | None:
        """Return the ZIP file with all files."""
        if not release.is_built:
            return None
        arguments = [release.project.slug, release.version]
        url = reverse("api:release_archive", args=arguments, request=self.context["request"])
        return {**release.archive, "url": url}


class ChangedPartSerializer(serializers.Serializer[Any]):
    part = serializers.CharField()
    old = serializers.CharField()
    new = serializers.CharField()


class ItemChangeSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=[ADDED, REMOVED, CHANGED, MOVED])
    key = serializers.CharField()
    reason = serializers.CharField()
    parts = ChangedPartSerializer(many=True)


class FigureChangeSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(help_text="%, cents, or empty for a count.")
    old = serializers.FloatField(allow_null=True)
    new = serializers.FloatField(allow_null=True)


class NewAuthorSerializer(BodySerializer):
    family = serializers.CharField(max_length=200)
    given = serializers.CharField(max_length=200, default="", allow_blank=True)
    orcid = serializers.CharField(max_length=60, default="", allow_blank=True)
    affiliation = serializers.CharField(max_length=300, default="", allow_blank=True)

    def validate_orcid(self, value: str) -> str:
        try:
            return parse_orcid(value)
        except ReleaseDetailsError as error:
            raise serializers.ValidationError(str(error)) from error


class NewReleaseSerializer(BodySerializer):
    """The details of a release. Without partitions, all sentences are released."""

    version = serializers.CharField(max_length=13, help_text="Two numbers, such as 1.0.")
    licence = serializers.ChoiceField(choices=LICENCE_CHOICES, help_text="Of the annotations.")
    authors = NewAuthorSerializer(many=True, min_length=1, max_length=500)  # type: ignore[call-arg]
    partitions = serializers.ListField(
        child=serializers.ChoiceField(choices=[*Partition.choices, ("", "none")]),
        default=list,
        max_length=4,
    )
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=GoldSource.choices,
        default="",
        allow_blank=True,
        help_text="By default the gold that the project produces.",
    )
    text_licence = serializers.ChoiceField(choices=LICENCE_CHOICES, default="", allow_blank=True)
    notes = serializers.CharField(max_length=10_000, default="", allow_blank=True)
    funding = serializers.CharField(max_length=2_000, default="", allow_blank=True)
    contact = serializers.CharField(max_length=200, default="", allow_blank=True)
    url = serializers.URLField(max_length=300, default="", allow_blank=True)
    images = serializers.BooleanField(default=False, help_text="Release the images too.")
    answers = serializers.DictField(
        child=serializers.CharField(max_length=10_000, allow_blank=True),
        default=dict,
        help_text=f"About the topics of the data statement: {', '.join(t.key for t in TOPICS)}.",
    )

    def validate_answers(self, value: dict[str, str]) -> dict[str, str]:
        known = {topic.key for topic in TOPICS}
        if unknown := sorted(value.keys() - known):
            raise serializers.ValidationError(f"{unknown[0]!r} is no topic.")
        return value


class ReleaseJobSerializer(serializers.ModelSerializer[Job]):
    """A release in progress. It has a release once the gold is frozen, and an archive at the end."""

    version = serializers.CharField(source="parameters.title")
    release = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ("id", "state", "requested_at", "ended_at", "version", "problem", "release")
        read_only_fields = fields

    @extend_schema_field(ReleaseSerializer(allow_null=True))
    def get_release(self, job: Job) -> dict[str, Any] | None:
        release = Release.objects.filter(job=job).defer("manifest").first()
        return ReleaseSerializer(release, context=self.context).data if release else None


class DifferencesQuery(BodySerializer):
    against = serializers.CharField(
        max_length=20, required=False, help_text="A version, by default the one before."
    )


class DifferencesSerializer(serializers.Serializer[Any]):
    """What differs between a release and an earlier one."""

    version = serializers.CharField()
    against = serializers.CharField()
    unchanged = serializers.IntegerField()
    items = ItemChangeSerializer(many=True)
    figures = FigureChangeSerializer(many=True)


class _OfReleases(ProjectEndpoint):
    queryset = Release.objects.none()
    serializer_class: type[serializers.BaseSerializer[Any]] = ReleaseSerializer
    tag = "releases"

    def listed(self) -> QuerySet[Release]:
        rows: QuerySet[Release] = self.project.releases.all()
        return rows.defer("manifest")


class Releases(_OfReleases, ListEndpoint):
    """List the project's releases, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.EXPORT)
    ordering = ("-pk",)
    operations = {"GET": "list_releases", "POST": "start_release"}
    refusals = (409,)

    @extend_schema(request=NewReleaseSerializer, responses={202: ReleaseJobSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Start a release. A background job freezes the gold and writes the files.

        A release can't be changed or deleted. `Location` shows the job's progress.
        """
        data = self.read_body(request, NewReleaseSerializer)
        source = data["source"] or protocol_of(self.project).gold_source
        if source not in count_gold(project=self.project).items_by_source:
            raise Conflict(f"There is no {source} gold.", "nothing_to_release")
        details = ReleaseDetails(**data | {"authors": [Author(**row) for row in data["authors"]]})
        try:
            job = queue_release(
                project=self.project, details=details, actor=actor_of(request), now=timezone.now()
            )
        except ReleaseDetailsError as error:
            raise ValidationError(str(error)) from error
        location = reverse("api:release_job", args=[slug, job.pk], request=request)
        context = self.get_serializer_context()
        body = ReleaseJobSerializer(job, context=context).data
        return Response(body, 202, headers={"Location": location})


class _OfReleaseJobs(ProjectEndpoint):
    queryset = Job.objects.none()
    serializer_class = ReleaseJobSerializer
    tag = "releases"

    def listed(self) -> QuerySet[Job]:
        return release_jobs(self.project)


class ReleaseJob(_OfReleaseJobs, DetailEndpoint):
    """Return a release in progress, or how it ended."""

    rules = read(STAFF)
    operations = {"GET": "get_release_job"}


class CancelReleaseJob(CancelJob, _OfReleaseJobs):
    """Cancel a release that has not started."""

    rules = post(STAFF, TokenScope.EXPORT)
    operations = {"POST": "cancel_release_job"}


class ReleaseDetail(_OfReleases):
    rules = read(STAFF)
    operations = {"GET": "get_release"}

    @extend_schema(parameters=[VERSION])
    def get(self, request: Request, slug: str, version: str) -> Response:
        """Return a release."""
        return Response(self.get_serializer(self.find_row(version=version)).data)


class ReleaseArchive(_OfReleases):
    rules = read(STAFF, TokenScope.EXPORT)
    serializer_class = ArchiveSerializer
    operations = {"GET": "download_release"}

    @extend_schema(
        parameters=[
            VERSION,
            OpenApiParameter("Range", OpenApiTypes.STR, OpenApiParameter.HEADER),
            OpenApiParameter("If-Range", OpenApiTypes.STR, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "*/*"): OpenApiTypes.ANY,
            (206, "*/*"): OpenApiTypes.ANY,
            416: OpenApiResponse(description="The range starts after the end of the file."),
        },
    )
    def get(self, request: Request, slug: str, version: str) -> HttpResponseBase:
        """Download the ZIP file of a release. Range and If-Range resume a download."""
        release: Release = self.find_row(version=version)
        if not release.is_built:
            raise Http404
        try:
            file = open_archive(release)
        except ReleaseFilesError as error:
            raise Http404 from error
        facts = release.archive
        return download(request._request, file, name=facts["name"], sha256=facts["sha256"])


class ReleaseDifferences(_OfReleases):
    rules = read(STAFF)
    serializer_class = DifferencesSerializer
    query = DifferencesQuery
    operations = {"GET": "compare_releases"}

    @extend_schema(parameters=[VERSION, DifferencesQuery])
    def get(self, request: Request, slug: str, version: str) -> Response:
        """Return what differs from an earlier release: items with their parts, and figures."""
        new: Release = self.find_row(version=version)
        others = self.get_queryset().exclude(pk=new.pk)
        against = self.read_query(request).get("against")
        old = others.filter(version=against) if against else others.filter(pk__lt=new.pk)
        if (release := old.first()) is None:
            raise Http404
        found = asdict(differences_between(release, new))
        named = {"version": new.version, "against": release.version}
        return Response(DifferencesSerializer({**found, **named}).data)
