"""Endpoints that publish, list, pause, resume and end batches."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.serializers import (
    BatchPreviewSerializer,
    BatchProgressSerializer,
    BatchSerializer,
    ChangedBatchSerializer,
    NewBatchSerializer,
)
from annotation.domain.decisions.changed_figures import forget_batches, forget_published
from annotation.domain.publishing.arms import ArmPlan, ArmsError
from annotation.domain.publishing.batch_actions import (
    expire_batch,
    pause_batch,
    resume_batch,
    set_terms,
)
from annotation.domain.publishing.choose_workers import ChosenWorkers, WorkersError, choose_workers
from annotation.domain.publishing.preview_cost import preview_cost
from annotation.domain.publishing.publish import (
    NothingToPublishError,
    PublicationRunningError,
    publish_batch,
)
from annotation.domain.publishing.queries import count_batch
from annotation.enums import BatchState
from annotation.models import Batch
from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.money.ledger import BudgetExceededError, CapTooLowError
from crowd.domain.workers.qualifications import system_requirements
from crowd.tasks import publish_hits
from projects.api.endpoint import DRY_RUN, DetailEndpoint, DryRuns, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import Role, TokenScope
from projects.permissions import STAFF, patch, post, read
from web.actions import action, money_action
from web.errors import conflicts
from web.filters import ChoiceFilter

CONFLICTS: dict[type[Exception], str] = {
    NothingToPublishError: "nothing_to_publish",
    PublicationRunningError: "invalid_state",
    BudgetExceededError: "budget_exceeded",
    CapTooLowError: "budget_exceeded",
    IntegrityError: "invalid_state",  # another user has published the same items
}


class BatchFilters(filters.FilterSet):
    role = ChoiceFilter(choices=Role.choices)
    state = ChoiceFilter(choices=BatchState.choices)


class _OfBatches(ProjectEndpoint):
    queryset = Batch.objects.none()
    serializer_class: Any = BatchSerializer
    tag = "batches"

    def listed(self) -> QuerySet[Batch]:
        return self.project.batches.select_related("budget").prefetch_related("arms")


class Batches(_OfBatches, ListEndpoint, DryRuns):
    """List the project's batches, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.PUBLISH)
    filterset_class = BatchFilters
    ordering = ("-pk",)
    operations = {"GET": "list_batches", "POST": "publish_batch"}
    refusals = (409,)

    @extend_schema(
        request=NewBatchSerializer,
        parameters=[DRY_RUN],
        responses={200: BatchPreviewSerializer, 201: BatchSerializer},
    )
    @money_action
    def post(self, request: Request, slug: str) -> Response:
        """Publish items for generation. This reserves budget, and a sweep creates the HITs.

        More than 200 items are published by a job. Until its end, the batch is `publishing` and has
        the number of items in `to_publish`.
        """
        data = self.read_body(request, NewBatchSerializer)
        try:
            with conflicts(CONFLICTS):
                workers = choose_workers(
                    project=self.project,
                    who=data.get("who", ""),
                    code=data["pool"] or "",
                    groups=data["groups"],
                )
                if self.is_trial(request):
                    return self._preview(data, workers)
                batch = publish_batch(
                    project=self.project,
                    limit=data["limit"],
                    pool=workers.pool,
                    groups=workers.groups,
                    requirements=system_requirements(
                        approval_rate=data["approval_rate"], locales=data["locales"]
                    ),
                    keep_open=data["keep_open"],
                    cap_cents=data["cap_cents"],
                    auto_approval_seconds=data["auto_approval_seconds"],
                    republish_limit=data["republish_limit"],
                    arms=[ArmPlan(**arm) for arm in data["arms"]],
                    assists_test_items=data["assists_test_items"],
                    actor=actor_of(request),
                    now=timezone.now(),
                )
        except ArmsError as error:
            raise ValidationError({"arms": [str(error)]}) from error
        except WorkersError as error:
            raise ValidationError({error.field: [str(error)]}) from error
        except ValueError as error:
            raise ValidationError(str(error)) from error
        # `robust` keeps the batch if the broker is down. The sweep then creates the HITs later.
        transaction.on_commit(publish_hits.delay, robust=True)
        transaction.on_commit(partial(forget_published, project=self.project), robust=True)
        location = reverse("api:batch", args=[slug, batch.pk], request=request)
        return Response(BatchSerializer(batch).data, 201, headers={"Location": location})

    def _preview(self, data: dict[str, Any], workers: ChosenWorkers) -> Response:
        cost = preview_cost(
            project=self.project,
            limit=data["limit"],
            keep_open=data["keep_open"],
            cap_cents=data["cap_cents"],
            auto_approval_seconds=data["auto_approval_seconds"],
        )
        pool = workers.pool.code if workers.pool else None
        return Response(BatchPreviewSerializer({**asdict(cost), "pool": pool}).data)


class BatchDetail(_OfBatches, DetailEndpoint):
    """Return a batch. Its ETag changes with its state and terms, not with its progress."""

    rules = read(STAFF) | patch(STAFF, TokenScope.PUBLISH)
    operations = {"GET": "get_batch", "PATCH": "change_batch"}
    refusals = (409, 412)

    @extend_schema(request=ChangedBatchSerializer, responses={200: BatchSerializer})
    @action
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change how many HITs are kept open, the batch's budget limit or its republications."""
        data = self.read_body(request, ChangedBatchSerializer)
        self.project.batches.select_for_update().filter(pk=pk).first()
        batch = self.find_row(pk=pk)
        self.require_match(request, BatchSerializer(batch).data)
        if data.get("keep_open") and not batch.can_top_up:
            raise ValidationError({"keep_open": ["Only batches of generations can be topped up."]})
        with conflicts(CONFLICTS):
            set_terms(batch=batch, wanted=data, actor=actor_of(request), now=timezone.now())
        transaction.on_commit(partial(forget_batches, project=self.project), robust=True)
        return Response(BatchSerializer(self.find_row(pk=pk)).data)


class BatchProgress(_OfBatches):
    rules = read(STAFF)
    serializer_class = BatchProgressSerializer
    operations = {"GET": "get_batch_progress"}

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return the number of HITs and submissions of a batch, by state."""
        return Response(count_batch(batch=self.find_row(pk=pk)))


class _BatchAction(_OfBatches):
    """An endpoint that changes the state of a whole batch."""

    rules = post(STAFF, TokenScope.PUBLISH)
    refusals = (409, 412)
    move: Callable[..., int]

    @extend_schema(request=None, responses={200: BatchSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        self.read_body(request)
        # The lock keeps the batch unchanged between the If-Match check and the response.
        self.project.batches.select_for_update().filter(pk=pk).first()
        batch = self.find_row(pk=pk)
        self.require_match(request, BatchSerializer(batch).data)
        with conflicts({TransitionNotAllowedError: "invalid_state"}):
            type(self).move(batch=batch, actor=actor_of(request), now=timezone.now())
        transaction.on_commit(partial(forget_batches, project=self.project), robust=True)
        return Response(BatchSerializer(self.find_row(pk=pk)).data)


class PauseBatch(_BatchAction):
    """Pause the batch."""

    operations = {"POST": "pause_batch"}
    move = pause_batch


class ResumeBatch(_BatchAction):
    """Resume a paused batch, or a publication that has stopped (see `to_publish`)."""

    operations = {"POST": "resume_batch"}
    move = resume_batch


class ExpireBatch(_BatchAction):
    """End the batch. Work on accepted assignments can still be submitted and is paid."""

    operations = {"POST": "expire_batch"}
    move = expire_batch
