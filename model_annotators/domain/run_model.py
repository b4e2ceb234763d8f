"""Runs of a model, as jobs: on the items of a training round, or on the next unpublished items."""

from collections.abc import Callable
from datetime import datetime
from math import ceil
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.publish import unpublished, unpublished_items
from audit.errors import TouchstoneError
from consolidation.models import SystemAnnotation
from crowd.domain.money.ledger import book_model_cost
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED
from jobs.models import Job
from model_annotators.domain.annotate import annotate, spent_cents
from model_annotators.domain.prompts import prompts_of
from model_annotators.enums import ModelState
from model_annotators.models import ModelAnnotator, ModelAnswer
from projects.enums import Role
from qualification.domain.training.evaluate import round_items_of
from qualification.models import Round

MODEL_RUN = "model-run"


class RunError(TouchstoneError):
    """The model can't annotate these items, or is at work on others."""


def check_run(annotator: ModelAnnotator, round: Round | None) -> None:
    """Raise RunError if the model can't take the round, or is at work.

    Without a round, it annotates the next unpublished items.
    """
    if annotator.state != ModelState.ACTIVE:
        raise RunError(f"{annotator.name} is retired.")
    if round is None:
        if not unpublished(annotator.project).exists():
            raise RunError("No item is left to publish.")
    elif round.project_id != annotator.project_id or round.role != Role.GENERATOR:
        raise RunError("Models take rounds for annotators of this project only.")
    runs = Job.objects.filter(kind=MODEL_RUN, parameters__annotator=annotator.pk)
    if runs.filter(scope=annotator.project.slug, state__in=UNFINISHED).exists():
        raise RunError(f"{annotator.name} is at work. Wait until its run has finished.")


def queue_run(
    *,
    annotator: ModelAnnotator,
    actor: str,
    now: datetime,
    round: Round | None = None,
    count: int = 0,
) -> Job:
    """Queue a run of the model on a round, or on `count` unpublished items. Raise RunError."""
    check_run(annotator, round)
    parameters = {"annotator": annotator.pk, "name": annotator.name}
    where = {"round": round.pk} if round else {"count": count}
    return queue_job(
        kind=MODEL_RUN,
        scope=annotator.project.slug,
        parameters={**parameters, **where},
        total=round.round_items.count() if round else count,
        actor=actor,
        now=now,
    )


def run_model(
    *,
    annotator: ModelAnnotator,
    progress: Callable[[int, int], object],
    round: Round | None = None,
    count: int = 0,
) -> int:
    """Ask the model about the items of the round, or the next unpublished ones. Return its answers.

    Annotations of unpublished items become those of a system of the model's name, which the arms of
    batches use. `progress` gets the number of items done and that of all items. Raise EndpointError,
    UnreadableTextError and CapReachedError.
    """
    items = (
        [row.item for row in round_items_of(round)]
        if round
        else unpublished_items(annotator.project, count)
    )
    prompts = prompts_of(
        project=annotator.project,
        asked=items,
        examples=annotator.examples,
        guidelines=round.guidelines if round else None,
    )
    answered = 0
    try:
        for done, item in enumerate(items, start=1):
            answer = annotate(annotator=annotator, item=item, prompts=prompts, clock=timezone.now)
            answered += answer.content is not None
            if round is None:
                _store(answer)
            progress(done, len(items))
    finally:
        book_model_cost(
            budget=annotator.project.budget,
            model=str(annotator.pk),
            cents=ceil(spent_cents(annotator)),
            now=timezone.now(),
        )
    return answered


def _store(answer: ModelAnswer) -> None:
    """Make the answer the model's annotation of the item, if the scheme accepted it."""
    if answer.content is None:
        return
    SystemAnnotation.objects.update_or_create(
        item=answer.item,
        system=answer.annotator.name,
        defaults={
            "content": answer.content,
            "schema_version": answer.schema_version,
            "imported_at": answer.answered_at,
            "original": None,
            "original_version": None,
        },
    )


def _run(run: JobRun) -> dict[str, Any]:
    parameters = run.job.parameters
    annotator = ModelAnnotator.objects.select_related("project__budget").get(
        pk=parameters["annotator"]
    )
    rounds = Round.objects.select_related("project")
    try:
        answered = run_model(
            annotator=annotator,
            round=rounds.get(pk=parameters["round"]) if "round" in parameters else None,
            count=parameters.get("count", 0),
            progress=lambda done, total: run.report(total=total, items=done),
        )
    except TouchstoneError as error:
        raise JobFailedError(str(error)) from error
    return {"items": run.job.total, "answered": answered}


KIND = JobKind(run=_run)
