from celery import shared_task
from django.utils import timezone

from dashboard.events import recent_events, record_ended_batches
from projects.domain.notify import delete_old_notifications, notify


@shared_task
def notify_members() -> None:
    now = timezone.now()
    notify(events=recent_events(now=now), now=now)
    delete_old_notifications(now=now)
    record_ended_batches(now=now)
