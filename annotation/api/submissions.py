"""Endpoints that list, accept and reject submissions."""

from functools import partial

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.filters import FiltersByItem
from annotation.api.serializers import (
    OverturnSerializer,
    RejectionReasonSerializer,
    SubmissionSerializer,
)
from annotation.domain.decisions.changed_figures import forget_decided
from annotation.domain.decisions.decide_submission import (
    OverturnError,
    accept_assignment,
    overturn_rejection,
    pay_without_using,
    reject_submissions,
)
from annotation.domain.publishing.queries import can_be_accepted, submissions_of
from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.domain.change_state import TransitionNotAllowedError
from crowd.models import Assignment
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import Role, TokenScope
from projects.permissions import CAN_SEE_WORKERS, STAFF, post, read
from web.actions import money_action
from web.errors import Conflict, conflicts
from web.fields import PeriodForm
from web.filters import ChoiceFilter, IdAfterFilter, MomentFilter


class SubmittedForm(PeriodForm):
    PERIOD = ("submitted_after", "submitted_before")


class SubmissionFilters(FiltersByItem):
    role = ChoiceFilter(choices=Role.choices)
    state = ChoiceFilter(choices=SubmissionState.choices)
    worker = filters.CharFilter(field_name="worker__pseudonym", max_length=20)
    submitted_after = MomentFilter(field_name="submitted_at", lookup_expr="gte")
    submitted_before = MomentFilter(field_name="submitted_at", lookup_expr="lt")
    decided_after = MomentFilter(
        field_name="assignment__decided_at",
        lookup_expr="gte",
        label="Only submissions that were accepted or rejected since then.",
    )
    id_after = IdAfterFilter()

    class Meta:
        model = Submission
        fields: list[str] = []
        form = SubmittedForm


class _OfSubmissions(ProjectEndpoint):
    queryset = Submission.objects.none()
    serializer_class = SubmissionSerializer
    tag = "submissions"

    def listed(self) -> QuerySet[Submission]:
        return submissions_of(project=self.project)


class Submissions(_OfSubmissions, ListEndpoint):
    """List the project's submissions, newest first."""

    rules = read(CAN_SEE_WORKERS)
    filterset_class = SubmissionFilters
    ordering = ("-pk",)
    operations = {"GET": "list_submissions"}


class SubmissionDetail(_OfSubmissions, DetailEndpoint):
    """Return a submission."""

    rules = read(CAN_SEE_WORKERS)
    operations = {"GET": "get_submission"}


class _Decided(_OfSubmissions):
    refusals = (409, 412)

    def find_pair(self, request: Request, pk: int) -> tuple[Submission, Assignment]:
        submission: Submission = self.find_row(pk=pk)
        self.require_match(request, SubmissionSerializer(submission).data)
        if submission.assignment is None:
            raise Conflict(
                "Only workers' submissions can be accepted or rejected, not an expert's.",
                "invalid_state",
            )
        return submission, submission.assignment


class AcceptSubmission(_Decided):
    rules = post(STAFF, TokenScope.PAY)
    operations = {"POST": "accept_submission"}

    @extend_schema(request=None, responses={200: SubmissionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Accept the submission's assignment and pay its reward and bonus."""
        self.read_body(request)
        _, assignment = self.find_pair(request, pk)
        if not can_be_accepted(assignment):
            raise Conflict("This content can't be used as an annotation.", "invalid_state")
        with conflicts({TransitionNotAllowedError: "invalid_state"}):
            accept_assignment(assignment=assignment, actor=actor_of(request), now=timezone.now())
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        return Response(SubmissionSerializer(self.find_row(pk=pk)).data)


class RejectSubmission(_Decided):
    rules = post(STAFF, TokenScope.PAY)
    operations = {"POST": "reject_submission"}

    @extend_schema(request=RejectionReasonSerializer, responses={200: SubmissionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Reject the submission's assignment. The worker is not paid."""
        data = self.read_body(request, RejectionReasonSerializer)
        _, assignment = self.find_pair(request, pk)
        with conflicts({TransitionNotAllowedError: "invalid_state", ValueError: "invalid_state"}):
            reject_submissions(
                assignment=assignment,
                reason=data["reason"],
                category=data["category"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        return Response(SubmissionSerializer(self.find_row(pk=pk)).data)


class PayWithoutUsing(_Decided):
    rules = post(STAFF, TokenScope.PAY)
    operations = {"POST": "pay_without_using"}

    @extend_schema(request=None, responses={200: SubmissionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pay for the submission's assignment, and use none of its work."""
        self.read_body(request)
        _, assignment = self.find_pair(request, pk)
        with conflicts({TransitionNotAllowedError: "invalid_state"}):
            pay_without_using(assignment=assignment, actor=actor_of(request), now=timezone.now())
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        return Response(SubmissionSerializer(self.find_row(pk=pk)).data)


class OverturnRejection(_Decided):
    rules = post(STAFF, TokenScope.PAY)
    operations = {"POST": "overturn_rejection"}

    @extend_schema(request=OverturnSerializer, responses={200: SubmissionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pay for a rejected submission's assignment, and use its work again or not."""
        data = self.read_body(request, OverturnSerializer)
        _, assignment = self.find_pair(request, pk)
        with conflicts(
            {OverturnError: "invalid_state", TransitionNotAllowedError: "invalid_state"}
        ):
            overturn_rejection(
                assignment=assignment,
                use=data["use"],
                reason=data["reason"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        return Response(SubmissionSerializer(self.find_row(pk=pk)).data)
