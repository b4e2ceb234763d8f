"""Endpoints of the care for a worker: notes, compensations and erasure."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.domain.publishing.queries import known_workers
from annotation.domain.work.compensate import MAX_CENTS, publish_compensation
from annotation.models import Compensation, WorkerNote
from crowd.domain.money.ledger import BudgetExceededError
from crowd.models import Worker
from projects.api.endpoint import ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of, own_projects
from projects.enums import TokenScope
from projects.permissions import ADMINS, CAN_SEE_WORKERS, STAFF, post, read
from qualification.domain.pool.erase_worker import (
    Erasure,
    ErasureError,
    erase_worker,
    projects_of_others,
)
from web.actions import action, money_action
from web.errors import conflicts
from web.serializers import BodySerializer


class _OfWorker(ProjectEndpoint):
    tag = "workers"

    def find_worker(self) -> Worker:
        """Return the worker whom the URL names. Raise Http404."""
        workers = known_workers(project=self.project)
        worker = workers.filter(pseudonym=self.kwargs["pseudonym"]).first()
        if worker is None:
            raise Http404
        return worker


class WorkerNoteSerializer(serializers.ModelSerializer[WorkerNote]):
    """A note on a worker, for colleagues. The worker doesn't see it."""

    author = serializers.CharField(source="author.username", read_only=True)

    class Meta:
        model = WorkerNote
        fields = ("id", "author", "text", "written_at")
        read_only_fields = fields


class NewNoteSerializer(BodySerializer):
    text = serializers.CharField(max_length=2000, help_text="Only project members see it.")


class WorkerNotes(_OfWorker, ListEndpoint):
    """List the notes on a worker, newest first."""

    rules = read(CAN_SEE_WORKERS) | post(CAN_SEE_WORKERS, TokenScope.TRAIN)
    queryset = WorkerNote.objects.none()
    serializer_class = WorkerNoteSerializer
    ordering = ("-pk",)
    operations = {"GET": "list_worker_notes", "POST": "write_worker_note"}

    def listed(self) -> QuerySet[WorkerNote]:
        notes = WorkerNote.objects.filter(project=self.project, worker=self.find_worker())
        return notes.select_related("author")

    @extend_schema(request=NewNoteSerializer, responses={201: WorkerNoteSerializer})
    @action
    def post(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Write a note on a worker, for colleagues."""
        data = self.read_body(request, NewNoteSerializer)
        assert request.user.pk
        note = WorkerNote.objects.create(
            project=self.project,
            worker=self.find_worker(),
            author_id=request.user.pk,
            text=data["text"],
            written_at=timezone.now(),
        )
        return Response(self.get_serializer(note).data, 201)


class CompensationSerializer(serializers.ModelSerializer[Compensation]):
    """A payment for lost or expired work. It is the reward of a HIT only for the worker."""

    amount_cents = serializers.IntegerField(source="hit.hit_type.reward_cents", read_only=True)
    purpose = serializers.CharField(
        source="key", read_only=True, help_text="What is compensated. It is paid only once."
    )

    class Meta:
        model = Compensation
        fields = ("id", "purpose", "reason", "amount_cents", "offered_by", "offered_at")
        read_only_fields = fields


class NewCompensationSerializer(BodySerializer):
    amount_cents = serializers.IntegerField(
        min_value=1, max_value=MAX_CENTS, help_text="For the worker, without fees."
    )
    purpose = serializers.CharField(
        max_length=120,
        help_text="What is compensated, such as the id of a lost assignment. Each purpose is paid once.",
    )
    reason = serializers.CharField(max_length=1000, help_text="Shown to the worker.")


class Compensations(_OfWorker, ListEndpoint):
    """List the compensations of a worker, newest first."""

    rules = read(STAFF) | post(STAFF, TokenScope.PAY)
    queryset = Compensation.objects.none()
    serializer_class = CompensationSerializer
    ordering = ("-pk",)
    operations = {"GET": "list_compensations", "POST": "compensate_worker"}
    refusals = (409,)

    def listed(self) -> QuerySet[Compensation]:
        rows = Compensation.objects.filter(project=self.project, worker=self.find_worker())
        return rows.select_related("hit__hit_type")

    @extend_schema(request=NewCompensationSerializer, responses={201: CompensationSerializer})
    @money_action
    def post(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Pay a worker for lost or expired work, with a HIT only for them. This reserves budget.

        A purpose that was compensated before is not paid again. The answer has the earlier payment.
        """
        data = self.read_body(request, NewCompensationSerializer)
        refused = {BudgetExceededError: "budget_exceeded", ValueError: "invalid_state"}
        with conflicts(refused):
            row = publish_compensation(
                project=self.project,
                worker=self.find_worker(),
                amount_cents=data["amount_cents"],
                reason=data["reason"],
                key=data["purpose"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(self.get_serializer(row).data, 201)


class ErasureSerializer(BodySerializer):
    how = serializers.ChoiceField(
        choices=[(how.value, how.value) for how in Erasure],
        help_text="`pseudonymise` deletes the provider's id. `erase` also replaces the pseudonym and "
        "deletes all texts by and about the worker.",
    )
    reason = serializers.CharField(max_length=500, help_text="For the log, so without names.")
    pseudonym = serializers.CharField(
        max_length=20,
        help_text="The worker's pseudonym once more, so that no other one is erased.",
    )

    def validate_pseudonym(self, pseudonym: str) -> str:
        if pseudonym != self.context["pseudonym"]:
            raise serializers.ValidationError("This is not the pseudonym of the worker.")
        return pseudonym


class ErasedWorkerSerializer(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(help_text="The pseudonym to which the work now belongs.")


class EraseWorker(_OfWorker):
    rules = post(ADMINS, TokenScope.TRAIN)
    serializer_class = ErasedWorkerSerializer
    operations = {"POST": "erase_worker"}
    refusals = (409,)

    @extend_schema(request=ErasureSerializer, responses={200: ErasedWorkerSerializer})
    @action
    def post(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Delete a worker's personal data, which can't be undone. Annotations and payments are kept.

        Qualifications have to be withdrawn, and work and pay settled, before. You have to be an admin of
        all projects in which the worker has worked, and the token has to include them.
        """
        data = self.read_body(request, ErasureSerializer, pseudonym=pseudonym)
        worker = self.find_worker()
        own = own_projects(request)
        if elsewhere := projects_of_others(worker=worker, user=request.user, projects=own):
            raise PermissionDenied(
                f"This worker has worked in {elsewhere} projects of which you are not an admin, or "
                "which the token doesn't include."
            )
        with conflicts({ErasureError: "invalid_state"}):
            row = erase_worker(
                worker=worker,
                how=Erasure(data["how"]),
                reason=data["reason"],
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(self.get_serializer(row).data)
