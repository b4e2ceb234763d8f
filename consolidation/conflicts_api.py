"""Endpoint of a submission whose page and provider have different copies."""

from dataclasses import asdict
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import SubmissionSerializer
from annotation.domain.decisions.changed_figures import forget_decided
from annotation.domain.publishing.queries import submissions_of
from annotation.models import Submission
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.reviews.resolve_conflict import (
    ConflictResolutionError,
    Version,
    compare_versions,
    has_two_versions,
    resolve_conflict,
)
from projects.api.endpoint import ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import STAFF, post, read
from web.actions import money_action
from web.errors import Conflict, conflicts
from web.serializers import BodySerializer


class CopySerializer(serializers.Serializer[Any]):
    """A copy of the content of a submission."""

    content = serializers.JSONField(help_text="The content, or what the scheme refused.")
    refusal = serializers.CharField(help_text="Why the scheme refused it, or empty.")


class CopiesSerializer(serializers.Serializer[Any]):
    """The copy that this site received, and the provider's, with their differences."""

    ours = CopySerializer()
    theirs = CopySerializer()
    differences = serializers.ListField(child=serializers.CharField())


class ChosenCopySerializer(BodySerializer):
    copy = serializers.ChoiceField(
        choices=[(version.value, version.value) for version in Version],
        help_text="`ours` is the copy that this site received, and `theirs` the provider's.",
    )
    reason = serializers.CharField(max_length=1000, help_text="Stored in the log.")


class Copies(ProjectEndpoint):
    rules = read(STAFF) | post(STAFF, TokenScope.PAY)
    queryset = Submission.objects.none()
    serializer_class = CopiesSerializer
    operations = {"GET": "get_copies", "POST": "choose_copy"}
    refusals = (409,)
    tag = "submissions"

    def listed(self) -> QuerySet[Submission]:
        rows = submissions_of(project=self.project).filter(assignment__isnull=False)
        return rows.select_related("item__project", "assignment__hit__task__batch", "worker")

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return the two copies of a submission, if a person has to choose one."""
        submission: Submission = self.find_row(pk=pk)
        if not has_two_versions(submission):
            raise Conflict("This submission has no copies to choose from.", "invalid_state")
        return Response(self.get_serializer(asdict(compare_versions(submission=submission))).data)

    @extend_schema(request=ChosenCopySerializer, responses={200: SubmissionSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Choose a copy. The assignment is then accepted and paid, if nothing else is unclear."""
        data = self.read_body(request, ChosenCopySerializer)
        submission: Submission = self.find_row(pk=pk)
        refused = {
            ConflictResolutionError: "invalid_state",
            TransitionNotAllowedError: "invalid_state",
        }
        with conflicts(refused):
            resolve_conflict(
                submission=submission,
                copy=Version(data["copy"]),
                reason=data["reason"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        transaction.on_commit(partial(forget_decided, project=self.project), robust=True)
        return Response(SubmissionSerializer(self.find_row(pk=pk)).data)
