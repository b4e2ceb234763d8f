from celery import shared_task
from django.utils import timezone

from annotation.domain.compensate import pay_compensations
from annotation.domain.kept_figures import count_named
from annotation.domain.queue_import import discard_old_uploads, run_next_import
from annotation.domain.record_generations import record_new_generations
from annotation.domain.reoffer import reoffer_due_items
from annotation.domain.steer_batch import top_up_batches
from annotation.models import Project
from crowd.domain.sweep import sweep


@shared_task
def record_new_assignments() -> None:
    sweep(lambda: record_new_generations(clock=timezone.now))
    sweep(lambda: pay_compensations(clock=timezone.now))


@shared_task
def top_up_open_batches() -> None:
    sweep(lambda: top_up_batches(clock=timezone.now))


@shared_task
def count_kept_figures(project_id: int, name: str, *of: str) -> None:
    count_named(name, *of, project=Project.objects.get(pk=project_id))


@shared_task
def run_waiting_imports() -> None:
    discard_old_uploads(now=timezone.now())
    sweep(lambda: run_next_import(clock=timezone.now))


@shared_task
def reoffer_short_items() -> None:
    sweep(lambda: reoffer_due_items(clock=timezone.now))
