"""Pages of a project's webhooks and their deliveries."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from projects.domain.webhooks import (
    WebhookError,
    change_webhook,
    create_webhook,
    delete_webhook,
    host_of,
    replay,
    send_ping,
)
from projects.enums import DeliveryState
from projects.forms import ChangedWebhookForm, WebhookForm
from projects.models import Project, Webhook, WebhookDelivery
from projects.pages import ask_first, render_list, render_page
from projects.permissions import ADMINS, project_page
from projects.views.settings import actor_of
from schemes.contract.values import Noun
from web.badges import badge_of
from web.lists import Column, Empty, Listing, number_column, time_column

DELIVERIES = Noun("delivery", "deliveries")


@require_http_methods(["GET", "POST"])
@project_page(ADMINS)
@sensitive_variables("secret")
def webhooks(request: HttpRequest, project: Project) -> HttpResponse:
    """List the webhooks, and create one. Only this response contains its secret."""
    form = WebhookForm(request.POST or None)
    created, secret, status = None, "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                created, secret = create_webhook(
                    project=project,
                    actor=actor_of(request),
                    now=timezone.now(),
                    **form.cleaned_data,
                )
            except WebhookError as error:
                form.add_error("url", str(error))
            else:
                status, form = 200, WebhookForm()
    context = {
        "form": form,
        "created": created,
        "secret": secret,
        "webhooks": [(row, host_of(row)) for row in project.webhooks.order_by("pk")],
        "hosts": settings.WEBHOOK_HOSTS,
    }
    response = render_page(request, project, "projects/webhooks.html", context, status=status)
    add_never_cache_headers(response)
    return response


@require_http_methods(["GET", "POST"])
@project_page(ADMINS)
def webhook(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Show a webhook with its deliveries, and change it."""
    row = _webhook_of(project, pk)
    shown = {"url": row.url, "events": row.events, "is_active": row.is_active}
    form = ChangedWebhookForm(request.POST or None, initial=shown)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                change_webhook(
                    webhook=row, actor=actor_of(request), now=timezone.now(), **form.cleaned_data
                )
            except WebhookError as error:
                form.add_error("url", str(error))
            else:
                messages.success(request, "The webhook was saved.")
                return redirect(request.path)
    context = {"webhook": row, "host": host_of(row), "form": form}
    listing = _deliveries(request, project, row)
    return render_list(request, project, "projects/webhook.html", listing, context, status=status)


def _deliveries(request: HttpRequest, project: Project, row: Webhook) -> Listing:
    return Listing(
        request=request,
        name="deliveries",
        rows=row.deliveries.order_by("-pk"),
        columns=[
            Column("Event", lambda delivery: delivery.event),
            Column("Id", lambda delivery: delivery.event_id, _short_id),
            time_column("Time", lambda delivery: delivery.created_at),
            Column("State", lambda delivery: delivery.get_state_display(), badge_of),
            number_column("Attempts", lambda delivery: delivery.attempts),
            Column("Answer", _answer, lambda delivery: Truncator(_answer(delivery)).chars(100)),
            Column("Action", lambda delivery: "", lambda delivery: _replay_link(project, delivery)),
        ],
        count=DELIVERIES.count,
        empty=Empty("No deliveries yet", "Send a test, or wait for an event."),
        path=reverse("projects:webhook", args=[project.slug, row.pk]),
    )


def _answer(delivery: WebhookDelivery) -> str:
    status = f"HTTP {delivery.status}" if delivery.status else ""
    return " ".join(part for part in (status, delivery.answer) if part)


def _short_id(delivery: WebhookDelivery) -> SafeString:
    return format_html('<code title="{}">{}</code>', delivery.event_id, delivery.event_id[:12])


def _replay_link(project: Project, delivery: WebhookDelivery) -> SafeString | str:
    """Return a button that submits the page's form for replays."""
    if delivery.state == DeliveryState.PENDING:
        return ""
    url = reverse("projects:replay_delivery", args=[project.slug, delivery.webhook_id, delivery.pk])
    return format_html(
        '<button type="submit" form="replay" formaction="{}">Send again</button>', url
    )


@require_POST
@project_page(ADMINS)
def test_webhook(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    row = _webhook_of(project, pk)
    try:
        send_ping(webhook=row, actor=actor_of(request), now=timezone.now())
    except WebhookError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "A test is on its way. Its outcome is among the deliveries.")
    return redirect("projects:webhook", project.slug, pk)


@require_POST
@project_page(ADMINS)
def replay_delivery(
    request: HttpRequest, project: Project, pk: int, delivery: int
) -> HttpResponseBase:
    row = get_object_or_404(_webhook_of(project, pk).deliveries, pk=delivery)
    try:
        replay(delivery=row, actor=actor_of(request), now=timezone.now())
    except WebhookError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The event is being sent again.")
    return redirect("projects:webhook", project.slug, pk)


@require_POST
@project_page(ADMINS)
def remove_webhook(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    row = _webhook_of(project, pk)
    if asked := ask_first(
        request,
        project,
        title=f"Delete the webhook to {host_of(row)}?",
        consequences=[
            "No more events are sent there, and pending ones are dropped.",
            "The list of deliveries and the secret are deleted.",
        ],
        button="Delete webhook",
        back=reverse("projects:webhook", args=[project.slug, row.pk]),
    ):
        return asked
    delete_webhook(webhook=row, actor=actor_of(request), now=timezone.now())
    messages.success(request, "The webhook was deleted.")
    return redirect("projects:webhooks", project.slug)


def _webhook_of(project: Project, pk: int) -> Webhook:
    return get_object_or_404(project.webhooks.select_related("project"), pk=pk)
