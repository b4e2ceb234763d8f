from celery import shared_task
from django.utils import timezone

from annotation.models import Project
from crowd.domain.sweep import sweep
from dashboard import exports


@shared_task
def write_export(project_id: int, name: str) -> None:
    exports.write_export(Project.objects.get(pk=project_id), name)


@shared_task
def restart_cut_exports() -> None:
    sweep(lambda: exports.restart_cut_export(now=timezone.now()))
