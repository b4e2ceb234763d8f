"""API endpoints of a project's resources that are imported from files, such as a lexicon.

A definition, which staff write as text, has endpoints of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.corpus import CancelJob, JobFilters
from annotation.api.serializers import ContentField, FileSerializer
from consolidation.definitions_api import LostPartsSerializer
from consolidation.domain.experts.queue_resource import RESOURCE_IMPORT, queue_resource
from consolidation.domain.gold.lost_parts import lost_parts
from jobs.domain.queries import jobs_of
from jobs.models import Job
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.resources import current_versions, value_of
from projects.domain.schemes import digest_of, scheme_of
from projects.enums import TokenScope
from projects.models import Project, Resource
from projects.permissions import MEMBERS, STAFF, post, read
from schemes.contract.resources import Resource as DeclaredResource
from web.actions import action
from web.serializers import BodySerializer, unknown_name

NAME = OpenApiParameter("name", OpenApiTypes.STR, OpenApiParameter.PATH)


def imported_resources(project: Project) -> Mapping[str, DeclaredResource]:
    """Return the resources of the project's scheme that are imported from files, by name."""
    declared = scheme_of(project).resources
    return {name: resource for name, resource in declared.items() if resource.written is None}


class SwitchSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="Its name in requests.")
    label = serializers.CharField()  # type: ignore[assignment]
    is_on = serializers.BooleanField(help_text="In the current version.")


class PresetSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="Its name in requests.")
    label = serializers.CharField()  # type: ignore[assignment]
    values = serializers.ListField(child=serializers.CharField(), help_text="To choose from.")


class ResourceSerializer(serializers.Serializer[Any]):
    """A resource of the project's scheme, and its current version."""

    name = serializers.CharField(help_text="Its name in addresses and requests.")
    label = serializers.CharField()  # type: ignore[assignment]
    version = serializers.IntegerField(help_text="The current version, or 0 if there is none.")
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="The number of its parts, by name."
    )
    formats = serializers.ListField(
        child=serializers.CharField(), help_text="The formats of files that can be imported."
    )
    switches = SwitchSerializer(many=True, help_text="Settings of a version that are on or off.")
    presets = PresetSerializer(many=True, help_text="Fields of a version with named values.")


class ResourcesSerializer(serializers.Serializer[Any]):
    results = ResourceSerializer(many=True)


class ResourceVersionSerializer(serializers.ModelSerializer[Resource]):
    """A version of a resource. It never changes, and the highest version is current."""

    class Meta:
        model = Resource
        fields: tuple[str, ...] = ("version", "created_at")
        read_only_fields = fields


class WholeResourceVersionSerializer(ResourceVersionSerializer):
    """A version of a resource with its value, which can be imported again in the format json."""

    sha256 = serializers.SerializerMethodField(help_text="As in the manifest of exports.")
    value = ContentField(read_only=True, help_text="What it contains.")

    class Meta(ResourceVersionSerializer.Meta):
        fields = (*ResourceVersionSerializer.Meta.fields, "sha256", "value")
        read_only_fields = fields

    def get_sha256(self, resource: Resource) -> str:
        return digest_of(resource.value)


class _OfResources(ProjectEndpoint):
    tag = "projects"

    def require_resource(self) -> str:
        """Return the name of the resource in the URL. Raise Http404."""
        name: str = self.kwargs["name"]
        if name not in imported_resources(self.project):
            raise Http404
        return name


class Resources(_OfResources):
    rules = read(MEMBERS)
    serializer_class = ResourcesSerializer
    operations = {"GET": "list_resources"}

    def get(self, request: Request, slug: str) -> Response:
        """List the resources of the project's scheme that are imported from files, such as a lexicon.

        A definition is not among them (see `definitions`).
        """
        versions = {row.name: row for row in current_versions(self.project)}
        rows = [
            _described(name, declared, versions.get(name))
            for name, declared in imported_resources(self.project).items()
        ]
        return Response(ResourcesSerializer({"results": rows}).data)


def _described(name: str, declared: DeclaredResource, newest: Resource | None) -> dict[str, Any]:
    value = value_of(newest) if newest else declared.empty or {}
    return {
        "name": name,
        "label": declared.label,
        "version": newest.version if newest else 0,
        "counts": declared.count(value) if newest else {},
        "formats": list(declared.formats),
        "switches": [
            {"key": switch.key, "label": switch.label, "is_on": bool(value.get(switch.key))}
            for switch in declared.switches
        ],
        "presets": [
            {"key": preset.key, "label": preset.label, "values": list(preset.values)}
            for preset in declared.presets
        ],
    }


class _OfVersions(_OfResources):
    queryset = Resource.objects.none()

    def listed(self) -> QuerySet[Resource]:
        return self.project.resources.filter(name=self.require_resource())


class ResourceVersions(_OfVersions, ListEndpoint):
    """List the versions of a resource, newest first."""

    rules = read(MEMBERS)
    serializer_class = ResourceVersionSerializer
    ordering = ("-pk",)
    operations = {"GET": "list_resource_versions"}

    def listed(self) -> QuerySet[Resource]:
        return super().listed().defer("value")


class ResourceVersion(_OfVersions):
    rules = read(MEMBERS)
    serializer_class = WholeResourceVersionSerializer
    operations = {"GET": "get_resource_version"}

    def get(self, request: Request, slug: str, name: str, version: int) -> Response:
        """Return a version of a resource with its value."""
        row = self.find_row(version=version)
        return Response(WholeResourceVersionSerializer(row).data)


class LostParts(_OfResources):
    rules = read(STAFF)
    serializer_class = LostPartsSerializer
    operations = {"GET": "get_lost_parts"}

    @extend_schema(parameters=[NAME])
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Return what annotations use and the current version of a resource lacks."""
        lost = lost_parts(project=self.project, name=self.require_resource())
        return Response(LostPartsSerializer(asdict(lost)).data)


class ResourceImportSerializer(serializers.ModelSerializer[Job]):
    """An import of a new version of a resource. It has a version once it has finished."""

    resource = serializers.CharField(
        source="parameters.name", help_text="The name of the resource."
    )
    format = serializers.CharField(source="parameters.format")
    files = FileSerializer(source="parameters.files", many=True)
    switches = serializers.DictField(
        source="parameters.switches",
        child=serializers.BooleanField(),
        help_text="The switches that are set. Others stay as they are.",
    )
    presets = serializers.DictField(
        source="parameters.presets",
        child=serializers.CharField(),
        help_text="The presets that are chosen.",
    )
    version = serializers.IntegerField(
        source="result.version",
        default=None,
        allow_null=True,
        help_text="The version that is current after the import, or null.",
    )
    is_new = serializers.BooleanField(
        source="result.is_new",
        default=None,
        allow_null=True,
        help_text="False if nothing changed, so that there is no new version.",
    )

    class Meta:
        model = Job
        fields = (
            "id", "state", "resource", "format", "files", "switches", "presets", "requested_by",
            "requested_at", "started_at", "ended_at", "version", "is_new", "problem",
        )  # fmt: skip
        read_only_fields = fields


class NewResourceImportSerializer(BodySerializer):
    """A file that becomes a new version, or without it only changed switches and presets."""

    resource = serializers.CharField(max_length=40, help_text="The name of the resource.")
    file = serializers.FileField(
        max_length=200,
        required=False,
        help_text="A file or a ZIP archive. Parts that it lacks are kept.",
    )
    format = serializers.CharField(
        max_length=30, default="", allow_blank=True, help_text="A format of the resource."
    )
    switch_on = serializers.ListField(
        child=serializers.CharField(max_length=40),
        default=list,
        max_length=20,
        help_text="Keys of switches. Those that are left out stay as they are.",
    )
    switch_off = serializers.ListField(
        child=serializers.CharField(max_length=40),
        default=list,
        max_length=20,
        help_text="Keys of switches.",
    )
    presets = serializers.ListField(
        child=serializers.RegexField(r"^[^=]+=[^=]+\Z", max_length=100),
        default=list,
        max_length=20,
        help_text="The chosen values, each as KEY=NAME.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the fields with `switches` and `presets` by key."""
        resources: Mapping[str, DeclaredResource] = self.context["resources"]
        declared = resources.get(attrs["resource"])
        if declared is None:
            raise _unknown("resource", attrs["resource"], resources)
        if attrs["format"] not in declared.formats and (attrs["format"] or "file" in attrs):
            raise _unknown("format", attrs["format"], declared.formats)
        switches = dict.fromkeys(attrs["switch_on"], True) | dict.fromkeys(
            attrs["switch_off"], False
        )
        presets = dict(pair.split("=") for pair in attrs["presets"])
        for key in switches.keys() - {switch.key for switch in declared.switches}:
            name = "switch_on" if switches[key] else "switch_off"
            raise _unknown(name, key, [switch.key for switch in declared.switches])
        if repeated := set(attrs["switch_on"]) & set(attrs["switch_off"]):
            message = f"{min(repeated)} is also switched on."
            raise serializers.ValidationError({"switch_off": [message]})
        values = {preset.key: preset.values for preset in declared.presets}
        for key, value in presets.items():
            if value not in values.get(key, ()):
                known = [f"{preset}={name}" for preset in values for name in values[preset]]
                raise _unknown("presets", f"{key}={value}", known)
        if "file" not in attrs and not switches and not presets:
            raise serializers.ValidationError({"file": ["Send a file, a switch or a preset."]})
        return {
            "name": attrs["resource"],
            "file": attrs.get("file"),
            "fmt": attrs["format"],
            "switches": switches,
            "presets": presets,
        }


def _unknown(field: str, value: str, known: Iterable[str]) -> serializers.ValidationError:
    message = unknown_name("value", value, list(known))
    return serializers.ValidationError({field: [message]})


class _OfResourceImports(ProjectEndpoint):
    queryset = Job.objects.none()
    serializer_class = ResourceImportSerializer
    tag = "projects"

    def listed(self) -> QuerySet[Job]:
        return jobs_of(scope=self.project.slug, kind=RESOURCE_IMPORT)


class ResourceImports(_OfResourceImports, ListEndpoint):
    """List the project's imports of resources, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.IMPORT)
    filterset_class = JobFilters
    parser_classes = [MultiPartParser]
    ordering = ("-pk",)
    operations = {"GET": "list_resource_imports", "POST": "import_resource"}

    @property
    def max_bytes(self) -> int:
        return settings.API_UPLOAD_MAX_BYTES

    @extend_schema(
        request={"multipart/form-data": NewResourceImportSerializer},
        responses={202: ResourceImportSerializer},
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Upload a new version of a resource, or change its switches and presets.

        A background job imports it, and `Location` shows its progress.
        """
        resources = imported_resources(self.project)
        data = self.read_body(request, NewResourceImportSerializer, resources=resources)
        job = queue_resource(
            project=self.project, actor=actor_of(request), now=timezone.now(), **data
        )
        location = reverse("api:resource_import", args=[slug, job.pk], request=request)
        return Response(self.get_serializer(job).data, 202, headers={"Location": location})


class ResourceImportDetail(_OfResourceImports, DetailEndpoint):
    """Return an import of a resource with its outcome."""

    rules = read(STAFF)
    operations = {"GET": "get_resource_import"}


class CancelResourceImport(CancelJob, _OfResourceImports):
    """Cancel an import of a resource that has not ended."""

    rules = post(STAFF, TokenScope.IMPORT)
    operations = {"POST": "cancel_resource_import"}
