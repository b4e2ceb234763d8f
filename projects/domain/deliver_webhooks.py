"""Send the events of projects to their webhooks, each at least once.

Requests follow Standard Webhooks (https://www.standardwebhooks.com), so that receivers can check them
with its libraries. Receivers recognize repeats by `webhook-id`.
"""

import hmac
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.urls import reverse

from database.in_batches import in_batches
from projects.domain.notify import Event, notify
from projects.domain.sealed_text import UnreadableTextError
from projects.domain.webhook_events import JOB_ENDPOINTS
from projects.domain.webhooks import WebhookError, check_address, host_of, secret_of
from projects.enums import DeliveryState, NotificationKind, WebhookEvent
from projects.models import Webhook, WebhookDelivery
from schemes.contract.values import Json
from web.outgoing import UnreachableError, post

# The pauses after the first attempts. The eighth attempt is the last, a day after the first.
PAUSES = (
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=3),
    timedelta(hours=8),
    timedelta(hours=12),
)
MAX_ATTEMPTS = len(PAUSES) + 1
# A webhook whose deliveries all failed for this time is switched off.
SWITCH_OFF_AFTER = timedelta(days=3)
TIMEOUT_SECONDS = 5.0
DEADLINE_SECONDS = 10.0
PASS_SECONDS = 4.0
# Longer than a pass can be at work on a webhook.
LEASE = timedelta(minutes=1)
FIRST_PAUSE, LAST_PAUSE = timedelta(seconds=30), timedelta(hours=1)
KEPT_FOR = timedelta(days=30)
MAX_COLLECTED = 10_000
MAX_ANSWER_LENGTH = 300

Clock = Callable[[], datetime]


def deliver_due(*, clock: Clock) -> int:
    """Send what is due. Return the number of deliveries that succeeded.

    A pass takes PASS_SECONDS, and at most the deadline of a request more.
    """
    end = time.monotonic() + PASS_SECONDS
    delivered = 0
    for webhook in _due_webhooks(clock()):
        if time.monotonic() >= end:
            break
        if _lease(webhook, clock()):
            delivered += _deliver_to(webhook, end=end, clock=clock)
    return delivered


def _due_webhooks(now: datetime) -> QuerySet[Webhook]:
    """Return the webhooks with something to send, those that waited longest first."""
    due = WebhookDelivery.objects.filter(state=DeliveryState.PENDING, due_at__lte=now)
    return (
        Webhook.objects.filter(
            pk__in=due.values("webhook"),
            is_active=True,
            retry_at__lte=now,
            project__deleted_at=None,
        )
        .select_related("project")
        .order_by("retry_at")
    )


def _lease(webhook: Webhook, now: datetime) -> bool:
    """Reserve the webhook for this pass. Return False if another pass was faster."""
    free = Webhook.objects.filter(pk=webhook.pk, is_active=True, retry_at__lte=now)
    return bool(free.update(retry_at=now + LEASE))


def _deliver_to(webhook: Webhook, *, end: float, clock: Clock) -> int:
    """Send what is due until the pass ends or the receiver can't be reached."""
    while _collect_gold(webhook):
        if time.monotonic() >= end:
            break  # the rest is joined in the next pass
    delivered, now = 0, clock()
    due = webhook.deliveries.filter(state=DeliveryState.PENDING, due_at__lte=now)
    for pk in list(due.order_by("due_at", "pk").values_list("pk", flat=True)[:MAX_COLLECTED]):
        if time.monotonic() >= end:
            break
        try:
            delivered += _deliver(webhook, pk, clock)
        except UnreachableError:
            break
    _end_pass(webhook, clock())
    return delivered


def _end_pass(webhook: Webhook, now: datetime) -> None:
    """Release the webhook. One that fails is left alone, the longer it has been failing."""
    webhook.refresh_from_db(fields=["failing_since", "is_active"])
    pause = timedelta(0)
    if webhook.failing_since:
        pause = min(max((now - webhook.failing_since) / 4, FIRST_PAUSE), LAST_PAUSE)
    Webhook.objects.filter(pk=webhook.pk).update(retry_at=now + pause)


@transaction.atomic
def _collect_gold(webhook: Webhook) -> bool:
    """Join the events of new gold that were not sent yet, so that an import is few requests.

    An event that may have been sent is not changed. Return True if there may be more to join.
    """
    new = webhook.deliveries.filter(event=WebhookEvent.GOLD_CREATED, attempted_at=None)
    rows = list(new.order_by("pk").select_for_update()[:MAX_COLLECTED])
    if len(rows) < 2:
        return False
    first, rest = rows[0], rows[1:]
    first.data = {
        "first_id": min(row.data["first_id"] for row in rows),
        "last_id": max(row.data["last_id"] for row in rows),
        "count": sum(row.data["count"] for row in rows),
    }
    first.save(update_fields=["data"])
    WebhookDelivery.objects.filter(pk__in=[row.pk for row in rest]).delete()
    return len(rows) == MAX_COLLECTED


def _deliver(webhook: Webhook, pk: int, clock: Clock) -> bool:
    """Send a delivery, and store its outcome. Raise UnreachableError, with the outcome stored.

    The attempt is counted first. If the process is killed, the delivery is due again after the lease.
    """
    now = clock()
    this = WebhookDelivery.objects.filter(pk=pk, state=DeliveryState.PENDING)
    if not this.update(attempts=F("attempts") + 1, attempted_at=now, due_at=now + LEASE):
        return False
    row = WebhookDelivery.objects.get(pk=pk)
    body = json.dumps(document(webhook, row), separators=(",", ":")).encode()
    try:
        check_address(webhook.url)
        answer = post(
            webhook.url,
            body,
            signed_headers(secret_of(webhook), row.event_id, int(now.timestamp()), body),
            timeout=TIMEOUT_SECONDS,
            deadline=DEADLINE_SECONDS,
        )
    except UnreachableError as error:
        _fail(webhook, row, None, str(error), clock())
        raise
    except (WebhookError, UnreadableTextError) as error:
        _fail(webhook, row, None, str(error), clock())
        return False
    if not answer.is_success:
        _fail(webhook, row, answer.status, answer.excerpt, clock())
        return False
    this.update(state=DeliveryState.DELIVERED, status=answer.status, answer="")
    Webhook.objects.filter(pk=webhook.pk).update(failing_since=None)
    return True


@transaction.atomic
def _fail(
    webhook: Webhook, row: WebhookDelivery, status: int | None, answer: str, now: datetime
) -> None:
    """Store a failure with the time of the next attempt. Switch off a webhook that failed for days."""
    row.status = status
    # Databases can't store the character NUL.
    row.answer = answer.replace("\0", "")[:MAX_ANSWER_LENGTH]
    if row.attempts >= MAX_ATTEMPTS:
        row.state = DeliveryState.FAILED
    else:
        row.due_at = now + PAUSES[row.attempts - 1]
    row.save(update_fields=["status", "answer", "state", "due_at"])
    locked = Webhook.objects.select_for_update(of=("self",)).get(pk=webhook.pk)
    if locked.failing_since is None:
        locked.failing_since = now
    elif locked.is_active and now - locked.failing_since > SWITCH_OFF_AFTER:
        locked.is_active = False
        _notify_admins(webhook, locked.failing_since, now)
    locked.save(update_fields=["failing_since", "is_active"])


def _notify_admins(webhook: Webhook, since: datetime, now: datetime) -> None:
    event = Event(
        NotificationKind.WEBHOOK_OFF,
        f"webhook-off:{webhook.pk}:{since.isoformat(timespec='seconds')}",
        webhook.project_id,
        reverse("projects:webhook", args=[webhook.project.slug, webhook.pk]),
        {"host": host_of(webhook)},
    )
    notify(events=[event], now=now)


def document(webhook: Webhook, row: WebhookDelivery) -> Json:
    """Return the body of a delivery. `data` has the address at which the API returns the rest."""
    project = webhook.project.slug
    path = _path(project, row)
    return {
        "id": row.event_id,
        "type": row.event,
        "timestamp": row.created_at.isoformat().replace("+00:00", "Z"),
        "project": project,
        "data": {**row.data, **({"url": f"{settings.SITE_URL}{path}"} if path else {})},
    }


def _path(project: str, row: WebhookDelivery) -> str:
    """Return the path at which the API returns what happened, or an empty string."""
    data = row.data
    match row.event:
        case WebhookEvent.JOB_FINISHED | WebhookEvent.JOB_FAILED:
            return reverse(f"api:{JOB_ENDPOINTS[data['kind']]}", args=[project, data["id"]])
        case WebhookEvent.BATCH_FINISHED:
            return reverse("api:batch", args=[project, data["id"]])
        case WebhookEvent.BONUS_HELD:
            return reverse("api:held_bonus", args=[project, data["id"]])
        case WebhookEvent.RELEASE_PUBLISHED:
            return reverse("api:release", args=[project, data["version"]])
        case WebhookEvent.GOLD_CREATED:
            return f"{reverse('api:gold', args=[project])}?id_after={data['first_id'] - 1}"
    return ""


def signed_headers(secret: str, event_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of Standard Webhooks. The secret is `whsec_` and a key in base64."""
    key = b64decode(secret.removeprefix("whsec_"))
    content = f"{event_id}.{timestamp}.".encode() + body
    signature = b64encode(hmac.new(key, content, "sha256").digest()).decode()
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{signature}",
    }


def delete_old_deliveries(*, now: datetime) -> int:
    """Delete deliveries after KEPT_FOR, also those that wait because their webhook is off."""
    old = WebhookDelivery.objects.filter(created_at__lt=now - KEPT_FOR)
    return in_batches(old, lambda rows: rows.delete())
