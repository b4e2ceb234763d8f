from celery import shared_task

from annotation.models import Project
from dashboard import exports


@shared_task
def write_export(project_id: int, name: str) -> None:
    exports.write_export(Project.objects.get(pk=project_id), name)
