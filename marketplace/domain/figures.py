"""The marketplace's metrics for a monitoring system."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Min, Q, Sum
from prometheus_client.core import GaugeMetricFamily, Metric

from marketplace.models import Notification, Requester


def collect(now: datetime) -> Iterator[Metric]:
    """Yield the state of requesters' notifications, such as webhooks, and the money of requesters."""
    is_due = Q(delivered_at=None, given_up_at=None)
    rows = Notification.objects.aggregate(
        due=Count("pk", filter=is_due),
        given_up=Count("pk", filter=~Q(given_up_at=None)),
        oldest=Min("created_at", filter=is_due),
    )
    notifications = GaugeMetricFamily(
        "touchstone_marketplace_notifications",
        "Notifications that are due, and those that were given up",
        labels=["state"],
    )
    for state in ("due", "given_up"):
        notifications.add_metric([state], rows[state])
    yield notifications
    age = max(0.0, (now - rows["oldest"]).total_seconds()) if rows["oldest"] else 0.0
    yield GaugeMetricFamily(
        "touchstone_marketplace_notification_age_seconds", "Age of the oldest due one", age
    )
    money = Requester.objects.aggregate(balance=Sum("balance_cents"), held=Sum("held_cents"))
    family = GaugeMetricFamily(
        "touchstone_marketplace_money_cents", "Money of all requesters", labels=["kind"]
    )
    for kind, cents in money.items():
        family.add_metric([kind], cents or 0)
    yield family
