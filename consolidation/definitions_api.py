"""API endpoints for the definition of a project's scheme."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.serializers import ContentField
from consolidation.domain.gold.save_version import VersionEffectsError, save_version
from consolidation.domain.gold.version_effects import describe_effects, effects_of
from projects.api.definitions import DefinitionField, parse_definition, refused_definition
from projects.api.endpoint import DRY_RUN, DetailEndpoint, DryRuns, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.resources import (
    ResourceChangedError,
    UnknownResourceError,
    check_change,
    current_version,
    declared_resource,
)
from projects.domain.schemes import digest_of
from projects.enums import TokenScope
from projects.models import Resource
from projects.permissions import MEMBERS, STAFF, post, read
from schemes.contract.scheme import DEFINITION
from schemes.contract.written_resources import WrittenTextError
from web.actions import action
from web.errors import Conflict, conflicts
from web.serializers import BodySerializer

CHECK = OpenApiParameter(
    DRY_RUN.name,
    bool,
    description="Return the mistakes and the effects on annotations, and store nothing.",
)
MAX_VERSION = 2**31 - 1


class DefinitionSerializer(serializers.ModelSerializer[Resource]):
    """A version of the definition. It never changes, and the highest version is current."""

    class Meta:
        model = Resource
        fields: tuple[str, ...] = ("version", "created_at")
        read_only_fields = fields


class WholeDefinitionSerializer(DefinitionSerializer):
    """A version of the definition with its value, in which all defaults are filled in."""

    sha256 = serializers.SerializerMethodField(help_text="As in the manifest of exports.")
    definition = ContentField(source="value", read_only=True)

    class Meta(DefinitionSerializer.Meta):
        fields = (*DefinitionSerializer.Meta.fields, "sha256", "definition")
        read_only_fields = fields

    def get_sha256(self, resource: Resource) -> str:
        return digest_of(resource.value)


class MistakeSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(
        allow_null=True, help_text="Counted from 1. Null for a definition that is an object."
    )
    path = serializers.CharField(help_text="The place, such as fields.0.labels.2.key, or empty.")
    message = serializers.CharField()


class LostPartSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    annotations = serializers.IntegerField()
    items = serializers.ListField(child=serializers.CharField(), help_text="Keys of some items.")


class LostPartsSerializer(serializers.Serializer[Any]):
    """The parts of most annotations. `parts_in_all` counts all parts."""

    annotations = serializers.IntegerField()
    parts_in_all = serializers.IntegerField()
    parts = LostPartSerializer(many=True)


class EffectsSerializer(serializers.Serializer[Any]):
    """What becomes of the annotations with a version."""

    unchanged = serializers.IntegerField()
    mapped = serializers.IntegerField()
    lost = LostPartsSerializer()
    missing = LostPartsSerializer(help_text="What the version requires and annotations lack.")
    open_pages = serializers.IntegerField(
        help_text="Pages with unfinished work, which is mapped when it is submitted."
    )


class CheckedDefinitionSerializer(serializers.Serializer[Any]):
    """The result of a check, or a stored version.

    `is_new` is false if the definition is that of the current version. Without a check, `version` is
    the version that is current now.
    """

    version = serializers.IntegerField(help_text="The current version, or 0.")
    is_new = serializers.BooleanField()
    mistakes = MistakeSerializer(many=True)
    effects = EffectsSerializer(allow_null=True, help_text="Null if there are mistakes.")


class NewDefinitionSerializer(BodySerializer):
    definition = DefinitionField(
        help_text="YAML or JSON as text, whose mistakes have lines, or an object."
    )
    changed_version = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_VERSION,
        help_text="The version that you changed. If it is no longer current, the answer is 409.",
    )
    accept_effects = serializers.BooleanField(
        default=False,
        help_text="Also store a version with which annotations lose parts or become incomplete.",
    )


class _OfDefinitions(ProjectEndpoint):
    queryset = Resource.objects.none()
    tag = "projects"

    def listed(self) -> QuerySet[Resource]:
        return self.project.resources.filter(name=DEFINITION)


class Definitions(_OfDefinitions, ListEndpoint, DryRuns):
    """List the versions of the definition of the project's scheme, newest first.

    Projects whose scheme is not custom have none.
    """

    rules = read(MEMBERS) | post(STAFF, TokenScope.IMPORT)
    serializer_class = DefinitionSerializer
    ordering = ("-pk",)
    operations = {"GET": "list_definitions", "POST": "save_definition"}
    refusals = (409,)

    def listed(self) -> QuerySet[Resource]:
        return super().listed().defer("value")

    @extend_schema(
        request=NewDefinitionSerializer,
        parameters=[CHECK],
        responses={200: CheckedDefinitionSerializer, 201: CheckedDefinitionSerializer},
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Store a definition as a new version, and map the annotations to it.

        The answer is 200 if nothing changed.
        """
        data = self.read_body(request, NewDefinitionSerializer)
        with conflicts({UnknownResourceError: "invalid_state"}):
            resource = declared_resource(self.project, DEFINITION)
        try:
            value = parse_definition(data["definition"], resource)
            check_change(project=self.project, name=DEFINITION, value=value)
        except WrittenTextError as error:
            if self.is_trial(request):
                return self._result(mistakes=error.mistakes)
            raise refused_definition(error) from error
        newest = current_version(project=self.project, name=DEFINITION)
        if self.is_trial(request):
            is_new = newest is None or newest.value != value
            effects = effects_of(project=self.project, value=value)
            return self._result(is_new=is_new, effects=effects)
        try:
            with conflicts({ResourceChangedError: "version_conflict"}):
                saved = save_version(
                    project=self.project,
                    name=DEFINITION,
                    value=value,
                    actor=actor_of(request),
                    now=timezone.now(),
                    changed_version=data.get("changed_version"),
                    accepts_effects=data["accept_effects"],
                )
        except VersionEffectsError as error:
            reasons = " ".join(describe_effects(error.effects))
            advice = "To store it, send accept_effects with true."
            raise Conflict(f"{error} {reasons} {advice}", "effects_not_accepted") from error
        response = self._result(is_new=saved.is_new, effects=effects_of(project=self.project))
        if saved.is_new:
            response.status_code = 201
            arguments = [slug, saved.resource.version]
            response["Location"] = reverse("api:definition", args=arguments, request=request)
        return response

    def _result(self, **fields: Any) -> Response:
        newest = current_version(project=self.project, name=DEFINITION)
        result = {"version": newest.version if newest else 0, "is_new": False, "mistakes": []}
        result |= {"effects": None, **fields}
        return Response(CheckedDefinitionSerializer(result).data)


class DefinitionDetail(_OfDefinitions, DetailEndpoint):
    """Return a version of the definition of the project's scheme."""

    rules = read(MEMBERS)
    serializer_class = WholeDefinitionSerializer
    operations = {"GET": "get_definition"}

    def get(self, request: Request, **kwargs: Any) -> Response:
        row = self.find_row(version=kwargs["version"])
        return Response(WholeDefinitionSerializer(row).data)
