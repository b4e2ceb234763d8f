from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone

from crowd.enums import DEFAULT_PROVIDER
from operations.domain import heartbeat
from operations.models import Alert
from projects.models import Project

register = template.Library()

# Where the rows of an alert are listed, by its key.
_PAGES = {
    "failing rows": "admin:jobs_sweepfailure_changelist",
    "refused payments": "admin:crowd_payment_changelist",
    "queue jobs": "admin:jobs_job_changelist",
}


@register.inclusion_tag("operations/alerts.html")
def alerts_for(user: Any) -> dict[str, Any]:
    """Show the open alerts to a superuser."""
    alerts = Alert.objects.all() if user.is_superuser else Alert.objects.none()
    return {"alerts": [(alert, _page_of(alert)) for alert in alerts]}


@register.inclusion_tag("operations/marketplace_outage.html")
def marketplace_outage(project: Project) -> dict[str, Any]:
    """Say that the project's marketplace is unreachable, since when, and what works meanwhile.

    Only the default provider is checked regularly.
    """
    if project.provider != DEFAULT_PROVIDER:
        return {"outage": None}
    return {"outage": heartbeat.marketplace_outage(now=timezone.now())}


def _page_of(alert: Alert) -> str:
    name = _PAGES.get(alert.key)
    return reverse(name) if name else ""
