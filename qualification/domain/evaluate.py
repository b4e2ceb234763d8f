"""Figures of finished rounds, computed once the last item is in and again when a reference changes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Submission, Task
from audit.domain.change_state import change_state, log_state_change
from consolidation.models import Decision, Gold
from qualification.domain.figures import Figures, below_thresholds, figures_of
from qualification.domain.set_up_rounds import newest_references
from qualification.domain.states import MOVES
from qualification.enums import EnrolmentState, EvaluationCause
from qualification.models import Enrolment, Evaluation, Feedback, Intake, Round, RoundItem

AT_WORK = (EnrolmentState.INVITED, EnrolmentState.WORKING)


def submissions_in(enrolment: Enrolment) -> dict[int, Submission]:
    """Item id -> what the worker handed in for it in their present intake."""
    if enrolment.intake_id is None:
        return {}
    rows = Submission.objects.filter(
        worker=enrolment.worker_id, assignment__hit__task__batch__intake=enrolment.intake_id
    ).select_related("item__project", "assignment")
    return {one.item_id: one for one in rows.order_by("pk")}


def round_items_of(one: Round) -> list[RoundItem]:
    rows = one.round_items.select_related("item__project", "item__sentence", "reference")
    return list(rows.order_by("ordinal"))


def asked_of(enrolment: Enrolment) -> list[RoundItem]:
    """The items that the worker has to do: all of the round's, or those of their hand."""
    items = round_items_of(enrolment.round)
    if enrolment.hand is None:
        return items
    tasks = Task.objects.filter(batch__intake=enrolment.intake_id, hand=enrolment.hand)
    dealt = set(tasks.values_list("items", flat=True))
    return [one for one in items if one.item_id in dealt]


def compute_figures(enrolment: Enrolment, *, so_far: bool = False) -> Figures:
    """As they are now, over all items asked or only those handed in so far: nothing is written."""
    submissions = submissions_in(enrolment)
    decisions = Decision.objects.filter(submission__in=list(submissions.values()))
    return figures_of(
        items=[one for one in asked_of(enrolment) if not so_far or one.item_id in submissions],
        submissions=submissions,
        decisions=list(decisions.order_by("pk")),
    )


@transaction.atomic
def evaluate_enrolment(
    *, enrolment: Enrolment, cause: str, now: datetime, actor: str = "automatic evaluation"
) -> Evaluation:
    """A new row of figures; earlier ones stay. Whoever was at work has finished with it, unless they
    were evaluated for another reason: then the figures are those so far."""
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
        change_state(
            instance=enrolment, new=EnrolmentState.FINISHED, moves=MOVES, actor=actor, now=now
        )
    return evaluation


class NothingToEvaluate(Exception):
    """The worker has handed in nothing yet, or all of it, and has their figures."""


def evaluate_now(*, enrolment: Enrolment, actor: str, now: datetime) -> Evaluation:
    """Figures of what a worker at work has handed in so far. Raises NothingToEvaluate."""
    if enrolment.state not in AT_WORK:
        raise NothingToEvaluate(f"This worker is not at work: {enrolment.get_state_display()}.")
    if not submissions_in(enrolment):
        raise NothingToEvaluate("This worker has handed in nothing yet.")
    return evaluate_enrolment(
        enrolment=enrolment, cause=EvaluationCause.ASKED, now=now, actor=actor
    )


def _computed_from(figures: Figures, enrolment: Enrolment) -> dict[str, object]:
    submissions = [one["submission"] for one in figures.alignment if one["submission"]]
    gold = [one["gold"] for one in figures.alignment]
    decisions = Decision.objects.filter(submission__in=submissions, reference__in=gold)
    return {
        "intake": enrolment.intake_id,
        "submissions": submissions,
        "gold": gold,
        "decisions": list(decisions.order_by("pk").values_list("pk", flat=True)),
    }


# --- sweeps --------------------------------------------------------------------------------------


def enrol_newcomers(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """A row for everyone who works in an open round, and "working" for whoever has begun."""
    now = clock()
    moved = 0
    for intake in Intake.objects.filter(round__entry="open").select_related("round"):
        known = Enrolment.objects.filter(round=intake.round_id, worker=OuterRef("worker"))
        new = _handed_in(intake).exclude(Exists(known)).order_by().values_list("worker", flat=True)
        for worker in new.distinct()[:limit]:
            moved += _enrol(intake, worker, now)
    begun = Enrolment.objects.filter(state=EnrolmentState.INVITED).filter(
        Exists(
            Submission.objects.filter(
                worker=OuterRef("worker"), assignment__hit__task__batch__intake=OuterRef("intake")
            )
        )
    )
    for enrolment in begun[:limit]:
        change_state(
            instance=enrolment,
            new=EnrolmentState.WORKING,
            moves=MOVES,
            actor="marketplace",
            now=now,
        )
        moved += 1
    return moved


def _handed_in(intake: Intake) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment__hit__task__batch__intake=intake)


@transaction.atomic
def _enrol(intake: Intake, worker_id: int, now: datetime) -> bool:
    enrolment, created = Enrolment.objects.get_or_create(
        round=intake.round,
        worker_id=worker_id,
        defaults={
            "intake": intake,
            "hand": _hand_begun(intake, worker_id),
            "state": EnrolmentState.WORKING,
            "enrolled_at": now,
        },
    )
    if created:
        log_state_change(
            instance=enrolment, old="", new=enrolment.state, actor="marketplace", now=now
        )
    return created


def _hand_begun(intake: Intake, worker_id: int) -> int | None:
    first = _handed_in(intake).filter(worker=worker_id).order_by("pk").first()
    return first.assignment.hit.task.hand if first and first.assignment else None


def evaluate_due(*, clock: Callable[[], datetime], limit: int = 20) -> int:
    """Evaluate up to `limit` workers whose last item of a round has come in; returns how many."""
    done = 0
    for enrolment in _with_all_items_in()[:limit]:
        evaluate_enrolment(enrolment=enrolment, cause=EvaluationCause.FINISHED, now=clock())
        done += 1
    return done


def _with_all_items_in() -> QuerySet[Enrolment]:
    handed_in = (
        Submission.objects.filter(
            worker=OuterRef("worker"), assignment__hit__task__batch__intake=OuterRef("intake")
        )
        .order_by()
        .values("worker")
        .annotate(n=Count("item", distinct=True))
        .values("n")
    )
    items = (
        Task.objects.filter(batch__intake=OuterRef("intake"))
        .filter(Q(hand=None) | Q(hand=OuterRef("hand")))
        .order_by()
        .values("batch")
        .annotate(n=Count("items", distinct=True))
        .values("n")
    )
    return (
        Enrolment.objects.filter(state__in=AT_WORK, intake__isnull=False)
        .annotate(
            handed_in=Coalesce(Subquery(handed_in, output_field=IntegerField()), 0),
            asked=Coalesce(Subquery(items, output_field=IntegerField()), 0),
        )
        .filter(asked__gt=0, handed_in__gte=F("asked"))
        .order_by("pk")
    )


def refresh_references(*, clock: Callable[[], datetime], limit: int = 5) -> int:
    """Hold up to `limit` rounds against references that were corrected since, and evaluate everyone
    again, once; returns how many rounds."""
    newer = Gold.objects.filter(
        item=OuterRef("item"),
        source=OuterRef("reference__source"),
        version__gt=OuterRef("reference__version"),
    )
    stale = RoundItem.objects.filter(Exists(newer)).order_by()
    rounds = list(stale.values_list("round", flat=True).distinct()[:limit])
    for pk in rounds:
        refresh_round(round_id=pk, now=clock())
    return len(rounds)


@dataclass(frozen=True, slots=True)
class SideChange:
    """A worker whom a corrected reference moved over (or under) a threshold."""

    enrolment_id: int
    reached: bool


@transaction.atomic
def refresh_round(*, round_id: int, now: datetime) -> list[SideChange]:
    """Take over the newest references and evaluate again whoever has been; returns who changed sides."""
    one = Round.objects.select_for_update().get(pk=round_id)
    items = round_items_of(one)
    newest = newest_references([each.item for each in items])
    changed = [each for each in items if newest[each.item_id].pk != each.reference_id]
    for each in changed:
        each.reference = newest[each.item_id]
    if not changed:
        return []
    RoundItem.objects.bulk_update(changed, ["reference"])
    evaluated = Enrolment.objects.filter(round=one, evaluations__isnull=False).distinct()
    return list(_again(evaluated.order_by("pk"), one, now))


def _again(enrolments: Iterable[Enrolment], one: Round, now: datetime) -> Iterable[SideChange]:
    for enrolment in enrolments:
        before = enrolment.evaluations.latest("pk")
        after = evaluate_enrolment(enrolment=enrolment, cause=EvaluationCause.REFERENCE, now=now)
        reached = reaches(after, one)
        if reached != reaches(before, one):
            yield SideChange(enrolment.pk, reached)


def reaches(evaluation: Evaluation, one: Round) -> bool:
    """Whether the figures, corrected ones first, reach every threshold of the round."""
    figures = evaluation.corrected_figures or evaluation.figures
    return not below_thresholds(figures, one.thresholds)
