"""Appeals of workers against rejections, which the operator decides."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from marketplace.domain.errors import InvalidParameterError, RefusalError, WrongStateError
from marketplace.domain.notifications import messages
from marketplace.domain.work import review
from marketplace.enums import AppealStatus, AssignmentStatus
from marketplace.models import Appeal, Assignment


def appeal(*, assignment: Assignment, text: str, now: datetime) -> Appeal:
    """Create the appeal of a rejected assignment. Raise RefusalError if it has one."""
    if assignment.status != AssignmentStatus.REJECTED:
        raise WrongStateError("Assignment", allowed="Rejected", current=assignment.status)
    if not text.strip():
        raise InvalidParameterError(gettext("Explain why the work should be paid."))
    try:
        with transaction.atomic():
            return Appeal.objects.create(assignment=assignment, text=text, created_at=now)
    except IntegrityError:
        raise RefusalError(
            "AppealAlreadyExists", gettext("You already appealed this rejection.")
        ) from None


@transaction.atomic
def decide_appeal(*, appeal_pk: int, pay: bool, answer: str, now: datetime) -> None:
    """Pay the work or uphold the rejection, and send the answer to the worker."""
    row = (
        Appeal.objects.select_for_update(of=("self",))
        .select_related("assignment__hit_type")
        .get(pk=appeal_pk)
    )
    if row.status != AppealStatus.OPEN:
        raise WrongStateError("Appeal", allowed="open", current=row.status)
    if pay and row.assignment.status == AssignmentStatus.REJECTED:
        review.overturn(assignment_pk=row.assignment_id, note="appeal", now=now)
    row.status = AppealStatus.OVERTURNED if pay else AppealStatus.UPHELD
    row.answer = answer
    row.decided_at = now
    row.save(update_fields=["status", "answer", "decided_at"])
    title = row.assignment.hit_type.title
    with messages.worker_language(row.assignment.worker_id):
        messages.write(
            worker_id=row.assignment.worker_id,
            requester=None,
            subject=gettext("Your appeal was decided"),
            text=f"{AppealStatus(row.status).label}: “{title}”.\n\n{answer}",
            now=now,
        )
