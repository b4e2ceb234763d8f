"""Factories for the rows of a training round and of a pool."""

from collections.abc import Sequence

from consolidation.models import Gold
from crowd.enums import GrantState
from crowd.models import QualificationType, Worker
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from qualification.domain.rounds.set_up_rounds import RoundPlan, add_round
from qualification.enums import EnrolmentState, RoundEntry, RoundKind
from qualification.models import Cohort, Enrolment, Evaluation, Round
from tests.dashboard.campaign import CONTENT, START, add_items

# The routes below a round
OF_ROUND = (
    "round", "round_items", "remove_round", "publish_round", "invite_workers", "trainees",
    "decide_trainees", "send_feedback",
)  # fmt: skip
FIGURES = {"UA": {"f1": 0.8}, "LA": {"f1": 0.7}}


def add_evaluations(project: Project, workers: Sequence[Worker]) -> list[Evaluation]:
    """Create a round of the project in which each of the workers was evaluated once."""
    ordinal = project.rounds.count() + 1
    training_round = Round.objects.create(
        project=project, ordinal=ordinal, kind=RoundKind.TRAINING, title=f"Round {ordinal}"
    )
    batch = project.batches.create(
        role=Role.GENERATOR, reward_cents=5, for_training=True, created_at=START
    )
    cohort = Cohort.objects.create(
        round=training_round, number=1, batch=batch, places=len(workers), published_at=START
    )
    enrolments = Enrolment.objects.bulk_create(
        Enrolment(
            round=training_round,
            worker=worker,
            cohort=cohort,
            state=EnrolmentState.FINISHED,
            enrolled_at=START,
        )
        for worker in workers
    )
    return Evaluation.objects.bulk_create(
        Evaluation(
            enrolment=enrolment,
            rule="v1",
            figures=FIGURES,
            alignment=[{"item": 1, "rows": [], "remarks": []}],
            computed_from={"submissions": []},
            computed_at=START,
        )
        for enrolment in enrolments
    )


def add_pool(project: Project, workers: Sequence[Worker]) -> QualificationType:
    """Create the pool of trained generators with these workers."""
    pool = pool_of(project, Role.GENERATOR)
    for worker in workers:
        pool.grants.create(worker=worker, state=GrantState.HELD, value=0, changed_at=START)
    return pool


def add_open_round(project: Project) -> Round:
    """Create a round that is open to everyone and can be published."""
    [item] = add_items(project, 1)
    Gold.objects.create(
        item=item, source="expert", content=CONTENT, schema_version=1, provenance=[], version=1,
        created_at=START,
    )  # fmt: skip
    plan = RoundPlan(title="Screening", entry=RoundEntry.OPEN, keys=[item.key])
    return add_round(project=project, plan=plan, actor="tests", now=START)
