"""API endpoints for rounds and evaluations."""

from django.db.models import Count, Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.serializers import ContentField, RequirementsField
from annotation.domain.qualification_codes import pool_code, pools_of
from crowd.enums import GrantState
from crowd.models import QualificationType
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.enums import Role
from projects.permissions import CAN_SEE_WORKERS, read
from qualification.domain.queries import evaluations_of, rounds_of
from qualification.enums import EnrolmentState, EvaluationCause, RoundKind
from qualification.models import Evaluation, Round
from web.filters import ChoiceFilter


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
class ThresholdsField(serializers.JSONField):
    """A mapping of figures to values that suggest a pass."""


class RoundSerializer(serializers.ModelSerializer[Round]):
    thresholds = ThresholdsField(read_only=True)
    pool_roles = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices), read_only=True
    )
    requirements = RequirementsField(read_only=True)

    class Meta:
        model = Round
        fields = (
            "id", "role", "ordinal", "kind", "title", "entry", "thresholds", "pool_roles",
            "requirements",
        )  # fmt: skip
        read_only_fields = fields


class RoundFilters(filters.FilterSet):
    role = ChoiceFilter(choices=Role.choices)
    kind = ChoiceFilter(choices=RoundKind.choices)

    class Meta:
        model = Round
        fields: list[str] = []


class PoolSerializer(serializers.ModelSerializer[QualificationType]):
    """The trained workers of a role. `code` names them in requirements."""

    role = serializers.SerializerMethodField()
    workers = serializers.IntegerField(read_only=True, help_text="The number of its workers.")
    groups = serializers.SerializerMethodField()

    class Meta:
        model = QualificationType
        fields = ("id", "role", "code", "name", "workers", "groups")
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=Role.choices))
    def get_role(self, pool: QualificationType) -> str:
        project = self.context["view"].project
        return next(role for role in Role if pool_code(project, role) == pool.code)

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField()))
    def get_groups(self, pool: QualificationType) -> list[int]:
        """Return the numbers of the groups to which a batch can be published."""
        project = self.context["view"].project
        if self.get_role(pool) != Role.GENERATOR:
            return []
        return list(project.groups.values_list("number", flat=True))


class Pools(ListEndpoint):
    """List the project's trained pools."""

    rules = read(CAN_SEE_WORKERS)
    queryset = QualificationType.objects.none()
    serializer_class = PoolSerializer
    operations = {"GET": "list_pools"}
    tag = "qualification"

    def listed(self) -> QuerySet[QualificationType]:
        held = Q(grants__state__in=[GrantState.PENDING, GrantState.HELD])
        return pools_of(project=self.project).annotate(workers=Count("grants", filter=held))


class Rounds(ListEndpoint):
    """List the rounds of the project's qualification."""

    rules = read(CAN_SEE_WORKERS)
    queryset = Round.objects.none()
    serializer_class = RoundSerializer
    filterset_class = RoundFilters
    operations = {"GET": "list_rounds"}
    tag = "qualification"

    def listed(self) -> QuerySet[Round]:
        return rounds_of(project=self.project)


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
