"""How certain gold is: the skill of workers and the difficulty of items, fitted in a job."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from audit.errors import TouchstoneError
from crowd.models import Worker
from datasets.domain.quality.judged_parts import JudgedItem, judged_items
from datasets.domain.quality.redundancy_curve import redundancy_curve
from datasets.models import CertaintyFit, FittedSkill, ItemCertainty
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED
from jobs.models import Job
from metrics.calibration import calibration
from metrics.judgment_model import FittedJudgments, fit_judgments
from metrics.judgment_model import ItemCertainty as Fitted
from projects.models import Project

CERTAINTY = "certainty"
# Stored with every fit. A changed model gets a new name.
RULE = "judgments.v1"
CHUNK = 1000


class NothingToFitError(TouchstoneError):
    """The project has no gold that was made of annotations."""


class FitRunningError(TouchstoneError):
    """A fit of the project hasn't finished yet."""


def queue_fit(*, project: Project, actor: str, now: datetime) -> Job:
    """Queue a fit of the project's judgments. Raise FitRunningError."""
    if running_fit(project):
        raise FitRunningError("The estimate is already running. Wait until it has finished.")
    return queue_job(kind=CERTAINTY, scope=project.slug, parameters={}, actor=actor, now=now)


def running_fit(project: Project) -> Job | None:
    """Return the project's fit that hasn't finished, if there is one."""
    jobs = Job.objects.filter(kind=CERTAINTY, scope=project.slug, state__in=UNFINISHED)
    return jobs.order_by("pk").first()


def fit_certainty(
    *, project: Project, now: datetime, progress: Callable[[int], object] = lambda done: None
) -> CertaintyFit:
    """Fit the judgments of all items with gold, and replace the earlier fit.

    `progress` gets the number of evaluations of the model so far. Raise NothingToFitError.
    """
    items = list(judged_items(project=project))
    fitted = fit_judgments([item.judgments for item in items], progress=progress)
    if fitted is None:
        raise NothingToFitError(
            f"{project.slug} has no gold that was made of annotations yet. Estimates need some."
        )
    return _store(project, items, fitted, now)


@transaction.atomic
def _store(
    project: Project, items: Sequence[JudgedItem], fitted: FittedJudgments, now: datetime
) -> CertaintyFit:
    Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    skills = fitted.skills(annotators=project.generators_per_item)
    CertaintyFit.objects.filter(project=project).delete()
    fit = CertaintyFit.objects.create(
        project=project,
        rule=RULE,
        fitted_at=now,
        items=len(items),
        parts=sum(len(item.keys) for item in items),
        right=fitted.right.value,
        right_error=fitted.right.error,
        spread=fitted.spread.value,
        spread_error=fitted.spread.error,
        calibration=_calibration(items, fitted.items),
        redundancy=[point.as_json() for point in redundancy_curve(items, skills)],
    )
    FittedSkill.objects.bulk_create(_skills(fit, fitted))
    ItemCertainty.objects.bulk_create(
        (_certainty(fit, item, of_item) for item, of_item in zip(items, fitted.items, strict=True)),
        batch_size=CHUNK,
    )
    return fit


def _skills(fit: CertaintyFit, fitted: FittedJudgments) -> list[FittedSkill]:
    """Return the skills of workers. Experts whose annotations became gold have none."""
    names = [*fitted.annotators, *fitted.judges]
    workers = Worker.objects.filter(pseudonym__in=names).values_list("pseudonym", "pk")
    pks: dict[Any, int] = dict(workers)
    annotators = [
        FittedSkill(
            fit=fit,
            worker_id=pks[name],
            is_judge=False,
            right=skill.finds.value,
            right_error=skill.finds.error,
            wrong=skill.invents.value,
            wrong_error=skill.invents.error,
            judged=skill.items,
            is_compared=skill.is_compared,
        )
        for name, skill in fitted.annotators.items()
        if name in pks
    ]
    judges = [
        FittedSkill(
            fit=fit,
            worker_id=pks[name],
            is_judge=True,
            right=skill.keeps.value,
            right_error=skill.keeps.error,
            wrong=skill.passes.value,
            wrong_error=skill.passes.error,
            judged=skill.parts,
            is_compared=True,
        )
        for name, skill in fitted.judges.items()
        if name in pks
    ]
    return [*annotators, *judges]


def _certainty(fit: CertaintyFit, item: JudgedItem, fitted: Fitted) -> ItemCertainty:
    probabilities = {
        key: round(probability, 6)
        for key, probability in zip(item.keys, fitted.probabilities, strict=True)
        if key
    }
    return ItemCertainty(
        fit=fit,
        item_id=item.item,
        gold_id=item.gold,
        difficulty=fitted.difficulty.value,
        difficulty_error=fitted.difficulty.error,
        lowest=min(probabilities.values(), default=None),
        coverage=fitted.coverage,
        missed=fitted.missed,
        probabilities=probabilities,
    )


def _calibration(items: Sequence[JudgedItem], fitted: Sequence[Fitted]) -> dict[str, Any]:
    """Return the calibration against experts, of parts and of items' coverage, as JSON."""
    with_expert = [
        (item, of_item) for item, of_item in zip(items, fitted, strict=True) if item.expected
    ]
    of_parts = [
        (probability, float(is_kept))
        for item, of_item in with_expert
        for probability, is_kept in zip(of_item.probabilities, item.expected or (), strict=True)
    ]
    of_items = [
        (of_item.coverage, item.coverage)
        for item, of_item in with_expert
        if of_item.coverage is not None and item.coverage is not None
    ]
    return {"parts": _as_json(of_parts), "coverage": _as_json(of_items)}


def _as_json(pairs: Iterable[tuple[float, float]]) -> dict[str, Any]:
    return asdict(calibration(pairs))


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        fit = fit_certainty(
            project=project, now=timezone.now(), progress=lambda done: run.report(steps=done)
        )
    except TouchstoneError as error:
        raise JobFailedError(str(error)) from error
    return {"items": fit.items, "parts": fit.parts, "skills": fit.skills.count()}


KIND = JobKind(run=_run)
