"""Invite workers to a round, and list the invitations that they have not answered."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from crowd.domain.workers.qualification_requests import grant_request
from crowd.enums import GrantState, RequestState
from crowd.models import Assignment, QualificationGrant, StudySession, Worker
from qualification.domain.rounds.answer_requests import NO_COHORT, requests_of
from qualification.domain.rounds.publish_round import invite_workers, round_qualification
from qualification.models import Enrolment, Round


@dataclass(frozen=True, slots=True)
class Invitation:
    """An enrolment of a worker who has not begun.

    `entered_id` is the id that staff entered for a worker without any work on this site. A wrong id
    shows there. `problem` is the marketplace's reason for refusing the worker.
    """

    enrolment: Enrolment
    entered_id: str = ""
    problem: str = ""

    @property
    def worker(self) -> Worker:
        return self.enrolment.worker


@transaction.atomic
def invite(*, round: Round, workers: Collection[Worker], actor: str, now: datetime) -> int:
    """Invite the workers, and grant their open requests for the round. Return how many are invited.

    Workers who were in the round before are left out.
    """
    enrolled = set(
        round.enrolments.exclude(state="withdrawn", evaluations=None).values_list(
            "worker", flat=True
        )
    )
    new = [worker for worker in workers if worker.pk not in enrolled]
    invite_workers(round=round, workers=new, actor=actor, now=now)
    requests = requests_of(project=round.project).filter(
        state=RequestState.OPEN, worker__in=new, qualification_type=round_qualification(round)
    )
    for request in requests:
        grant_request(request=request, value=NO_COHORT, actor=actor, now=now)
    return len(new)


def invitations(*, round: Round, enrolments: Sequence[Enrolment]) -> list[Invitation]:
    """Return the invitations of these enrolments, in three queries."""
    ids = [enrolment.worker_id for enrolment in enrolments]
    seen = set(Assignment.objects.filter(worker__in=ids).values_list("worker", flat=True))
    seen |= set(StudySession.objects.filter(worker__in=ids).values_list("worker", flat=True))
    failed = QualificationGrant.objects.filter(
        qualification_type=round_qualification(round), worker__in=ids, state=GrantState.FAILED
    )
    problems = dict(failed.values_list("worker", "error"))
    return [
        Invitation(
            enrolment=enrolment,
            entered_id="" if enrolment.worker_id in seen else enrolment.worker.external_id,
            problem=problems.get(enrolment.worker_id, ""),
        )
        for enrolment in enrolments
    ]
