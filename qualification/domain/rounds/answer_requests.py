"""Workers' requests for a project's qualifications: the pools and the training rounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.publishing.qualification_codes import (
    pool_code,
    qualifications_of,
    round_code,
)
from crowd.domain.workers.qualification_requests import grant_request
from crowd.enums import RequestState
from crowd.models import QualificationRequest
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import UNGROUPED
from qualification.domain.rounds.publish_round import invite_workers
from qualification.models import Round

# A value of a round's qualification that admits to none of its cohorts, which count from 1
NO_COHORT = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A worker's request. It is for `round` or for the pool of `pool_role`, or else for neither."""

    row: QualificationRequest
    round: Round | None = None
    pool_role: str = ""

    @property
    def can_be_granted(self) -> bool:
        return self.round is not None or bool(self.pool_role)


def requests_of(*, project: Project) -> QuerySet[QualificationRequest]:
    """Return all requests for the project's qualifications, newest first."""
    rows = QualificationRequest.objects.filter(qualification_type__in=qualifications_of(project))
    return rows.select_related("qualification_type", "worker").order_by("-pk")


def count_open_requests(*, project: Project) -> int:
    return requests_of(project=project).filter(state=RequestState.OPEN).count()


def described(*, project: Project, rows: QuerySet[QualificationRequest]) -> Iterator[Request]:
    """Yield the requests with what they are for."""
    rounds = {
        round_code(project, round.role, round.ordinal): round for round in project.rounds.all()
    }
    pools = {pool_code(project, role): role for role in Role.values}
    for row in rows:
        code = row.qualification_type.code
        yield Request(row, rounds.get(code), pools.get(code, ""))


@transaction.atomic
def grant(*, project: Project, request: Request, actor: str, now: datetime) -> None:
    """Grant the request. The worker is invited to the round, or admitted to the pool.

    Raise TransitionNotAllowedError.
    """
    if request.round:
        invite_workers(round=request.round, workers=[request.row.worker], actor=actor, now=now)
        value: int | None = NO_COHORT
    else:
        value = UNGROUPED if request.pool_role == Role.GENERATOR else None
    grant_request(request=request.row, value=value, actor=actor, now=now)
