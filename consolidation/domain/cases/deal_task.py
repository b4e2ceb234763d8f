"""Deal tasks to a session: the next that its worker may do."""

from datetime import datetime

from django.db.models import QuerySet

from annotation.domain.work.open_page import assign_block
from annotation.domain.work.worker_page import NotForWorkerError
from annotation.models import BlockAssignment, Submission, Task
from consolidation.domain.case_records import case_of_task
from consolidation.domain.cases.open_cases import excluded_workers
from consolidation.protocols import CASE_ROLES
from crowd.domain.provider.eligibility import meets, values_of
from crowd.domain.sessions.deal_hit import deal_hit, dealable_hits, has_room, open_deal
from crowd.domain.sessions.session_rules import done_tasks, least_tasks
from crowd.enums import DealState
from crowd.models import Deal, Hit, StudySession, Worker
from projects.enums import Role

# The number of HITs that are considered at a time.
CHUNK = 50


def deal_next(*, session: StudySession, now: datetime) -> Deal | None:
    """Return the task that the session works on, or deal the next one. None if there is none.

    Raise SessionOverError.
    """
    if deal := open_deal(session):
        return deal
    if not has_room(session, now):
        return None
    values = values_of(session.worker)
    after = 0
    while hits := list(_candidates(session).filter(pk__gt=after)[:CHUNK]):
        for hit in hits:
            if not meets(values, hit.hit_type.qualifications):
                continue
            if not _may_do(hit.task, session.worker, now):
                continue
            if deal := deal_hit(session=session, hit=hit, now=now):
                return open_deal(session)
        after = hits[-1].pk
    return None


def earns_code(*, session: StudySession, now: datetime) -> bool:
    """Return True if the session has enough tasks to be completed with a code.

    Less is enough if no task is left for the worker, who then can't do more.
    """
    done = done_tasks(session)
    if done >= least_tasks(session.study):
        return True
    if (
        done == 0
        or now >= session.deadline
        or session.deals.filter(state=DealState.RELEASED).exists()
    ):
        return False
    return deal_next(session=session, now=now) is None


def _candidates(session: StudySession) -> QuerySet[Hit]:
    return dealable_hits(session).exclude(task=None).select_related("task__batch__project")


def _may_do(task: Task, worker: Worker, now: datetime) -> bool:
    """Return True if the worker may do the task, by its block and by what they did before."""
    if _has_done_an_item(task, worker):
        return False
    if task.role in CASE_ROLES and not _may_do_case(task, worker):
        return False
    return _is_in_block(task, worker, now)


def _has_done_an_item(task: Task, worker: Worker) -> bool:
    """Return True if the worker has worked on one of the items in this role and round."""
    return Submission.objects.filter(
        item__in=task.items.values("pk"),
        role=task.role,
        worker=worker,
        assignment__hit__task__round=task.round,
        assignment__hit__task__batch__for_training=task.batch.for_training,
    ).exists()


def _may_do_case(task: Task, worker: Worker) -> bool:
    """Return True unless the worker wrote an annotation of the case, which revisers must have."""
    case = case_of_task(task)
    if task.role == Role.REVISER:
        return bool(case.disputes.get(round=task.round).source.worker_id == worker.pk)
    if case.given is not None:  # all trainees merge the same given annotations
        return True
    return worker.pk not in {person.pk for person in excluded_workers(case.item)}


def _is_in_block(task: Task, worker: Worker, now: datetime) -> bool:
    """Return True if the task is in the worker's block. The first task assigns the block."""
    if task.block is None:
        return True
    taken = BlockAssignment.objects.filter(batch=task.batch, worker_ref=worker.external_id).first()
    if taken:
        return taken.block == task.block
    try:
        assign_block(task=task, worker_ref=worker.external_id, now=now)
    except NotForWorkerError:
        return False
    return True
