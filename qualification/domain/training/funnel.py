"""The numbers of workers at each stage from the crowd to the trained pool."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, F, Model, OuterRef, Q, Sum

from annotation.models import Submission
from crowd.enums import LedgerKind
from crowd.models import LedgerEntry
from projects.models import Project
from qualification.enums import EnrolmentState
from qualification.models import Evaluation, Feedback, Round


@dataclass(frozen=True, slots=True)
class Stage:
    """A round's workers, their and the trainers' active seconds, and settled cents with fees."""

    title: str
    invited: int
    started: int
    finished: int
    passed: int
    declined: int
    worker_seconds: int
    trainer_seconds: int
    cents: int
    opens_pool: bool

    @property
    def worker_hours(self) -> float:
        return self.worker_seconds / 3600

    @property
    def trainer_minutes(self) -> float:
        return self.trainer_seconds / 60


def funnel_of(*, project: Project) -> list[Stage]:
    """Return the project's rounds in order. A worker who repeats a round counts once."""
    rounds = list(project.rounds.order_by("-role", "ordinal"))
    counts = _counts(rounds)
    work = _sums(
        rounds, Submission, "assignment__hit__task__batch__cohort__round", Sum("active_seconds")
    )
    training = _sums(rounds, Feedback, "evaluation__enrolment__round", Sum("trainer_seconds"))
    settled = Sum(F("amount_cents") + F("fee_cents"), filter=Q(kind=LedgerKind.SETTLE), default=0)
    money = _sums(rounds, LedgerEntry, "hit__task__batch__cohort__round", settled)
    return [
        Stage(
            title=round.title,
            **counts[round.pk],
            worker_seconds=work.get(round.pk, 0),
            trainer_seconds=training.get(round.pk, 0),
            cents=money.get(round.pk, 0),
            opens_pool=bool(round.pool_roles),
        )
        for round in rounds
    ]


def _counts(rounds: Sequence[Round]) -> dict[int, dict[str, int]]:
    started = Submission.objects.filter(
        worker=OuterRef("enrolments__worker"),
        assignment__hit__task__batch__cohort__round=OuterRef("pk"),
    )
    evaluated = Evaluation.objects.filter(enrolment=OuterRef("enrolments"), so_far=False)
    conditions = {
        # An invitation that was withdrawn before the worker began does not count.
        "invited": ~Q(enrolments__state=EnrolmentState.WITHDRAWN) | Q(Exists(started)),
        "started": Q(Exists(started)),
        "finished": Q(Exists(evaluated)),
        "passed": Q(enrolments__state=EnrolmentState.PASSED),
        "declined": Q(enrolments__state=EnrolmentState.DECLINED),
    }
    counts = {name: Count("enrolments", filter=which) for name, which in conditions.items()}
    rows = Round.objects.filter(pk__in=[round.pk for round in rounds]).order_by()
    rows_by_pk = rows.annotate(**counts).values("pk", *counts)
    return {row.pop("pk"): row for row in rows_by_pk}


def _sums(rounds: Sequence[Round], model: type[Model], path: str, total: Sum) -> dict[int, int]:
    """Return the total over the model's rows by id of the round, which is at `path`."""
    rows = model._default_manager.filter(**{f"{path}__in": rounds}).order_by()
    return dict(rows.values_list(path).annotate(total=total))
