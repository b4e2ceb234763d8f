"""What the training of a project's pool waits for."""

from dataclasses import dataclass
from enum import Enum

from django.db.models import Count, Q

from annotation.domain.publishing.qualification_codes import passed_outside_pool, pool_size
from projects.enums import Role
from projects.models import Project
from projects.protocols import TERMS
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Round

_INVITED = Q(enrolments__state=EnrolmentState.INVITED)
_HAS_TASKS = Q(enrolments__cohort__isnull=False)
_NO_TASKS = Q(enrolments__cohort__isnull=True)
_REPEATING = Q(enrolments__state=EnrolmentState.REPEATING)
_WORKING = Q(enrolments__state=EnrolmentState.WORKING)
_FINISHED = Q(enrolments__state=EnrolmentState.FINISHED)


class Waiting(Enum):
    """The next event of the training."""

    ROUND = "a round is set up"
    INVITATIONS = "workers are invited"
    PUBLICATION = "a round is published"
    WORKERS = "workers finish a round"
    DECISIONS = "finished rounds are decided"
    ADMISSION = "workers who passed are admitted"


@dataclass(frozen=True, slots=True)
class TrainingStatus:
    """The next event with its round and number of workers, and the pool's actual and needed size."""

    waiting: Waiting
    pool: int
    needed: int
    round: Round | None = None
    workers: int = 0

    @property
    def is_complete(self) -> bool:
        """True if the pool is large enough and no worker awaits a decision."""
        decided = self.waiting not in (Waiting.DECISIONS, Waiting.ADMISSION)
        return self.pool >= self.needed and decided


def training_status(*, project: Project) -> TrainingStatus:
    """Return what the training of generators waits for. Decisions come before the work of others."""
    rounds = list(
        project.rounds.filter(role=Role.GENERATOR)
        .annotate(
            finished=Count("enrolments", distinct=True, filter=_FINISHED),
            to_publish=Count("enrolments", distinct=True, filter=_INVITED & _NO_TASKS | _REPEATING),
            at_work=Count("enrolments", distinct=True, filter=_INVITED & _HAS_TASKS | _WORKING),
            publications=Count("cohorts", distinct=True),
        )
        .order_by("ordinal")
    )
    pool = pool_size(project=project, role=Role.GENERATOR)
    needed = people_needed(project=project, has_rounds=bool(rounds))

    def status(waiting: Waiting, row: Round | None = None, workers: int = 0) -> TrainingStatus:
        return TrainingStatus(waiting, pool, needed, row, workers)

    if not rounds:
        return status(Waiting.ROUND)
    for row in rounds:
        if row.finished:
            return status(Waiting.DECISIONS, row, row.finished)
    if outside := passed_outside_pool(project=project, role=Role.GENERATOR).count():
        return status(Waiting.ADMISSION, rounds[-1], outside)
    for row in rounds:
        if row.to_publish:
            return status(Waiting.PUBLICATION, row, row.to_publish)
    for row in rounds:
        if row.at_work or (row.entry == RoundEntry.OPEN and row.publications):
            return status(Waiting.WORKERS, row, row.at_work)
    return status(Waiting.INVITATIONS, rounds[0])


def people_needed(*, project: Project, has_rounds: bool) -> int:
    """Return how many people of the pool an item needs, as nobody judges their own annotation.

    With rounds for the second role, that role has a pool of its own.
    """
    role = TERMS[project.protocol].role
    has_own_pool = has_rounds and project.rounds.filter(role=role).exists()
    return project.redundancy(Role.GENERATOR) + (0 if has_own_pool else project.redundancy(role))
