"""API endpoints of the whole site for superusers: blocked workers, and rows that can't be processed."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.domain.workers.block_worker import block_worker, lift_block
from crowd.enums import BlockState
from crowd.models import Block, Worker
from jobs.domain.failures import retry_failures, set_aside
from jobs.models import SweepFailure
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import Access, post, read
from web.actions import action
from web.endpoints import Endpoint
from web.errors import Conflict
from web.filters import ChoiceFilter
from web.pagination import Cursors
from web.serializers import BodySerializer

PSEUDONYM = OpenApiParameter("pseudonym", OpenApiTypes.STR, OpenApiParameter.PATH)


class _OfSite(Endpoint):
    tag = "site"


class _SiteList(_OfSite):
    """A list for superusers, newest first."""

    rules = read(Access.SUPERUSERS, TokenScope.OPERATE)
    pagination_class = Cursors
    ordering = ("-pk",)

    def get(self, request: Request) -> Response:
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        response: Response = self.get_paginated_response(self.get_serializer(page, many=True).data)
        return response


class BlockSerializer(serializers.ModelSerializer[Block]):
    """A block of a worker from all HITs of the site. It stays in the list when it is lifted."""

    worker = serializers.CharField(source="worker.pseudonym", read_only=True)
    problem = serializers.CharField(
        source="error", read_only=True, help_text="Why the provider refused it, or empty."
    )

    class Meta:
        model = Block
        fields = ("id", "worker", "state", "reason", "changed_at", "problem")
        read_only_fields = fields


class BlockFilters(filters.FilterSet):
    state = ChoiceFilter(choices=BlockState.choices)

    class Meta:
        model = Block
        fields: list[str] = []


class Blocks(_SiteList):
    """List the blocks of workers, newest first."""

    queryset = Block.objects.select_related("worker")
    serializer_class = BlockSerializer
    filterset_class = BlockFilters
    operations = {"GET": "list_blocks"}


class BlockReasonSerializer(BodySerializer):
    reason = serializers.CharField(
        max_length=1000, help_text="For the provider and the log. The worker doesn't see it."
    )


class _BlockChange(_OfSite):
    rules = post(Access.SUPERUSERS, TokenScope.OPERATE)
    serializer_class = BlockSerializer
    body = BlockReasonSerializer
    change: Callable[..., bool | None]

    @extend_schema(parameters=[PSEUDONYM], responses={202: BlockSerializer})
    @action
    def post(self, request: Request, pseudonym: str) -> Response:
        data = self.read_body(request)
        worker = get_object_or_404(Worker, pseudonym=pseudonym)
        terms = {"worker": worker, "actor": actor_of(request), "now": timezone.now()}
        if type(self).change(**terms, **data) is False:
            raise Conflict("This worker is not blocked.", "invalid_state")
        return Response(BlockSerializer(Block.objects.get(worker=worker)).data, 202)


class BlockWorker(_BlockChange):
    """Block a worker from all HITs of the site. A sweep sends the block to the provider."""

    operations = {"POST": "block_worker"}
    change = block_worker


class UnblockWorker(_BlockChange):
    """Lift the block of a worker. A sweep sends this to the provider."""

    operations = {"POST": "unblock_worker"}
    refusals = (409,)
    change = lift_block


class SweepFailureSerializer(serializers.ModelSerializer[SweepFailure]):
    """A row that a sweep could not process. It is tried again, unless it was set aside."""

    class Meta:
        model = SweepFailure
        fields = (
            "id", "sweep", "model", "object_id", "error", "attempts", "first_failed_at", "retry_at",
            "set_aside_at", "set_aside_by",
        )  # fmt: skip
        read_only_fields = fields


class SweepFailureFilters(filters.FilterSet):
    sweep = filters.CharFilter(max_length=80, label="The name of the sweep.")
    is_set_aside = filters.BooleanFilter(
        field_name="set_aside_at", lookup_expr="isnull", exclude=True
    )

    class Meta:
        model = SweepFailure
        fields: list[str] = []


class SweepFailures(_SiteList):
    """List the rows that sweeps could not process, newest first."""

    queryset = SweepFailure.objects.all()
    serializer_class = SweepFailureSerializer
    filterset_class = SweepFailureFilters
    operations = {"GET": "list_failures"}


class _FailureChange(_OfSite):
    rules = post(Access.SUPERUSERS, TokenScope.OPERATE)
    queryset = SweepFailure.objects.all()
    serializer_class = SweepFailureSerializer
    change: ClassVar[Callable[..., int]]

    @extend_schema(request=None, responses={200: SweepFailureSerializer})
    @action
    def post(self, request: Request, pk: int) -> Response:
        self.read_body(request)
        failure = get_object_or_404(SweepFailure.objects.select_for_update(), pk=pk)
        terms: dict[str, Any] = {"actor": actor_of(request), "now": timezone.now()}
        type(self).change(failures=[failure], **terms)
        failure.refresh_from_db()
        return Response(SweepFailureSerializer(failure).data)


class RetryFailure(_FailureChange):
    """Try a row again at once, also one that was set aside."""

    operations = {"POST": "retry_failure"}
    change = retry_failures


class SetAsideFailure(_FailureChange):
    """Stop trying a row until it is retried."""

    operations = {"POST": "set_aside_failure"}
    change = set_aside
