"""Evaluate workers once they finish a round, and again when a reference changes."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Submission, Task
from audit.domain.change_state import change_state, log_state_change
from audit.errors import TouchstoneError
from consolidation.models import Gold
from crowd.models import Worker
from datasets.models import Decision
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from qualification.domain.rounds.set_up_rounds import newest_references
from qualification.domain.scores.figures import Figures, figures_of
from qualification.domain.states import TRANSITIONS
from qualification.enums import EnrolmentState, EvaluationCause
from qualification.models import Cohort, Enrolment, Evaluation, Feedback, Round, RoundItem

AT_WORK = (EnrolmentState.INVITED, EnrolmentState.WORKING)


def submissions_in(enrolment: Enrolment) -> dict[int, Submission]:
    """Return the worker's submissions in their current cohort, by item id."""
    if enrolment.cohort_id is None:
        return {}
    rows = Submission.objects.filter(
        worker=enrolment.worker_id, assignment__hit__task__batch__cohort=enrolment.cohort_id
    ).select_related("item__project", "assignment")
    return {submission.item_id: submission for submission in rows.order_by("pk")}


def round_items_of(round: Round) -> list[RoundItem]:
    related = round.round_items.select_related("item__sentence__image", "reference")
    rows = list(related.order_by("ordinal"))
    for row in rows:
        row.item.project = round.project  # one instance, which caches its resources
    return rows


def asked_of(enrolment: Enrolment) -> list[RoundItem]:
    """Return the items that the worker has to do, which are all or those of their block."""
    items = round_items_of(enrolment.round)
    if enrolment.block is None:
        return items
    tasks = Task.objects.filter(batch__cohort=enrolment.cohort_id, block=enrolment.block)
    dealt = set(tasks.values_list("items", flat=True))
    return [round_item for round_item in items if round_item.item_id in dealt]


def compute_figures(enrolment: Enrolment, *, so_far: bool = False) -> Figures:
    """Compute figures over all assigned items, or only those submitted so far."""
    submissions = submissions_in(enrolment)
    decisions = Decision.objects.filter(submission__in=list(submissions.values())).order_by("pk")
    items = asked_of(enrolment)
    if so_far:
        items = [round_item for round_item in items if round_item.item_id in submissions]
    return figures_of(
        scheme=scheme_of(enrolment.round.project),
        items=items,
        submissions=submissions,
        decisions=list(decisions),
    )


@transaction.atomic
def evaluate_enrolment(
    *, enrolment: Enrolment, cause: str, now: datetime, actor: str = "automatic evaluation"
) -> Evaluation:
    """Create an evaluation, which leaves earlier ones unchanged.

    An evaluation with the cause FINISHED finishes the enrolment. With other causes, the figures of an
    unfinished enrolment cover only the items submitted so far.
    """
    enrolment = (
        Enrolment.objects.select_for_update(of=("self",))
        .select_related("round__project")
        .get(pk=enrolment.pk)
    )
    so_far = enrolment.state in AT_WORK and cause != EvaluationCause.FINISHED
    figures = compute_figures(enrolment, so_far=so_far)
    evaluation = Evaluation.objects.create(
        enrolment=enrolment,
        rule=figures.rule,
        cause=cause,
        so_far=so_far,
        figures=figures.automatic,
        corrected_figures=figures.corrected,
        alignment=figures.alignment,
        computed_from=_computed_from(figures, enrolment),
        computed_at=now,
    )
    Feedback.objects.filter(evaluation__enrolment=enrolment, sent_at=None).update(
        evaluation=evaluation
    )
    if enrolment.state in AT_WORK and not so_far:
        new = EnrolmentState.FINISHED
        change_state(instance=enrolment, new=new, transitions=TRANSITIONS, actor=actor, now=now)
    return evaluation


class NothingToEvaluateError(TouchstoneError):
    """The worker has submitted nothing yet, or is not working on the round."""


def evaluate_now(*, enrolment: Enrolment, actor: str, now: datetime) -> Evaluation:
    """Evaluate a worker's submissions so far. Raise NothingToEvaluateError."""
    if enrolment.state not in AT_WORK:
        raise NothingToEvaluateError(
            f"This worker is not working on the round ({enrolment.get_state_display()})."
        )
    if not submissions_in(enrolment):
        raise NothingToEvaluateError("This worker has submitted nothing yet.")
    return evaluate_enrolment(
        enrolment=enrolment, cause=EvaluationCause.ASKED, now=now, actor=actor
    )


def _computed_from(figures: Figures, enrolment: Enrolment) -> dict[str, object]:
    submissions = [entry["submission"] for entry in figures.alignment if entry["submission"]]
    gold = [entry["gold"] for entry in figures.alignment]
    decisions = Decision.objects.filter(submission__in=submissions, reference__in=gold)
    return {
        "cohort": enrolment.cohort_id,
        "submissions": submissions,
        "gold": gold,
        "decisions": list(decisions.order_by("pk").values_list("pk", flat=True)),
    }


def enrol_newcomers(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Enrol new workers of open rounds, and mark invited workers who began as working."""
    moved = 0
    for cohort in Cohort.objects.filter(round__entry="open").select_related("round"):
        moved += _enrol_in(cohort, clock, limit)
    started = Enrolment.objects.filter(Exists(_own_work()), state=EnrolmentState.INVITED)
    return moved + for_each_row(
        sweep="begin rounds", rows=started.order_by("pk"), process=_begin, clock=clock, limit=limit
    )


def _own_work() -> QuerySet[Submission]:
    """Return the submissions of an outer query's enrolment in its cohort."""
    return Submission.objects.filter(
        worker=OuterRef("worker"), assignment__hit__task__batch__cohort=OuterRef("cohort")
    )


def _enrol_in(cohort: Cohort, clock: Callable[[], datetime], limit: int) -> int:
    enrolled = Enrolment.objects.filter(round=cohort.round_id, worker=OuterRef("worker"))
    new = _submitted(cohort).exclude(Exists(enrolled)).order_by().values("worker")
    return for_each_row(
        sweep=f"enrol in cohort {cohort.pk}",
        rows=Worker.objects.filter(pk__in=new).order_by("pk"),
        process=lambda worker, now: _enrol(cohort, worker.pk, now),
        clock=clock,
        limit=limit,
    )


def _begin(enrolment: Enrolment, now: datetime) -> int:
    new = EnrolmentState.WORKING
    change_state(instance=enrolment, new=new, transitions=TRANSITIONS, actor="marketplace", now=now)
    return 1


def _submitted(cohort: Cohort) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment__hit__task__batch__cohort=cohort)


@transaction.atomic
def _enrol(cohort: Cohort, worker_id: int, now: datetime) -> bool:
    enrolment, created = Enrolment.objects.get_or_create(
        round=cohort.round,
        worker_id=worker_id,
        defaults={
            "cohort": cohort,
            "block": _block_started(cohort, worker_id),
            "state": EnrolmentState.WORKING,
            "enrolled_at": now,
        },
    )
    if created:
        log_state_change(
            instance=enrolment, old="", new=enrolment.state, actor="marketplace", now=now
        )
    return created


def _block_started(cohort: Cohort, worker_id: int) -> int | None:
    first = _submitted(cohort).filter(worker=worker_id).order_by("pk").first()
    return first.assignment.hit.task.block if first and first.assignment else None


def evaluate_due(*, clock: Callable[[], datetime], limit: int = 20) -> int:
    """Evaluate up to `limit` workers who finished a round, and return how many."""
    return for_each_row(
        sweep="evaluate workers",
        rows=_with_all_items_in(),
        process=_evaluate,
        clock=clock,
        limit=limit,
    )


def _evaluate(enrolment: Enrolment, now: datetime) -> int:
    evaluate_enrolment(enrolment=enrolment, cause=EvaluationCause.FINISHED, now=now)
    return 1


def _with_all_items_in() -> QuerySet[Enrolment]:
    tasks = Task.objects.filter(
        Q(block=None) | Q(block=OuterRef("block")), batch__cohort=OuterRef("cohort")
    )
    return (
        Enrolment.objects.filter(state__in=AT_WORK, cohort__isnull=False)
        .annotate(
            submitted=_distinct(_own_work(), "item", by="worker"),
            assigned=_distinct(tasks, "items", by="batch"),
        )
        .filter(assigned__gt=0, submitted__gte=F("assigned"))
        .order_by("pk")
    )


def _distinct(rows: QuerySet[Any], field: str, *, by: str) -> Coalesce:
    """Return a count of the field's distinct values in rows that share `by`."""
    counts = rows.order_by().values(by).annotate(n=Count(field, distinct=True)).values("n")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


def refresh_references(*, clock: Callable[[], datetime], limit: int = 5) -> int:
    """Evaluate up to `limit` rounds again whose references were corrected, and return how many."""
    newer = Gold.objects.filter(
        item=OuterRef("item"),
        source=OuterRef("reference__source"),
        version__gt=OuterRef("reference__version"),
    )
    stale = RoundItem.objects.filter(Exists(newer)).order_by().values("round")
    return for_each_row(
        sweep="refresh references",
        rows=Round.objects.filter(pk__in=stale).order_by("pk"),
        process=_refresh,
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _refresh(stale: Round, now: datetime) -> int:
    """Use the newest references, and evaluate workers again."""
    round = Round.objects.select_for_update().get(pk=stale.pk)
    items = round_items_of(round)
    newest = newest_references([round_item.item for round_item in items])
    changed = []
    for round_item in items:
        reference = newest[round_item.item_id]
        if reference.pk != round_item.reference_id:
            round_item.reference = reference
            changed.append(round_item)
    RoundItem.objects.bulk_update(changed, ["reference"])
    if changed:
        evaluated = Enrolment.objects.filter(round=round, evaluations__isnull=False).distinct()
        for enrolment in evaluated.order_by("pk"):
            evaluate_enrolment(enrolment=enrolment, cause=EvaluationCause.REFERENCE, now=now)
    return 1
