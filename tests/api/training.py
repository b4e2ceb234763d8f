"""Factories for the rows of a training round."""

from collections.abc import Sequence

from crowd.models import Worker
from projects.models import Project
from qualification.enums import EnrolmentState, RoundKind
from qualification.models import Enrolment, Evaluation, Round
from tests.dashboard.campaign import START

FIGURES = {"UA": {"f1": 0.8}, "LA": {"f1": 0.7}}


def add_evaluations(project: Project, workers: Sequence[Worker]) -> list[Evaluation]:
    """Create a round of the project in which each of the workers was evaluated once."""
    ordinal = project.rounds.count() + 1
    training_round = Round.objects.create(
        project=project, ordinal=ordinal, kind=RoundKind.TRAINING, title=f"Round {ordinal}"
    )
    enrolments = Enrolment.objects.bulk_create(
        Enrolment(
            round=training_round, worker=worker, state=EnrolmentState.FINISHED, enrolled_at=START
        )
        for worker in workers
    )
    return Evaluation.objects.bulk_create(
        Evaluation(
            enrolment=enrolment,
            rule="v1",
            figures=FIGURES,
            alignment=[{"item": 1, "rows": []}],
            computed_from={"submissions": []},
            computed_at=START,
        )
        for enrolment in enrolments
    )
