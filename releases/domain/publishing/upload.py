"""Upload a release to a service, by a job or a command, exactly once."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from audit.domain.change_state import Transitions, change_state, log_state_change
from audit.errors import TouchstoneError
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED
from jobs.models import Job
from projects.models import Project
from releases.domain.publishing.huggingface import Hub
from releases.domain.publishing.plan import Plan, Publisher, PublishingError, Target
from releases.domain.publishing.tokens import token_of
from releases.domain.publishing.zenodo import Zenodo
from releases.domain.release_files import unpacked
from releases.enums import PublicationState, Service
from releases.models import Publication, Release

RELEASE_UPLOAD = "release-upload"
TRANSITIONS: Transitions = {
    PublicationState.UPLOADING: [PublicationState.PUBLISHED, PublicationState.FAILED],
    PublicationState.FAILED: [PublicationState.UPLOADING],
}
PUBLISHERS: Mapping[Service, Callable[[str], Publisher]] = {
    Service.HUGGINGFACE: Hub,
    Service.ZENODO: Zenodo,
}


def plan_upload(*, release: Release, target: Target, token: str = "") -> Plan:
    """Return what an upload would do, after reading from the service. Raise PublishingError.

    Without a `token`, the project's own is used.
    """
    token = token or token_of(release.project, target.service)
    return PUBLISHERS[target.service](token).plan(release, target)


def publish_release(
    *, release: Release, target: Target, token: str = "", actor: str, now: datetime
) -> Publication:
    """Upload the release. Raise PublishingError, also if a job is uploading it."""
    token = token or token_of(release.project, target.service)
    publication = _start(release=release, target=target, actor=actor, now=now)
    return _upload(publication, token=token, actor=actor)


@transaction.atomic
def queue_upload(*, release: Release, target: Target, actor: str, now: datetime) -> Job:
    """Queue the upload with the project's token. Raise PublishingError."""
    token_of(release.project, target.service)
    publication = _start(release=release, target=target, actor=actor, now=now)
    job = queue_job(
        kind=RELEASE_UPLOAD,
        scope=release.project.slug,
        parameters={
            "title": release.version,
            "service": target.service.label,
            "publication": publication.pk,
        },
        actor=actor,
        now=now,
    )
    Publication.objects.filter(pk=publication.pk).update(job=job)
    return job


@transaction.atomic
def _start(*, release: Release, target: Target, actor: str, now: datetime) -> Publication:
    """Return the publication as being uploaded. It is that of an earlier attempt if there was one."""
    Release.objects.select_for_update().get(pk=release.pk)
    where = {"repository": target.repository, "private": target.private}
    publication, is_new = Publication.objects.get_or_create(
        release=release,
        service=target.service,
        defaults={**where, "started_by": actor, "started_at": now},
    )
    if is_new:
        state = publication.state
        log_state_change(instance=publication, old="", new=state, actor=actor, now=now)
        return publication
    if publication.state == PublicationState.PUBLISHED:
        raise PublishingError(f"Version {release.version} is published at {publication.url}.")
    if publication.job and publication.job.state in UNFINISHED:
        raise PublishingError("This release is being uploaded. Wait until the upload has ended.")
    if publication.commit and publication.repository != target.repository:
        raise PublishingError(f"The files are in {publication.repository} already. Upload there.")
    if publication.state == PublicationState.FAILED:
        change_state(
            instance=publication,
            new=PublicationState.UPLOADING,
            transitions=TRANSITIONS,
            actor=actor,
            now=now,
            problem="",
        )
    # An attempt that ended with its process is still being uploaded, and continues.
    Publication.objects.filter(pk=publication.pk).update(**where, job=None)
    publication.refresh_from_db()
    return publication


def _upload(publication: Publication, *, token: str, actor: str) -> Publication:
    """Upload the files and store the outcome. Raise PublishingError."""
    try:
        with unpacked(publication.release) as files:
            PUBLISHERS[Service(publication.service)](token).upload(publication, files)
    except (TouchstoneError, OSError) as error:
        _end(publication, PublicationState.FAILED, actor=actor, problem=str(error))
        raise PublishingError(str(error)) from None
    return _end(
        publication,
        PublicationState.PUBLISHED,
        actor=actor,
        problem="",
        published_at=timezone.now(),
        **{
            name: getattr(publication, name)
            for name in (
                *("repository", "private", "record", "commit"),
                *("url", "doi", "concept_doi"),
            )
        },
    )


def _end(
    publication: Publication, state: PublicationState, *, actor: str, **fields: Any
) -> Publication:
    return change_state(
        instance=publication,
        new=state,
        transitions=TRANSITIONS,
        actor=actor,
        now=timezone.now(),
        reason=fields["problem"],
        **fields,
    )


def _run(run: JobRun) -> dict[str, Any]:
    publication = Publication.objects.select_related("release__project").get(
        pk=run.job.parameters["publication"]
    )
    if publication.state != PublicationState.PUBLISHED:
        try:
            token = token_of(publication.release.project, Service(publication.service))
        except PublishingError as error:
            _end(publication, PublicationState.FAILED, actor=RELEASE_UPLOAD, problem=str(error))
            raise JobFailedError(str(error)) from error
        try:
            publication = _upload(publication, token=token, actor=RELEASE_UPLOAD)
        except PublishingError as error:
            raise JobFailedError(str(error)) from None
    return {"version": publication.release.version, "url": publication.url}


def upload_jobs(project: Project) -> QuerySet[Job]:
    """Return the jobs that upload releases, newest first."""
    return jobs_of(scope=project.slug, kind=RELEASE_UPLOAD)


def publications_of(release: Release) -> QuerySet[Publication]:
    """Return where the release is published, or is being uploaded to."""
    return release.publications.order_by("service")


KIND = JobKind(run=_run)
