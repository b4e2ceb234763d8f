"""Endpoints of a project's figures: quality, agreement, statistics and the forecast of costs.

They are the cached figures of the pages, with the time when they were counted.
"""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.domain.publishing.forecast import forecast_costs, forecast_json
from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.agreement.agreement_table import agreement_json
from datasets.domain.exports.statistics import statistics_json, statistics_of
from datasets.domain.quality.agreement_figures import LIMIT, AgreementFigures, agreement_figures
from datasets.domain.quality.quality import NothingToCompareError, quality_figures, quality_json
from projects.api.endpoint import ProjectEndpoint
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.permissions import REVIEWERS, STAFF, read
from schemes.contract.errors import MissingPartError
from web.serializers import BodySerializer


@extend_schema_field({"type": "object"})
class FiguresField(serializers.JSONField):
    """Figures by name, as the scheme declares them."""


@extend_schema_field({"type": "array", "items": {"type": "object"}})
class FigureRowsField(serializers.JSONField):
    """Rows of figures, as the scheme declares them."""


class FiguresSerializer(serializers.Serializer[Any]):
    counted_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField(help_text="Why there are no figures, or empty.")


class QualitySerializer(FiguresSerializer):
    """Gold of a source compared with gold of another one. Each row has one of them as reference."""

    source = serializers.ChoiceField(choices=GoldSource.choices)  # type: ignore[assignment]
    against = serializers.ChoiceField(choices=GoldSource.choices)
    yields = FiguresField(help_text="The numbers of items and units of each source.")
    rows = FigureRowsField(help_text="The figures by reference, automatic and corrected by people.")


class QualityQuery(BodySerializer):
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=GoldSource.choices,
        required=False,
        help_text="By default the gold that the project produces.",
    )
    against = serializers.ChoiceField(choices=GoldSource.choices, default=GoldSource.EXPERT.value)


class Quality(ProjectEndpoint):
    rules = read(STAFF | REVIEWERS)
    serializer_class = QualitySerializer
    query = QualityQuery
    operations = {"GET": "get_quality"}
    tag = "figures"

    @extend_schema(parameters=[QualityQuery])
    def get(self, request: Request, slug: str) -> Response:
        """Return the quality of gold: its figures against a reference, such as the experts'."""
        wanted = self.read_query(request)
        source = wanted.get("source") or str(protocol_of(self.project).gold_source)
        against = wanted["against"]
        try:
            cached = figures_of(quality_figures, source, against, project=self.project)
        except NothingToCompareError as error:
            empty = {"source": source, "against": against, "yields": {}, "rows": []}
            return Response({"counted_at": None, "problem": str(error), **empty})
        body = {"counted_at": cached.counted_at, "problem": "", **quality_json(cached.value)}
        return Response(QualitySerializer(body).data)


class AgreementSerializer(FiguresSerializer):
    """The agreement of annotators by pair and in total. Each figure has a 95 % interval."""

    most_items = serializers.IntegerField(help_text="The figures are of as many items at most.")
    workers = FiguresField(help_text="Generators who annotated the same items.")
    consolidations = FiguresField(help_text="First and second consolidations of the same items.")
    disjoint_teams = FiguresField(help_text="The same, of teams that share no worker.")
    validators = FigureRowsField()  # type: ignore[assignment]


class Agreement(ProjectEndpoint):
    rules = read(STAFF)
    serializer_class = AgreementSerializer
    operations = {"GET": "get_agreement"}
    tag = "figures"

    def get(self, request: Request, slug: str) -> Response:
        """Return the agreement of annotators, consolidations and validators."""
        cached = figures_of(agreement_figures, project=self.project)
        figures: AgreementFigures = cached.value
        scheme = scheme_of(self.project)
        body = {
            "counted_at": cached.counted_at,
            "problem": "",
            "most_items": LIMIT,
            "workers": agreement_json(scheme, figures.workers),
            "consolidations": agreement_json(scheme, figures.consolidations),
            "disjoint_teams": agreement_json(scheme, figures.disjoint_teams),
            "validators": [row.as_json(scheme) for row in figures.validators],
        }
        return Response(AgreementSerializer(body).data)


class StatisticsSerializer(FiguresSerializer):
    """Counts of the annotated items by group, such as the gold or a partition."""

    source = serializers.CharField(help_text="Of the gold.")  # type: ignore[assignment]
    groups = FiguresField()
    tables = FigureRowsField()
    frequencies = FiguresField(help_text="How often each category occurs.")


class Statistics(ProjectEndpoint):
    rules = read(STAFF)
    serializer_class = StatisticsSerializer
    operations = {"GET": "get_statistics"}
    tag = "figures"

    def get(self, request: Request, slug: str) -> Response:
        """Return statistics of the annotated items."""
        try:
            cached = figures_of(statistics_of, project=self.project)
        except MissingPartError as error:
            empty = {"source": "", "groups": {}, "tables": [], "frequencies": {}}
            return Response({"counted_at": None, "problem": str(error), **empty})
        body = {"counted_at": cached.counted_at, "problem": "", **statistics_json(cached.value)}
        return Response(StatisticsSerializer(body).data)


class RoleForecastSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Role.choices)
    offered = serializers.IntegerField(help_text="Places that are open or undecided.")
    to_come = serializers.IntegerField(help_text="Places that are not published yet.")
    seen = serializers.IntegerField(
        help_text="Assignments behind the forecast. 0 if there are too few for a range of 95 %."
    )
    low_cents = serializers.IntegerField()
    expected_cents = serializers.IntegerField()
    high_cents = serializers.IntegerField()
    to_come_cents = serializers.IntegerField(help_text="What is expected for `to_come`.")


class ForecastSerializer(serializers.Serializer[Any]):
    """What the outstanding work is expected to cost, in cents with fees and a 95 % range."""

    counted_at = serializers.DateTimeField()
    spent_cents = serializers.IntegerField()
    reserved_cents = serializers.IntegerField()
    low_cents = serializers.IntegerField()
    expected_cents = serializers.IntegerField()
    high_cents = serializers.IntegerField()
    roles = RoleForecastSerializer(many=True)


class Forecast(ProjectEndpoint):
    rules = read(STAFF)
    serializer_class = ForecastSerializer
    operations = {"GET": "get_forecast"}
    tag = "figures"

    def get(self, request: Request, slug: str) -> Response:
        """Return a forecast of the cost of the outstanding work."""
        cached = figures_of(forecast_costs, project=self.project)
        facts = forecast_json(project=self.project, forecasts=cached.value)
        return Response(ForecastSerializer({"counted_at": cached.counted_at, **facts}).data)
