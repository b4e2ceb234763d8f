"""Endpoints of a project's guidelines, by role and version."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.change_project import (
    MAX_GUIDELINES,
    GuidelinesChangedError,
    GuidelinesError,
    change_guidelines,
)
from projects.domain.create_project import current_guidelines
from projects.enums import Role, TokenScope
from projects.languages import CHOICES, LANGUAGES
from projects.models import Guidelines
from projects.permissions import STAFF, post, read
from web.actions import action
from web.errors import conflicts
from web.filters import ChoiceFilter
from web.serializers import BodySerializer, unknown_name

MAX_VERSION = 2**31 - 1


class GuidelinesSerializer(serializers.ModelSerializer[Guidelines]):
    """A version of the guidelines of a role. It never changes, and the highest version is current."""

    language = serializers.CharField(
        read_only=True, help_text="The language of the main text, as a BCP 47 tag."
    )
    translated_into = serializers.SerializerMethodField()

    class Meta:
        model = Guidelines
        fields: tuple[str, ...] = (
            "id", "role", "version", "language", "translated_into", "written_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_translated_into(self, guidelines: Guidelines) -> list[str]:
        """Return the languages of the translations."""
        return sorted(guidelines.translations)


class WholeGuidelinesSerializer(GuidelinesSerializer):
    """A version of the guidelines of a role, with its texts in Markdown."""

    text = serializers.CharField(read_only=True, help_text="The main text.")
    translations = serializers.DictField(
        child=serializers.CharField(), read_only=True, help_text="The other texts by language."
    )

    class Meta(GuidelinesSerializer.Meta):
        fields = (*GuidelinesSerializer.Meta.fields, "text", "translations")
        read_only_fields = fields


class _TextField(serializers.CharField):
    """A text in Markdown, whose white space matters."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_GUIDELINES, trim_whitespace=False, **kwargs)


class NewGuidelinesSerializer(BodySerializer):
    """The changes of the current version. Texts that are left out stay as they are."""

    role = serializers.ChoiceField(choices=Role.choices)
    text = _TextField(required=False, help_text="The main text.")
    language = serializers.ChoiceField(
        choices=CHOICES,
        required=False,
        help_text="The language of the main text, by default that of the current version.",
    )
    translations = serializers.DictField(
        child=_TextField(allow_blank=True),
        default=dict,
        help_text="Texts by language. An empty text removes the translation.",
    )
    changed_version = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_VERSION,
        help_text="The version that you changed. If it is no longer current, the answer is 409.",
    )

    def validate_role(self, role: str) -> str:
        if role not in self.context["roles"]:
            raise serializers.ValidationError(unknown_name("role", role, self.context["roles"]))
        return role

    def validate_translations(self, translations: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(translations) - set(LANGUAGES)):
            raise serializers.ValidationError(f"{unknown[0][:40]!r} is no language of this site.")
        return translations


class GuidelinesFilters(filters.FilterSet):
    role = ChoiceFilter(choices=Role.choices)

    class Meta:
        model = Guidelines
        fields: list[str] = []


class _OfGuidelines(ProjectEndpoint):
    queryset = Guidelines.objects.none()
    tag = "projects"

    def listed(self) -> QuerySet[Guidelines]:
        return self.project.guidelines.all()


class GuidelinesList(_OfGuidelines, ListEndpoint):
    """List the versions of the project's guidelines, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.IMPORT)
    serializer_class = GuidelinesSerializer
    filterset_class = GuidelinesFilters
    ordering = ("-pk",)
    operations = {"GET": "list_guidelines", "POST": "write_guidelines"}
    refusals = (409,)

    @extend_schema(
        request=NewGuidelinesSerializer,
        responses={200: WholeGuidelinesSerializer, 201: WholeGuidelinesSerializer},
    )
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Write a new version of a role's guidelines, or of some of their translations.

        The answer is 200 if nothing changed.
        """
        data = self.read_body(request, NewGuidelinesSerializer, roles=list(self.project.pay_scheme))
        try:
            with conflicts({GuidelinesChangedError: "version_conflict"}):
                written = change_guidelines(
                    project=self.project, actor=actor_of(request), now=timezone.now(), **data
                )
        except GuidelinesError as error:
            raise ValidationError({error.field: [str(error)]}) from error
        if written is None:
            unchanged = current_guidelines(project_id=self.project.pk, role=data["role"])
            return Response(WholeGuidelinesSerializer(unchanged).data)
        location = reverse("api:guidelines_version", args=[slug, written.pk], request=request)
        body = WholeGuidelinesSerializer(written).data
        return Response(body, 201, headers={"Location": location})


class GuidelinesDetail(_OfGuidelines, DetailEndpoint):
    """Return a version of the guidelines with its texts."""

    rules = read(STAFF)
    serializer_class = WholeGuidelinesSerializer
    operations = {"GET": "get_guidelines"}
