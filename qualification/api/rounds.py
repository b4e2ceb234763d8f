"""Endpoints that set up, change, publish and remove rounds, and invite workers to them."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.serializers import RequirementsField
from annotation.models import Item
from audit.errors import TouchstoneError
from crowd.domain.hits.plan_study import PayTooLowError
from crowd.domain.money.ledger import BudgetExceededError
from crowd.models import Worker
from crowd.tasks import publish_hits, sync_qualification_requests
from projects.api.endpoint import DRY_RUN, DetailEndpoint, DryRuns, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.schemes import scheme_of
from projects.enums import Role, TokenScope
from projects.permissions import CAN_SEE_WORKERS, STAFF, patch, post, read
from qualification.api.pools import ChangedWorkersSerializer, WorkerChange, WorkersSerializer
from qualification.domain.rounds.choose_items import MAX_ITEMS, Method
from qualification.domain.rounds.choose_workers import candidates, invitable_workers
from qualification.domain.rounds.invite import invite
from qualification.domain.rounds.plan_round import first_seed, plan_round, sample_of
from qualification.domain.rounds.publish_round import (
    RoundPublishError,
    publish_round,
    round_cents,
    waiting_for_cohort,
)
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.rounds.set_up_rounds import (
    RoundSetupError,
    count_without_gold,
    remove_round,
    replace_items,
)
from qualification.domain.rounds.vary_gold import variations_of
from qualification.domain.scores.figures import threshold_limits
from qualification.domain.training.edit_round import (
    Admission,
    RoundEditError,
    admission_of,
    edit_round,
    pool_roles_after,
)
from qualification.domain.training.invite_passed import add_following_round
from qualification.enums import AfterPassing, RoundEntry, RoundKind
from qualification.models import Round
from web.actions import action, money_action
from web.errors import conflicts
from web.filters import ChoiceFilter
from web.serializers import BodySerializer, unknown_name

MAX_SLOTS = 1000
CONFLICTS: dict[type[Exception], str] = {
    RoundSetupError: "invalid_state",
    RoundEditError: "invalid_state",
    RoundPublishError: "invalid_state",
    BudgetExceededError: "budget_exceeded",
    PayTooLowError: "pay_too_low",
}


class NotInvitedError(TouchstoneError):
    """The worker was turned down before."""


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
class ThresholdsField(serializers.JSONField):
    """A mapping of figures to values that suggest a pass."""


class RoundSerializer(serializers.ModelSerializer[Round]):
    thresholds = ThresholdsField(read_only=True)
    pool_roles = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices), read_only=True
    )
    requirements = RequirementsField(read_only=True)
    items = serializers.IntegerField(
        source="item_count", read_only=True, help_text="The number of its items."
    )
    publications = serializers.IntegerField(
        source="cohort_count", read_only=True, help_text="How often it was published."
    )

    class Meta:
        model = Round
        fields: tuple[str, ...] = (
            "id", "role", "ordinal", "kind", "title", "entry", "thresholds", "pool_roles",
            "requirements", "items_per_worker", "items", "publications",
        )  # fmt: skip
        read_only_fields = fields


class WholeRoundSerializer(RoundSerializer):
    """A round with its items, and what the next publication needs."""

    item_keys = serializers.SerializerMethodField()
    items_without_gold = serializers.SerializerMethodField()
    waiting = serializers.SerializerMethodField()

    class Meta(RoundSerializer.Meta):
        fields = (*RoundSerializer.Meta.fields, "item_keys", "items_without_gold", "waiting")
        read_only_fields = fields

    def get_item_keys(self, round: Round) -> list[str]:
        return list(round.round_items.order_by("ordinal").values_list("item__key", flat=True))

    def get_items_without_gold(self, round: Round) -> int:
        """Return how many items need expert gold before the round can be published."""
        return count_without_gold(round=round)

    def get_waiting(self, round: Round) -> int:
        """Return the number of workers whom the next publication would admit."""
        return len(waiting_for_cohort(round))


class RoundFilters(filters.FilterSet):
    role = ChoiceFilter(choices=Role.choices)
    kind = ChoiceFilter(choices=RoundKind.choices)

    class Meta:
        model = Round
        fields: list[str] = []


class SampleSerializer(BodySerializer):
    """A sample of items that were never published and are in no round."""

    count = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS)
    method = serializers.ChoiceField(
        choices=[(method.value, method.value) for method in (Method.RANDOM, Method.RICH)],
        default=Method.RANDOM.value,
        help_text="rich chooses those whose expert gold has the most units.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    only_gold = serializers.BooleanField(default=True, help_text="Only items with expert gold.")


class RoundItemsSerializer(BodySerializer):
    """The items of a round: their keys in order, or a sample."""

    items = serializers.ListField(
        child=serializers.CharField(max_length=240), required=False, max_length=MAX_ITEMS
    )
    sample = SampleSerializer(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("items" in attrs) == ("sample" in attrs):
            raise serializers.ValidationError("Send either items or sample.")
        return attrs


class NewRoundSerializer(RoundItemsSerializer):
    role = serializers.ChoiceField(
        choices=[(role.value, role.value) for role in (Role.GENERATOR, Role.CONSOLIDATOR)],
        default=Role.GENERATOR.value,
    )
    title = serializers.CharField(max_length=120, default="", allow_blank=True)
    is_screening = serializers.BooleanField(
        default=False, help_text="Open to every worker who meets the requirements."
    )
    after_passing = serializers.ChoiceField(
        choices=AfterPassing.choices, default=AfterPassing.PRODUCTION.value
    )


class ChangedRoundSerializer(BodySerializer):
    """The changes of a round. Fields that are left out stay as they are."""

    title = serializers.CharField(max_length=120, required=False)
    entry = serializers.ChoiceField(choices=RoundEntry.choices, required=False)
    after_passing = serializers.ChoiceField(choices=AfterPassing.choices, required=False)
    thresholds = serializers.DictField(
        child=serializers.FloatField(min_value=0, max_value=1_000_000),
        required=False,
        help_text="The value of each figure that suggests a pass. Shares are in [0, 1].",
    )
    items_per_worker = serializers.IntegerField(
        allow_null=True, required=False, min_value=1, max_value=1000
    )
    approval_rate = serializers.IntegerField(
        allow_null=True, required=False, min_value=0, max_value=100
    )
    hits_approved = serializers.IntegerField(
        allow_null=True, required=False, min_value=0, max_value=1_000_000
    )
    locales = serializers.ListField(
        child=serializers.RegexField(r"^[A-Z]{2}\Z"), required=False, max_length=30
    )

    def validate_thresholds(self, thresholds: dict[str, float]) -> dict[str, float]:
        limits = threshold_limits(self.context["scheme"])
        for key, threshold in thresholds.items():
            if key not in limits:
                raise serializers.ValidationError(unknown_name("figure", key, limits))
            most = limits[key]
            if most is not None and threshold > most:
                raise serializers.ValidationError(f"{key} is a share in [0, 1], such as 0.8.")
        return thresholds


class SlotsSerializer(BodySerializer):
    slots = serializers.IntegerField(
        min_value=1,
        max_value=MAX_SLOTS,
        required=False,
        help_text="How many workers may take part in an open round. Others admit those who wait.",
    )


class RoundPreviewSerializer(serializers.Serializer[Any]):
    """What a publication would cost. Nothing was published."""

    items = serializers.IntegerField()
    workers = serializers.IntegerField()
    most_cents = serializers.IntegerField(
        help_text="What would be reserved, with bonuses and fees."
    )
    items_without_gold = serializers.IntegerField()
    budget_left_cents = serializers.IntegerField(
        allow_null=True, help_text="Before the publication. Null without a budget limit."
    )


class InvitationsSerializer(WorkersSerializer):
    again = serializers.BooleanField(
        default=False, help_text="Invite also workers who were declined or withdrew before."
    )


class OfRounds(ProjectEndpoint):
    queryset = Round.objects.none()
    serializer_class: type[serializers.BaseSerializer[Any]] = RoundSerializer
    tag = "rounds"

    def listed(self) -> QuerySet[Round]:
        return rounds_of(project=self.project).annotate(
            item_count=Count("round_items", distinct=True),
            cohort_count=Count("cohorts", distinct=True),
        )

    def find_locked(self, pk: int) -> Any:
        """Return the round, which stays as it is until the response. Raise Http404."""
        self.project.rounds.select_for_update(of=("self",)).filter(pk=pk).first()
        return self.find_row(pk=pk)

    def items_in(self, data: dict[str, Any], round: Round | None = None) -> list[Item]:
        """Return the items that a body names. Raise ValidationError."""
        if "sample" in data:
            sample = {"seed": first_seed(self.project), **data["sample"]}
            return sample_of(project=self.project, round=round, **sample)
        rows = self.project.items.select_related("sentence__image", "project")
        known = {item.key: item for item in rows.filter(key__in=data["items"])}
        if unknown := [key for key in data["items"] if key not in known]:
            raise ValidationError({"items": [f"No item has the key {unknown[0]!r}."]})
        return [known[key] for key in data["items"]]


class Rounds(OfRounds, ListEndpoint):
    """List the rounds of the project's qualification."""

    rules = read(CAN_SEE_WORKERS) | post(STAFF, TokenScope.TRAIN)
    filterset_class = RoundFilters
    operations = {"GET": "list_rounds", "POST": "add_round"}
    refusals = (409,)

    @extend_schema(request=NewRoundSerializer, responses={201: WholeRoundSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Add a round after the others of the role. Its items are reserved for training.

        Workers who passed the round before it are invited.
        """
        data = self.read_body(request, NewRoundSerializer)
        items, actor, now = self.items_in(data), actor_of(request), timezone.now()
        with conflicts(CONFLICTS):
            plan = plan_round(
                project=self.project,
                items=items,
                role=data["role"],
                title=data["title"],
                is_screening=data["is_screening"],
                opens_pool=data["after_passing"] == AfterPassing.PRODUCTION,
            )
            made = add_following_round(project=self.project, plan=plan, actor=actor, now=now)
        location = reverse("api:round", args=[slug, made.pk], request=request)
        whole = WholeRoundSerializer(self.find_row(pk=made.pk))
        return Response(whole.data, 201, headers={"Location": location})


class RoundDetail(OfRounds, DetailEndpoint):
    """Return a round with its items."""

    rules = read(CAN_SEE_WORKERS) | patch(STAFF, TokenScope.TRAIN)
    serializer_class = WholeRoundSerializer
    operations = {"GET": "get_round", "PATCH": "change_round"}
    refusals = (409, 412)

    @extend_schema(request=ChangedRoundSerializer, responses={200: WholeRoundSerializer})
    @action
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change the title, who may enter, what follows a pass, thresholds or requirements."""
        scheme = scheme_of(self.project)
        data = self.read_body(request, ChangedRoundSerializer, scheme=scheme)
        round = self.find_locked(pk)
        self.require_match(request, WholeRoundSerializer(round).data)
        fields = ("title", "entry", "thresholds", "items_per_worker", "terms", "guidelines")
        changes = {name: data.get(name, getattr(round, name)) for name in fields}
        changes["pool_roles"] = pool_roles_after(round=round, choice=data.get("after_passing", ""))
        admission = asdict(admission_of(round))
        admission |= {name: data[name] for name in admission if name in data}
        admission["locales"] = tuple(sorted(set(admission["locales"])))
        with conflicts(CONFLICTS):
            edit_round(
                round=round,
                admission=Admission(**admission),
                changes=changes,
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(WholeRoundSerializer(self.find_row(pk=pk)).data)


class RoundItems(OfRounds):
    rules = post(STAFF, TokenScope.TRAIN)
    serializer_class = WholeRoundSerializer
    operations = {"POST": "choose_round_items"}
    refusals = (409, 412)

    @extend_schema(request=RoundItemsSerializer, responses={200: WholeRoundSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Replace the items of a round that was not published."""
        data = self.read_body(request, RoundItemsSerializer)
        round = self.find_locked(pk)
        self.require_match(request, WholeRoundSerializer(round).data)
        items = self.items_in(data, round)
        with conflicts(CONFLICTS):
            replace_items(
                round=round,
                keys=[item.key for item in items],
                given=variations_of(items=items) if round.role == Role.CONSOLIDATOR else None,
                actor=actor_of(request),
                now=timezone.now(),
            )
        return Response(WholeRoundSerializer(self.find_row(pk=pk)).data)


class RemoveRound(OfRounds):
    rules = post(STAFF, TokenScope.TRAIN)
    operations = {"POST": "remove_round"}
    refusals = (409, 412)

    @extend_schema(request=None, responses={200: RoundSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a round that was not published. Its items return to production."""
        self.read_body(request)
        round = self.find_locked(pk)
        data = RoundSerializer(round).data
        self.require_match(request, WholeRoundSerializer(round).data)
        with conflicts(CONFLICTS):
            remove_round(round=round, actor=actor_of(request), now=timezone.now())
        return Response(data)


class PublishRound(OfRounds, DryRuns):
    rules = post(STAFF, TokenScope.PUBLISH)
    serializer_class = WholeRoundSerializer
    operations = {"POST": "publish_round"}
    refusals = (409,)

    @extend_schema(
        request=SlotsSerializer,
        parameters=[DRY_RUN],
        responses={200: RoundPreviewSerializer, 201: WholeRoundSerializer},
    )
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Publish the round to the workers who wait for it, or to `slots` workers of an open round.

        This reserves budget, and a sweep creates the HITs.
        """
        data = self.read_body(request, SlotsSerializer)
        round = self.find_row(pk=pk)
        places = data.get("slots")
        if places and round.entry != RoundEntry.OPEN:
            raise ValidationError({"slots": ["Only an open round has slots."]})
        if self.is_trial(request):
            return self._preview(round, places)
        with conflicts(CONFLICTS):
            publish_round(round=round, places=places, actor=actor_of(request), now=timezone.now())
        # Robust, because the next sweep creates the HITs if the broker is down.
        transaction.on_commit(publish_hits.delay, robust=True)
        location = reverse("api:round", args=[slug, pk], request=request)
        whole = WholeRoundSerializer(self.find_row(pk=pk))
        return Response(whole.data, 201, headers={"Location": location})

    def _preview(self, round: Round, places: int | None) -> Response:
        is_open = round.entry == RoundEntry.OPEN
        workers = (places or 0) if is_open else len(waiting_for_cohort(round))
        preview = {
            "items": round.round_items.count(),
            "workers": workers,
            "most_cents": round_cents(round=round, places=workers) if workers else 0,
            "items_without_gold": count_without_gold(round=round),
            "budget_left_cents": self.project.budget.left_cents,
        }
        return Response(RoundPreviewSerializer(preview).data)


class InviteWorkers(OfRounds, WorkerChange):
    rules = post(STAFF, TokenScope.TRAIN)
    serializer_class = ChangedWorkersSerializer
    unknown = "No worker with this pseudonym can be invited to the round."
    tag = "rounds"
    operations = {"POST": "invite_workers"}

    @extend_schema(request=InvitationsSerializer, responses={200: ChangedWorkersSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Invite workers to a round, which its next publication offers to them."""
        data = self.read_body(request, InvitationsSerializer)
        round, actor = self.find_row(pk=pk), actor_of(request)
        workers = invitable_workers(round=round)
        chosen = list(workers.filter(pseudonym__in=data["workers"]))
        known = candidates(round=round, workers=chosen, scores={})
        turned_down = {row.worker.pk: row.turned_down for row in known if row.turned_down}

        def invite_one(worker: Worker) -> bool:
            last = turned_down.get(worker.pk)
            if last and not data["again"]:
                raise NotInvitedError(
                    f"The worker was {last.get_state_display()} in {last.round.title}. Send again=true "
                    "to invite them."
                )
            return bool(invite(round=round, workers=[worker], actor=actor, now=timezone.now()))

        response = self.change_each(data["workers"], workers, invite_one)
        # Robust, because the next sweep sends the decisions if the broker is down.
        transaction.on_commit(sync_qualification_requests.delay, robust=True)
        return response
