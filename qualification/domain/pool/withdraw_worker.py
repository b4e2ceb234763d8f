"""Revoke a worker's qualifications of a project."""

from datetime import datetime

from django.db import transaction

from annotation.domain.publishing.qualification_codes import qualifications_of
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.workers.qualifications import revoke_qualification
from crowd.enums import GrantState
from crowd.models import QualificationGrant, Worker
from projects.models import Project

ACTIVE = (GrantState.PENDING, GrantState.HELD, GrantState.FAILED)


class NoQualificationError(TouchstoneError):
    """The worker has no qualification of the project."""


@transaction.atomic
def withdraw_worker(
    *, project: Project, worker: Worker, reason: str, actor: str, now: datetime
) -> int:
    """Revoke the worker's qualifications of the project, with a reason for the worker.

    Return how many. Raise NoQualificationError.
    """
    grants = list(
        QualificationGrant.objects.select_for_update(of=("self",))
        .filter(
            worker=worker,
            qualification_type__in=qualifications_of(project).values("pk"),
            state__in=ACTIVE,
        )
        .select_related("qualification_type")
        .order_by("pk")
    )
    if not grants:
        raise NoQualificationError("The worker has no qualification of this project.")
    for number, grant in enumerate(grants):
        # Each reason is a message to the worker.
        revoke_qualification(
            qualification=grant.qualification_type,
            worker=worker,
            reason="" if number else reason,
            now=now,
        )
        log_state_change(
            instance=grant, old=grant.state, new="revoked", actor=actor, now=now, reason=reason
        )
    return len(grants)
