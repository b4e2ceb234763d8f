"""Endpoints of the studies of providers that have some: sessions, payments, and the decisions on them."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.domain.work.compensate import pay_empty_session
from crowd.domain.money.decide_assignment import check_reason
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.sessions.publish_studies import hurry_study
from crowd.domain.sessions.refuse_sessions import (
    SessionDecisionError,
    refuse_session,
    sessions_to_decide,
)
from crowd.domain.sessions.settle_sessions import SettlementError, resolve_settlement
from crowd.domain.sessions.study_figures import (
    StudyFigures,
    figures_of_studies,
    sessions_of,
    settlements_of,
    studies_of,
)
from crowd.enums import SessionState, SettlementState, StudyState
from crowd.models import Settlement, Study, StudySession
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import STAFF, post, read
from web.actions import action, money_action
from web.errors import conflicts
from web.filters import MAX_ID, ChoiceFilter
from web.serializers import BodySerializer, NoBody

REFUSED: dict[type[Exception], str] = {
    SessionDecisionError: "invalid_state",
    SettlementError: "invalid_state",
    BudgetExceededError: "budget_exceeded",
}


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
    waiting = serializers.IntegerField(
        source="study.waiting", help_text="The tasks that wait, because they don't fill a session."
    )
    waits_until = serializers.DateTimeField(
        source="study.waits_until", allow_null=True, help_text="When they get a place, or null."
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


class _OfStudies(ProjectEndpoint):
    queryset = Study.objects.none()
    serializer_class = StudySerializer
    tag = "studies"

    def listed(self) -> QuerySet[Study]:
        return studies_of(budget=self.project.budget)

    def shown(self, rows: list[Study]) -> list[StudyFigures]:
        return figures_of_studies(rows)


class Studies(_OfStudies, ListEndpoint):
    """List the project's studies with their figures, newest first."""

    rules = read(STAFF)
    filterset_class = StudyFilters
    ordering = ("-pk",)
    operations = {"GET": "list_studies"}


class PublishStudyNow(_OfStudies):
    rules = post(STAFF, TokenScope.PUBLISH)
    operations = {"POST": "publish_study_now"}

    @extend_schema(request=None, responses={200: StudySerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Publish a place for the study's waiting work, although it doesn't fill a session."""
        self.read_body(request)
        hurry_study(study=self.find_row(pk=pk), actor=actor_of(request), now=timezone.now())
        [row] = self.shown([self.find_row(pk=pk)])
        return Response(StudySerializer(row).data)


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
            "completed_at", "approved_at", "issue", "issue_at", "rejection_reason", "problem",
        )  # fmt: skip
        read_only_fields = fields


class SessionFilters(filters.FilterSet):
    study = filters.NumberFilter(min_value=0, max_value=MAX_ID, label="Its id.")
    state = ChoiceFilter(choices=SessionState.choices)
    worker = filters.CharFilter(field_name="worker__pseudonym", max_length=20)
    to_decide = filters.BooleanFilter(
        method="only_to_decide",
        label="true lists only sessions on which a person decides. They were submitted without any task.",
    )

    class Meta:
        model = StudySession
        fields: list[str] = []

    def only_to_decide(
        self, queryset: QuerySet[StudySession], name: str, value: bool
    ) -> QuerySet[StudySession]:
        budget = self.request.parser_context["view"].project.budget
        waiting = sessions_to_decide(budget=budget, now=timezone.now())
        return queryset.filter(pk__in=waiting.values("pk")) if value else queryset


class _OfSessions(ProjectEndpoint):
    queryset = StudySession.objects.none()
    serializer_class: Any = SessionSerializer
    tag = "studies"

    def listed(self) -> QuerySet[StudySession]:
        return sessions_of(budget=self.project.budget)


class Sessions(_OfSessions, ListEndpoint):
    """List the sessions of the project's studies, newest first."""

    rules = read(STAFF)
    filterset_class = SessionFilters
    ordering = ("-pk",)
    operations = {"GET": "list_sessions"}


class SessionDetail(_OfSessions, DetailEndpoint):
    """Return a session."""

    rules = read(STAFF)
    operations = {"GET": "get_session"}


class SessionRejectionSerializer(BodySerializer):
    reason = serializers.CharField(
        max_length=1000,
        help_text="Shown to the worker. Providers can require a number of characters, such as 100.",
    )

    def validate_reason(self, reason: str) -> str:
        try:
            check_reason(reason, provider=self.context["provider"])
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return reason


class _SessionDecision(_OfSessions):
    """A decision on a session in which no task was submitted, with the fields of its `body`."""

    rules = post(STAFF, TokenScope.PAY)
    body: ClassVar[type[BodySerializer]] = NoBody
    refusals = (409, 412)
    decide: Callable[..., object]

    @extend_schema(responses={200: SessionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        data = self.read_body(request, provider=self.project.provider)
        session: StudySession = self.find_row(pk=pk)
        self.require_match(request, SessionSerializer(session).data)
        with conflicts(REFUSED):
            type(self).decide(session=session, actor=actor_of(request), now=timezone.now(), **data)
        return Response(SessionSerializer(self.find_row(pk=pk)).data)


class PaySession(_SessionDecision):
    """Pay the reward of a session in which no task was submitted. This reserves budget."""

    operations = {"POST": "pay_session"}
    decide = pay_empty_session


class RejectSession(_SessionDecision):
    """Reject a session in which no task was submitted, unless the worker returns it within a week."""

    operations = {"POST": "reject_session"}
    body = SessionRejectionSerializer
    decide = refuse_session


class SessionPaymentSerializer(serializers.ModelSerializer[Settlement]):
    """A payment of a session: its reward, and the rest as a bonus."""

    session = serializers.IntegerField(source="session_id", read_only=True, help_text="Its id.")
    worker = serializers.CharField(source="session.worker.pseudonym", read_only=True)
    problem = serializers.CharField(
        source="error", read_only=True, help_text="Why it is not confirmed, or empty."
    )

    class Meta:
        model = Settlement
        fields = (
            "id", "session", "worker", "state", "reward_cents", "bonus_cents", "planned_at", "paid_at",
            "confirmed_at", "problem",
        )  # fmt: skip
        read_only_fields = fields


class SessionPaymentFilters(filters.FilterSet):
    state = ChoiceFilter(choices=SettlementState.choices)

    class Meta:
        model = Settlement
        fields: list[str] = []


class _OfSessionPayments(ProjectEndpoint):
    queryset = Settlement.objects.none()
    serializer_class = SessionPaymentSerializer
    tag = "studies"

    def listed(self) -> QuerySet[Settlement]:
        return settlements_of(budget=self.project.budget)


class SessionPayments(_OfSessionPayments, ListEndpoint):
    """List the payments of sessions, newest first. A person decides those in the state unknown."""

    rules = read(STAFF)
    filterset_class = SessionPaymentFilters
    ordering = ("-pk",)
    operations = {"GET": "list_session_payments"}


class SessionPaymentDecisionSerializer(BodySerializer):
    was_paid = serializers.BooleanField(
        help_text="true books the bonus as paid, and false pays it again. Check it at the provider."
    )


class DecideSessionPayment(_OfSessionPayments):
    rules = post(STAFF, TokenScope.PAY)
    operations = {"POST": "decide_session_payment"}
    refusals = (409, 412)

    @extend_schema(
        request=SessionPaymentDecisionSerializer, responses={200: SessionPaymentSerializer}
    )
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Decide a bonus of unknown outcome: book it, or pay it again."""
        data = self.read_body(request, SessionPaymentDecisionSerializer)
        settlement: Settlement = self.find_row(pk=pk)
        self.require_match(request, SessionPaymentSerializer(settlement).data)
        with conflicts(REFUSED):
            resolve_settlement(
                settlement=settlement,
                was_paid=data["was_paid"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(SessionPaymentSerializer(self.find_row(pk=pk)).data)
