"""Factories for jobs in any state, without their files, and for failures of sweeps."""

from datetime import datetime

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.domain.corpus.queue_import import IMPORT
from annotation.domain.corpus.source_files import ReadOptions
from consolidation.domain.experts.queue_resource import RESOURCE_IMPORT
from consolidation.domain.gold.queue_gold import queue_gold
from datasets.domain.exports.queue_export import queue_export
from datasets.domain.systems.evaluate_systems import Reference, queue_evaluation
from jobs.domain.queue_job import queue_job
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job, SweepFailure
from projects.models import Project
from releases.domain.details import Author, ReleaseDetails
from releases.domain.queue_release import queue_release
from tests.dashboard.campaign import START


def make_import(project: Project, actor: str = "rita") -> Job:
    parameters = {
        "format": "text",
        "domain": "",
        "partition": "",
        "strict": False,
        "reading": {"encoding": "utf-8", "columns": {}, "sheet": ""},
        "settings": [],
        "files": [],
        "items_files": [],
        "images": [],
    }
    return queue_job(kind=IMPORT, scope=project.slug, parameters=parameters, actor=actor, now=START)


def make_gold_import(project: Project, actor: str = "rita") -> Job:
    return queue_gold(
        project=project,
        fmt="qasrl-csv",
        source="expert",
        files=[],
        reading=ReadOptions("utf-8"),
        actor=actor,
        now=START,
    )


def make_resource_import(project: Project, actor: str = "rita") -> Job:
    parameters = {
        "name": "lexicon",
        "format": "json",
        "files": [],
        "switches": {"core_only": True},
        "presets": {},
    }
    return queue_job(
        kind=RESOURCE_IMPORT, scope=project.slug, parameters=parameters, actor=actor, now=START
    )


def make_failure(at: datetime = START) -> SweepFailure:
    """Return a row that a sweep could not process."""
    return SweepFailure.objects.create(
        sweep="send payments",
        model="crowd.Payment",
        object_id=1 + SweepFailure.objects.count(),
        error="TimeoutError",
        first_failed_at=at,
        retry_at=at,
    )


def queued_export(project: Project, **options: str) -> Job:
    options = {"fmt": "qasrl-csv", "source": "consolidated", "actor": "", **options}
    return queue_export(project=project, now=START, **options)


def queued_release(project: Project) -> Job:
    details = ReleaseDetails(
        version="2.0", licence="CC0-1.0", authors=[Author("Doe")], source="consolidated"
    )
    return queue_release(project=project, details=details, actor="", now=START)


def make_export(project: Project, **options: str) -> Job:
    """Return an export that a worker process has run."""
    return _run(queued_export(project, actor="rita", **options))


def queued_evaluation(project: Project, source: str = "consolidated", actor: str = "") -> Job:
    """Return an evaluation of a system without predictions that is queued."""
    header = b"qasrl_id,verb_idx,verb,question,answer_range\n"
    return queue_evaluation(
        project=project,
        reference=Reference(source=source),
        systems=[SimpleUploadedFile("silent.csv", header)],
        actor=actor,
        now=START,
    )


def make_system_evaluation(project: Project, source: str = "consolidated") -> Job:
    """Return an evaluation of a system without predictions that a worker process has run."""
    return _run(queued_evaluation(project, source, actor="rita"))


def _run(job: Job) -> Job:
    run_next_job(clock=lambda: START)
    job.refresh_from_db()
    return job
