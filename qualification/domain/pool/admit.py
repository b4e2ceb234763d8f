"""Admit workers to the pools of trained workers, after a pass or by a member of staff."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotation.domain.publishing.announce_work import subject_for
from annotation.domain.publishing.qualification_codes import passed_outside_pool, pool_code
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.workers.languages import language_of
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.domain.workers.register_worker import is_forgotten
from crowd.domain.workers.write_mail import also_by_mail
from crowd.enums import BlockState, GrantState
from crowd.models import Block, Message, QualificationGrant, QualificationType, Worker
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.production_roles import admitted_roles
from qualification.enums import EnrolmentState
from qualification.models import Enrolment

# The value of a generator's qualification outside all production groups
UNGROUPED = 0
IN_POOL = (GrantState.PENDING, GrantState.HELD)
WITHDRAWN = (GrantState.REVOKING, GrantState.REVOKED)
BLOCKED = (BlockState.PENDING, BlockState.BLOCKED)
POOL_FOLLOWS = gettext_noop(
    "You are now a trained annotator. New tasks of the project will be available to you."
)


class AdmissionError(TouchstoneError):
    """The worker can't be admitted to the pool. The message explains why."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A worker's relation to the pool for a role.

    `refusal` is the reason why the worker can't be admitted. `was_withdrawn` is True if only an
    earlier withdrawal of the qualification speaks against it.
    """

    worker: Worker
    role: str
    is_member: bool
    refusal: str = ""
    was_withdrawn: bool = False


def pool_of(project: Project, role: str) -> QualificationType:
    """Return the qualification of the project's trained pool for a role."""
    return define_qualification(
        provider=project.provider,
        code=pool_code(project, role),
        name=f"{project.title[:100]}: trained {role}",
        description=f"Granted to trained {role}s of the project {project.title}.",
        is_requestable=is_offered(project) and role != Role.REVISER,
    )


def is_offered(project: Project) -> bool:
    """Return True if people may request the project's qualifications.

    Simulated workers get them without a request, and people are not offered those.
    """
    return not project.has_simulated_work


def grant_pools(
    *,
    project: Project,
    worker: Worker,
    roles: Iterable[str],
    reason: str,
    actor: str,
    now: datetime,
) -> None:
    """Grant the qualifications of the roles' pools, and log each."""
    for role in roles:
        pool = pool_of(project, role)
        is_new = not pool.grants.filter(worker=worker).exists()
        # A generator's value is the production group. A consolidator's is a number (docs/adr/0004).
        value = UNGROUPED if is_new and role == Role.GENERATOR else None
        grant = grant_qualification(qualification=pool, worker=worker, value=value, now=now)
        log_reason = f"{pool.code}: {reason}"
        log_state_change(
            instance=grant, old="", new="granted", actor=actor, now=now, reason=log_reason
        )


@transaction.atomic
def admit_worker(
    *, project: Project, worker: Worker, role: str, actor: str, now: datetime, again: bool = False
) -> bool:
    """Admit the worker to the pool for a role, and send a message.

    Return False if the worker is in the pool already. With `again`, a withdrawn qualification is
    granted again. Raise AdmissionError.
    """
    Worker.objects.select_for_update().get(pk=worker.pk)
    standing = standings_of(project=project, role=role, workers=[worker.pk])[worker.pk]
    if standing.is_member:
        return False
    if standing.refusal and not (again and standing.was_withdrawn):
        raise AdmissionError(standing.refusal)
    roles = admitted_roles(project=project, role=role)
    grant_pools(
        project=project,
        worker=worker,
        roles=roles,
        reason="admitted by staff",
        actor=actor,
        now=now,
    )
    with translation.override(language_of(worker)):
        message = Message.objects.create(
            worker=worker,
            budget=project.budget,
            subject=subject_for(project),
            text=gettext(POOL_FOLLOWS),
            written_at=now,
        )
    also_by_mail(message=message)
    return True


def standings_of(*, project: Project, role: str, workers: Collection[int]) -> dict[int, Standing]:
    """Return the workers' standings by worker id, in four queries."""
    grants = {
        grant.worker_id: grant
        for grant in QualificationGrant.objects.filter(
            qualification_type__provider=project.provider,
            qualification_type__code=pool_code(project, role),
            worker__in=workers,
        )
    }
    blocks = {
        block.worker_id: block
        for block in Block.objects.filter(worker__in=workers, state__in=BLOCKED)
    }
    enrolments = Enrolment.objects.filter(
        round__project=project, round__role=role, worker__in=workers
    )
    newest = {
        enrolment.worker_id: enrolment
        for enrolment in enrolments.select_related("round").order_by("round__ordinal")
    }
    return {
        worker.pk: _standing(
            worker, role, grants.get(worker.pk), blocks.get(worker.pk), newest.get(worker.pk)
        )
        for worker in Worker.objects.filter(pk__in=workers).order_by("pk")
    }


def _standing(
    worker: Worker,
    role: str,
    grant: QualificationGrant | None,
    block: Block | None,
    newest: Enrolment | None,
) -> Standing:
    if grant and grant.state in IN_POOL:
        return Standing(worker=worker, role=role, is_member=True)
    refusal = _refusal(worker, block, newest)
    is_withdrawn = not refusal and grant is not None and grant.state in WITHDRAWN
    if is_withdrawn:
        refusal = f"The qualification of {worker.pseudonym} was withdrawn."
    return Standing(
        worker=worker, role=role, is_member=False, refusal=refusal, was_withdrawn=is_withdrawn
    )


def _refusal(worker: Worker, block: Block | None, newest: Enrolment | None) -> str:
    name = worker.pseudonym
    if is_forgotten(worker):
        return f"The ids of {name} were deleted, so the worker can't get tasks."
    if block:
        return f"{name} is blocked: {block.reason}"
    if newest and newest.state == EnrolmentState.WITHDRAWN:
        return f"{name} was withdrawn from {newest.round.title}. Let them repeat it first."
    if newest and newest.state == EnrolmentState.DECLINED:
        return f"{name} was declined in {newest.round.title}. Change that decision first."
    return ""


def outsiders_of(*, project: Project, role: str, passed: Collection[int]) -> list[Standing]:
    """Return the standings of those workers who are not in the pool for the role."""
    standings = standings_of(project=project, role=role, workers=passed)
    return [standing for standing in standings.values() if not standing.is_member]


def passed_outsiders(*, project: Project) -> list[Standing]:
    """Return the standings of workers who passed a round for a role, but are not in its pool."""
    return [
        standing
        for role in sorted({round.role for round in project.rounds.all()}, reverse=True)
        for standing in outsiders_of(
            project=project,
            role=role,
            passed=set(
                passed_outside_pool(project=project, role=role).values_list("pk", flat=True)
            ),
        )
    ]
