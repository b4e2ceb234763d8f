"""Endpoints of a project's webhooks and their deliveries."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.deliver_webhooks import document
from projects.domain.webhooks import (
    MAX_URL_LENGTH,
    TooManyWebhooksError,
    WebhookError,
    change_webhook,
    create_webhook,
    delete_webhook,
    replay,
    send_ping,
)
from projects.enums import SUBSCRIBABLE, DeliveryState, TokenScope, WebhookEvent
from projects.models import Webhook, WebhookDelivery
from projects.permissions import ADMINS, patch, post, read
from schemes.contract.values import Json
from web.actions import action
from web.errors import Conflict, conflicts
from web.filters import ChoiceFilter
from web.serializers import BodySerializer


class EventsField(serializers.ListField):
    """Some of the events that webhooks can wait for."""

    def __init__(self, **kwargs: Any) -> None:
        child = serializers.ChoiceField(choices=SUBSCRIBABLE)
        super().__init__(child=child, min_length=1, max_length=len(SUBSCRIBABLE), **kwargs)


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook. `failing_since` is the first failure after the last delivery that succeeded."""

    events = serializers.ListField(
        child=serializers.ChoiceField(choices=SUBSCRIBABLE), read_only=True
    )

    class Meta:
        model = Webhook
        fields: tuple[str, ...] = (
            "id", "url", "events", "is_active", "failing_since", "created_at",
        )  # fmt: skip
        read_only_fields = fields


class CreatedWebhookSerializer(WebhookSerializer):
    """A new webhook with its secret, which no other response has."""

    secret = serializers.CharField(
        allow_null=True,
        help_text="Signs the requests. Null if the response repeats that of an earlier request.",
    )

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")
        read_only_fields = fields


class NewWebhookSerializer(BodySerializer):
    url = serializers.CharField(
        max_length=MAX_URL_LENGTH,
        help_text="An address that begins with https://, at a host that the operator allows.",
    )
    events = EventsField(help_text="What is sent.")


class ChangedWebhookSerializer(BodySerializer):
    url = serializers.CharField(max_length=MAX_URL_LENGTH, required=False)
    events = EventsField(required=False)
    is_active = serializers.BooleanField(
        required=False,
        help_text="While it is false, nothing is sent and new events are not stored.",
    )


class DeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    """An event and its delivery. `status` is the HTTP status of the last answer."""

    body = serializers.SerializerMethodField(help_text="The body of the request.")
    answer = serializers.CharField(
        read_only=True, help_text="The beginning of the last answer, or the error."
    )
    due_at = serializers.SerializerMethodField(help_text="The time of the next attempt.")

    class Meta:
        model = WebhookDelivery
        fields = (
            "id", "event_id", "event", "state", "created_at", "attempts", "attempted_at", "due_at",
            "status", "answer", "body",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field({"type": "object", "additionalProperties": {}})
    def get_body(self, delivery: WebhookDelivery) -> Json:
        return document(delivery.webhook, delivery)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_due_at(self, delivery: WebhookDelivery) -> Any:
        is_pending = delivery.state == DeliveryState.PENDING
        field = serializers.DateTimeField()
        return field.to_representation(delivery.due_at) if is_pending else None


class DeliveryFilters(filters.FilterSet):
    state = ChoiceFilter(choices=DeliveryState.choices)
    event = ChoiceFilter(choices=WebhookEvent.choices)


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise the domain's refusals as a conflict, or as errors of the field `url`."""
    try:
        yield
    except TooManyWebhooksError as error:
        raise Conflict(str(error), "limit_reached") from error
    except WebhookError as error:
        raise ValidationError({"url": [str(error)]}) from error


class _OfWebhooks(ProjectEndpoint):
    queryset = Webhook.objects.none()
    serializer_class: Any = WebhookSerializer
    tag = "webhooks"

    def listed(self) -> QuerySet[Webhook]:
        return self.project.webhooks.select_related("project").order_by("pk")


class Webhooks(_OfWebhooks, ListEndpoint):
    """List the project's webhooks."""

    rules = read(ADMINS, TokenScope.EXPORT) | post(ADMINS, TokenScope.EXPORT)
    operations = {"GET": "list_webhooks", "POST": "create_webhook"}
    refusals = (409,)

    @extend_schema(request=NewWebhookSerializer, responses={201: CreatedWebhookSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Create a webhook. The answer has its secret, which is shown once."""
        data = self.read_body(request, NewWebhookSerializer)
        with _refusals():
            webhook, secret = create_webhook(
                project=self.project, actor=actor_of(request), now=timezone.now(), **data
            )
        webhook.secret = secret  # type: ignore[attr-defined]  # the serializer's field
        location = reverse("api:webhook", args=[slug, webhook.pk], request=request)
        body = CreatedWebhookSerializer(webhook).data
        response = Response(body, 201, headers={"Location": location})
        response.shown_once = ["secret"]  # type: ignore[attr-defined]
        return response


class WebhookDetail(_OfWebhooks, DetailEndpoint):
    """Return a webhook."""

    rules = read(ADMINS, TokenScope.EXPORT) | patch(ADMINS, TokenScope.EXPORT)
    operations = {"GET": "get_webhook", "PATCH": "change_webhook"}
    refusals = (412,)

    @extend_schema(request=ChangedWebhookSerializer, responses={200: WebhookSerializer})
    @action
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change the address or the events, or switch the webhook on or off."""
        data = self.read_body(request, ChangedWebhookSerializer)
        webhook = self.find_row(pk=pk)
        self.require_match(request, WebhookSerializer(webhook).data)
        with _refusals():
            webhook = change_webhook(
                webhook=webhook, actor=actor_of(request), now=timezone.now(), **data
            )
        return Response(WebhookSerializer(webhook).data)


class RemoveWebhook(_OfWebhooks):
    rules = post(ADMINS, TokenScope.EXPORT)
    operations = {"POST": "remove_webhook"}

    @extend_schema(request=None, responses={200: WebhookSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a webhook with its deliveries. The answer has what was deleted."""
        self.read_body(request)
        webhook = self.find_row(pk=pk)
        body = WebhookSerializer(webhook).data
        delete_webhook(webhook=webhook, actor=actor_of(request), now=timezone.now())
        return Response(body)


class TestWebhook(_OfWebhooks):
    __test__ = False  # for pytest
    rules = post(ADMINS, TokenScope.EXPORT)
    operations = {"POST": "test_webhook"}
    refusals = (409,)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send a test, an event of the type `ping`. Its outcome is among the deliveries."""
        self.read_body(request)
        webhook = self.find_row(pk=pk)
        with conflicts({WebhookError: "invalid_state"}):
            delivery = send_ping(webhook=webhook, actor=actor_of(request), now=timezone.now())
        return Response(DeliverySerializer(delivery).data, 202)


class _OfDeliveries(ProjectEndpoint):
    queryset = WebhookDelivery.objects.none()
    serializer_class: Any = DeliverySerializer
    tag = "webhooks"

    def listed(self) -> QuerySet[WebhookDelivery]:
        webhook = self.project.webhooks.filter(pk=self.kwargs["pk"]).first()
        if webhook is None:
            raise Http404
        return webhook.deliveries.select_related("webhook__project").order_by("-pk")


class Deliveries(_OfDeliveries, ListEndpoint):
    """List the deliveries of a webhook of the last 30 days, newest first."""

    rules = read(ADMINS, TokenScope.EXPORT)
    filterset_class = DeliveryFilters
    ordering = ("-pk",)
    operations = {"GET": "list_deliveries"}


class ReplayDelivery(_OfDeliveries):
    rules = post(ADMINS, TokenScope.EXPORT)
    operations = {"POST": "replay_delivery"}
    refusals = (409,)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action
    def post(self, request: Request, slug: str, pk: int, delivery: int) -> Response:
        """Send an event again, with the same id and body. Its delivery must have ended."""
        self.read_body(request)
        row = self.find_row(pk=delivery)
        with conflicts({WebhookError: "invalid_state"}):
            row = replay(delivery=row, actor=actor_of(request), now=timezone.now())
        return Response(DeliverySerializer(row).data, 202)
