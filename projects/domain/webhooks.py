"""Create, change, test and delete the webhooks of a project, and replay deliveries."""

from base64 import b64encode
from collections.abc import Collection
from datetime import datetime
from secrets import token_bytes

from django.conf import settings
from django.db import transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.domain.sealed_text import seal, unseal
from projects.domain.webhook_events import new_event_id
from projects.enums import DeliveryState, WebhookEvent
from projects.models import Project, Webhook, WebhookDelivery
from web.outgoing import allowed_hosts, port_of, read_url

PURPOSE = "projects.webhook"
MAX_WEBHOOKS = 5
MAX_URL_LENGTH = 500


class WebhookError(TouchstoneError):
    """The webhook can't be stored, or the site may not call its address."""


class TooManyWebhooksError(WebhookError):
    """The project has as many webhooks as it can have."""


def check_address(url: str) -> None:
    """Raise WebhookError unless the operator allows requests to the address."""
    try:
        parts = read_url(url)
        host = (parts.hostname, port_of(parts))
    except (ValueError, KeyError):
        raise WebhookError(f"{url!r} is not the address of an https server.") from None
    if parts.scheme == "http" and settings.SITE_IS_SECURE:
        raise WebhookError("The address must begin with https://.")
    if "@" in parts.netloc or parts.fragment:
        raise WebhookError("The address must have no password and no fragment.")
    if host not in allowed_hosts(settings.WEBHOOK_HOSTS):
        raise WebhookError(
            f"This site may not call {parts.netloc or url}. Its operator can allow the host with "
            "WEBHOOK_HOSTS."
        )


def host_of(webhook: Webhook) -> str:
    """Return the host of the address. Its path may be secret."""
    return read_url(webhook.url).netloc


@transaction.atomic
def create_webhook(
    *, project: Project, url: str, events: Collection[str], actor: str, now: datetime
) -> tuple[Webhook, str]:
    """Create a webhook. Return it with its secret, which is shown once. Raise WebhookError."""
    check_address(url)
    Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    if project.webhooks.count() >= MAX_WEBHOOKS:
        raise TooManyWebhooksError(f"A project can have {MAX_WEBHOOKS} webhooks. Delete one first.")
    secret = f"whsec_{b64encode(token_bytes(32)).decode()}"
    webhook = Webhook.objects.create(
        project=project,
        url=url,
        events=_in_order(events),
        sealed_secret=seal(secret, purpose=PURPOSE),
        created_at=now,
        retry_at=now,
    )
    _log(webhook, "none", _description(webhook), actor, now)
    return webhook, secret


@transaction.atomic
def change_webhook(
    *,
    webhook: Webhook,
    url: str | None = None,
    events: Collection[str] | None = None,
    is_active: bool | None = None,
    actor: str,
    now: datetime,
) -> Webhook:
    """Change a webhook. Fields that are None stay. Raise WebhookError.

    A webhook that is switched on again sends what was left pending.
    """
    row = Webhook.objects.select_for_update(of=("self",)).get(pk=webhook.pk)
    old = _description(row)
    if url is not None and url != row.url:
        check_address(url)
        row.url = url
    if events is not None:
        row.events = _in_order(events)
    if is_active is not None and is_active != row.is_active:
        row.is_active, row.failing_since = is_active, None
    if (new := _description(row)) != old or row.url != webhook.url:
        row.retry_at = now
        row.save()
        _log(row, old, new, actor, now)
    return row


@transaction.atomic
def delete_webhook(*, webhook: Webhook, actor: str, now: datetime) -> None:
    """Delete a webhook with its deliveries."""
    _log(webhook, _description(webhook), "deleted", actor, now)
    webhook.delete()


@transaction.atomic
def send_ping(*, webhook: Webhook, actor: str, now: datetime) -> WebhookDelivery:
    """Queue a test, whatever the webhook's events are. Raise WebhookError if it is switched off."""
    if not webhook.is_active:
        raise WebhookError("The webhook is switched off.")
    _log_use(webhook, "webhook tested", actor, now)
    return WebhookDelivery.objects.create(
        webhook=webhook,
        event_id=new_event_id(),
        event=WebhookEvent.PING,
        data={},
        created_at=now,
        due_at=now,
    )


@transaction.atomic
def replay(*, delivery: WebhookDelivery, actor: str, now: datetime) -> WebhookDelivery:
    """Queue a delivery that has ended once more, with the same event id. Raise WebhookError."""
    rows = WebhookDelivery.objects.select_related("webhook__project").select_for_update(
        of=("self",)
    )
    row = rows.get(pk=delivery.pk)
    if row.state == DeliveryState.PENDING:
        raise WebhookError("The delivery is still pending.")
    row.state, row.attempts, row.due_at = DeliveryState.PENDING, 0, now
    row.save(update_fields=["state", "attempts", "due_at"])
    _log_use(row.webhook, "event sent again", actor, now)
    return row


def secret_of(webhook: Webhook) -> str:
    """Return the secret. Raise UnreadableTextError."""
    return unseal(webhook.sealed_secret, purpose=PURPOSE)


def _in_order(events: Collection[str]) -> list[str]:
    return [event.value for event in WebhookEvent if event in events]


def _description(webhook: Webhook) -> str:
    return f"{'on' if webhook.is_active else 'off'} for {', '.join(webhook.events)}"


def _log(webhook: Webhook, old: str, new: str, actor: str, now: datetime) -> None:
    """Log a change among those of the project, because a deleted webhook leaves no row."""
    reason = f"webhook to {host_of(webhook)}: {old} -> {new}"
    log_state_change(
        instance=webhook.project, old="", new="changed", actor=actor, now=now, reason=reason
    )


def _log_use(webhook: Webhook, new: str, actor: str, now: datetime) -> None:
    log_state_change(
        instance=webhook.project, old="", new=new, actor=actor, now=now, reason=host_of(webhook)
    )
