"""Delete a project's content in a background job, but never money, payments or the audit log."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction
from django.db.models import QuerySet

from annotation.domain.corpus.images import delete_image_files
from audit.domain.change_state import log_state_change
from benchmarks.domain.phase_files import delete_inputs
from benchmarks.models import Benchmark
from crowd.domain.hits.manage_hits import expire_hits
from crowd.models import Hit
from dashboard.archive import check_settled
from database.write_turns import write_turn
from datasets.domain.exports.queue_export import EXPORT, delete_export
from jobs.domain.kinds import JobKind, JobRun, kind_of
from jobs.domain.queue_job import queue_job
from jobs.models import Job, SweepFailure
from projects.models import Project
from rehearsal.models import Rehearsal
from releases.domain.build_release import delete_archive
from releases.models import Release

DELETION = "deletion"
# Rows per transaction, because all other writers of a SQLite database wait for it.
AT_A_TIME = 1_000
# The apps whose rows belong to a project. Rows of `crowd`, such as payments, and of `audit` are kept.
OWNED_APPS = (
    "rehearsal",
    "benchmarks",
    "releases",
    "model_annotators",
    "qualification",
    "datasets",
    "consolidation",
    "annotation",
    "projects",
)
# Tables whose triggers refuse deletions, except while this setting of the session names a project.
SETTING = "touchstone.deleted_project"


@transaction.atomic
def delete_project(*, project: Project, actor: str, now: datetime) -> Job:
    """Hide the project and its rehearsals at once, and queue a job that deletes their content.

    Raise WorkLeftError if HITs are open or money is owed.
    """
    project = Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    check_settled(project)
    copies = list(Project.objects.filter(rehearsal__original=project))
    for copy in copies:
        _end_hits(copy, actor, now)
    return _hide([*copies, project], project, actor, now)


@transaction.atomic
def delete_rehearsal(*, rehearsal: Rehearsal, actor: str, now: datetime) -> Job:
    """Delete the copy of a finished rehearsal. HITs that it left open are ended."""
    _end_hits(rehearsal.copy, actor, now)
    return _hide([rehearsal.copy], rehearsal.original, actor, now)


def _end_hits(copy: Project, actor: str, now: datetime) -> None:
    """End the HITs of simulated workers, whose pay is play money."""
    expire_hits(hits=Hit.objects.filter(budget=copy.budget_id), actor=actor, now=now)


def _hide(projects: list[Project], scope: Project, actor: str, now: datetime) -> Job:
    for project in projects:
        Project.objects.filter(pk=project.pk).update(deleted_at=now, archived_at=now)
        reason = f"{project.title} ({project.slug})"
        log_state_change(
            instance=project, old="", new="deleted", actor=actor, now=now, reason=reason
        )
    parameters = {"projects": [project.pk for project in projects], "title": projects[0].title}
    return queue_job(kind=DELETION, scope=scope.slug, parameters=parameters, actor=actor, now=now)


def _run(run: JobRun) -> dict[str, Any]:
    deleted = 0
    for pk in run.job.parameters["projects"]:
        project = Project.objects.filter(pk=pk).first()
        if project is not None:
            deleted += _delete(project, run)
    return {"deleted": deleted}


KIND = JobKind(run=_run)


def _delete(project: Project, run: JobRun) -> int:
    """Delete the project's rows, those that refer to others first. Return how many.

    The project itself comes last. A job that was killed can thus be repeated.
    """
    for job in Job.objects.filter(scope=project.slug).exclude(pk=run.job.pk):
        if job.kind == EXPORT:
            delete_export(job)
        else:
            kind_of(job).clean_up(job)
    delete_image_files(project=project)
    for benchmark in Benchmark.objects.filter(release__project=project):
        delete_inputs(benchmark)
    for release in Release.objects.filter(project=project):
        delete_archive(release)
    count = 0
    for model, path in owned_rows():
        owned = {path: project.pk} if path else {"pk": project.pk}
        rows = model._default_manager.filter(**owned)
        while rows.exists():
            with write_turn():
                count += _delete_some(rows, project)
            run.report(rows=count)
    Job.objects.filter(scope=project.slug).exclude(pk=run.job.pk).delete()
    return count


@transaction.atomic
def _delete_some(rows: QuerySet[models.Model], project: Project) -> int:
    """Delete up to AT_A_TIME of the rows. Return how many."""
    _permit_deletions(project)
    # The newest first, because rows may refer to older ones of their own table.
    keys = list(rows.order_by("-pk").values_list("pk", flat=True).distinct()[:AT_A_TIME])
    label = rows.model._meta.label
    SweepFailure.objects.filter(model=label, object_id__in=keys).delete()
    # Without collecting related rows, all of which are deleted before.
    chosen = rows.model._default_manager.filter(pk__in=keys)
    return chosen._raw_delete(chosen.db) if keys else 0


def _permit_deletions(project: Project) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, project.slug])


def owned_rows() -> list[tuple[type[models.Model], str]]:
    """Return the models whose rows belong to a project, with the path to it.

    Models that refer to others precede them. The project itself is the last and has no path.
    """
    owned = [
        model
        for label in OWNED_APPS
        for model in apps.get_app_config(label).get_models(include_auto_created=True)
    ]
    paths: dict[type[models.Model], str] = {Project: ""}
    while new := [(model, path) for model in owned for path in _paths(model, paths)]:
        for model, path in new:
            # The first path, so that a rehearsal belongs to its copy and not to the original.
            paths.setdefault(model, path)
    return [(model, paths[model]) for model in _dependents_first(paths)]


def _paths(model: type[models.Model], paths: dict[type[models.Model], str]) -> Iterator[str]:
    """Yield the paths from a model without one, over its required references."""
    if model in paths:
        return
    for field in _references(model):
        target = field.related_model
        if not field.null and target in paths:
            path = paths[target]
            yield f"{field.name}__{path}" if path else field.name


def _references(model: type[models.Model]) -> list[Any]:
    """Return the fields that refer to other models, those that no other row shares first."""
    fields = [
        field
        for field in model._meta.get_fields()
        if field.concrete and (field.many_to_one or field.one_to_one)
    ]
    return sorted(fields, key=lambda field: not field.one_to_one)


def _dependents_first(
    paths: dict[type[models.Model], str],
) -> Iterator[type[models.Model]]:
    left = set(paths)
    while left:
        referred = {
            field.related_model
            for model in left
            for field in _references(model)
            if field.related_model is not model
        }
        free = sorted(left - referred, key=lambda model: model._meta.label)
        yield from free
        left -= set(free)
