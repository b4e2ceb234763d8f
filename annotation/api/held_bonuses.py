"""Endpoints that list held bonuses and accept or decline them."""

from collections.abc import Callable

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import AcceptBonusSerializer, HeldBonusSerializer, ReasonSerializer
from annotation.domain.decisions.review_bonus import accept_bonus, decline_bonus
from annotation.enums import HeldBonusState
from annotation.models import HeldBonus
from audit.domain.change_state import TransitionNotAllowedError
from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import STAFF, post, read
from web.actions import money_action
from web.errors import conflicts
from web.filters import ChoiceFilter


class HeldBonusFilters(filters.FilterSet):
    state = ChoiceFilter(choices=HeldBonusState.choices)


class _OfHeldBonuses(ProjectEndpoint):
    queryset = HeldBonus.objects.none()
    serializer_class = HeldBonusSerializer
    tag = "held bonuses"

    def listed(self) -> QuerySet[HeldBonus]:
        rows = HeldBonus.objects.filter(project=self.project).order_by("-pk")
        return rows.select_related(
            "project__budget", "payment__assignment__worker"
        ).prefetch_related("payment__assignment__submissions")


class HeldBonuses(_OfHeldBonuses, ListEndpoint):
    """List the bonuses that were held for a review, newest first."""

    rules = read(STAFF)
    filterset_class = HeldBonusFilters
    ordering = ("-pk",)
    operations = {"GET": "list_held_bonuses"}


class HeldBonusDetail(_OfHeldBonuses, DetailEndpoint):
    """Return a held bonus."""

    rules = read(STAFF)
    operations = {"GET": "get_held_bonus"}


class _Review(_OfHeldBonuses):
    """An action that decides a held bonus, with the fields of its `body`."""

    rules = post(STAFF, TokenScope.PAY)
    refusals = (409, 412)
    decide: Callable[..., None]

    @extend_schema(responses={200: HeldBonusSerializer})
    @money_action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        data = self.read_body(request)
        held: HeldBonus = self.find_row(pk=pk)
        self.require_match(request, HeldBonusSerializer(held).data)
        with conflicts({TransitionNotAllowedError: "invalid_state", ValueError: "invalid_state"}):
            type(self).decide(held=held, actor=actor_of(request), now=timezone.now(), **data)
        return Response(HeldBonusSerializer(self.find_row(pk=pk)).data)


class AcceptBonus(_Review):
    """Pay the held bonus, or the part of it for the accepted units."""

    operations = {"POST": "accept_bonus"}
    body = AcceptBonusSerializer
    decide = accept_bonus


class DeclineBonus(_Review):
    """Decline the held bonus. The worker keeps the reward and gets the reason."""

    operations = {"POST": "decline_bonus"}
    body = ReasonSerializer
    decide = decline_bonus
