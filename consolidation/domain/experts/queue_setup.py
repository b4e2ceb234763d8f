"""Set up expert queues from uploaded lists of items: store the file, and read it in a job."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils import timezone

from annotation.domain.corpus.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
)
from consolidation.domain.experts.expert_queues import (
    QueuePlan,
    QueueSetupError,
    items_named,
    read_item_keys,
    set_up_queue,
)
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.models import Job
from projects.models import Project
from schemes.contract.errors import FileError

QUEUE_SETUP = "queue-setup"


def queue_setup(
    *,
    project: Project,
    plan: QueuePlan,
    file: "UploadedFile[bytes]",
    user: AbstractBaseUser,
    now: datetime,
) -> Job:
    """Store the file and queue a job that sets up an expert queue with the items that it lists."""
    files = store_uploads([file])
    try:
        return queue_job(
            kind=QUEUE_SETUP,
            scope=project.slug,
            parameters={"files": files, "plan": asdict(plan), "user": user.pk},
            actor=user.get_username(),
            now=now,
        )
    except BaseException:
        delete_uploads(files)
        raise


def queue_setups(project: Project) -> QuerySet[Job]:
    """Return the jobs that set up expert queues, newest first."""
    return jobs_of(scope=project.slug, kind=QUEUE_SETUP)


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    parameters = run.job.parameters
    with open_uploads(parameters["files"]) as (paths, names):
        try:
            queue = set_up_queue(
                project=project,
                plan=QueuePlan(**parameters["plan"]),
                items=items_named(project=project, keys=read_item_keys(project, paths[0])),
                created_by=get_user_model().objects.get(pk=parameters["user"]),
                now=timezone.now(),
            )
        except (FileError, QueueSetupError, OSError) as error:
            raise JobFailedError(describe_error(error, names)) from error
    return {"title": queue.title, "items": queue.queued.count()}


KIND = JobKind(
    run=_run,
    clean_up=lambda job: delete_uploads(job.parameters["files"]),
    reads_uploads=True,
    attempts=1,
)
