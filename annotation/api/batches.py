"""Batches: published, watched, paused, resumed, ended."""

from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.endpoint import ProjectEndpoint
from annotation.api.roles import actor_of
from annotation.api.serializers import (
    BatchProgressSerializer,
    BatchSerializer,
    NewBatchSerializer,
)
from annotation.domain.publish import NothingToPublish, publish_batch
from annotation.domain.queries import count_batch
from annotation.domain.steer_batch import expire_batch, pause_batch, resume_batch
from annotation.enums import BatchState, Role
from annotation.models import Batch
from audit.domain.change_state import MoveRefused
from crowd.domain.ledger import BudgetExceeded, CapTooLow
from crowd.domain.qualifications import system_requirements
from crowd.models import QualificationType
from crowd.tasks import create_pending_hits
from rest.actions import action
from rest.cursors import Cursors
from rest.filters import StrictFilters
from rest.problems import Problem, refused_as

REFUSED: dict[type[Exception], str] = {
    NothingToPublish: "nothing-to-publish",
    BudgetExceeded: "budget-exceeded",
    CapTooLow: "budget-exceeded",
    IntegrityError: "move-refused",  # somebody published the same items at the same moment
    ValueError: "invalid-input",
}


class BatchFilters(filters.FilterSet):
    role = filters.ChoiceFilter(choices=Role.choices)
    state = filters.ChoiceFilter(choices=BatchState.choices)

    class Meta:
        model = Batch
        fields: list[str] = []


class _OfBatches(ProjectEndpoint):
    queryset = Batch.objects.none()
    serializer_class: Any = BatchSerializer
    tag = "batches"

    def listed(self) -> QuerySet[Batch]:
        return self.project.batches.select_related("budget")


class Batches(_OfBatches):
    pagination_class = Cursors
    filter_backends = [StrictFilters]
    filterset_class = BatchFilters
    ordering = ("-pk",)
    operations = {"GET": "list_batches", "POST": "publish_batch"}
    refusals = (409,)

    def get(self, request: Request, slug: str) -> Response:
        """The project's batches, the newest first."""
        return self.page(request)

    @extend_schema(request=NewBatchSerializer, responses={201: BatchSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Publish items for generation. This sets money aside; the HITs are made by a sweep."""
        given = NewBatchSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        facts = given.validated_data
        with refused_as(REFUSED):
            batch = publish_batch(
                project=self.project,
                limit=facts["limit"],
                pool=self._pool(facts["pool"]),
                groups=facts["groups"],
                requirements=system_requirements(
                    approval_rate=facts["approval_rate"], locales=facts["locales"]
                ),
                keep_open=facts["keep_open"],
                cap_cents=facts["cap_cents"],
                now=timezone.now(),
            )
        # Robust: with the broker away the batch stands, and the sweep creates its HITs later.
        transaction.on_commit(create_pending_hits.delay, robust=True)
        where = reverse("api:batch", args=[slug, batch.pk], request=request)
        return Response(BatchSerializer(batch).data, 201, headers={"Location": where})

    def _pool(self, code: str | None) -> QualificationType | None:
        if code is None:
            return None
        known = QualificationType.objects.filter(provider=self.project.provider, code=code)
        if pool := known.first():
            return pool
        errors = [{"pointer": "#/pool", "detail": f"There is no qualification {code!r}."}]
        raise Problem("invalid-input", errors=errors)


class BatchDetail(_OfBatches):
    operations = {"GET": "get_batch"}

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One batch. Its ETag changes with its state and terms, not with its workers' progress."""
        return Response(BatchSerializer(self.one(pk=pk)).data)


class BatchProgress(_OfBatches):
    serializer_class = BatchProgressSerializer
    operations = {"GET": "get_batch_progress"}

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How far a batch's HITs and submissions are."""
        counts = count_batch(batch=self.one(pk=pk))
        return Response({"hits": counts.hits, "submissions": counts.submissions})


class _Steered(_OfBatches):
    """A move of a whole batch."""

    refusals = (409, 412)
    move: Callable[..., int]

    def steer(self, request: Request, pk: int) -> Response:
        """Refused by If-Match or by the batch's state; else the batch as it is now."""
        # The row's lock keeps it, until the end, what the caller is told it was.
        self.project.batches.select_for_update().filter(pk=pk).first()
        batch = self.one(pk=pk)
        self.require_match(request, BatchSerializer(batch).data)
        with refused_as({MoveRefused: "move-refused"}):
            type(self).move(batch=batch, actor=actor_of(request), now=timezone.now())
        return Response(BatchSerializer(self.one(pk=pk)).data)


class PauseBatch(_Steered):
    operations = {"POST": "pause_batch"}
    move = pause_batch

    @extend_schema(request=None, responses={200: BatchSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Offer nothing of the batch for the time being."""
        return self.steer(request, pk)


class ResumeBatch(_Steered):
    operations = {"POST": "resume_batch"}
    move = resume_batch

    @extend_schema(request=None, responses={200: BatchSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Offer a paused batch again."""
        return self.steer(request, pk)


class ExpireBatch(_Steered):
    operations = {"POST": "expire_batch"}
    move = expire_batch

    @extend_schema(request=None, responses={200: BatchSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """End the batch. Work that was accepted can still come in, and is paid."""
        return self.steer(request, pk)
