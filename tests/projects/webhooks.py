"""Webhooks of a project, stored directly."""

from django.utils import timezone

from projects.domain.sealed_text import seal
from projects.domain.webhooks import PURPOSE
from projects.models import Project, Webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def make_webhook(project: Project, deliveries: int = 1) -> Webhook:
    """Create a webhook with deliveries that succeeded."""
    now = timezone.now()
    webhook = Webhook.objects.create(
        project=project,
        url="https://hooks.example/touchstone",
        events=["gold.created", "job.finished"],
        sealed_secret=seal(SECRET, purpose=PURPOSE),
        created_at=now,
        retry_at=now,
    )
    webhook.deliveries.bulk_create(
        webhook.deliveries.model(
            webhook=webhook,
            event_id=f"evt_{number}",
            event="gold.created",
            data={"first_id": 1, "last_id": 1, "count": 1},
            created_at=now,
            due_at=now,
            state="delivered",
            attempts=1,
            attempted_at=now,
            status=204,
        )
        for number in range(deliveries)
    )
    return webhook
