"""Endpoints that list the studies of providers that have some, and their sessions."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.domain.sessions.study_figures import figures_of_studies, sessions_of, studies_of
from crowd.enums import SessionState, StudyState
from crowd.models import Study, StudySession
from projects.api.endpoint import ListEndpoint
from projects.permissions import STAFF, read
from web.filters import ChoiceFilter


class StudySerializer(serializers.Serializer[Any]):
    """A study: a posting at the provider, whose places are sessions of several HITs."""

    id = serializers.IntegerField(source="study.pk")
    title = serializers.CharField(source="study.hit_type.title")
    state = serializers.ChoiceField(source="study.state", choices=StudyState.choices)
    external_id = serializers.CharField(
        source="study.external_id",
        allow_null=True,
        help_text="The provider's id, or null until the study is created there.",
    )
    places = serializers.IntegerField(source="study.places", help_text="Wanted in all.")
    taken = serializers.IntegerField(
        help_text="Returned and rejected sessions have freed their places."
    )
    hits_per_session = serializers.IntegerField(source="study.hits_per_session")
    reward_cents = serializers.IntegerField(
        source="study.reward_cents", help_text="For a session, without bonuses and fees."
    )
    minutes = serializers.IntegerField(
        source="study.minutes", help_text="The estimated time of a session."
    )
    median_minutes = serializers.FloatField(
        allow_null=True, help_text="Of finished sessions, or null while they are few."
    )
    hourly_cents = serializers.IntegerField(
        allow_null=True, help_text="The reward for the median time, or null."
    )
    cost_cents = serializers.IntegerField(
        source="cents", help_text="Paid so far, with bonuses, fees and tax."
    )
    sessions = serializers.DictField(
        child=serializers.IntegerField(), help_text="The number of sessions by state."
    )
    published_at = serializers.DateTimeField(source="study.published_at", allow_null=True)
    problem = serializers.CharField(
        source="study.error", help_text="What the provider refused, or empty."
    )


class StudyFilters(filters.FilterSet):
    state = ChoiceFilter(choices=StudyState.choices)

    class Meta:
        model = Study
        fields: list[str] = []


class Studies(ListEndpoint):
    rules = read(STAFF)
    queryset = Study.objects.none()
    serializer_class = StudySerializer
    filterset_class = StudyFilters
    ordering = ("-pk",)
    operations = {"GET": "list_studies"}
    tag = "studies"

    def listed(self) -> QuerySet[Study]:
        return studies_of(budget=self.project.budget)

    def get(self, request: Request, **kwargs: Any) -> Response:
        """List the project's studies with their figures, newest first."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        figures = figures_of_studies(list(page))
        return self.get_paginated_response(self.get_serializer(figures, many=True).data)


class SessionSerializer(serializers.ModelSerializer[StudySession]):
    """A worker's place in a study."""

    study = serializers.IntegerField(source="study_id", read_only=True, help_text="Its id.")
    worker = serializers.CharField(source="worker.pseudonym", read_only=True)
    problem = serializers.CharField(
        source="error", read_only=True, help_text="What the provider refused, or empty."
    )

    class Meta:
        model = StudySession
        fields = (
            "id", "study", "worker", "state", "arrived_at", "deadline", "finished_at",
            "completed_at", "approved_at", "issue", "issue_at", "problem",
        )  # fmt: skip
        read_only_fields = fields


class SessionFilters(filters.FilterSet):
    study = filters.NumberFilter(min_value=0, max_value=2**63 - 1, label="Its id.")
    state = ChoiceFilter(choices=SessionState.choices)
    worker = filters.CharFilter(field_name="worker__pseudonym", max_length=20)

    class Meta:
        model = StudySession
        fields: list[str] = []


class Sessions(ListEndpoint):
    """List the sessions of the project's studies, newest first."""

    rules = read(STAFF)
    queryset = StudySession.objects.none()
    serializer_class = SessionSerializer
    filterset_class = SessionFilters
    ordering = ("-pk",)
    operations = {"GET": "list_sessions"}
    tag = "studies"

    def listed(self) -> QuerySet[StudySession]:
        return sessions_of(budget=self.project.budget)
