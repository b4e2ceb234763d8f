"""Workers who can be invited to a round, with what the project knows about them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.domain.publishing.qualification_codes import pool_code
from annotation.models import Submission
from crowd.domain.workers.register_worker import ERASED, PSEUDONYMISED
from crowd.enums import RequestState
from crowd.models import Block, QualificationGrant, Worker
from projects.domain.label_worker import workers_named
from projects.domain.schemes import scheme_of
from qualification.domain.pool.admit import BLOCKED, IN_POOL
from qualification.domain.rounds.answer_requests import requests_of
from qualification.domain.scores.figures import figure_at
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Evaluation, Round

TURNED_DOWN = (EnrolmentState.DECLINED, EnrolmentState.WITHDRAWN)


class Candidates(StrEnum):
    """A group of workers to choose from. Those of the others are not in TURNED_DOWN."""

    ALL = ""
    ASKED = "asked"
    WORKED = "worked"
    TURNED_DOWN = "turned-down"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A worker with their rounds of the project, oldest first, and the newest score in them.

    The score is the scheme's first figure.
    """

    worker: Worker
    enrolments: Sequence[Enrolment]
    score: float | None
    is_member: bool
    has_asked: bool

    @property
    def turned_down(self) -> Enrolment | None:
        """Return the newest round that the worker was declined in or withdrawn from."""
        rows = [row for row in self.enrolments if row.state in TURNED_DOWN]
        return rows[-1] if rows else None


def invitable_workers(*, round: Round) -> QuerySet[Worker]:
    """Return the workers of the site who are not in the round and can work at its marketplace."""
    here = Worker.objects.filter(provider=round.project.provider, is_simulated=False)
    for prefix in (PSEUDONYMISED, ERASED):
        here = here.exclude(external_id__startswith=prefix)
    enrolled = Enrolment.objects.filter(round=round, worker=OuterRef("pk"))
    blocked = Block.objects.filter(worker=OuterRef("pk"), state__in=BLOCKED)
    answered = enrolled.exclude(state=EnrolmentState.WITHDRAWN)
    return here.exclude(Exists(answered) | Exists(blocked))


def candidates_of(
    *, round: Round, group: str = Candidates.ALL, passed: int | None = None, text: str = ""
) -> QuerySet[Worker]:
    """Return the workers of a group, or those who passed the round with the id `passed`."""
    project = round.project
    workers = invitable_workers(round=round)
    own = Enrolment.objects.filter(round__project=project, worker=OuterRef("pk"))
    is_turned_down = Exists(own.filter(state__in=TURNED_DOWN))
    if group == Candidates.TURNED_DOWN:
        workers = workers.filter(is_turned_down)
    else:
        workers = workers.exclude(is_turned_down)
    if group == Candidates.ASKED:
        asked = requests_of(project=project).filter(state=RequestState.OPEN)
        workers = workers.filter(pk__in=asked.order_by().values("worker"))
    if group == Candidates.WORKED:
        work = Submission.objects.filter(worker=OuterRef("pk"), item__project=project)
        workers = workers.filter(Exists(work))
    if passed is not None:
        workers = workers.filter(Exists(own.filter(round=passed, state=EnrolmentState.PASSED)))
    if text.strip():
        named = workers_named(project=project, text=text)
        workers = workers.filter(Q(pseudonym__icontains=text.strip()) | Q(pk__in=named))
    return workers


def scores_of(*, round: Round) -> dict[int, float | None]:
    """Return the newest score of each worker in the project's rounds, by worker id."""
    scheme = scheme_of(round.project)
    main = scheme.comparison.figures[0].key
    newest = Evaluation.objects.filter(enrolment__round__project=round.project).order_by("pk")
    rows = newest.values_list("enrolment__worker", "figures", "corrected_figures")
    return {
        worker: figure_at(scheme, corrected or figures, main) for worker, figures, corrected in rows
    }


def candidates(
    *, round: Round, workers: Collection[Worker], scores: dict[int, float | None]
) -> list[Candidate]:
    """Return what the project knows about the workers, in three queries."""
    ids = [worker.pk for worker in workers]
    enrolments: dict[int, list[Enrolment]] = {}
    rows = Enrolment.objects.filter(round__project=round.project, worker__in=ids)
    for row in rows.select_related("round").order_by("enrolled_at", "pk"):
        enrolments.setdefault(row.worker_id, []).append(row)
    members = QualificationGrant.objects.filter(
        qualification_type__provider=round.project.provider,
        qualification_type__code=pool_code(round.project, round.role),
        state__in=IN_POOL,
        worker__in=ids,
    )
    in_pool = set(members.values_list("worker", flat=True))
    requests = requests_of(project=round.project).filter(state=RequestState.OPEN, worker__in=ids)
    asked = set(requests.values_list("worker", flat=True))
    return [
        Candidate(
            worker=worker,
            enrolments=enrolments.get(worker.pk, []),
            score=scores.get(worker.pk),
            is_member=worker.pk in in_pool,
            has_asked=worker.pk in asked,
        )
        for worker in workers
    ]


def blocked_among(*, provider: str, ids: Collection[str]) -> list[str]:
    """Return those of the marketplace's ids that belong to blocked workers."""
    rows = Block.objects.filter(
        worker__provider=provider, worker__external_id__in=ids, state__in=BLOCKED
    )
    return sorted(rows.values_list("worker__external_id", flat=True))
