"""Check uploads before their import: a job reads the files, and its result is what the page shows.

A check belongs to the way in which the files are read. After a change of it, another check is queued.
"""

from collections.abc import Callable, Collection
from copy import deepcopy
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.domain.corpus.source_files import ReadOptions
from audit.domain.change_state import TransitionNotAllowedError
from jobs.domain.cancel_job import cancel_job
from jobs.domain.kinds import JobCancelledError, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED, JobState
from jobs.models import Job
from projects.models import Project
from schemes.import_settings import Setting

# The parameters of an upload that change what a check finds
READING = ("format", "reading", "settings")


def queue_check(*, kind: str, upload: Job, actor: str, now: datetime) -> Job:
    """Queue a job that reads the upload in its present way, in the place of earlier checks."""
    for job in _checks_of(kind, upload).filter(state__in=UNFINISHED).order_by("pk"):
        try:
            cancel_job(job=job, actor=actor, now=now, problem="Another preview replaced this one.")
        except TransitionNotAllowedError:  # it has just ended
            continue
    parameters = {
        "upload": upload.pk,
        **{name: upload.parameters[name] for name in ("files", *READING)},
    }
    return queue_job(kind=kind, scope=upload.scope, parameters=parameters, actor=actor, now=now)


def check_of(*, kind: str, upload: Job) -> Job | None:
    """Return the newest check of the upload as it is read at present, or None.

    Both rows are read at once, because a running check completes the parameters of both. Those of
    `upload` are replaced.
    """
    newest = _checks_of(kind, upload).values("pk")[:1]
    rows = Job.objects.filter(Q(pk=upload.pk) | Q(pk__in=newest)).in_bulk()
    upload.parameters = rows.pop(upload.pk).parameters
    check = next(iter(rows.values()), None)
    return check if check and _is_of(check, upload) else None


def last_result(*, kind: str, upload: Job) -> dict[str, Any]:
    """Return the newest result, which pages show until the present way of reading has one."""
    check = _checks_of(kind, upload).exclude(result={}).first()
    return dict(check.result) if check else {}


@transaction.atomic
def read_again(
    *,
    kind: str,
    upload: Job,
    fmt: str,
    reading: ReadOptions,
    settings: Collection[Setting],
    actor: str,
    now: datetime,
) -> None:
    """Read an upload in another way from now on, and queue its check.

    The same way is only checked again if the last check failed.
    """
    # No check may complete the parameters meanwhile.
    Job.objects.select_for_update().get(pk=upload.pk)
    check = check_of(kind=kind, upload=upload)
    changed = {
        **upload.parameters,
        "format": fmt or upload.parameters["format"],
        "reading": asdict(reading),
        "settings": [setting.parameter for setting in settings],
    }
    if changed != upload.parameters:
        upload.parameters = changed
        upload.save(update_fields=["parameters"])
    elif check and check.state not in (JobState.FAILED, JobState.CANCELLED):
        return
    queue_check(kind=kind, upload=upload, actor=actor, now=now)


def checked_upload(run: JobRun, complete: Callable[[Project, dict[str, Any]], None]) -> Job:
    """Return the upload of a running check.

    `complete` adds the format and the columns to its parameters, which are stored. Raise what it raises,
    and JobCancelledError if the upload is gone or is read in another way by now.
    """
    check = run.job
    upload = _upload_of(check, Job.objects.all())
    if not upload.parameters["format"] or not upload.parameters["reading"]["columns"]:
        parameters = deepcopy(upload.parameters)
        complete(Project.objects.get(slug=check.scope), parameters)
        upload = _store(check, parameters)
    return upload


@transaction.atomic
def _store(check: Job, parameters: dict[str, Any]) -> Job:
    """Store the parameters of the upload, and those that the check shares with it."""
    upload = _upload_of(check, Job.objects.select_for_update())
    upload.parameters = parameters
    upload.save(update_fields=["parameters"])
    check.parameters |= {name: parameters[name] for name in READING}
    check.save(update_fields=["parameters"])
    return upload


def _upload_of(check: Job, jobs: QuerySet[Job]) -> Job:
    upload = jobs.filter(pk=check.parameters["upload"], state=JobState.UPLOADED).first()
    if upload is None or not _is_of(check, upload):
        raise JobCancelledError
    return upload


def _is_of(check: Job, upload: Job) -> bool:
    return all(check.parameters[name] == upload.parameters[name] for name in READING)


def _checks_of(kind: str, upload: Job) -> QuerySet[Job]:
    checks = Job.objects.filter(kind=kind, scope=upload.scope, parameters__upload=upload.pk)
    return checks.order_by("-pk")
