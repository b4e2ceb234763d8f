"""Endpoints of releases: their list, their ZIP files, and what differs between two of them."""

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
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

from projects.api.endpoint import ListEndpoint, ProjectEndpoint
from projects.enums import TokenScope
from projects.permissions import STAFF, read
from releases.domain.build_release import ReleaseFilesError, open_archive
from releases.domain.differences import ADDED, CHANGED, MOVED, REMOVED, differences_between
from releases.models import Release
from web.downloads import download
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

    rules = read(STAFF)
    ordering = ("-pk",)
    operations = {"GET": "list_releases"}


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
