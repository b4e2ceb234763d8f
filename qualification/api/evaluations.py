"""Endpoints of evaluations."""

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.serializers import ContentField
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.permissions import CAN_SEE_WORKERS, read
from qualification.domain.rounds.queries import evaluations_of
from qualification.enums import EnrolmentState, EvaluationCause
from qualification.models import Evaluation
from web.filters import ChoiceFilter


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class AlignmentField(serializers.JSONField):
    """The aligned rows, remarks and figures of each item."""


class EvaluationSerializer(serializers.ModelSerializer[Evaluation]):
    round = serializers.IntegerField(source="enrolment.round_id", read_only=True)
    worker = serializers.CharField(source="enrolment.worker.pseudonym", read_only=True)
    state = serializers.ChoiceField(
        source="enrolment.state",
        choices=EnrolmentState.choices,
        read_only=True,
        help_text="The worker's current state in the round.",
    )
    figures = ContentField(read_only=True)
    corrected_figures = ContentField(read_only=True, allow_null=True)
    computed_from = ContentField(read_only=True)

    class Meta:
        model = Evaluation
        fields: tuple[str, ...] = (
            "id", "round", "worker", "state", "rule", "cause", "figures", "corrected_figures",
            "computed_from", "computed_at",
        )  # fmt: skip
        read_only_fields = fields


class WholeEvaluationSerializer(EvaluationSerializer):
    alignment = AlignmentField(read_only=True)

    class Meta(EvaluationSerializer.Meta):
        fields = (*EvaluationSerializer.Meta.fields, "alignment")
        read_only_fields = fields


class EvaluationFilters(filters.FilterSet):
    round = filters.NumberFilter(
        field_name="enrolment__round", min_value=0, max_value=2**63 - 1, label="Its id."
    )
    worker = filters.CharFilter(field_name="enrolment__worker__pseudonym", max_length=20)
    state = ChoiceFilter(field_name="enrolment__state", choices=EnrolmentState.choices)
    cause = ChoiceFilter(choices=EvaluationCause.choices)

    class Meta:
        model = Evaluation
        fields: list[str] = []


class _OfEvaluations(ProjectEndpoint):
    queryset = Evaluation.objects.none()
    serializer_class: type[EvaluationSerializer] = EvaluationSerializer
    tag = "qualification"

    def listed(self) -> QuerySet[Evaluation]:
        return evaluations_of(project=self.project)


class Evaluations(_OfEvaluations, ListEndpoint):
    """List workers' figures in the rounds, newest first. Recomputed figures are a new row."""

    rules = read(CAN_SEE_WORKERS)
    filterset_class = EvaluationFilters
    ordering = ("-pk",)
    operations = {"GET": "list_evaluations"}


class EvaluationDetail(_OfEvaluations, DetailEndpoint):
    """Return an evaluation with the alignment of each item."""

    rules = read(CAN_SEE_WORKERS)
    serializer_class = WholeEvaluationSerializer
    operations = {"GET": "get_evaluation"}
