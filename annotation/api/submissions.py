"""Endpoints that list, accept and reject submissions."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import ClassVar

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
from web.serializers import BodySerializer, NoBody


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


class _Decision(_OfSubmissions):
    """An action that decides the assignment of a submission, with the fields of its `body`."""

    rules = post(STAFF, TokenScope.PAY)
    body: ClassVar[type[BodySerializer]] = NoBody
    refusals = (409, 412)
    refused: ClassVar[Sequence[type[Exception]]] = (TransitionNotAllowedError,)
    decide: Callable[..., None]

    @extend_schema(responses={200: SubmissionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        data = self.read_body(request)
        submission: Submission = self.find_row(pk=pk)
        self.require_match(request, SubmissionSerializer(submission).data)
        if submission.assignment is None:
            raise Conflict(
                "Only workers' submissions can be accepted or rejected, not an expert's.",
                "invalid_state",
            )
        with conflicts(dict.fromkeys(self.refused, "invalid_state")):
            type(self).decide(
                assignment=submission.assignment,
                actor=actor_of(request),
                now=timezone.now(),
                **data,
            )
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        return Response(SubmissionSerializer(self.find_row(pk=pk)).data)


def _accept_usable(*, assignment: Assignment, actor: str, now: datetime) -> None:
    """Accept the assignment. Raise Conflict if its content can't be used."""
    if not can_be_accepted(assignment):
        raise Conflict("This content can't be used as an annotation.", "invalid_state")
    accept_assignment(assignment=assignment, actor=actor, now=now)


class AcceptSubmission(_Decision):
    """Accept the submission's assignment and pay its reward and bonus."""

    operations = {"POST": "accept_submission"}
    decide = _accept_usable


class RejectSubmission(_Decision):
    """Reject the submission's assignment. The worker is not paid."""

    operations = {"POST": "reject_submission"}
    body = RejectionReasonSerializer
    refused = (TransitionNotAllowedError, ValueError)
    decide = reject_submissions


class PayWithoutUsing(_Decision):
    """Pay for the submission's assignment, and use none of its work."""

    operations = {"POST": "pay_without_using"}
    decide = pay_without_using


class OverturnRejection(_Decision):
    """Pay for a rejected submission's assignment, and use its work again or not."""

    operations = {"POST": "overturn_rejection"}
    body = OverturnSerializer
    refused = (TransitionNotAllowedError, OverturnError)
    decide = overturn_rejection
