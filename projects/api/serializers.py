"""Serializers of projects."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from crowd.domain.pay_scheme import PaySchemeError, Terms
from crowd.domain.providers import ProviderUnavailableError, choose_provider
from crowd.enums import DEFAULT_PROVIDER, Provider
from projects.domain.choose_protocol import MOST_REVISIONS, MOST_VALIDATORS
from projects.domain.create_project import pay_of
from projects.enums import AfterDisputes, Protocol, SuggestionChoice
from projects.models import Project
from schemes.registry import SCHEMES, get_scheme

MOST_CENTS = 10_000_000_00
_TERMS = {
    name: {"type": "integer", "minimum": 0, "maximum": 100_000} for name in Terms.__annotations__
}
_PAY_SCHEME = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "type": "object",
        "properties": _TERMS,
        "required": sorted(Terms.__required_keys__),
        "additionalProperties": False,
    },
}


@extend_schema_field(_PAY_SCHEME)
class PaySchemeField(serializers.JSONField):
    """The terms by role."""


_PRESETS = sorted(
    {preset for scheme in SCHEMES.values() for preset in scheme.vocabulary.pay_presets}
)


@extend_schema_field({"oneOf": [{"type": "string", "enum": _PRESETS}, _PAY_SCHEME]})
class PayField(serializers.JSONField):
    """The name of a preset of the scheme, or the terms by role."""


class ProjectSerializer(serializers.ModelSerializer[Project]):
    pay_scheme = PaySchemeField(read_only=True)

    class Meta:
        model = Project
        fields = (
            "slug",
            "title",
            "scheme",
            "provider",
            "pay_scheme",
            "protocol",
            "generators_per_item",
            "validators_per_item",
            "validators_to_agree",
            "revision_limit",
            "after_disputes",
            "exclusion_scope",
            "suggestions",
            "seed",
            "created_at",
        )
        read_only_fields = fields


class NewProjectSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(
        max_length=60,
        validators=[
            RegexValidator(
                r"^[-a-zA-Z0-9_]+\Z", "Use only letters, digits, hyphens and underscores."
            )
        ],
        help_text="The name in URLs and commands.",
    )
    title = serializers.CharField(max_length=200, default="", allow_blank=True)
    scheme = serializers.ChoiceField(choices=sorted(SCHEMES))
    provider = serializers.ChoiceField(
        choices=Provider.choices,
        default=DEFAULT_PROVIDER,
        help_text="The crowd provider, which must be set up on this site.",
    )
    pay_scheme = PayField(
        required=False, help_text="The default is the first preset of the scheme."
    )
    cap_cents = serializers.IntegerField(
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MOST_CENTS,
        help_text="The budget limit in cents, or null for none.",
    )
    seed = serializers.IntegerField(
        default=1,
        min_value=-(2**63),
        max_value=2**63 - 1,
        help_text="The seed of the items' shuffle.",
    )
    suggestions = serializers.ChoiceField(
        choices=SuggestionChoice.choices,
        default=SuggestionChoice.BY_PARTITION,
        help_text="What workers' pages suggest, in schemes with suggestions.",
    )

    protocol = serializers.ChoiceField(choices=Protocol.choices, default=Protocol.CONSOLIDATION)
    validators_per_item = serializers.IntegerField(
        default=2,
        min_value=1,
        max_value=MOST_VALIDATORS,
        help_text="The number of validators or verifiers per item.",
    )
    validators_to_agree = serializers.IntegerField(
        default=2,
        min_value=1,
        max_value=MOST_VALIDATORS,
        help_text="How many of them must agree.",
    )
    revision_limit = serializers.IntegerField(
        default=1,
        min_value=0,
        max_value=MOST_REVISIONS,
        help_text="Under verification, how often a disputed annotation returns to its annotator.",
    )
    after_disputes = serializers.ChoiceField(
        choices=AfterDisputes.choices,
        default=AfterDisputes.EXPERTS,
        help_text="Under verification, what becomes of items that are still disputed.",
    )

    def validate_provider(self, name: str) -> str:
        try:
            return choose_provider(name)
        except ProviderUnavailableError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            pay = pay_of(get_scheme(attrs["scheme"]), attrs.get("pay_scheme"))
        except PaySchemeError as error:
            raise serializers.ValidationError({"pay_scheme": str(error)}) from error
        return {**attrs, "pay_scheme": pay}
