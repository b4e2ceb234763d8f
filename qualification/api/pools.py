"""Endpoints of the trained pools: their workers, admission, withdrawal and groups."""

from collections.abc import Callable
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.domain.publishing.qualification_codes import pool_code, pool_of, pools_of
from annotation.domain.publishing.queries import known_workers
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.workers.write_messages import MAX_SUBJECT_LENGTH, MAX_TEXT_LENGTH, write_messages
from crowd.enums import GrantState
from crowd.models import QualificationGrant, QualificationType, Worker
from projects.api.endpoint import ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import Role, TokenScope
from projects.permissions import CAN_SEE_WORKERS, STAFF, post, read
from qualification.domain.pool.admit import IN_POOL, admit_worker
from qualification.domain.pool.production_groups import (
    MAX_GROUPS,
    GroupingError,
    assign_groups,
    divide_pool,
    members_of,
    sizes_of,
)
from qualification.domain.pool.withdraw_worker import withdraw_worker
from web.actions import action
from web.errors import conflicts
from web.filters import ChoiceFilter
from web.serializers import BodySerializer

# As many as a page of a list has
MAX_WORKERS = 200


class PoolSerializer(serializers.ModelSerializer[QualificationType]):
    """The trained workers of a role. `code` names them in requirements."""

    role = serializers.SerializerMethodField()
    workers = serializers.IntegerField(read_only=True, help_text="The number of its workers.")
    groups = serializers.SerializerMethodField()

    class Meta:
        model = QualificationType
        fields = ("id", "role", "code", "name", "workers", "groups")
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=Role.choices))
    def get_role(self, pool: QualificationType) -> str:
        project = self.context["view"].project
        return next(role for role in Role if pool_code(project, role) == pool.code)

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField()))
    def get_groups(self, pool: QualificationType) -> list[int]:
        """Return the numbers of the groups to which a batch can be published."""
        if self.get_role(pool) != Role.GENERATOR:
            return []
        return numbers_of(self.context["view"])


def numbers_of(view: ProjectEndpoint) -> list[int]:
    return list(view.project.groups.values_list("number", flat=True))


class Pools(ListEndpoint):
    """List the project's trained pools."""

    rules = read(CAN_SEE_WORKERS)
    queryset = QualificationType.objects.none()
    serializer_class = PoolSerializer
    operations = {"GET": "list_pools"}
    tag = "pools"

    def listed(self) -> QuerySet[QualificationType]:
        held = Q(grants__state__in=IN_POOL)
        return pools_of(project=self.project).annotate(workers=Count("grants", filter=held))


class PoolWorkerSerializer(serializers.ModelSerializer[QualificationGrant]):
    """A worker who has, or had, the qualification of a pool."""

    worker = serializers.CharField(source="worker.pseudonym", read_only=True)
    group = serializers.SerializerMethodField()
    problem = serializers.CharField(
        source="error",
        read_only=True,
        help_text="The reason of a withdrawal, or why the marketplace refused the grant.",
    )

    class Meta:
        model = QualificationGrant
        fields = ("worker", "state", "group", "changed_at", "problem")
        read_only_fields = fields

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_group(self, grant: QualificationGrant) -> int | None:
        """Return the number of the worker's group. Only generators have groups."""
        return grant.value if grant.value in self.context["numbers"] else None


class PoolWorkerFilters(filters.FilterSet):
    state = ChoiceFilter(choices=GrantState.choices)

    class Meta:
        model = QualificationGrant
        fields: list[str] = []


class PoolWorkers(ListEndpoint):
    """List the workers of a pool, and those whose qualification was withdrawn."""

    rules = read(CAN_SEE_WORKERS)
    queryset = QualificationGrant.objects.none()
    serializer_class = PoolWorkerSerializer
    filterset_class = PoolWorkerFilters
    operations = {"GET": "list_pool_workers"}
    tag = "pools"

    def listed(self) -> QuerySet[QualificationGrant]:
        pools = pools_of(project=self.project).filter(pk=self.kwargs["pk"])
        rows = QualificationGrant.objects.filter(qualification_type__in=pools)
        return rows.select_related("worker")

    def get_serializer_context(self) -> dict[str, Any]:
        context = dict(super().get_serializer_context())
        if self.is_described:
            return context
        code = pool_code(self.project, Role.GENERATOR)
        is_of_generators = pools_of(project=self.project).filter(pk=self.kwargs["pk"], code=code)
        return context | {"numbers": numbers_of(self) if is_of_generators.exists() else []}

    def get(self, request: Request, **kwargs: Any) -> Response:
        get_object_or_404(pools_of(project=self.project), pk=kwargs["pk"])
        return super().get(request, **kwargs)


class WorkersSerializer(BodySerializer):
    """The pseudonyms of workers."""

    workers = serializers.ListField(
        child=serializers.CharField(max_length=20), min_length=1, max_length=MAX_WORKERS
    )

    def validate_workers(self, workers: list[str]) -> list[str]:
        return list(dict.fromkeys(workers))


class AdmissionSerializer(WorkersSerializer):
    role = serializers.ChoiceField(choices=Role.choices, default=Role.GENERATOR)
    again = serializers.BooleanField(
        default=False, help_text="Admit also workers whose qualification was withdrawn."
    )


class WithdrawalSerializer(WorkersSerializer):
    reason = serializers.CharField(max_length=1000, help_text="Shown to the worker.")


class ChangedWorkerSerializer(serializers.Serializer[Any]):
    worker = serializers.CharField(help_text="The pseudonym.")
    changed = serializers.BooleanField()
    problem = serializers.CharField(help_text="Why nothing was changed, or empty.")


class ChangedWorkersSerializer(serializers.Serializer[Any]):
    results = ChangedWorkerSerializer(many=True)


class WorkerChange(ProjectEndpoint):
    """An action on workers by pseudonym, with a result for each."""

    unknown = "The project has no worker with this pseudonym."
    serializer_class = ChangedWorkersSerializer
    tag = "pools"

    def change_each(
        self, pseudonyms: list[str], workers: QuerySet[Worker], change: Callable[[Worker], bool]
    ) -> Response:
        """Change each of these workers, or say why not. `change` returns False for no change."""
        known = {worker.pseudonym: worker for worker in workers.filter(pseudonym__in=pseudonyms)}
        results = [self._result(name, known.get(name), change) for name in pseudonyms]
        return Response(ChangedWorkersSerializer({"results": results}).data)

    def _result(
        self, name: str, worker: Worker | None, change: Callable[[Worker], bool]
    ) -> dict[str, Any]:
        result: dict[str, Any] = {"worker": name, "changed": False, "problem": ""}
        if worker is None:
            return result | {"problem": self.unknown}
        try:
            return result | {"changed": change(worker)}
        except TouchstoneError as error:
            return result | {"problem": str(error)}


class AdmitWorkers(WorkerChange):
    rules = post(CAN_SEE_WORKERS, TokenScope.TRAIN)
    operations = {"POST": "admit_workers"}

    @extend_schema(request=AdmissionSerializer, responses={200: ChangedWorkersSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Admit workers to the pool of a role. Each receives a message."""
        data = self.read_body(request, AdmissionSerializer)
        role, project, actor = data["role"], self.project, actor_of(request)
        trained = {Role.GENERATOR, *project.rounds.values_list("role", flat=True)}
        if role not in trained:
            raise ValidationError({"role": [f"Choose from: {', '.join(sorted(trained))}."]})

        def admit(worker: Worker) -> bool:
            return admit_worker(
                project=project,
                worker=worker,
                role=role,
                again=data["again"],
                actor=actor,
                now=timezone.now(),
            )

        return self.change_each(data["workers"], known_workers(project=project), admit)


class WithdrawWorkers(WorkerChange):
    rules = post(STAFF, TokenScope.TRAIN)
    operations = {"POST": "withdraw_workers"}

    @extend_schema(request=WithdrawalSerializer, responses={200: ChangedWorkersSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Revoke all qualifications of the project that the workers have, with a reason for them."""
        data = self.read_body(request, WithdrawalSerializer)
        actor = actor_of(request)

        def withdraw(worker: Worker) -> bool:
            withdraw_worker(
                project=self.project,
                worker=worker,
                reason=data["reason"],
                actor=actor,
                now=timezone.now(),
            )
            return True

        return self.change_each(data["workers"], known_workers(project=self.project), withdraw)


class MessageSerializer(WorkersSerializer):
    subject = serializers.CharField(max_length=MAX_SUBJECT_LENGTH)
    text = serializers.CharField(max_length=MAX_TEXT_LENGTH)


class MessageWorkers(WorkerChange):
    rules = post(STAFF, TokenScope.TRAIN)
    operations = {"POST": "message_workers"}
    tag = "workers"

    @extend_schema(request=MessageSerializer, responses={200: ChangedWorkersSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Send a message to workers. It is delivered within minutes, by the provider if possible."""
        data = self.read_body(request, MessageSerializer)
        now, workers = timezone.now(), known_workers(project=self.project)

        def send(worker: Worker) -> bool:
            write_messages(
                budget=self.project.budget,
                workers=[worker],
                subject=data["subject"],
                text=data["text"],
                now=now,
            )
            return True

        log_state_change(
            instance=self.project,
            old="",
            new="messages written",
            actor=actor_of(request),
            now=now,
            reason=data["subject"],
        )
        return self.change_each(data["workers"], workers, send)


class GroupSerializer(serializers.Serializer[Any]):
    """A part of the trained generators, to which batches can be published."""

    number = serializers.IntegerField()
    workers = serializers.IntegerField(help_text="The number of its workers.")
    skill = serializers.FloatField(
        allow_null=True, help_text="The mean of the main figure in their newest evaluations."
    )


class GroupsSerializer(serializers.Serializer[Any]):
    results = GroupSerializer(many=True)


class NewGroupsSerializer(BodySerializer):
    """The number of groups, and the groups of some workers. Others stay in theirs."""

    count = serializers.IntegerField(min_value=0, max_value=MAX_GROUPS)
    workers = serializers.DictField(
        child=serializers.IntegerField(allow_null=True, min_value=1, max_value=MAX_GROUPS),
        default=dict,
        help_text="The number of the group by pseudonym, or null for no group.",
    )


class DividedSerializer(BodySerializer):
    count = serializers.IntegerField(min_value=1, max_value=MAX_GROUPS)
    seed = serializers.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="The same pool and seed give the same groups. By default that of the project.",
    )


class _OfGroups(ProjectEndpoint):
    serializer_class = GroupsSerializer
    tag = "pools"

    def sizes(self) -> Response:
        """Respond with the groups."""
        has_pool = pool_of(project=self.project, role=Role.GENERATOR) is not None
        members = members_of(project=self.project) if has_pool else []
        rows = sizes_of(members, numbers_of(self))
        return Response(GroupsSerializer({"results": rows}).data)


class Groups(_OfGroups):
    rules = read(CAN_SEE_WORKERS) | post(STAFF, TokenScope.TRAIN)
    operations = {"GET": "list_groups", "POST": "assign_groups"}
    refusals = (409,)

    def get(self, request: Request, slug: str) -> Response:
        """List the groups of trained generators."""
        return self.sizes()

    @extend_schema(request=NewGroupsSerializer, responses={200: GroupsSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Set the number of groups, and move workers between them."""
        data = self.read_body(request, NewGroupsSerializer)
        members = {row.worker.pseudonym: row.worker.pk for row in members_of(project=self.project)}
        if unknown := sorted(set(data["workers"]) - set(members)):
            raise ValidationError({"workers": [f"{unknown[0][:40]!r} is not in the pool."]})
        with conflicts({GroupingError: "invalid_state"}):
            assign_groups(
                project=self.project,
                groups={members[name]: number for name, number in data["workers"].items()},
                count=data["count"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        return self.sizes()


class DividePool(_OfGroups):
    rules = post(STAFF, TokenScope.TRAIN)
    operations = {"POST": "divide_pool"}
    refusals = (409,)

    @extend_schema(request=DividedSerializer, responses={200: GroupsSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Divide the trained generators into groups of similar size and skill."""
        data = self.read_body(request, DividedSerializer)
        with conflicts({GroupingError: "invalid_state"}):
            divide_pool(
                project=self.project,
                count=data["count"],
                seed=data.get("seed", self.project.seed % 2**31),
                actor=actor_of(request),
                now=timezone.now(),
            )
        return self.sizes()
