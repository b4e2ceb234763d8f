"""Serializers of projects."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from crowd.domain.money.pay_scheme import PaySchemeError, Terms
from crowd.domain.provider.providers import ProviderUnavailableError, choose_provider
from crowd.enums import DEFAULT_PROVIDER, Provider
from projects.api.definitions import DefinitionField, parse_definition, refused_definition
from projects.domain.check_slug import LONGEST, PATTERN, RULE, SlugError, check_slug
from projects.domain.choose_protocol import MAX_REVISIONS, MAX_VALIDATORS
from projects.domain.create_project import pay_of
from projects.domain.pay_warnings import pay_warnings
from projects.enums import (
    AfterDisputes,
    BonusTiming,
    ExclusionScope,
    InputSignals,
    Protocol,
    ShownContext,
    SuggestionChoice,
)
from projects.languages import CHOICES, DEFAULT_LANGUAGE
from projects.models import Project
from schemes.contract.scheme import DEFINITION, Scheme
from schemes.contract.values import Json
from schemes.contract.written_resources import WrittenTextError
from schemes.registry import SCHEMES, get_scheme
from web.serializers import BodySerializer

MAX_CENTS = 10_000_000_00
MAX_HOURLY_CENTS = 1_000_000
MAX_GENERATORS = 9
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
    pay_warnings = serializers.SerializerMethodField(
        help_text="The protections against junk that the terms lack. Presets lack none."
    )
    cap_cents = serializers.IntegerField(
        source="budget.cap_cents", read_only=True, allow_null=True, help_text="The budget limit."
    )

    class Meta:
        model = Project
        fields = (
            "slug",
            "title",
            "scheme",
            "provider",
            "pay_scheme",
            "pay_warnings",
            "cap_cents",
            "minimum_hourly_cents",
            "protocol",
            "generators_per_item",
            "validators_per_item",
            "validators_to_agree",
            "revision_limit",
            "after_disputes",
            "exclusion_scope",
            "bonus_timing",
            "input_signals",
            "suggestions",
            "language",
            "shown_context",
            "seed",
            "archived_at",
            "created_at",
        )
        read_only_fields = fields

    def get_pay_warnings(self, project: Project) -> list[str]:
        return pay_warnings(project=project)


class ChangedProjectSerializer(BodySerializer):
    """The changes of a project. Fields that are left out stay as they are."""

    title = serializers.CharField(max_length=200, required=False)
    cap_cents = serializers.IntegerField(
        allow_null=True, required=False, min_value=0, max_value=MAX_CENTS
    )
    minimum_hourly_cents = serializers.IntegerField(
        allow_null=True, required=False, min_value=0, max_value=MAX_HOURLY_CENTS
    )
    pay_scheme = PayField(
        required=False, help_text="A preset, or the terms of some roles. Others keep theirs."
    )
    generators_per_item = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_GENERATORS,
        help_text="Under consolidation, until items are published.",
    )
    protocol = serializers.ChoiceField(
        choices=Protocol.choices,
        required=False,
        help_text="How annotations become gold. It can't be changed once items are published.",
    )
    validators_per_item = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_VALIDATORS,
        help_text="The number of validators or verifiers per item, until items are published.",
    )
    validators_to_agree = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_VALIDATORS,
        help_text="How many of them must agree, until items are published.",
    )
    revision_limit = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_REVISIONS,
        help_text="Under verification, how often a disputed annotation returns to its annotator.",
    )
    after_disputes = serializers.ChoiceField(
        choices=AfterDisputes.choices,
        required=False,
        help_text="Under verification, what becomes of items that are still disputed.",
    )
    exclusion_scope = serializers.ChoiceField(
        choices=ExclusionScope.choices,
        required=False,
        help_text="Where people who judge annotations must not have annotated.",
    )
    bonus_timing = serializers.ChoiceField(choices=BonusTiming.choices, required=False)
    input_signals = serializers.ChoiceField(choices=InputSignals.choices, required=False)
    suggestions = serializers.ChoiceField(choices=SuggestionChoice.choices, required=False)
    shown_context = serializers.ChoiceField(choices=ShownContext.choices, required=False)


class NewProjectSerializer(BodySerializer):
    slug = serializers.CharField(
        max_length=LONGEST,
        validators=[RegexValidator(rf"^{PATTERN.pattern}", RULE)],
        help_text="The name in URLs and commands.",
    )
    title = serializers.CharField(max_length=200, default="", allow_blank=True)
    scheme = serializers.ChoiceField(choices=sorted(SCHEMES))
    definition = DefinitionField(
        required=False,
        help_text="Of a custom scheme: YAML or JSON as text, or an object. By default, a starter.",
    )
    provider = serializers.ChoiceField(
        choices=Provider.choices,
        default=DEFAULT_PROVIDER,
        help_text="The crowd provider, which must be set up on this site.",
    )
    pay_scheme = PayField(
        required=False,
        help_text="A preset, or the terms of some roles. Other roles have those of the first preset.",
    )
    cap_cents = serializers.IntegerField(
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_CENTS,
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

    language = serializers.ChoiceField(
        choices=CHOICES,
        default=DEFAULT_LANGUAGE,
        help_text="The language of the corpus, as a BCP 47 tag.",
    )
    shown_context = serializers.ChoiceField(
        choices=ShownContext.choices,
        default=ShownContext.NONE,
        help_text="The sentences of the same document that pages show around a sentence.",
    )
    bonus_timing = serializers.ChoiceField(
        choices=BonusTiming.choices,
        default=BonusTiming.BY_TRUST,
        help_text="When the work of generators is accepted and its bonus decided.",
    )
    protocol = serializers.ChoiceField(choices=Protocol.choices, default=Protocol.CONSOLIDATION)
    validators_per_item = serializers.IntegerField(
        default=2,
        min_value=1,
        max_value=MAX_VALIDATORS,
        help_text="The number of validators or verifiers per item.",
    )
    validators_to_agree = serializers.IntegerField(
        default=2,
        min_value=1,
        max_value=MAX_VALIDATORS,
        help_text="How many of them must agree.",
    )
    revision_limit = serializers.IntegerField(
        default=1,
        min_value=0,
        max_value=MAX_REVISIONS,
        help_text="Under verification, how often a disputed annotation returns to its annotator.",
    )
    after_disputes = serializers.ChoiceField(
        choices=AfterDisputes.choices,
        default=AfterDisputes.EXPERTS,
        help_text="Under verification, what becomes of items that are still disputed.",
    )

    def validate_slug(self, slug: str) -> str:
        try:
            return check_slug(slug)
        except SlugError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate_provider(self, name: str) -> str:
        try:
            return choose_provider(name)
        except ProviderUnavailableError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        scheme = get_scheme(attrs["scheme"])
        if "definition" in attrs:
            attrs = {**attrs, "definition": _definition_in(attrs["definition"], scheme)}
        try:
            pay = pay_of(scheme, attrs.get("pay_scheme"))
        except PaySchemeError as error:
            raise serializers.ValidationError({"pay_scheme": str(error)}) from error
        return {**attrs, "pay_scheme": pay}


def _definition_in(given: str | Json, scheme: Scheme) -> Json:
    """Return the value of a new project's definition. Raise ValidationError."""
    if scheme.declaration is None:
        message = f"The scheme {scheme.name} has no definition. Leave it out."
        raise serializers.ValidationError({"definition": message})
    try:
        return parse_definition(given, scheme.resources[DEFINITION])
    except WrittenTextError as error:
        raise refused_definition(error) from error
