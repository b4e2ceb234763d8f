"""Submissions, and the word that pays them."""

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.endpoint import ProjectEndpoint
from annotation.api.roles import actor_of
from annotation.api.serializers import ReasonSerializer, SubmissionSerializer
from annotation.domain.decide_submission import accept_assignment, reject_submissions
from annotation.domain.queries import can_be_used, submissions_of
from annotation.enums import Role, SubmissionState
from annotation.models import Submission
from audit.domain.change_state import MoveRefused
from crowd.models import Assignment
from rest.actions import action
from rest.cursors import Cursors
from rest.filters import MomentFilter, StrictFilters
from rest.problems import Problem, refused_as


class SubmissionFilters(filters.FilterSet):
    role = filters.ChoiceFilter(choices=Role.choices)
    state = filters.ChoiceFilter(choices=SubmissionState.choices)
    item = filters.CharFilter(field_name="item__key", max_length=240)
    worker = filters.CharFilter(field_name="worker__pseudonym", max_length=20)
    submitted_after = MomentFilter(field_name="submitted_at", lookup_expr="gte")
    submitted_before = MomentFilter(field_name="submitted_at", lookup_expr="lt")

    class Meta:
        model = Submission
        fields: list[str] = []


class _OfSubmissions(ProjectEndpoint):
    queryset = Submission.objects.none()
    serializer_class = SubmissionSerializer
    tag = "submissions"

    def listed(self) -> QuerySet[Submission]:
        return submissions_of(project=self.project)


class Submissions(_OfSubmissions):
    pagination_class = Cursors
    filter_backends = [StrictFilters]
    filterset_class = SubmissionFilters
    ordering = ("-pk",)
    operations = {"GET": "list_submissions"}

    def get(self, request: Request, slug: str) -> Response:
        """The project's submissions, the newest first."""
        return self.page(request)


class SubmissionDetail(_OfSubmissions):
    operations = {"GET": "get_submission"}

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One submission."""
        return Response(SubmissionSerializer(self.one(pk=pk)).data)


class _Decided(_OfSubmissions):
    refusals = (409, 412)

    def found(self, request: Request, pk: int) -> tuple[Submission, Assignment]:
        submission: Submission = self.one(pk=pk)
        self.require_match(request, SubmissionSerializer(submission).data)
        if submission.assignment is None:
            raise Problem("move-refused", "An expert's work is not decided here.")
        return submission, submission.assignment


class AcceptSubmission(_Decided):
    operations = {"POST": "accept_submission"}

    @extend_schema(request=None, responses={200: SubmissionSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Accept the assignment that the submission came with; its reward and bonus are paid."""
        _, assignment = self.found(request, pk)
        if not all(map(_is_annotation, assignment.submissions.all())):
            raise Problem("move-refused", "This content can't be used as an annotation.")
        with refused_as({MoveRefused: "move-refused"}):
            accept_assignment(assignment=assignment, actor=actor_of(request), now=timezone.now())
        return Response(SubmissionSerializer(self.one(pk=pk)).data)


def _is_annotation(submission: Submission) -> bool:
    return submission.state == SubmissionState.ACCEPTED or can_be_used(submission)


class RejectSubmission(_Decided):
    operations = {"POST": "reject_submission"}

    @extend_schema(request=ReasonSerializer, responses={200: SubmissionSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Reject the assignment that the submission came with; the worker is not paid."""
        given = ReasonSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        _, assignment = self.found(request, pk)
        with refused_as({MoveRefused: "move-refused", ValueError: "move-refused"}):
            reject_submissions(
                assignment=assignment,
                reason=given.validated_data["reason"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(SubmissionSerializer(self.one(pk=pk)).data)
