"""Endpoints that describe the annotation schemes: their content, formats, roles and pay."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.domain.money.pay_scheme import check_pay_scheme
from datasets.domain.exports.gold_files import formats_of_scheme
from projects.api.serializers import PaySchemeField
from projects.enums import Role
from projects.permissions import Access, read
from projects.protocols import TERMS
from schemes.contract.scheme import Scheme
from schemes.registry import SCHEMES, UnknownSchemeError, get_scheme
from web.endpoints import Endpoint


@extend_schema_field({"type": "object", "additionalProperties": {"type": "object"}})
class JsonSchemasField(serializers.JSONField):
    """A JSON Schema by kind of content."""


class SchemeSerializer(serializers.Serializer[Scheme]):
    name = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()


class ListedSchemesSerializer(serializers.Serializer[Any]):
    results = SchemeSerializer(many=True)


class SchemeProtocolSerializer(serializers.Serializer[Any]):
    """A protocol, and the roles of the people who work under it."""

    name = serializers.CharField()
    summary = serializers.CharField()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))


class WholeSchemeSerializer(SchemeSerializer):
    """A scheme: what projects can choose, and the form of the content in submissions and gold."""

    schema_version = serializers.IntegerField(source="content.schema_version")
    content = JsonSchemasField(
        source="content.json_schemas",
        help_text="The JSON Schema of each kind of content, such as generation and gold.",
    )
    protocols = serializers.SerializerMethodField()
    pay_presets = serializers.SerializerMethodField()
    sentence_formats = serializers.ListField(
        source="corpus.formats", child=serializers.CharField(), help_text="Of imported corpora."
    )
    gold_formats = serializers.ListField(
        source="corpus.gold_formats", child=serializers.CharField(), help_text="Of imported gold."
    )
    export_formats = serializers.SerializerMethodField()
    searches = serializers.SerializerMethodField()

    @extend_schema_field(SchemeProtocolSerializer(many=True))
    def get_protocols(self, scheme: Scheme) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "summary": terms.summary,
                "roles": [Role.GENERATOR.value, *(role.value for role in terms.case_roles)],
            }
            for name, terms in TERMS.items()
            if terms.part(scheme) is not None
        ]

    @extend_schema_field(serializers.DictField(child=PaySchemeField()))
    def get_pay_presets(self, scheme: Scheme) -> dict[str, Any]:
        """Return the pay of each preset by role, the default first."""
        presets = scheme.vocabulary.pay_presets
        return {name: check_pay_scheme(name, presets) for name in presets}

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_export_formats(self, scheme: Scheme) -> list[str]:
        return formats_of_scheme(scheme)

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_searches(self, scheme: Scheme) -> dict[str, str]:
        """Return the descriptions of what imports can look for, by name."""
        return {name: search.label for name, search in scheme.corpus.searches.items()}


class Schemes(Endpoint):
    rules = read(Access.SIGNED_IN)
    serializer_class = ListedSchemesSerializer
    operations = {"GET": "list_schemes"}
    tag = "schemes"

    def get(self, request: Request) -> Response:
        """List the annotation schemes of this site."""
        return Response(self.get_serializer({"results": list(SCHEMES.values())}).data)


class SchemeDetail(Endpoint):
    rules = read(Access.SIGNED_IN)
    serializer_class = WholeSchemeSerializer
    operations = {"GET": "get_scheme"}
    tag = "schemes"

    def get(self, request: Request, name: str) -> Response:
        """Return a scheme with the JSON Schema of its content, its formats, roles and pay presets."""
        try:
            scheme = get_scheme(name)
        except UnknownSchemeError as error:
            raise Http404 from error
        return Response(self.get_serializer(scheme).data)
