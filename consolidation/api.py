"""API endpoints for items, cases and gold."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.serializers import ContentField
from annotation.domain.item_context import headline_of
from annotation.enums import Partition
from annotation.models import Item
from consolidation.domain.queries import cases_of, gold_versions_of, items_of, narrowed, state_of
from consolidation.enums import CaseState, GoldSource, ItemState
from consolidation.models import Case, CaseSource, Gold
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.permissions import CAN_SEE_WORKERS, MEMBERS, read


class ItemSerializer(serializers.ModelSerializer[Item]):
    sentence = serializers.CharField(source="sentence.external_id", read_only=True)
    domain = serializers.CharField(source="sentence.domain", read_only=True)
    partition = serializers.CharField(source="sentence.partition", read_only=True)
    target = ContentField(read_only=True)
    headline = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    generations = serializers.IntegerField(
        read_only=True, help_text="Number of accepted generations."
    )
    golds = serializers.IntegerField(
        read_only=True, help_text="Number of gold versions from all sources."
    )

    class Meta:
        model = Item
        fields = (
            "id",
            "key",
            "sentence",
            "domain",
            "partition",
            "target",
            "headline",
            "position",
            "in_production",
            "state",
            "generations",
            "golds",
        )
        read_only_fields = fields

    def get_headline(self, item: Item) -> str:
        return headline_of(item, self.context["view"].project)

    @extend_schema_field({"type": "string", "enum": ItemState.values})
    def get_state(self, item: Any) -> str:
        return state_of(item).value


class ItemFilters(filters.FilterSet):
    state = filters.ChoiceFilter(choices=ItemState.choices)
    domain = filters.CharFilter(max_length=60)
    partition = filters.ChoiceFilter(choices=Partition.choices)
    text = filters.CharFilter(max_length=200, label="A phrase in the sentence, or part of the key.")
    skipped = filters.BooleanFilter(
        label="Items whose gold, or newest annotation without gold, is a skip."
    )

    def filter_queryset(self, queryset: QuerySet[Item]) -> QuerySet[Item]:
        project = self.request.parser_context["view"].project
        return narrowed(queryset, project=project, **self.form.cleaned_data)


class _OfItems(ProjectEndpoint):
    queryset = Item.objects.none()
    serializer_class = ItemSerializer
    tag = "corpus"

    def listed(self) -> QuerySet[Item]:
        return items_of(project=self.project)


class Items(_OfItems, ListEndpoint):
    """List the project's items in publishing order."""

    rules = read(MEMBERS)
    filterset_class = ItemFilters
    ordering = ("position", "pk")
    operations = {"GET": "list_items"}


class ItemDetail(_OfItems, DetailEndpoint):
    """Return an item."""

    rules = read(MEMBERS)
    operations = {"GET": "get_item"}


class CaseSourceSerializer(serializers.ModelSerializer[CaseSource]):
    submission = serializers.IntegerField(source="submission_id", read_only=True)

    class Meta:
        model = CaseSource
        fields = ("position", "submission")
        read_only_fields = fields


class CaseSerializer(serializers.ModelSerializer[Case]):
    item = serializers.CharField(source="item.key", read_only=True)
    sources = CaseSourceSerializer(many=True, read_only=True)

    class Meta:
        model = Case
        fields = ("id", "item", "item_id", "attempt", "round", "state", "opened_at", "sources")
        read_only_fields = fields


class CaseFilters(filters.FilterSet):
    state = filters.ChoiceFilter(choices=CaseState.choices)
    item = filters.CharFilter(field_name="item__key", max_length=240)
    attempt = filters.NumberFilter(min_value=0, max_value=32767)


class Cases(ListEndpoint):
    """List the project's cases."""

    rules = read(CAN_SEE_WORKERS)
    queryset = Case.objects.none()
    serializer_class = CaseSerializer
    filterset_class = CaseFilters
    operations = {"GET": "list_cases"}
    tag = "consolidation"

    def listed(self) -> QuerySet[Case]:
        return cases_of(project=self.project)


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class ProvenanceField(serializers.JSONField):
    """The origin of each unit."""


class GoldSerializer(serializers.ModelSerializer[Gold]):
    item = serializers.CharField(source="item.key", read_only=True)
    content = ContentField(read_only=True)
    provenance = ProvenanceField(read_only=True)
    case = serializers.IntegerField(source="case_id", read_only=True, allow_null=True)
    submission = serializers.IntegerField(source="submission_id", read_only=True, allow_null=True)

    class Meta:
        model = Gold
        fields = (
            "id",
            "item",
            "item_id",
            "source",
            "version",
            "content",
            "schema_version",
            "provenance",
            "case",
            "submission",
            "created_at",
        )
        read_only_fields = fields


class GoldFilters(filters.FilterSet):
    source = filters.ChoiceFilter(choices=GoldSource.choices)
    item = filters.CharFilter(field_name="item__key", max_length=240)
    domain = filters.CharFilter(field_name="item__sentence__domain", max_length=60)
    partition = filters.ChoiceFilter(
        field_name="item__sentence__partition", choices=Partition.choices
    )


class GoldList(ListEndpoint):
    """List all versions of gold. The highest version of each item and source is current."""

    rules = read(CAN_SEE_WORKERS)
    queryset = Gold.objects.none()
    serializer_class = GoldSerializer
    filterset_class = GoldFilters
    operations = {"GET": "list_gold"}
    tag = "consolidation"

    def listed(self) -> QuerySet[Gold]:
        return gold_versions_of(project=self.project)
