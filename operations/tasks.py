from collections.abc import Sequence

from celery import shared_task
from django.utils import timezone

from operations.domain import scheduled_backups
from operations.domain.retention import delete_expired
from operations.domain.watch import watch_site
from operations.run_in_turn import run_in_turn


@shared_task
def watch(queue: str) -> None:
    """Store the heartbeat of the queue, and watch the site."""
    watch_site(queue=queue, now=timezone.now())


@shared_task
def delete_expired_data() -> None:
    delete_expired(now=timezone.now())


@shared_task
def run_sweeps(tasks: Sequence[str]) -> None:
    run_in_turn(tasks)


@shared_task
def run_outside_sweeps(tasks: Sequence[str]) -> None:
    """Run sweeps that call other servers, in a queue of their own."""
    run_in_turn(tasks)


@shared_task
def back_up() -> None:
    """Run what is due of backups, the copy of PostgreSQL's archive, and the drill."""
    scheduled_backups.back_up(clock=timezone.now)


@shared_task
def take_snapshot() -> None:
    """Take a snapshot of an SQLite database, in the default queue because it takes no time."""
    scheduled_backups.snapshot(clock=timezone.now)
